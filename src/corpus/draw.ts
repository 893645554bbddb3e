import { createHash } from 'node:crypto';

/**
 * The one source of chance in choosing what to audit: a SHA-256 (64 hex digits) of the seed, the purpose of the draw
 * and what it is about. Ranking by it is a uniform draw without replacement that depends on nothing but its arguments:
 * not on order, not on what else is in the run. The JSON array keeps neighbouring parts from running together.
 */
export function drawKey(seed: number, purpose: string, ...parts: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([seed, purpose, ...parts]))
    .digest('hex');
}

/** A copy of `items` in the order of their draw keys; `partsOf` must tell every two items apart. */
export function rankByDraw<T>(
  items: readonly T[],
  seed: number,
  purpose: string,
  partsOf: (item: T) => readonly string[],
): readonly T[] {
  return items
    .map(item => ({ item, key: drawKey(seed, purpose, ...partsOf(item)) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ item }) => item);
}
