import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnchorScores, anchorIntervals } from '../../src/gate/anchor-bootstrap.js';
import { balancedAccuracy, bestThreshold, confusionAt, type ScoredLabel } from '../../src/gate/thresholds.js';

const anchors = (pairs: readonly (readonly [number, number])[]): readonly AnchorScores[] =>
  pairs.map(([same, opposite]) => ({ same: [same], opposite: [opposite] }));

describe('intervals over anchors', () => {
  const scores = anchors([
    [0.9, 0.1],
    [0.2, 0.8],
    [0.6, 0.5],
  ]);

  test('lie on the values of all resamples', () => {
    // All 27 ways to draw three anchors out of three.
    const values: number[] = [];
    for (let draw = 0; draw < 27; draw++) {
      const drawn = [draw % 3, Math.floor(draw / 3) % 3, Math.floor(draw / 9)].map(
        i => scores[i] as AnchorScores,
      );
      let wins = 0;
      for (const a of drawn) for (const b of drawn) wins += (a.same[0] ?? 0) > (b.opposite[0] ?? 0) ? 1 : 0;
      values.push(wins / 9);
    }
    const { close, distant, stratified } = anchorIntervals(scores, scores, null, 1);
    // The extremes have a probability of 1/27 each: both ends of a 95 % interval reach them.
    expect(close).toEqual({ low: Math.min(...values), high: Math.max(...values) });
    expect(distant).toEqual(close);
    expect(stratified).toEqual(close);
  });

  test('of the difference to oneself are zero', () => {
    const { difference } = anchorIntervals(scores, scores, { close: scores, distant: scores }, 1);
    expect(difference).toEqual({ low: 0, high: 0 });
  });
});

describe('the best threshold', () => {
  const items = fc.array(
    fc.record({ score: fc.nat(9).map(n => n / 10), label: fc.constantFrom<0 | 1>(0, 1) }),
    { minLength: 2, maxLength: 25 },
  );
  const accuracyAt = (list: readonly ScoredLabel[], threshold: number): number | null =>
    balancedAccuracy(confusionAt(list, score => score >= threshold));

  test('beats every other, and all of its ranges reach it', () => {
    const property = fc.property(items, list => {
      const best = bestThreshold(list);
      if (best === null) {
        expect(new Set(list.map(({ label }) => label)).size).toBe(1);
        return;
      }
      for (let t = -0.05; t < 1.1; t += 0.05) {
        const accuracy = accuracyAt(list, t) ?? 0;
        expect(accuracy).toBeLessThanOrEqual(best.balancedAccuracy + 1e-12);
        const inside = best.ranges.some(({ low, high }) => (low ?? -9) < t && t <= (high ?? 9));
        expect(inside).toBe(Math.abs(accuracy - best.balancedAccuracy) < 1e-12);
      }
      expect(accuracyAt(list, best.threshold)).toBeCloseTo(best.balancedAccuracy, 12);
    });
    fc.assert(property, { seed: 1, numRuns: 300 });
  });
});
