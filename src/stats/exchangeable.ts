import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** One value, and others that it could have been drawn with: without an effect, any of them is as likely to come first. */
export interface Exchangeable {
  readonly own: number;
  readonly others: readonly number[];
}

/** Sums are compared in units of 2⁻⁴⁰, so that equal ones are equal whatever the order of adding. */
const UNIT = 2 ** 40;
const DRAWS = 20_000;

/**
 * One-sided permutation test within units: the share of ways to name one value of each unit as its own whose sum is at
 * least the observed one. Seeded draws, the observed naming counted in, so that p is never below 1 / 20,001. It is
 * exact however the values are distributed, as long as own and others are exchangeable. null when there is no unit.
 */
export function largerThanOthersP(units: readonly Exchangeable[], seed: number): number | null {
  if (units.length === 0) return null;
  const pools = units.map(({ own, others }) =>
    Float64Array.from([own, ...others], value => Math.round(value * UNIT)),
  );
  // A unit whose values are all equal adds the same to every sum.
  const moving = pools.filter(pool => pool.some(value => value !== pool[0]));
  const observed = moving.reduce((sum, pool) => sum + (pool[0] ?? 0), 0);
  const random = xoroshiro128plus(seed);
  let extreme = 1;
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (const pool of moving) sum += pool[uniformInt(random, 0, pool.length - 1)] ?? 0;
    if (sum >= observed) extreme++;
  }
  return extreme / (DRAWS + 1);
}
