import { betaQuantile, incompleteBeta } from './beta.js';
import { moments } from './moments.js';

/** Mean of a sample, its interval by Student's t, and the two-sided p of a mean of zero. */
export interface MeanTest {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly p: number;
}

/**
 * Student's one-sample t against zero; null for fewer than two values. Values that are all equal have an interval
 * without width, and p = 1 when they are zero, 0 when they are not.
 */
export function meanTest(values: readonly number[], confidence: number): MeanTest | null {
  const { n, mean, sd } = moments(values);
  if (mean === null || sd === null) return null;
  const freedom = n - 1;
  // P(|T| > t) = I(f / (f + t²); f / 2, 1 / 2).
  const x = betaQuantile(1 - confidence, freedom / 2, 0.5);
  const half = (Math.sqrt((freedom * (1 - x)) / x) * sd) / Math.sqrt(n);
  const p =
    mean === 0
      ? 1
      : incompleteBeta(freedom / 2, 0.5, freedom / (freedom + (mean / (sd / Math.sqrt(n))) ** 2));
  return { mean, low: mean - half, high: mean + half, p };
}
