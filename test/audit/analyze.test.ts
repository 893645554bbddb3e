import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import type { Summary } from '../../src/audit/analyze-types.js';
import { READERS } from '../../src/audit/ocs.js';
import { PlumblineError } from '../../src/errors.js';
import type { Exactness, Reading } from '../../src/run/types.js';
import { readingsArbitrary } from './generate.js';
import { hand, one, zero } from './hand.js';
import { failed, reading } from './rows.js';

const about = { subject: 'judge.gguf', corpus: 'hand-made', run: null };
const exact: Exactness = { kind: 'exact', tile: 32, prompts: 12, floats: 4096 };
const inexact: Exactness = { kind: 'inexact', tile: 1, prompts: 12, band: 0.5, why: 'unified schedule' };

function analyze(
  readings: readonly Reading[],
  more: Partial<Parameters<typeof analyzeReadings>[1]> = {},
): Summary {
  return analyzeReadings(readings, { about, exactness: exact, ...more });
}
const round = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 1e9) / 1e9;
function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected to be there');
  return value;
}
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return error instanceof PlumblineError ? error.code : String(error);
  }
  return 'nothing thrown';
};

describe('analyzeReadings, worked by hand', () => {
  const summary = analyze(hand, {
    lexicalFloor: new Map([
      ['a', 0.8],
      ['b', 0.5],
    ]),
  });
  const text = summary.readers.text;
  const ocs = (measure: string, of = text) => found(of.ocs.find(row => row.measure === measure));

  it('names what it saw', () => {
    expect(summary).toMatchObject({
      rows: 30,
      steeredRows: 0,
      samples: 6,
      compliantLabels: 3,
      conditions: ['baseline', 'placebo', 'delete', 'swap', 'negate'],
      profiles: ['standard'],
      primary: 'text',
      domains: [
        { domain: 'a', samples: 4, lexicalFloor: 0.8 },
        { domain: 'b', samples: 2, lexicalFloor: 0.5 },
      ],
    });
    expect(summary.lexicalFloor).toBeCloseTo((0.8 * 4 + 0.5 * 2) / 6, 12);
  });

  it('OCS per measure, placebo first', () => {
    expect(
      text.ocs.map(row => [
        row.measure,
        round(row.pooled.all.count),
        row.pooled.all.n,
        round(row.pooled.all.rate),
      ]),
    ).toEqual([
      ['placebo', 0, 1, 0],
      ['delete', 2, 4, 0.5],
      ['swap', 2, 5, 0.4],
      ['negate', 0, 3, 0],
      ['agg', 1.5, 5, 0.3],
    ]);
    expect(ocs('negate').pooled).toMatchObject({
      invisiblePairs: 1,
      invisibleFlips: 0,
      visible: { count: 0, n: 2 },
    });
    expect(ocs('delete').domains.map(d => [d.domain, d.all.count, d.all.n])).toEqual([
      ['a', 1, 3],
      ['b', 1, 1],
    ]);
    expect(ocs('agg').domains.map(d => [d.domain, round(d.all.rate)])).toEqual([
      ['a', round((1 / 3 + 1 / 2) / 3)],
      ['b', round(2 / 3 / 2)],
    ]);
    // SciPy: binomtest(2, 4).proportion_ci(method='exact')
    expect(ocs('delete').pooled.all.low).toBeCloseTo(0.06758598648854294, 10);
    expect(ocs('delete').pooled.all.high).toBeCloseTo(0.932414013511457, 10);
  });

  it('rows in = verdicts + nulls + not applicable + errors', () => {
    expect(text.counts).toEqual([
      {
        condition: 'baseline',
        rows: 6,
        verdicts: 5,
        nulls: 1,
        nullReasons: [['empty', 1]],
        notApplicable: 0,
        notApplicableReasons: [],
        errors: 0,
        errorCodes: [],
        invisible: 0,
        missing: 0,
      },
      {
        condition: 'placebo',
        rows: 6,
        verdicts: 1,
        nulls: 0,
        nullReasons: [],
        notApplicable: 5,
        notApplicableReasons: [['not-drawn', 5]],
        errors: 0,
        errorCodes: [],
        invisible: 0,
        missing: 0,
      },
      {
        condition: 'delete',
        rows: 6,
        verdicts: 5,
        nulls: 0,
        nullReasons: [],
        notApplicable: 0,
        notApplicableReasons: [],
        errors: 1,
        errorCodes: [['DECODE', 1]],
        invisible: 0,
        missing: 0,
      },
      {
        condition: 'swap',
        rows: 6,
        verdicts: 6,
        nulls: 0,
        nullReasons: [],
        notApplicable: 0,
        notApplicableReasons: [],
        errors: 0,
        errorCodes: [],
        invisible: 0,
        missing: 0,
      },
      {
        condition: 'negate',
        rows: 6,
        verdicts: 3,
        nulls: 0,
        nullReasons: [],
        notApplicable: 3,
        notApplicableReasons: [['no-mandatory-modal', 3]],
        errors: 0,
        errorCodes: [],
        invisible: 1,
        missing: 0,
      },
    ]);
  });

  it('competence', () => {
    const { competence } = text;
    expect(competence).toMatchObject({
      accuracy: { count: 4, n: 5 },
      accuracyNullsWrong: { count: 4, n: 6 },
      chance: 0.6,
      saysCompliant: { count: 2, n: 5 },
      labelCompliant: 0.6,
      nullRate: { count: 1, n: 6 },
      // Five of five would have a lower bound of .478: no result could have passed.
      doesTask: null,
    });
    expect(competence.pAboveChance).toBeCloseTo(0.33696, 12);
    // Margins of label 1: 1, 3, -.5; of label 0: -2, 1, -1. Wins: 2.5 + 3 + 2 of 9.
    expect(competence.auroc.value).toBeCloseTo(7.5 / 9, 12);
    expect(competence.labelMass).toMatchObject({ n: 1, mean: 0.5 });
  });

  it('accuracy per condition and paired change', () => {
    expect(text.accuracy.map(row => [row.condition, row.all.count, row.all.n])).toEqual([
      ['baseline', 4, 5],
      ['placebo', 1, 1],
      ['delete', 4, 5],
      ['swap', 5, 6],
      ['negate', 2, 3],
    ]);
    expect(text.accuracy.map(row => row.paired)).toEqual([
      null,
      { n: 1, baselineRight: 1, right: 1, gained: 0, lost: 0, p: null },
      { n: 4, baselineRight: 3, right: 3, gained: 1, lost: 1, p: 1 },
      { n: 5, baselineRight: 4, right: 4, gained: 1, lost: 1, p: 1 },
      { n: 3, baselineRight: 2, right: 2, gained: 0, lost: 0, p: null },
    ]);
    expect(text.ruleNecessity).toMatchObject({ n: 4, necessary: 1, reverse: 1 });
  });

  it('independence null', () => {
    const rows = text.independence.map(({ condition, n, p, q, expected, observed }) =>
      [condition, n, p, q, expected, observed].map(v => (typeof v === 'number' ? round(v) : v)),
    );
    expect(rows).toEqual([
      ['delete', 4, 0.5, 0.5, 0.5, 0.5],
      ['swap', 5, 0.4, 0.8, 0.56, 0.4],
      ['negate', 3, round(2 / 3), round(2 / 3), round(4 / 9), 0],
      ['pooled', 12, 0.5, round(8 / 12), 0.5, round(4 / 12)],
    ]);
    const pooled = found(text.independence.find(row => row.condition === 'pooled')).permutation;
    // Cells that hold one verdict only: a negate (1 1), b delete, b negate (single), b swap (0 0 at baseline), a swap (1 1 1 after).
    expect(pooled).toMatchObject({ cells: 6, observedFlips: 4, degenerate: false });
    expect(pooled.degenerateCells).toEqual(['a, negate', 'a, swap', 'b, delete', 'b, negate', 'b, swap']);
  });

  it('groups, and the judge on them', () => {
    expect(text.groups.pooled).toEqual({ LOW: 1, HIGH: 1, neither: 2, open: 2 });
    expect(text.groups.domains).toEqual([
      { domain: 'a', LOW: 1, HIGH: 0, neither: 2, open: 1 },
      { domain: 'b', LOW: 0, HIGH: 1, neither: 0, open: 1 },
    ]);
    const high = found(text.byGroup.find(row => row.group === 'HIGH'));
    expect(high.accuracy.map(({ condition, rate }) => [condition, rate.rate])).toEqual([
      ['baseline', 0],
      ['placebo', null],
      ['delete', 1],
      ['swap', 1],
      ['negate', 0],
    ]);
    expect(round(high.flips.find(row => row.measure === 'agg')?.rate.rate)).toBe(round(2 / 3));
  });

  it('margin shifts, with and without invisible rows', () => {
    const shift = (condition: string) => found(summary.marginShifts.find(row => row.condition === condition));
    // Delete: -1.25, -.5, -1, -2, 1; negate: -.5, (0), -.5.
    expect(shift('delete').all).toMatchObject({ n: 5, mean: -0.75, median: -1 });
    expect(round(shift('delete').all.sd)).toBe(
      round(Math.sqrt((0.25 + 0.0625 + 0.0625 + 1.5625 + 3.0625) / 4)),
    );
    expect(shift('negate').all).toMatchObject({ n: 3, median: -0.5 });
    expect(shift('negate').visible).toEqual({ n: 2, mean: -0.5, median: -0.5, sd: 0 });
    expect(shift('placebo').all).toEqual({ n: 1, mean: 0, median: 0, sd: null });
    expect(summary.marginShifts[0]?.condition).toBe('placebo');
  });

  it('agreement of the readers', () => {
    expect(found(summary.agreement.find(row => row.condition === 'baseline'))).toMatchObject({
      rows: 6,
      same: { count: 5, n: 5 },
      textNull: 1,
      logitNull: 0,
      bothNull: 0,
    });
    expect(found(summary.agreement.find(row => row.condition === 'pooled'))).toMatchObject({
      rows: 21,
      same: { n: 20, count: 20 },
    });
  });

  it('nothing is fragile in an exact run; elsewhere pairs inside the band are taken out', () => {
    expect(ocs('delete').pooled).toMatchObject({ solid: null, fragilePairs: null, fragileFlips: null });
    const banded = analyze(hand, { exactness: inexact }).readers.text;
    // a/1 delete has margin -.25 (a flip); b/1 has margins of exactly .5, which is not below .5.
    expect(ocs('delete', banded).pooled).toMatchObject({
      fragilePairs: 1,
      fragileFlips: 1,
      solid: { count: 1, n: 3 },
    });
    expect(ocs('swap', banded).pooled).toMatchObject({ fragilePairs: 0, solid: { count: 2, n: 5 } });
    const blind = hand.map(row => ({ ...row, margin: null }));
    expect(ocs('swap', analyze(blind, { exactness: inexact }).readers.text).pooled).toMatchObject({
      fragilePairs: 5,
      solid: { n: 0, rate: null },
    });
    expect(ocs('swap', analyze(blind, { exactness: null }).readers.text).pooled.solid).toBeNull();
  });
});

describe('analyzeReadings, rows that are not as usual', () => {
  it('a failed row that was tried again counts once', () => {
    const first = failed('b/1', 'delete', 'ENGINE_CRASH', one);
    expect(analyze([first, ...hand])).toEqual(analyze(hand));
  });

  it('steered rows are left aside and counted', () => {
    const steered = reading('a/1', 'baseline', 0, { ...one, alpha: 1, layer: 3, positionScope: 'last' });
    expect(analyze([...hand, steered])).toEqual({ ...analyze(hand), steeredRows: 1 });
  });

  it('rows that are not there yet are counted as missing', () => {
    const cut = analyze(hand.filter(row => !(row.sampleId === 'a/2' && row.condition === 'swap')));
    expect(found(cut.readers.text.counts.find(row => row.condition === 'swap'))).toMatchObject({
      rows: 5,
      missing: 1,
    });
  });

  it('contradictions and emptiness are refused', () => {
    expect(codeOf(() => analyze([]))).toBe('RUN_INCOMPLETE');
    expect(codeOf(() => analyze([...hand, ...hand.slice(0, 1)]))).toBe('RUN_DAMAGED');
    expect(codeOf(() => analyze([reading('a/1', 'baseline', 1), reading('a/1', 'delete', 1, zero)]))).toBe(
      'RUN_DAMAGED',
    );
  });

  it('a run of the baseline alone has competence and no OCS', () => {
    const bare = analyze(hand.filter(row => row.condition === 'baseline')).readers.text;
    expect(bare.ocs).toEqual([]);
    expect(bare.independence).toEqual([]);
    expect(bare.ruleNecessity).toBeNull();
    expect(bare.competence.accuracy).toMatchObject({ count: 4, n: 5 });
  });

  it('a lexical floor that lacks a domain has no pooled figure', () => {
    expect(analyze(hand, { lexicalFloor: new Map([['a', 0.8]]) })).toMatchObject({
      lexicalFloor: null,
      domains: [{ lexicalFloor: 0.8 }, { lexicalFloor: null }],
    });
  });
});

describe('properties', () => {
  it('the order of rows changes nothing', () => {
    fc.assert(
      fc.property(
        readingsArbitrary.chain(rows =>
          fc.tuple(fc.constant(rows), fc.shuffledSubarray([...rows], { minLength: rows.length })),
        ),
        ([rows, shuffled]) => {
          expect(JSON.stringify(analyze(shuffled))).toBe(JSON.stringify(analyze(rows)));
        },
      ),
      { numRuns: 8 },
    );
  });

  it('every row is accounted for, for both readers', () => {
    fc.assert(
      fc.property(readingsArbitrary, rows => {
        const summary = analyze(rows);
        for (const reader of READERS) {
          const { counts, groups } = summary.readers[reader];
          for (const c of counts) expect(c.verdicts + c.nulls + c.notApplicable + c.errors).toBe(c.rows);
          expect(counts.reduce((sum, c) => sum + c.rows, 0)).toBe(rows.length);
          expect(groups.pooled.LOW + groups.pooled.HIGH + groups.pooled.neither + groups.pooled.open).toBe(
            summary.samples,
          );
        }
        for (const a of summary.agreement)
          expect(a.same.n + a.textNull + a.logitNull + a.bothNull).toBe(a.rows);
      }),
      { numRuns: 25 },
    );
  });

  it('swapping the labels mirrors AUROC and accuracy and leaves flips alone', () => {
    fc.assert(
      fc.property(readingsArbitrary, rows => {
        const before = analyze(rows).readers.logit;
        const after = analyze(rows.map(row => ({ ...row, label: row.label === 1 ? 0 : 1 }) as const)).readers
          .logit;
        expect(after.ocs).toEqual(before.ocs);
        expect(after.independence).toEqual(before.independence);
        expect(after.competence.accuracy.count).toBe(
          before.competence.accuracy.n - before.competence.accuracy.count,
        );
        expect(after.competence.chance).toBe(before.competence.chance);
        if (before.competence.auroc.value === null) expect(after.competence.auroc.value).toBeNull();
        else expect(after.competence.auroc.value).toBeCloseTo(1 - before.competence.auroc.value, 12);
      }),
      { numRuns: 25 },
    );
  });

  it('a constant judge: OCS 0, chance accuracy, no permutation test, all LOW or open', () => {
    fc.assert(
      fc.property(readingsArbitrary, rows => {
        const constant = rows.map(row => ({
          ...row,
          verdictLogit: row.verdictLogit === null ? null : (1 as const),
        }));
        const judge = analyze(constant).readers.logit;
        for (const row of judge.ocs) expect(row.pooled.all.count).toBe(0);
        expect(judge.competence.doesTask === true).toBe(false);
        expect(judge.groups.pooled).toMatchObject({ HIGH: 0, neither: 0 });
        for (const row of judge.independence)
          expect(row.permutation).toMatchObject({ degenerate: true, pFewer: null });
      }),
      { numRuns: 25 },
    );
  });

  it('a judge that reads the rule does the task and loses it with the rule; one that reads the scenario keeps it', () => {
    const rows = Array.from({ length: 60 }, (_, i): Reading[] => {
      const label = i % 2 === 0 ? 1 : 0;
      const at = `d/f#${i}`;
      return [
        reading(at, 'baseline', label, { label }),
        reading(at, 'delete', i % 4 < 2 ? 1 : 0, { label, verdictLogit: label }),
      ];
    }).flat();
    const { text: reads, logit: shortcut } = analyze(rows).readers;
    expect([reads.competence.doesTask, shortcut.competence.doesTask]).toEqual([true, true]);
    expect(reads.ocs.find(row => row.measure === 'delete')?.pooled.all.rate).toBe(0.5);
    expect(shortcut.ocs.find(row => row.measure === 'delete')?.pooled.all.rate).toBe(0);
    expect(found(reads.accuracy[1]).paired?.p).toBeLessThan(1e-6);
    expect(reads.ruleNecessity).toMatchObject({ n: 60, necessary: 30, reverse: 0 });
    // Verdicts without the rule are paired at random with those with it: neither tail is small.
    const chance = found(reads.independence[0]).permutation;
    expect(Math.min(chance.pFewer ?? 0, chance.pMore ?? 0)).toBeGreaterThan(0.2);
    expect(found(shortcut.independence[0]).permutation.pFewer).toBeCloseTo(1 / 10_001, 12);
  });
});
