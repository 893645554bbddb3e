import { describe, expect, test } from 'vitest';
import { meanTest } from '../../src/stats/mean-test.js';

describe("Student's one-sample t", () => {
  test('as the tables of t have it', () => {
    // sd 1.5811, standard error .70711; t(4) at 99 % two-sided is 4.6041, at 95 % 2.7764.
    const wide = meanTest([-2, -1, 0, 1, 2], 0.99);
    expect(wide?.high).toBeCloseTo(4.6041 * Math.SQRT1_2, 4);
    expect(wide?.low).toBeCloseTo(-4.6041 * Math.SQRT1_2, 4);
    expect(wide?.p).toBe(1);
    expect(meanTest([-2, -1, 0, 1, 2], 0.95)?.high).toBeCloseTo(2.7764 * Math.SQRT1_2, 4);
    // The mean lies exactly t standard errors from zero.
    const shift = 2.776445 * Math.SQRT1_2;
    expect(
      meanTest(
        [-2, -1, 0, 1, 2].map(value => value + shift),
        0.95,
      )?.p,
    ).toBeCloseTo(0.05, 6);
  });

  test('equal values leave no doubt, one value says nothing', () => {
    expect(meanTest([0, 0, 0], 0.99)).toEqual({ mean: 0, low: 0, high: 0, p: 1 });
    expect(meanTest([0.5, 0.5, 0.5], 0.99)).toEqual({ mean: 0.5, low: 0.5, high: 0.5, p: 0 });
    expect(meanTest([0.5], 0.99)).toBeNull();
  });
});
