import { averageRanks, type RankTest, spearmanTest } from './spearman.js';

/** Spearman's rank correlation over points that may be few. */
export interface FewRanks extends RankTest {
  /** exact: over all orders of the points; t: Student's t, as SciPy; null without a p. */
  readonly method: 'exact' | 't' | null;
  /** The smallest two-sided p that these points could give in any order; null where p is not exact. */
  readonly smallestP: number | null;
}

/** 8! = 40,320 orders are tried at most; above, the t approximation is off by little. */
const MOST_EXACT = 8;

/**
 * Spearman's rank correlation, with the exact p of a permutation test for up to eight points: the share of all orders
 * whose |rho| is at least as large. Student's t gives p = 0 for any three points in order, which six orders cannot.
 */
export function fewRanks(a: ArrayLike<number>, b: ArrayLike<number>): FewRanks {
  const test = spearmanTest(a, b);
  if (test.rho === null || test.n < 3) return { ...test, p: null, method: null, smallestP: null };
  if (test.n > MOST_EXACT) return { ...test, method: 't', smallestP: null };
  return { ...test, ...exactP(centred(a), centred(b)), method: 'exact' };
}

/** Twice the ranks, less their mean: whole numbers, so that equal products are equal. */
function centred(values: ArrayLike<number>): Int32Array {
  const ranks = averageRanks(values);
  return Int32Array.from(ranks, rank => 2 * rank - (ranks.length + 1));
}

function exactP(x: Int32Array, y: Int32Array): { readonly p: number; readonly smallestP: number } {
  const observed = Math.abs(x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0));
  let orders = 0;
  let asLarge = 0;
  let largest = 0;
  let ofLargest = 0;
  const order = Int32Array.from(y);
  const place = (at: number, product: number): void => {
    if (at === x.length) {
      const size = Math.abs(product);
      orders++;
      if (size >= observed) asLarge++;
      if (size > largest) [largest, ofLargest] = [size, 0];
      if (size === largest) ofLargest++;
      return;
    }
    for (let i = at; i < order.length; i++) {
      swap(order, at, i);
      place(at + 1, product + (x[at] ?? 0) * (order[at] ?? 0));
      swap(order, at, i);
    }
  };
  place(0, 0);
  return { p: asLarge / orders, smallestP: ofLargest / orders };
}

function swap(values: Int32Array, i: number, j: number): void {
  const held = values[i] ?? 0;
  values[i] = values[j] ?? 0;
  values[j] = held;
}
