import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { PlumblineError } from '../errors.js';
import type { Interval } from './binomial.js';
import { sortedQuantile } from './quantile.js';

/**
 * Percentile bootstrap interval of sum(above) / sum(below) over items: item i brings above[i] and below[i], and both are
 * drawn together. With ones below it is the interval of a mean. Values below must not be negative; resamples whose sum
 * below is zero are drawn again. null for fewer than two items or when every value below is zero. The interval depends
 * on the order of items: give them in an order of their own.
 */
export function quotientInterval(
  above: ArrayLike<number>,
  below: ArrayLike<number>,
  seed: number,
  resamples = 2000,
  confidence = 0.95,
): Interval | null {
  const n = above.length;
  if (below.length !== n) {
    throw new PlumblineError(
      'USAGE',
      `a quotient of ${n} and ${below.length} values: equal numbers expected`,
    );
  }
  let total = 0;
  for (let i = 0; i < n; i++) {
    const value = below[i] ?? Number.NaN;
    if (!(value >= 0))
      throw new PlumblineError('USAGE', `value ${i} below the line is ${value}: 0 or more expected`);
    total += value;
  }
  if (n < 2 || total === 0) return null;
  const random = xoroshiro128plus(seed);
  const quotients = new Float64Array(resamples);
  for (let b = 0; b < resamples; ) {
    let numerator = 0;
    let denominator = 0;
    for (let i = 0; i < n; i++) {
      const drawn = Math.floor(uniformFloat64(random) * n);
      numerator += above[drawn] ?? 0;
      denominator += below[drawn] ?? 0;
    }
    if (denominator > 0) quotients[b++] = numerator / denominator;
  }
  quotients.sort();
  const tail = (1 - confidence) / 2;
  return { low: sortedQuantile(quotients, tail), high: sortedQuantile(quotients, 1 - tail) };
}
