import { describe, expect, it } from 'vitest';
import { fitDirections } from '../../src/direction/fit.js';
import { world } from './synthetic.js';

/** Largest distance between the empirical distribution of `values` and the uniform one. */
function ksDistance(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  return Math.max(...sorted.map((value, i) => Math.max(value - i / n, (i + 1) / n - value)));
}

/** Critical value of the Kolmogorov-Smirnov distance at a level of 1 in 1,000. */
const critical = (n: number): number => 1.95 / Math.sqrt(n);

function fits(seeds: number, spread?: (coordinate: number) => number) {
  return Array.from({ length: seeds }, (_, seed) =>
    fitDirections(
      world({ seed: 1000 + seed, perClass: 60, nEmbd: 12, layers: [0, 1, 2], ...(spread && { spread }) }),
      { seed, pairs: 10, nullDraws: 59 },
    ),
  );
}

describe('the budget-matched null', () => {
  it('under pure noise its quantile and p are uniform', () => {
    const noise = fits(250);
    expect(ksDistance(noise.map(fit => fit.null.quantile))).toBeLessThan(critical(250));
    expect(ksDistance(noise.map(fit => fit.null.p))).toBeLessThan(critical(250));
    expect(Math.abs(noise.reduce((sum, fit) => sum + fit.test.auroc, 0) / 250 - 0.5)).toBeLessThan(0.015);
  });

  it('under noise along a few strong coordinates it does not call signal more often than it says', () => {
    const noise = fits(200, coordinate => (coordinate < 2 ? 10 : 1));
    const called = noise.filter(fit => fit.null.p <= 0.05).length / 200;
    expect(called).toBeLessThan(0.1);
  });

  it('is lifted by what random directions can read, so that .5 is not the bar', () => {
    // Classes far apart: a random direction has a part of the axis, and TRAIN turns it the right way.
    const far = world({
      seed: 5,
      perClass: 200,
      nEmbd: 12,
      layers: [0, 1, 2],
      delta: new Map([
        [0, 4],
        [1, 4],
        [2, 4],
      ]),
    });
    const { null: bar } = fitDirections(far, { seed: 42, pairs: 10, nullDraws: 200 });
    expect(bar.mean).toBeGreaterThan(0.8);
    expect(bar.upper.q90).toBeLessThanOrEqual(bar.upper.q95);
    expect(bar.upper.q99).toBeLessThanOrEqual(bar.upper.max);
  });

  it('is a function of the seed', () => {
    const noise = world({ seed: 9, perClass: 60, nEmbd: 12, layers: [0, 1] });
    const run = (seed: number) => fitDirections(noise, { seed, pairs: 10, nullDraws: 50 }).null;
    expect(run(1)).toEqual(run(1));
    expect(run(1)).not.toEqual(run(2));
  });
});
