import { expect, test } from 'vitest';
import { fisherUpperTail, studentTwoSided } from '../../src/stats/tails.js';

const relative = (value: number, expected: number): number => Math.abs(value / expected - 1);

// Oracle: SciPy 1.17.1, 2 * scipy.stats.t.sf(abs(t), df).
test.each([
  [0, 5, 1],
  [1, 1, 0.5],
  [2.5, 13, 0.026588782810857463],
  [-2.5, 13, 0.026588782810857463],
  [9, 13, 6.021473410951619e-7],
  [40, 4, 2.3340163226012678e-6],
  [0.001, 200, 0.9992031123011389],
])('t %d with %d degrees of freedom', (t, df, p) => {
  expect(relative(studentTwoSided(t, df), p)).toBeLessThan(1e-10);
});

// Oracle: SciPy 1.17.1, scipy.stats.f.sf(f, df1, df2).
test.each([
  [0, 5, 13, 1],
  [2.44, 5, 13, 0.09060339324050157],
  [1, 1, 1, 0.5],
  [30, 3, 7, 0.00022835508825303635],
  [0.01, 2, 100, 0.9900508236675098],
  [200, 5, 13, 8.065592923648173e-12],
])('F %d with %d and %d degrees of freedom', (f, df1, df2, p) => {
  expect(relative(fisherUpperTail(f, df1, df2), p)).toBeLessThan(1e-10);
});

test('t² with one and df degrees of freedom is F', () => {
  for (const t of [0.1, 1, 3]) expect(fisherUpperTail(t * t, 1, 9)).toBeCloseTo(studentTwoSided(t, 9), 14);
});
