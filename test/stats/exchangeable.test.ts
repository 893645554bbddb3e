import { expect, test } from 'vitest';
import { largerThanOthersP } from '../../src/stats/exchangeable.js';

test('p is the share of ways to name one value of each unit whose sum is as large', () => {
  // Of the 4 · 4 namings in the first two units only (3, 3) reaches the observed sum; the third unit cannot move.
  const units = [
    { own: 3, others: [1, 0, 2] },
    { own: 3, others: [0, 1, 2] },
    { own: 1, others: [1] },
  ];
  expect(largerThanOthersP(units, 1)).toBeCloseTo(1 / 16, 2);
  expect(largerThanOthersP([{ own: 0, others: [1, 2, 3] }], 1)).toBe(1);
  expect(largerThanOthersP([], 1)).toBeNull();
});

test('equal values everywhere decide nothing', () => {
  expect(largerThanOthersP([{ own: 2, others: [2, 2] }], 3)).toBe(1);
});

test('without an effect, p is uniform however skewed the values are', () => {
  let state = 1;
  const uniform = (): number => {
    state = (Math.imul(state, 48271) >>> 0) % 0x7fffffff;
    return state / 0x7fffffff;
  };
  const skewed = (): number => (-Math.log(1 - uniform())) ** 3;
  const low = Array.from({ length: 200 }, (_, seed) => {
    const units = Array.from({ length: 8 }, () => ({
      own: skewed(),
      others: [skewed(), skewed(), skewed()],
    }));
    return largerThanOthersP(units, seed) as number;
  }).filter(p => p <= 0.1).length;
  // Binomial(200, .1): 20 ± 4.2.
  expect(low).toBeGreaterThan(5);
  expect(low).toBeLessThan(36);
});
