import type { Reading } from '../../src/run/types.js';
import { failed, notApplicable, reading } from './rows.js';

/*
 * Worked by hand. Verdicts; – null, n/a not applicable, E error, (1) invisible:
 *
 *        label  baseline  delete  swap  negate  placebo   flips (d, s, n)   OCS   group
 *   a/1    1       1         0      1      1       1         1 0 0          1/3   neither
 *   a/2    0       0         0      1     n/a     n/a        0 1            1/2   neither
 *   a/3    1       1         1      1     (1)     n/a        0 0 0           0    LOW
 *   a/4    0       –         0      0     n/a     n/a        – –             –    open
 *   b/1    1       0         1      1      0      n/a        1 1 0          2/3   HIGH
 *   b/2    0       0         E      0     n/a     n/a        – 0             0    open
 */
export const one = { label: 1 } as const;
export const zero = { label: 0 } as const;
export const hand: readonly Reading[] = [
  reading('a/1', 'baseline', 1, { ...one, margin: 1, labelMass: 0.5 }),
  reading('a/1', 'delete', 0, { ...one, margin: -0.25 }),
  reading('a/1', 'swap', 1, { ...one, margin: 0.75 }),
  reading('a/1', 'negate', 1, { ...one, margin: 0.5 }),
  reading('a/1', 'placebo', 1, { ...one, margin: 1 }),
  reading('a/2', 'baseline', 0, { ...zero, margin: -2 }),
  reading('a/2', 'delete', 0, { ...zero, margin: -2.5 }),
  reading('a/2', 'swap', 1, { ...zero, margin: 1 }),
  notApplicable('a/2', 'negate', 'no-mandatory-modal', zero),
  notApplicable('a/2', 'placebo', 'not-drawn', zero),
  reading('a/3', 'baseline', 1, { ...one, margin: 3 }),
  reading('a/3', 'delete', 1, { ...one, margin: 2 }),
  reading('a/3', 'swap', 1, { ...one, margin: 2 }),
  reading('a/3', 'negate', 1, { ...one, margin: 3, visible: false }),
  notApplicable('a/3', 'placebo', 'not-drawn', one),
  reading('a/4', 'baseline', null, { ...zero, verdictLogit: 1, margin: 1, nullReason: 'empty' }),
  reading('a/4', 'delete', 0, { ...zero, margin: -1 }),
  reading('a/4', 'swap', 0, { ...zero, margin: -1 }),
  notApplicable('a/4', 'negate', 'no-mandatory-modal', zero),
  notApplicable('a/4', 'placebo', 'not-drawn', zero),
  reading('b/1', 'baseline', 0, { ...one, margin: -0.5 }),
  reading('b/1', 'delete', 1, { ...one, margin: 0.5 }),
  reading('b/1', 'swap', 1, { ...one, margin: 4 }),
  reading('b/1', 'negate', 0, { ...one, margin: -1 }),
  notApplicable('b/1', 'placebo', 'not-drawn', one),
  reading('b/2', 'baseline', 0, { ...zero, margin: -1 }),
  failed('b/2', 'delete', 'DECODE', zero),
  reading('b/2', 'swap', 0, { ...zero, margin: -1 }),
  notApplicable('b/2', 'negate', 'no-mandatory-modal', zero),
  notApplicable('b/2', 'placebo', 'not-drawn', zero),
];
