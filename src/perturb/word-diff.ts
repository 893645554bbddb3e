/** A stretch of text that only the text before has (`deleted`), only the text after (`inserted`), or both. */
export interface Piece {
  readonly kind: 'same' | 'deleted' | 'inserted';
  readonly text: string;
}

/** Above this many comparisons, or below this share of common words, a word by word account helps no reader. */
const MAX_COMPARISONS = 4_000_000;
const LEAST_COMMON = 0.5;

/**
 * What changed from one text to the other, in whole words and runs of white space: a longest common subsequence. Texts
 * that have little in common are one deletion and one insertion. Same and deleted pieces together are `before`, same and
 * inserted ones `after`.
 */
export function wordDiff(before: string, after: string): readonly Piece[] {
  const [a, b] = [tokensOf(before), tokensOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [from, to] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const pieces: readonly Piece[] = [
    ...a.slice(0, start).map(text => ({ kind: 'same', text }) as const),
    ...(from.length * to.length > MAX_COMPARISONS ? replaced(from, to) : align(from, to)),
    ...a.slice(a.length - end).map(text => ({ kind: 'same', text }) as const),
  ];
  const words = (tokens: readonly string[]): number => tokens.filter(token => token.trim() !== '').length;
  const common = words(pieces.filter(({ kind }) => kind === 'same').map(({ text }) => text));
  const alike = common >= LEAST_COMMON * Math.max(words(a), words(b));
  return merge(alike ? settle(pieces) : replaced(a, b));
}

function tokensOf(text: string): readonly string[] {
  return text.match(/\s+|\S+/g) ?? [];
}

function replaced(from: readonly string[], to: readonly string[]): readonly Piece[] {
  return [
    { kind: 'deleted', text: from.join('') },
    { kind: 'inserted', text: to.join('') },
  ];
}

function align(a: readonly string[], b: readonly string[]): readonly Piece[] {
  // common(i, j): the weightiest common subsequence of a from i and b from j. A word weighs more than white space, which
  // would match anything.
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const common = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const weight = a[i]?.trim() === '' ? 1 : 2;
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] =
        a[i] === b[j] ? common(i + 1, j + 1) + weight : Math.max(common(i + 1, j), common(i, j + 1));
    }
  }
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      pieces.push({ kind: 'same', text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || common(i + 1, j) >= common(i, j + 1))) {
      pieces.push({ kind: 'deleted', text: left });
      i++;
    } else if (right !== undefined) {
      pieces.push({ kind: 'inserted', text: right });
      j++;
    }
  }
  return pieces;
}

/**
 * A change that begins with the white space that also follows it could as well end with it, and reads better so: `not `
 * rather than ` not`.
 */
function settle(tokens: readonly Piece[]): readonly Piece[] {
  const settled = [...tokens];
  for (let start = 0; start < settled.length; start++) {
    const first = settled[start];
    if (first === undefined || first.kind === 'same' || first.kind === settled[start - 1]?.kind) continue;
    const end = settled.findIndex(({ kind }, i) => i > start && kind !== first.kind);
    const next = settled[end];
    if (next?.kind !== 'same' || next.text !== first.text || first.text.trim() !== '') continue;
    settled[start] = { kind: 'same', text: first.text };
    settled[end] = { kind: first.kind, text: first.text };
  }
  return settled;
}

/** Joins neighbours of one kind; empty pieces go. */
function merge(pieces: readonly Piece[]): readonly Piece[] {
  const merged: Piece[] = [];
  for (const { kind, text } of pieces) {
    const last = merged.at(-1);
    if (text === '') continue;
    if (last?.kind === kind) merged[merged.length - 1] = { kind, text: last.text + text };
    else merged.push({ kind, text });
  }
  return merged;
}
