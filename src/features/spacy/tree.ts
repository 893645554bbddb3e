/** Heads (a root is its own) and labels of a text's tokens. */
export interface Tree {
  readonly heads: readonly number[];
  readonly labels: readonly string[];
}

/** The stretch that a token's dependents span, for each token. */
interface Edges {
  readonly left: readonly number[];
  readonly right: readonly number[];
}

const DELIMITER = '||';

/**
 * Undoes projectivisation: an arc whose label names another one behind the delimiter moves to the first token with that
 * label below its head, searched in breadth, left to right (Nivre and Nilsson 2005, scheme HEAD). Arcs that moved before
 * are seen where they are now; the stretches that are searched stay those of the tree as it came.
 */
export function deprojectivize(tree: Tree): Tree {
  const heads = [...tree.heads];
  const labels = [...tree.labels];
  const { left, right } = edgesOf(tree.heads);
  for (const [token, label] of tree.labels.entries()) {
    const [own = '', wanted] = label.split(DELIMITER);
    if (wanted === undefined) continue;
    heads[token] = newHead(token, wanted) ?? (heads[token] as number);
    labels[token] = own;
  }
  return { heads, labels };

  function newHead(token: number, wanted: string): number | null {
    let level = [heads[token] as number];
    const seen = new Set<number>();
    while (level.length > 0) {
      const below: number[] = [];
      for (const parent of level) {
        for (let child = left[parent] as number; child <= (right[parent] as number); child++) {
          if (heads[child] !== parent || child === parent || child === token || seen.has(child)) continue;
          if (labels[child] === wanted) return child;
          seen.add(child);
          below.push(child);
        }
      }
      level = below;
    }
    return null;
  }
}

/** Whether each token begins a sentence: the first token of every root's stretch does. */
export function sentenceStarts(heads: readonly number[]): readonly boolean[] {
  const starts = heads.map(() => false);
  const { left } = edgesOf(heads);
  heads.forEach((head, token) => {
    if (head === token) starts[left[token] as number] = true;
  });
  return starts;
}

/** As often as spaCy widens stretches before it lets go of a head outside of its sentence. */
const MAX_ROUNDS = 12;

function edgesOf(heads: readonly number[]): Edges {
  const left = heads.map((_, i) => i);
  const right = heads.map((_, i) => i);
  const widen = (token: number): void => {
    const head = heads[token] as number;
    left[head] = Math.min(left[head] as number, left[token] as number);
    right[head] = Math.max(right[head] as number, right[token] as number);
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (let token = 0; token < heads.length; token++) widen(token);
    for (let token = heads.length - 1; token >= 0; token--) widen(token);
    if (headsWithinSentences(heads, left)) break;
  }
  return { left, right };
}

function headsWithinSentences(heads: readonly number[], left: readonly number[]): boolean {
  const starts = new Set(heads.flatMap((head, token) => (head === token ? [left[token] as number] : [])));
  let start = 0;
  for (let end = 1; end <= heads.length; end++) {
    if (end < heads.length && !starts.has(end)) continue;
    for (let token = start; token < end; token++) {
      const head = heads[token] as number;
      if (head < start || head >= end) return false;
    }
    start = end;
  }
  return true;
}
