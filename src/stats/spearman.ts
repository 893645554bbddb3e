import { betaQuantile, incompleteBeta } from './beta.js';

/** Ranks from 1, equal values sharing the mean of theirs. */
export function averageRanks(values: ArrayLike<number>): Float64Array {
  const order = Uint32Array.from(values, (_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1] ?? 0] === values[order[start] ?? 0]) end++;
    for (let i = start; i <= end; i++) ranks[order[i] ?? 0] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return ranks;
}

/** Spearman's rank correlation; null when one side does not vary or there are fewer than two items. */
export function spearman(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const [x, y] = [averageRanks(a), averageRanks(b)];
  const middle = (x.length + 1) / 2;
  let product = 0;
  let squareX = 0;
  let squareY = 0;
  for (let i = 0; i < x.length; i++) {
    const dx = (x[i] ?? 0) - middle;
    const dy = (y[i] ?? 0) - middle;
    product += dx * dy;
    squareX += dx * dx;
    squareY += dy * dy;
  }
  return squareX === 0 || squareY === 0 ? null : product / Math.sqrt(squareX * squareY);
}

export interface RankTest {
  readonly n: number;
  readonly rho: number | null;
  /** Two-sided; null for fewer than three items. */
  readonly p: number | null;
}

/** Spearman's rank correlation with the p-value that SciPy gives: Student's t with n - 2 degrees of freedom. */
export function spearmanTest(a: ArrayLike<number>, b: ArrayLike<number>): RankTest {
  const rho = spearman(a, b);
  const n = a.length;
  const p = rho === null || n < 3 ? null : rankCorrelationP(rho, n);
  return { n, rho, p };
}

/** Two-sided p of a rank correlation of n >= 3 items: P(|T| > t) = I(1 - rho²; (n - 2) / 2, 1 / 2) for t² = rho² (n - 2) / (1 - rho²). */
export function rankCorrelationP(rho: number, n: number): number {
  return incompleteBeta((n - 2) / 2, 0.5, 1 - rho * rho);
}

/** The smallest |rho| of n >= 3 items whose p is at most `p`. */
export function rankCorrelationAt(p: number, n: number): number {
  return Math.sqrt(1 - betaQuantile(p, (n - 2) / 2, 0.5));
}
