import { fromPython } from './python-regex.js';

/** A token: its text, the norm that an exception gives it (null: none does), and whether a space follows. */
export interface Token {
  readonly text: string;
  readonly norm: string | null;
  readonly space: boolean;
}

/** The rules of a spaCy tokeniser, as its file holds them. */
export interface TokenizerRules {
  readonly prefix: string;
  readonly suffix: string;
  readonly infix: string;
  /** null: the tokeniser has none. */
  readonly url: string | null;
  readonly exceptions: ReadonlyMap<string, readonly Piece[]>;
}

/** A part of an exception. */
export interface Piece {
  readonly text: string;
  readonly norm: string | null;
}

/** How many different stretches between spaces are remembered. */
const MAX_REMEMBERED = 100_000;

/**
 * A function that splits a text as spaCy's tokeniser does. White space must be collapsed.
 *
 * @throws Error in words for an expression that cannot be translated.
 */
export function createTokenizer(rules: TokenizerRules): (text: string) => readonly Token[] {
  const compile = (source: string, flags = 'u'): RegExp => new RegExp(fromPython(source), flags);
  const prefix = compile(rules.prefix);
  const suffix = compile(rules.suffix);
  const infix = compile(rules.infix, 'gu');
  const url = rules.url === null ? null : compile(`^(?:${rules.url.replace(/^\(\?u\)/, '')})`);
  const { exceptions } = rules;
  const remembered = new Map<string, readonly Piece[]>();

  /** One stretch without spaces: exceptions whole, then affixes off both ends, then infixes. */
  function split(stretch: string, withExceptions: boolean): readonly Piece[] {
    const exception = (text: string): readonly Piece[] | undefined =>
      withExceptions ? exceptions.get(text) : undefined;
    const whole = exception(stretch);
    if (whole !== undefined) return whole;
    const before: Piece[] = [];
    const after: Piece[] = [];
    let rest = stretch;
    for (let last = -1; rest !== '' && rest.length !== last && exception(rest) === undefined; ) {
      last = rest.length;
      const head = prefix.exec(rest)?.[0] ?? '';
      const minusHead = rest.slice(head.length);
      if (head !== '' && minusHead !== '' && exception(minusHead) !== undefined) {
        before.push(plain(head));
        rest = minusHead;
        break;
      }
      const tail = suffix.exec(minusHead)?.[0] ?? '';
      const minusTail = rest.slice(0, rest.length - tail.length);
      if (tail !== '' && minusTail !== '' && exception(minusTail) !== undefined) {
        after.unshift(plain(tail));
        rest = minusTail;
        break;
      }
      if (head !== '') before.push(plain(head));
      if (tail !== '') after.unshift(plain(tail));
      rest = rest.slice(head.length, rest.length - tail.length);
    }
    return [...before, ...(exception(rest) ?? splitInside(rest)), ...after];
  }

  function splitInside(text: string): readonly Piece[] {
    if (text === '') return [];
    if (url?.test(text)) return [plain(text)];
    const pieces: Piece[] = [];
    let start = 0;
    for (const match of text.matchAll(infix)) {
      if (match.index === 0) continue;
      if (match.index !== start) pieces.push(plain(text.slice(start, match.index)));
      if (match[0] !== '') pieces.push(plain(match[0]));
      start = match.index + match[0].length;
    }
    if (start < text.length) pieces.push(plain(text.slice(start)));
    return pieces;
  }

  const retokenize = createRetokenizer(exceptions, text => split(text, false), [prefix, suffix, infix]);

  return text => {
    if (text === '') return [];
    const tokens = text.split(' ').flatMap(stretch => {
      let pieces = remembered.get(stretch);
      if (pieces === undefined) {
        pieces = split(stretch, true);
        if (remembered.size < MAX_REMEMBERED) remembered.set(stretch, pieces);
      }
      return pieces.map((piece, i) => ({ ...piece, space: i === pieces.length - 1 }));
    });
    const last = tokens.at(-1);
    if (last !== undefined) tokens[tokens.length - 1] = { ...last, space: false };
    return retokenize(tokens);
  };
}

function plain(text: string): Piece {
  return { text, norm: null };
}

/** Stretches of tokens, and where an exception begins that they spell. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Exceptions that hold an affix or infix themselves ("a.m.)") are found among the tokens afterwards: the longest first,
 * of equal length the earlier.
 */
function createRetokenizer(
  exceptions: ReadonlyMap<string, readonly Piece[]>,
  splitPlainly: (text: string) => readonly Piece[],
  affixes: readonly RegExp[],
): (tokens: readonly Token[]) => readonly Token[] {
  const patterns = new Map<string, (readonly string[])[]>();
  for (const text of exceptions.keys()) {
    if (text.trim() === '' || !affixes.some(affix => text.search(affix) !== -1)) continue;
    const pattern = splitPlainly(text).map(piece => piece.text);
    const first = pattern[0] ?? '';
    patterns.set(first, [...(patterns.get(first) ?? []), pattern]);
  }
  return tokens => {
    const spans: Span[] = tokens.flatMap(({ text }, start) =>
      (patterns.get(text) ?? [])
        .filter(pattern => pattern.every((part, i) => tokens[start + i]?.text === part))
        .map(pattern => ({ start, end: start + pattern.length })),
    );
    if (spans.length === 0) return tokens;
    const taken = new Set<number>();
    const chosen = new Map<number, number>();
    for (const { start, end } of spans.sort(
      (a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start,
    )) {
      if (!taken.has(start) && !taken.has(end - 1)) chosen.set(start, end);
      for (let i = start; i < end; i++) taken.add(i);
    }
    const out: Token[] = [];
    for (let i = 0; i < tokens.length; ) {
      const end = chosen.get(i) ?? i + 1;
      const span = tokens.slice(i, end);
      const text = span
        .map((token, k) => token.text + (token.space && k < span.length - 1 ? ' ' : ''))
        .join('');
      const pieces = chosen.has(i) ? exceptions.get(text) : undefined;
      if (pieces === undefined) out.push(...span);
      else
        out.push(
          ...pieces.map((piece, k) => ({
            ...piece,
            space: k === pieces.length - 1 && (span.at(-1)?.space ?? false),
          })),
        );
      i = end;
    }
    return out;
  };
}
