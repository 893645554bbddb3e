import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlumblineError } from '../../src/errors.js';
import { auroc, aurocInterval } from '../../src/stats/auroc.js';

const label = fc.constantFrom<0 | 1>(0, 1);
const items = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), label), { maxLength: 60 });

/** Every pair counted, a tie as one half. */
function byPairs(data: readonly (readonly [number, 0 | 1])[]): number | null {
  const positives = data.filter(([, y]) => y === 1);
  const negatives = data.filter(([, y]) => y === 0);
  if (positives.length === 0 || negatives.length === 0) return null;
  let wins = 0;
  for (const [p] of positives) for (const [n] of negatives) wins += p > n ? 1 : p === n ? 0.5 : 0;
  return wins / (positives.length * negatives.length);
}
const scoresOf = (data: readonly (readonly [number, 0 | 1])[]) => data.map(([score]) => score);
const labelsOf = (data: readonly (readonly [number, 0 | 1])[]) => data.map(([, y]) => y);

describe('auroc', () => {
  it('equals scikit-learn: roc_auc_score([0,0,1,1,0,1], [.1,.4,.35,.8,.4,.4])', () => {
    expect(auroc([0.1, 0.4, 0.35, 0.8, 0.4, 0.4], [0, 0, 1, 1, 0, 1])).toBeCloseTo(2 / 3, 14);
  });

  it('one class, nothing, all tied', () => {
    expect(auroc([1, 2], [1, 1])).toBeNull();
    expect(auroc([1, 2], [0, 0])).toBeNull();
    expect(auroc([], [])).toBeNull();
    expect(auroc([1, 1, 1, 1], [0, 1, 0, 1])).toBe(0.5);
  });

  it('infinite scores are ranked, missing ones refused', () => {
    expect(auroc([Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY], [0, 0, 1])).toBe(1);
    expect(() => auroc([Number.NaN, 1], [0, 1])).toThrow(PlumblineError);
    expect(() => auroc([1], [0, 1])).toThrow(PlumblineError);
  });

  it('equals the count over all pairs', () => {
    fc.assert(
      fc.property(items, data => {
        const expected = byPairs(data);
        const actual = auroc(scoresOf(data), labelsOf(data));
        if (expected === null) expect(actual).toBeNull();
        else expect(actual).toBeCloseTo(expected, 12);
      }),
    );
  });

  it('swapping the labels mirrors it', () => {
    fc.assert(
      fc.property(items, data => {
        const straight = auroc(scoresOf(data), labelsOf(data));
        const swapped = auroc(
          scoresOf(data),
          labelsOf(data).map(y => (y === 1 ? 0 : 1)),
        );
        if (straight === null) expect(swapped).toBeNull();
        else expect(swapped).toBeCloseTo(1 - straight, 12);
      }),
    );
  });
});

describe('aurocInterval', () => {
  const data = Array.from({ length: 80 }, (_, i): [number, 0 | 1] => [
    (i * 37) % 80,
    (i * 37) % 80 > 30 + (i % 20) ? 1 : 0,
  ]);

  it('holds the value, is seeded, and does not see the order of items', () => {
    const interval = aurocInterval(scoresOf(data), labelsOf(data), 42);
    const value = auroc(scoresOf(data), labelsOf(data));
    if (!interval || value === null) throw new Error('both classes are there');
    expect(interval.low).toBeLessThan(value);
    expect(interval.high).toBeGreaterThan(value);
    const turned = [...data].reverse();
    expect(aurocInterval(scoresOf(turned), labelsOf(turned), 42)).toEqual(interval);
    expect(aurocInterval(scoresOf(data), labelsOf(data), 43)).not.toEqual(interval);
  });

  it('covers the truth about as often as it says', () => {
    // Normal scores one standard deviation apart have the AUROC Φ(1/√2) = .7602.
    let state = 12345;
    const uniform = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return (state + 0.5) / 2 ** 32;
    };
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    let covered = 0;
    const trials = 200;
    for (let t = 0; t < trials; t++) {
      const labels = Array.from({ length: 100 }, (_, i): 0 | 1 => (i % 2 === 0 ? 1 : 0));
      const interval = aurocInterval(
        labels.map(y => y + normal()),
        labels,
        t,
        400,
      );
      if (interval && interval.low <= 0.7602 && interval.high >= 0.7602) covered++;
    }
    expect(covered / trials).toBeGreaterThan(0.88);
    expect(covered / trials).toBeLessThanOrEqual(0.995);
  });

  it('one class: no interval', () => expect(aurocInterval([1, 2], [1, 1], 1)).toBeNull());
});
