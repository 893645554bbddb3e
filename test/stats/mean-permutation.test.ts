import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { meanDifferenceP, signFlipP } from '../../src/stats/mean-permutation.js';

/** Every choice of k out of the pooled values. */
function bruteRelabel(first: readonly number[], second: readonly number[]): number {
  const pooled = [...first, ...second];
  const difference = (mask: number): number => {
    let taken = 0;
    let rest = 0;
    pooled.forEach((value, i) => {
      if ((mask >> i) & 1) taken += value;
      else rest += value;
    });
    return Math.abs(taken / first.length - rest / second.length);
  };
  const bits = (mask: number): number => mask.toString(2).replaceAll('0', '').length;
  const observed = difference(2 ** first.length - 1);
  let extreme = 0;
  let all = 0;
  for (let mask = 0; mask < 2 ** pooled.length; mask++) {
    if (bits(mask) !== first.length) continue;
    all++;
    if (difference(mask) >= observed - 1e-9) extreme++;
  }
  return extreme / all;
}

function bruteFlip(differences: readonly number[]): number {
  const total = (mask: number): number =>
    Math.abs(differences.reduce((sum, value, i) => sum + ((mask >> i) & 1 ? -value : value), 0));
  const patterns = 2 ** differences.length;
  let extreme = 0;
  for (let mask = 0; mask < patterns; mask++) if (total(mask) >= total(0) - 1e-9) extreme++;
  return extreme / patterns;
}

/** Shares of small whole numbers, as overlaps are: many of them equal. */
const ratio = fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 7 })).map(([a, b]) => Math.min(1, a / b));
const group = fc.array(ratio, { minLength: 1, maxLength: 5 });

describe('a difference of means', () => {
  test('has the p of full enumeration', () => {
    const property = fc.property(group, group, (first, second) => {
      const { p, exact } = meanDifferenceP(first, second, 1);
      expect(exact).toBe(true);
      expect(p).toBeCloseTo(bruteRelabel(first, second), 10);
    });
    fc.assert(property, { seed: 1, numRuns: 200 });
  });

  test('by draws is near the exact one', () => {
    // 60 values that are all different: too many states for the exact distribution. The p are from draws and
    // the normal approximation elsewhere; 20,000 draws have a standard error below .004.
    const values = Array.from({ length: 60 }, (_, i) => Math.sin(i * i + 0.5));
    const shifted = (by: number) =>
      meanDifferenceP(
        values.slice(0, 30),
        values.slice(30).map(value => value + by),
        1,
      );
    for (const [by, expected] of [
      [0, 0.1154],
      [0.1, 0.036],
      [-0.2, 0.6235],
    ] as const) {
      const { p, exact } = shifted(by);
      expect(exact).toBe(false);
      expect(Math.abs((p ?? 0) - expected)).toBeLessThan(0.012);
    }
    expect(shifted(0.1)).toEqual(shifted(0.1));
  });

  test('of nothing has no p, of equal means has 1', () => {
    expect(meanDifferenceP([], [1], 1)).toEqual({ p: null, exact: true });
    expect(meanDifferenceP([0.1, 0.2], [0.2, 0.1], 1)).toEqual({ p: 1, exact: true });
  });
});

describe('signs of paired differences', () => {
  test('have the p of full enumeration', () => {
    const differences = fc.array(
      fc.tuple(ratio, ratio).map(([a, b]) => a - b),
      { minLength: 1, maxLength: 9 },
    );
    const property = fc.property(differences, values => {
      const { p, exact } = signFlipP(values, 1);
      expect(exact).toBe(true);
      expect(p).toBeCloseTo(bruteFlip(values), 10);
    });
    fc.assert(property, { seed: 1, numRuns: 200 });
  });

  test('beyond twenty are drawn, near the normal approximation', () => {
    const values = Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? -0.1 : 0.1));
    const { p, exact } = signFlipP(values, 1);
    expect(exact).toBe(false);
    // 30 of 40 signs: a two-sided binomial test gives .0022.
    expect(p).toBeGreaterThan(0.001);
    expect(p).toBeLessThan(0.004);
    expect(signFlipP([], 1)).toEqual({ p: null, exact: true });
  });
});
