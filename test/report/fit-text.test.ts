import { expect, test } from 'vitest';
import { isCrowded } from '../../src/report/fit-text.js';

const nullWith = (q95: number): Parameters<typeof isCrowded>[0] => ({
  draws: 200,
  mean: 0.5,
  quantile: 0.6,
  p: 0.8,
  upper: { q90: q95, q95, q99: q95, max: q95 },
});

test('AUROC cannot single a direction out where one of twenty random ones ranks as well', () => {
  expect([0.5, 0.71, 0.89].map(q95 => isCrowded(nullWith(q95)))).toEqual([false, false, false]);
  expect([0.9, 0.995, 1].map(q95 => isCrowded(nullWith(q95)))).toEqual([true, true, true]);
});
