import fc from 'fast-check';
import { expect, test } from 'vitest';
import { averageRanks, spearman } from '../../src/stats/spearman.js';

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
