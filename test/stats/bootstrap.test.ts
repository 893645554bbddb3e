import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quotientInterval } from '../../src/stats/bootstrap.js';

describe('quotientInterval', () => {
  it('is a point when every item has the same quotient', () => {
    const below = [1, 2, 3, 0.5, 8];
    const interval = quotientInterval(
      below.map(value => 3 * value),
      below,
      7,
    );
    expect(interval?.low).toBeCloseTo(3, 12);
    expect(interval?.high).toBeCloseTo(3, 12);
  });

  it('with ones below is the interval of a mean, as wide as theory says', () => {
    const n = 400;
    const above = Array.from({ length: n }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const interval = quotientInterval(above, new Array(n).fill(1), 1);
    const half = 1.96 * Math.sqrt((0.25 * 0.75) / n);
    expect(interval?.low).toBeCloseTo(0.25 - half, 2);
    expect(interval?.high).toBeCloseTo(0.25 + half, 2);
  });

  it('is an interval, and scales with what is above', () => {
    const items = fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 72 }).map(eighths => eighths / 8),
        fc.integer({ min: 0, max: 5 }),
      ),
      {
        minLength: 2,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(items, fc.integer(), (list, seed) => {
        const above = list.map(([a]) => a);
        const below = list.map(([, b]) => b);
        const interval = quotientInterval(above, below, seed, 200);
        if (interval === null) return below.every(value => value === 0);
        const doubled = quotientInterval(
          above.map(a => 2 * a),
          below,
          seed,
          200,
        );
        return (
          interval.low <= interval.high &&
          doubled?.low === 2 * interval.low &&
          doubled.high === 2 * interval.high
        );
      }),
      { numRuns: 50 },
    );
  });

  it('is null where nothing can be said, and refuses what is no quotient', () => {
    expect(quotientInterval([1], [1], 0)).toBeNull();
    expect(quotientInterval([1, 2], [0, 0], 0)).toBeNull();
    // One item in three has something below: resamples without it are drawn again.
    expect(quotientInterval([0, 0, 2], [0, 0, 1], 0)).toEqual({ low: 2, high: 2 });
    expect(() => quotientInterval([1, 2], [1], 0)).toThrow('2 and 1 values');
    expect(() => quotientInterval([1, 2], [1, -1], 0)).toThrow('below the line');
  });
});
