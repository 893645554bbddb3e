import { PlumblineError } from '../errors.js';
import { betaQuantile, incompleteBeta, logGamma } from './beta.js';

/** A two-sided confidence interval of a rate. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** P(X <= k) for X ~ Binomial(n, p). */
export function binomialLowerTail(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(n - k, k + 1, 1 - p);
}

/** P(X >= k) for X ~ Binomial(n, p). */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return incompleteBeta(k, n - k + 1, p);
}

function binomialProbability(k: number, n: number, p: number): number {
  if (p === 0) return k === 0 ? 1 : 0;
  if (p === 1) return k === n ? 1 : 0;
  const ways = logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
  return Math.exp(ways + k * Math.log(p) + (n - k) * Math.log1p(-p));
}

/** Exact two-sided binomial test: the probability of all outcomes that are no likelier than k. */
export function binomialTest(k: number, n: number, p: number): number {
  const observed = binomialProbability(k, n, p);
  // Outcomes that are equally likely by symmetry differ in the last bits.
  const bound = observed * (1 + 1e-7);
  let sum = 0;
  for (let i = 0; i <= n; i++) {
    const probability = binomialProbability(i, n, p);
    if (probability <= bound) sum += probability;
  }
  return Math.min(1, sum);
}

/**
 * Clopper-Pearson interval of a rate; null when n = 0.
 *
 * `successes` may be a fraction: for the mean of n values in [0, 1] with the sum `successes`, a Bernoulli variable has
 * the largest variance that such a mean allows, so the same interval is conservative there.
 */
export function clopperPearson(successes: number, n: number, confidence = 0.95): Interval | null {
  if (!(Number.isInteger(n) && n >= 0 && successes >= 0 && successes <= n)) {
    throw new PlumblineError(
      'USAGE',
      `a rate of ${successes} out of ${n} is impossible: 0 <= successes <= n expected`,
    );
  }
  if (n === 0) return null;
  const tail = (1 - confidence) / 2;
  // A fractional count within rounding of 0 or n: the quantile's last bits must not put the rate outside.
  const rate = successes / n;
  return {
    low: successes === 0 ? 0 : Math.min(rate, betaQuantile(tail, successes, n - successes + 1)),
    high: successes === n ? 1 : Math.max(rate, betaQuantile(1 - tail, successes + 1, n - successes)),
  };
}

/**
 * Exact McNemar test of a paired change: `gained` and `lost` are the discordant pairs. Two-sided p from
 * Binomial(gained + lost, 1/2); null when no pair is discordant, since then nothing was tested.
 */
export function mcnemarExact(gained: number, lost: number): number | null {
  const n = gained + lost;
  if (n === 0) return null;
  return Math.min(1, 2 * binomialLowerTail(Math.min(gained, lost), n, 0.5));
}
