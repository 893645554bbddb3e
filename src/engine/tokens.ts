import type { ModelHandle, NativeBinding, NativeModelInfo, SpecialToken } from './native.js';

/** A piece of a prompt: `template` text may hold control tokens, `data` text never becomes one. */
export interface TextPiece {
  readonly kind: 'template' | 'data';
  readonly text: string;
}

export interface Tokenizer {
  readonly info: NativeModelInfo;
  readonly endOfGeneration: ReadonlySet<number>;
  /** Token ids of a whole prompt: exactly one BOS when the model wants one, data without control tokens. */
  encode(pieces: readonly TextPiece[]): Int32Array;
  /** Token ids of `continuation` as it follows the prompt. */
  encodeContinuation(pieces: readonly TextPiece[], continuation: string): Int32Array;
  /** UTF-8 text of token ids; control tokens are left out, broken sequences become U+FFFD. */
  decode(ids: Int32Array): string;
}

/** A stretch of text between control tokens, or one control token. */
type Run = { readonly text: string } | { readonly id: number };

/** Names of control tokens look like this in every family that we know of: `<|im_end|>`, `<start_of_turn>`, `[INST]`. */
const MARKER = /^(<.+>|\[.+\])$/su;
/** Text that is tokenised together with a continuation, so that its first token is the one a model would write. */
const CONTEXT_CHARS = 32;

export function createTokenizer(binding: NativeBinding, model: ModelHandle): Tokenizer {
  const info = binding.modelInfo(model);
  const specials = binding.specialTokens(model).filter(token => token.text.length > 0);
  // Longest first: "<|eot|>" must not be taken for a shorter token that starts alike.
  const byLength = [...specials].sort((a, b) => b.text.length - a.text.length);
  // llama.cpp recognises user-defined tokens even when it is told not to parse special ones.
  const forgeable = byLength.filter(token => !token.control && MARKER.test(token.text));
  const tokenizeRun = (run: Run): Int32Array =>
    'id' in run ? Int32Array.of(run.id) : binding.tokenize(model, run.text, false);

  function encode(pieces: readonly TextPiece[]): Int32Array {
    const ids = concat(splitRuns(pieces, byLength, forgeable).map(tokenizeRun));
    return info.addBos && ids[0] !== info.bos ? concat([Int32Array.of(info.bos), ids]) : ids;
  }

  function encodeContinuation(pieces: readonly TextPiece[], continuation: string): Int32Array {
    const last = splitRuns(pieces, byLength, forgeable).at(-1);
    const tail = last !== undefined && 'text' in last ? [...last.text].slice(-CONTEXT_CHARS).join('') : '';
    const before = tail === '' ? new Int32Array() : binding.tokenize(model, tail, false);
    const whole = binding.tokenize(model, tail + continuation, false);
    const extends_ = whole.length > before.length && before.every((id, i) => whole[i] === id);
    return extends_ ? whole.slice(before.length) : binding.tokenize(model, continuation, false);
  }

  return {
    info,
    endOfGeneration: new Set(specials.filter(token => token.endOfGeneration).map(token => token.id)),
    encode,
    encodeContinuation,
    decode: ids => new TextDecoder().decode(binding.tokenBytes(model, ids, false)),
  };
}

/**
 * Text between two control tokens is one run, data and template together, because tokenisers merge across such borders
 * (" The" after "Rule:"). Control tokens are recognised in template text only. A user-defined token whose name stands
 * in a run all the same, in data or across a border, is broken after its first character: llama.cpp would otherwise
 * recognise it. White space that a token takes with it is taken from template text, never from data.
 */
export function splitRuns(
  pieces: readonly TextPiece[],
  templateTokens: readonly SpecialToken[],
  forgeable: readonly SpecialToken[],
): Run[] {
  const runs: Run[] = [];
  let text = '';
  const flush = (): void => {
    for (let hit = firstOccurrence(text, forgeable); hit !== null; hit = firstOccurrence(text, forgeable)) {
      runs.push({ text: text.slice(0, hit.at + 1) });
      text = text.slice(hit.at + 1);
    }
    if (text !== '') runs.push({ text });
    text = '';
  };
  for (const piece of pieces) {
    let rest = piece.text;
    for (;;) {
      const hit = piece.kind === 'template' ? firstOccurrence(rest, templateTokens) : null;
      if (hit === null) break;
      const before = rest.slice(0, hit.at);
      text += hit.token.stripsBefore ? before.trimEnd() : before;
      flush();
      runs.push({ id: hit.token.id });
      rest = rest.slice(hit.at + hit.token.text.length);
      if (hit.token.stripsAfter) rest = rest.trimStart();
    }
    text += rest;
  }
  flush();
  return runs;
}

function firstOccurrence(
  text: string,
  tokens: readonly SpecialToken[],
): { readonly at: number; readonly token: SpecialToken } | null {
  let best: { at: number; token: SpecialToken } | null = null;
  for (const token of tokens) {
    const at = text.indexOf(token.text);
    if (at >= 0 && (best === null || at < best.at)) best = { at, token };
  }
  return best;
}

function concat(parts: readonly Int32Array[]): Int32Array {
  const whole = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
