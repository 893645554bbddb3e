/** A byte-level BPE vocabulary as llama.cpp's `gpt2` tokeniser with the `gpt-2` pre-tokeniser reads it. */
export interface Vocabulary {
  /** Token texts in byte-to-character form: 256 bytes, then the merges in order, then the end token. */
  readonly tokens: readonly string[];
  /** The two halves of each merge with a space between them, in order of rank. */
  readonly merges: readonly string[];
  readonly endToken: number;
}

export const END_TOKEN = '<|end|>';

/** Splits a text as the pre-tokeniser does: no merge crosses these borders. */
const WORDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const DIGIT = /\p{N}/u;

/**
 * GPT-2's reversible writing of bytes: printable ones stand for themselves, the others for the characters from
 * U+0100 on. A space becomes `Ġ`.
 */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

/** A text in byte-to-character form. */
export function byteCharacters(text: string): string {
  return Array.from(Buffer.from(text, 'utf8'), byte => BYTE_CHARACTERS[byte]).join('');
}

/**
 * Learns byte-level BPE from texts until the vocabulary has `size` entries or no pair occurs twice. Digits are never
 * merged, so that a number is read digit by digit. Ties go to the pair that sorts first: equal texts give equal
 * vocabularies.
 */
export function learnVocabulary(texts: Iterable<string>, size: number): Vocabulary {
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  let words: readonly CountedWord[] = [...counts]
    .filter(([word]) => !DIGIT.test(word))
    .map(([word, count]) => ({ count, symbols: [...byteCharacters(word)] }));

  const merges: string[] = [];
  const tokens = [...BYTE_CHARACTERS];
  while (tokens.length < size - 1) {
    const pair = mostFrequentPair(words);
    if (pair === undefined) break;
    const [left = '', right = ''] = pair.split(' ');
    merges.push(pair);
    tokens.push(left + right);
    words = words.map(({ count, symbols }) => ({ count, symbols: merge(symbols, left, right) }));
  }
  return { tokens: [...tokens, END_TOKEN], merges, endToken: tokens.length };
}

/** Turns texts into token ids as llama.cpp does with this vocabulary. Words are remembered, so one encoder serves many texts. */
export function createEncoder({ tokens, merges }: Vocabulary): (text: string) => readonly number[] {
  const ids = new Map(tokens.map((token, id) => [token, id]));
  const known = new Map<string, readonly number[]>();
  const ranks = new Map(merges.map((pair, rank) => [pair, rank]));

  function encodeWord(word: string): readonly number[] {
    let symbols: readonly string[] = [...byteCharacters(word)];
    for (;;) {
      let best: { readonly pair: string; readonly rank: number } | undefined;
      for (let i = 1; i < symbols.length; i++) {
        const pair = `${symbols[i - 1]} ${symbols[i]}`;
        const rank = ranks.get(pair);
        if (rank !== undefined && (best === undefined || rank < best.rank)) best = { pair, rank };
      }
      if (best === undefined) break;
      const [left = '', right = ''] = best.pair.split(' ');
      symbols = merge(symbols, left, right);
    }
    return symbols.map(symbol => ids.get(symbol) ?? 0);
  }

  return text =>
    [...text.matchAll(WORDS)].flatMap(([word]) => {
      const encoded = known.get(word) ?? encodeWord(word);
      known.set(word, encoded);
      return encoded;
    });
}

interface CountedWord {
  readonly count: number;
  readonly symbols: readonly string[];
}

function mostFrequentPair(words: readonly CountedWord[]): string | undefined {
  const pairs = new Map<string, number>();
  for (const { count, symbols } of words) {
    for (let i = 1; i < symbols.length; i++) {
      const pair = `${symbols[i - 1]} ${symbols[i]}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + count);
    }
  }
  let best: string | undefined;
  let most = 1;
  for (const [pair, count] of pairs) {
    if (count > most || (count === most && best !== undefined && pair < best)) {
      best = pair;
      most = count;
    }
  }
  return best;
}

function merge(symbols: readonly string[], left: string, right: string): readonly string[] {
  const merged: string[] = [];
  for (let i = 0; i < symbols.length; i++) {
    const symbol = symbols[i] ?? '';
    if (symbol === left && symbols[i + 1] === right) {
      merged.push(left + right);
      i++;
    } else {
      merged.push(symbol);
    }
  }
  return merged;
}
