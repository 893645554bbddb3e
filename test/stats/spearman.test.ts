import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  averageRanks,
  rankCorrelationAt,
  rankCorrelationP,
  spearman,
  spearmanTest,
} from '../../src/stats/spearman.js';

test('equal values share the mean of their ranks', () => {
  expect([...averageRanks([3, 1, 3, 2])]).toEqual([3.5, 1, 3.5, 2]);
  expect([...averageRanks([])]).toEqual([]);
});

test('only the order counts', () => {
  const values = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 40 });
  const property = fc.property(values, list => {
    expect(
      spearman(
        list,
        list.map(value => value ** 3),
      ),
    ).toBeCloseTo(1, 12);
    expect(
      spearman(
        list,
        list.map(value => -value),
      ),
    ).toBeCloseTo(-1, 12);
  });
  fc.assert(property, { seed: 1 });
});

test('a worked example with ties, and none without variation', () => {
  // Ranks 1, 2.5, 2.5, 4 and 2, 1, 3, 4: products 3, squares 4.5 and 5.
  expect(spearman([1, 2, 2, 3], [2, 1, 3, 4])).toBeCloseTo(3 / Math.sqrt(4.5 * 5), 12);
  expect(spearman([1, 1], [1, 2])).toBeNull();
  expect(spearman([], [])).toBeNull();
});

test.each([
  [[1, 2, 3, 4, 5], [5, 6, 7, 8, 7], 0.8207826816681233, 0.08858700531354384],
  [[1, 2, 2, 4, 5, 6, 6], [3, 1, 4, 1, 5, 9, 2], 0.3394638275806279, 0.45633088667520716],
  [[1, 2, 3, 4], [10, 20, 30, 40], 1, 0],
])('%j and %j: rho and p of scipy.stats.spearmanr', (a, b, rho, p) => {
  const result = spearmanTest(a, b);
  expect(result.n).toBe(a.length);
  expect(result.rho).toBeCloseTo(rho, 12);
  expect(result.p).toBeCloseTo(p, 10);
});

test('two items have no p, a side that does not vary has nothing', () => {
  expect(spearmanTest([1, 2], [2, 1])).toEqual({ n: 2, rho: -1, p: null });
  expect(spearmanTest([1, 2, 3], [5, 5, 5])).toEqual({ n: 3, rho: null, p: null });
});

// Oracle: SciPy 1.17.1, t = scipy.stats.t.isf(p / 2, n - 2); t / sqrt(n - 2 + t²).
test.each([
  [0.05, 5, 0.8783394481598052],
  [0.05, 13, 0.5529426594945895],
  [0.01, 13, 0.6835276328874659],
  [0.05, 20, 0.443763399337787],
])('p %d of %d items takes a rank correlation of %d', (p, n, rho) => {
  expect(rankCorrelationAt(p, n)).toBeCloseTo(rho, 12);
  expect(rankCorrelationP(rho, n)).toBeCloseTo(p, 12);
  expect(rankCorrelationP(-rho, n)).toBeCloseTo(p, 12);
});
