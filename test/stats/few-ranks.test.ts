import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewRanks } from '../../src/stats/few-ranks.js';
import { spearman, spearmanTest } from '../../src/stats/spearman.js';

// Published exact tables of Spearman's rho, two-sided: n = 5 and n = 6.
test.each([
  [[1, 2, 3], [1, 2, 3], 1, 2 / 6],
  [[1, 2, 3, 4], [4, 3, 2, 1], -1, 2 / 24],
  [[1, 2, 3, 4, 5], [1, 2, 3, 5, 4], 0.9, 10 / 120],
  [[1, 2, 3, 4, 5], [2, 1, 3, 5, 4], 0.8, 16 / 120],
  [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 6, 5], 1 - 12 / 210, 12 / 720],
])('%j and %j: the p of the exact table', (a, b, rho, p) => {
  const found = fewRanks(a, b);
  expect(found).toMatchObject({ n: a.length, method: 'exact' });
  expect(found.rho).toBeCloseTo(rho, 12);
  expect(found.p).toBeCloseTo(p, 12);
});

describe('the smallest p that there can be', () => {
  test('of points without ties is two orders', () => {
    expect(fewRanks([1, 2, 3], [2, 1, 3]).smallestP).toBeCloseTo(2 / 6, 12);
    expect(fewRanks([1, 2, 3, 4, 5], [2, 1, 3, 5, 4]).smallestP).toBeCloseTo(2 / 120, 12);
  });

  test('grows with ties', () => {
    // Only which of four the one other value stands with can differ: twelve of 24 orders are at an end.
    const { p, smallestP } = fewRanks([1, 2, 3, 4], [0, 0, 0, 1]);
    expect(p).toBeCloseTo(12 / 24, 12);
    expect(smallestP).toBeCloseTo(12 / 24, 12);
  });
});

/** All orders of a list, by another road than the code under test. */
function orders<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length === 0) return [[]];
  return list.flatMap((item, i) =>
    orders([...list.slice(0, i), ...list.slice(i + 1)]).map(rest => [item, ...rest]),
  );
}

test('is the share of all orders, with ties', () => {
  const points = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })), {
    minLength: 3,
    maxLength: 6,
  });
  const property = fc.property(points, pairs => {
    const [a, b] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
    const found = fewRanks(a, b);
    const rho = spearman(a, b);
    expect(found.rho).toBe(rho);
    if (rho === null) {
      expect(found).toMatchObject({ p: null, method: null, smallestP: null });
      return;
    }
    const all = orders(b).map(order => Math.abs(spearman(a, order) ?? 0));
    const atLeast = (bound: number) => all.filter(value => value >= bound - 1e-9).length / all.length;
    expect(found.p).toBeCloseTo(atLeast(Math.abs(rho)), 12);
    expect(found.smallestP).toBeCloseTo(atLeast(Math.max(...all)), 12);
  });
  fc.assert(property, { seed: 3, numRuns: 60 });
});

test('above eight points it is the t that SciPy gives', () => {
  const a = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const b = [2, 1, 4, 3, 9, 5, 6, 8, 7];
  expect(fewRanks(a, b)).toEqual({ ...spearmanTest(a, b), method: 't', smallestP: null });
  expect(fewRanks(a.slice(1), b.slice(1)).method).toBe('exact');
});

test('two points have no p, and neither has a side that does not vary', () => {
  expect(fewRanks([1, 2], [2, 1])).toEqual({ n: 2, rho: -1, p: null, method: null, smallestP: null });
  expect(fewRanks([], [])).toMatchObject({ n: 0, rho: null, p: null });
  expect(fewRanks([1, 1, 1], [1, 2, 3])).toMatchObject({ n: 3, rho: null, p: null });
});
