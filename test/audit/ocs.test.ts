import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeriver, deriveSample, groupOf, rowState } from '../../src/audit/ocs.js';
import { PlumblineError } from '../../src/errors.js';
import type { Condition } from '../../src/perturb/types.js';
import type { DerivedRow } from '../../src/run/types.js';
import { failed, notApplicable, reading } from './rows.js';

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return error instanceof PlumblineError ? error.code : String(error);
  }
  return 'nothing thrown';
};

describe('deriveSample', () => {
  it('flips, shifts and OCS over the applicable altering conditions', () => {
    const row = deriveSample(
      [
        reading('a/1', 'baseline', 1, { margin: 0.5, ics: 2 }),
        reading('a/1', 'delete', 0, { margin: -1, ics: 1.5 }),
        reading('a/1', 'swap', 1, { margin: 0.25, ics: 2.25 }),
        reading('a/1', 'negate', 0, { margin: -0.5 }),
        reading('a/1', 'placebo', 1, { margin: 0.5, ics: 2 }),
      ],
      'logit',
    );
    expect(row).toEqual({
      sampleId: 'a/1',
      domain: 'a',
      label: 1,
      reader: 'logit',
      baselineVerdict: 1,
      flipDelete: 1,
      flipSwap: 0,
      flipNegate: 1,
      flipPlacebo: 0,
      shiftDelete: -1.5,
      shiftSwap: -0.25,
      shiftNegate: -1,
      shiftPlacebo: 0,
      icsDeltaDelete: 0.5,
      icsDeltaSwap: 0.25,
      icsDeltaNegate: null,
      icsDeltaPlacebo: 0,
      icsControlDelete: null,
      icsControlSwap: null,
      icsControlNegate: null,
      icsControlPlacebo: null,
      ocs: 2 / 3,
      group: 'HIGH',
    } satisfies DerivedRow);
  });

  it('the placebo never counts in OCS or group', () => {
    const row = deriveSample(
      [
        reading('a/1', 'baseline', 1),
        reading('a/1', 'delete', 1),
        reading('a/1', 'swap', 1),
        notApplicable('a/1', 'negate', 'no-mandatory-modal'),
        reading('a/1', 'placebo', 0),
      ],
      'text',
    );
    expect(row).toMatchObject({ flipPlacebo: 1, flipNegate: null, ocs: 0, group: 'LOW' });
  });

  it('reads the verdict of the reader asked for', () => {
    const rows = [
      reading('a/1', 'baseline', 1, { verdictText: null }),
      reading('a/1', 'delete', 0, { verdictText: 0 }),
    ];
    expect(deriveSample(rows, 'text')).toMatchObject({
      baselineVerdict: null,
      flipDelete: null,
      ocs: null,
      group: null,
    });
    expect(deriveSample(rows, 'logit')).toMatchObject({
      baselineVerdict: 1,
      flipDelete: 1,
      ocs: 1,
      group: 'neither',
    });
  });

  it('a null leaves the mean to the others', () => {
    const row = deriveSample(
      [
        reading('a/1', 'baseline', 0),
        reading('a/1', 'delete', 1),
        reading('a/1', 'swap', null),
        reading('a/1', 'negate', 0),
      ],
      'text',
    );
    expect(row).toMatchObject({ flipSwap: null, ocs: 0.5, group: null });
  });

  it('failed rows have no verdict and no shift, whatever their columns hold', () => {
    const row = deriveSample(
      [
        reading('a/1', 'baseline', 0, { margin: 1 }),
        failed('a/1', 'delete', 'DECODE', { verdictText: 1, margin: 3 }),
        reading('a/1', 'swap', 0, { margin: 1 }),
      ],
      'text',
    );
    expect(row).toMatchObject({ flipDelete: null, shiftDelete: null, flipSwap: 0, ocs: 0, group: null });
  });

  it('no baseline, baseline alone', () => {
    expect(deriveSample([reading('a/1', 'delete', 1)], 'text')).toMatchObject({
      baselineVerdict: null,
      ocs: null,
      group: null,
    });
    expect(deriveSample([reading('a/1', 'baseline', 1)], 'text')).toMatchObject({
      baselineVerdict: 1,
      ocs: null,
      group: null,
    });
  });

  it('a retried row replaces the one that failed', () => {
    const rows = [
      reading('a/1', 'baseline', 0),
      failed('a/1', 'delete', 'ENGINE_CRASH'),
      reading('a/1', 'delete', 1),
    ];
    expect(deriveSample(rows, 'text').flipDelete).toBe(1);
    expect(deriveSample([...rows].reverse(), 'text').flipDelete).toBe(1);
  });

  it('refuses two good rows of a condition, rows of two samples, steered rows, nothing', () => {
    const row = reading('a/1', 'delete', 1);
    expect(codeOf(() => deriveSample([row, row], 'text'))).toBe('RUN_DAMAGED');
    expect(codeOf(() => deriveSample([row, reading('a/2', 'swap', 1)], 'text'))).toBe('USAGE');
    expect(codeOf(() => deriveSample([reading('a/1', 'baseline', 1, { alpha: 0.5 })], 'text'))).toBe('USAGE');
    expect(codeOf(() => deriveSample([], 'text'))).toBe('USAGE');
  });
});

describe('groupOf', () => {
  it.each([
    [[], null],
    [[0], 'LOW'],
    [[0, 0, 0], 'LOW'],
    [[1], 'neither'],
    [[0, 1, 0], 'neither'],
    [[1, 1], 'HIGH'],
    [[1, 0, 1], 'HIGH'],
    [[1, 1, null], 'HIGH'],
    [[1, 0, null], null],
    [[0, 0, null], null],
    [[null], null],
  ] as const)('%j is %s', (flips, group) => expect(groupOf(flips)).toBe(group));
});

describe('rowState', () => {
  it('the four kinds', () => {
    expect(rowState(reading('a/1', 'swap', 0), 'text')).toBe('verdict');
    expect(rowState(reading('a/1', 'swap', null), 'text')).toBe('null');
    expect(rowState(notApplicable('a/1', 'swap', 'one-domain'), 'text')).toBe('not-applicable');
    expect(rowState(failed('a/1', 'swap', 'DECODE'), 'text')).toBe('error');
  });
});

describe('createDeriver', () => {
  const planned: readonly Condition[] = ['baseline', 'delete', 'swap', 'negate', 'placebo'];
  const rowsOf = (sampleId: string) => [
    reading(sampleId, 'baseline', 1),
    reading(sampleId, 'delete', 0),
    reading(sampleId, 'swap', 1),
    notApplicable(sampleId, 'negate', 'no-mandatory-modal'),
    notApplicable(sampleId, 'placebo', 'not-drawn'),
  ];

  it('gives each sample once, with its last row, whatever the order', () => {
    const all = ['a/1', 'a/2', 'b/1'].flatMap(rowsOf);
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), order => {
        const deriver = createDeriver(new Map(['a/1', 'a/2', 'b/1'].map(id => [id, planned])), 'text');
        const left = new Map(['a/1', 'a/2', 'b/1'].map(id => [id, 5]));
        const derived: DerivedRow[] = [];
        for (const row of order) {
          const remaining = (left.get(row.sampleId) ?? 0) - 1;
          left.set(row.sampleId, remaining);
          const given = deriver.add(row);
          expect(given !== null).toBe(remaining === 0);
          if (given) derived.push(given);
        }
        expect(derived.map(row => row.sampleId).sort()).toEqual(['a/1', 'a/2', 'b/1']);
        for (const row of derived) expect(row).toEqual(deriveSample(rowsOf(row.sampleId), 'text'));
        expect(deriver.unfinished()).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  it('a failed row counts as landed; its success gives the row again', () => {
    const deriver = createDeriver(new Map([['a/1', ['baseline', 'delete'] as const]]), 'text');
    expect(deriver.add(reading('a/1', 'baseline', 1))).toBeNull();
    expect(deriver.unfinished()).toBe(1);
    expect(deriver.add(failed('a/1', 'delete', 'DECODE'))).toMatchObject({ flipDelete: null });
    expect(deriver.unfinished()).toBe(0);
    expect(deriver.add(reading('a/1', 'delete', 0))).toMatchObject({ flipDelete: 1 });
    expect(codeOf(() => deriver.add(reading('a/1', 'delete', 0)))).toBe('RUN_DAMAGED');
  });

  it('steered rows pass; unplanned rows and rows that land twice are refused', () => {
    const deriver = createDeriver(new Map([['a/1', ['baseline', 'delete'] as const]]), 'text');
    expect(deriver.add(reading('a/1', 'baseline', 1, { alpha: 1 }))).toBeNull();
    expect(deriver.unfinished()).toBe(0);
    expect(deriver.add(reading('a/1', 'baseline', 1))).toBeNull();
    expect(codeOf(() => deriver.add(reading('a/1', 'baseline', 1)))).toBe('RUN_DAMAGED');
    expect(codeOf(() => deriver.add(reading('a/1', 'swap', 1)))).toBe('RUN_MISMATCH');
    expect(codeOf(() => deriver.add(reading('a/2', 'baseline', 1)))).toBe('RUN_MISMATCH');
  });
});
