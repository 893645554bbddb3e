import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histograms } from '../../src/stats/histogram.js';

test('values of exactly 0 stand in the bin around 0, in all groups alike', () => {
  const [moved, still] = histograms(
    [
      [-2, -0.9, 0, 0.9, 1.1, 2],
      [0, 0, 0],
    ],
    4,
  );
  expect(moved).toEqual({
    width: 1,
    bins: [
      { middle: -2, count: 1 },
      { middle: -1, count: 1 },
      { middle: 0, count: 1 },
      { middle: 1, count: 2 },
      { middle: 2, count: 1 },
    ],
  });
  expect(still).toEqual({ width: 1, bins: [{ middle: 0, count: 3 }] });
});

test('one value, or none, is no error', () => {
  expect(histograms([[0.25], []], 40)).toEqual([
    { width: 1, bins: [{ middle: 0, count: 1 }] },
    { width: 1, bins: [] },
  ]);
});

test('every value is in one bin, and the order of values changes nothing', () => {
  const values = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 60 }), (list, count) => {
      const [found] = histograms([list], count);
      expect(found?.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(list.length);
      expect(histograms([[...list].reverse()], count)).toEqual([found]);
      const inside = (value: number): boolean =>
        found?.bins.some(({ middle }) => Math.abs(value - middle) <= found.width * 0.5000001) ?? false;
      expect(list.every(inside)).toBe(true);
    }),
    {
      numRuns: 1000,
      examples: [
        [[0, -5e-324], 1],
        [[50, 49.99999999999999], 60],
        [[1e-310, 3e-310], 5],
      ],
    },
  );
});
