import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import type { DirectionRows } from '../../src/audit/analyze-ics.js';
import type { Summary } from '../../src/audit/analyze-types.js';
import type { IcsSummary } from '../../src/audit/ics-types.js';
import { CONDITIONS, type Condition } from '../../src/perturb/types.js';
import { analysisText } from '../../src/report/analysis-text.js';
import { displayWidth, WIDTH } from '../../src/report/table.js';
import type { Exactness, Reading, VectorRow } from '../../src/run/types.js';
import { hand } from './hand.js';
import { failed, notApplicable, reading } from './rows.js';

const exact: Exactness = { kind: 'exact', tile: 32, prompts: 12, floats: 4096 };
const about = { subject: 'judge.gguf', corpus: 'hand-made', run: null };

function analyze(
  readings: readonly Reading[],
  direction: DirectionRows | null,
  exactness: Exactness | null = exact,
): Summary {
  return analyzeReadings(readings, { about, exactness, ...(direction && { direction }) });
}
function found<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('expected to be there');
  return value;
}
const icsOf = (summary: Summary): IcsSummary => found(summary.ics);
const flat = (text: string): string => text.replace(/\s+/g, ' ');

/*
 * Worked by hand: ICS at block 3, then the projections on two controls; (1) invisible, E error, n/a not applicable.
 *
 *        label  text   baseline      placebo       delete        swap          negate
 *   a/1    1     1      2 [1 -1]      2 [1 -1]      1 [2 -1]      4 [1 -1]      n/a
 *   a/2    0     1     -1 [2  0]      n/a          -1 [2  2]      1 [4  0]     -1 [2  0] (1)
 *   b/1    1     0      3 [-2 2]      n/a           0 [-2 2]      3 [-2 0]      1 [ 0 2]
 *   b/2    0     –      0 [0  4]      n/a           E            -1 [ 0 0]      n/a
 *
 * Mean baseline |ICS| = 6/4; on controls, 1, 1, 2 and 2: 6/4 too. At block 1 the direction's value is minus the label
 * at baseline and under every condition, and the controls are those of block 3.
 */
type Row = readonly [ics: number, one: number, two: number];
const table: readonly (readonly [string, 0 | 1, 0 | 1 | null, Partial<Record<Condition, Row>>])[] = [
  ['a/1', 1, 1, { baseline: [2, 1, -1], placebo: [2, 1, -1], delete: [1, 2, -1], swap: [4, 1, -1] }],
  ['a/2', 0, 1, { baseline: [-1, 2, 0], delete: [-1, 2, 2], swap: [1, 4, 0], negate: [-1, 2, 0] }],
  ['b/1', 1, 0, { baseline: [3, -2, 2], delete: [0, -2, 2], swap: [3, -2, 0], negate: [1, 0, 2] }],
  ['b/2', 0, null, { baseline: [0, 0, 4], swap: [-1, 0, 0] }],
];
const readings: readonly Reading[] = table.flatMap(([id, label, verdict, rows]) =>
  CONDITIONS.map(condition => {
    const row = rows[condition];
    if (row) {
      const visible = !(id === 'a/2' && condition === 'negate');
      const more = { label, visible, ics: row[0], icsCos: row[0] / 10, residualNorm: 10 };
      return reading(id, condition, verdict, more);
    }
    return condition === 'delete'
      ? failed(id, condition, 'DECODE', { label })
      : notApplicable(id, condition, 'no-mandatory-modal', { label });
  }),
);
const vectors: readonly VectorRow[] = table.flatMap(([id, label, , rows]) =>
  Object.entries(rows).flatMap(([condition, row]) => {
    const key = `${id}|${condition}||||`;
    return [
      { key, layer: 1, values: Float32Array.from([-label, row[1], row[2]]) },
      { key, layer: 3, values: Float32Array.from(row) },
    ];
  }),
);
const direction: DirectionRows = { anchor: 3, layers: [1, 3], width: 3, vectors };

describe('summariseIcs, worked by hand', () => {
  const summary = analyze(readings, direction);
  const ics = icsOf(summary);
  const under = (condition: Condition) => found(ics.conditions.find(row => row.condition === condition));

  it('is over the mean baseline |ICS| of the run', () => {
    expect(ics).toMatchObject({ anchor: 3, controls: 2 });
    expect(ics.baseline).toMatchObject({ meanAbs: 1.5, controlMeanAbs: 1.5, ics: { n: 4, mean: 1 } });
    expect(ics.baseline.cosine.mean).toBeCloseTo(0.1, 12);
    expect(ics.baseline.residualNorm).toMatchObject({ mean: 10, sd: 0 });
  });

  it('has shifts, ratios and quotients for each condition, placebo first', () => {
    expect(ics.conditions.map(({ condition }) => condition)).toEqual(['placebo', 'delete', 'swap', 'negate']);
    const close = (value: number) => expect.closeTo(value, 12);
    expect(under('placebo').all).toMatchObject({
      n: 1,
      moved: 0,
      meanDelta: 0,
      ratio: 0,
      controlRatio: 0,
      quotient: null,
    });
    expect(under('delete').all).toMatchObject({
      n: 3,
      moved: 2,
      meanDelta: close(4 / 3),
      ratio: close(8 / 9),
      controlDelta: close(1 / 2),
      controlRatio: close(1 / 3),
      quotient: { value: close(8 / 3) },
    });
    expect(under('swap').all).toMatchObject({
      n: 4,
      moved: 3,
      meanDelta: 1.25,
      controlDelta: 1,
      quotient: { value: 1.25 },
    });
    expect(under('negate').all).toMatchObject({
      n: 2,
      moved: 1,
      ratio: close(2 / 3),
      quotient: { value: 2 },
    });
    const { low, high } = found(under('swap').all.quotient);
    expect(low).toBeGreaterThanOrEqual(0);
    expect(low).toBeLessThan(1.25);
    expect(high).toBeGreaterThan(1.25);
  });

  it('leaves invisible rows out where it says so', () => {
    expect(under('negate').visible).toMatchObject({
      n: 1,
      meanDelta: 2,
      controlDelta: 1,
      quotient: { value: 2, low: null },
    });
    expect(under('delete').visible).toEqual(under('delete').all);
  });

  it('ranks labels and verdicts by baseline ICS', () => {
    expect(ics.auroc.label).toMatchObject({ n: 4, value: 1, low: 1, high: 1 });
    // Compliant verdicts at 2 and -1, the other at 3; b/2 has none.
    expect(ics.auroc.text).toMatchObject({ n: 3, value: 0 });
  });

  it('has every block, the anchor marked', () => {
    expect(ics.blocks).toMatchObject([
      { layer: 1, anchor: false, meanAbs: 0.5, controlMeanAbs: 1.5, auroc: 0 },
      { layer: 3, anchor: true, meanAbs: 1.5, controlMeanAbs: 1.5, auroc: 1 },
    ]);
    for (const block of ics.blocks) {
      const deleted = found(block.conditions.find(({ condition }) => condition === 'delete'));
      expect(deleted.n).toBe(3);
      expect(deleted.ratio).toBeCloseTo(block.anchor ? 8 / 9 : 0, 12);
      expect(deleted.controlRatio).toBeCloseTo(1 / 3, 12);
    }
  });

  it('has a mean over samples in each domain', () => {
    // a: (1 + 2) / 2 and (0 + 2 + 0) / 3; b: (3 + 0 + 2) / 3 and 1.
    expect(ics.domains.map(({ domain, n }) => [domain, n])).toEqual([
      ['a', 2],
      ['b', 2],
    ]);
    expect(ics.domains[0]?.meanDelta).toBeCloseTo((3 / 2 + 2 / 3) / 2, 12);
    expect(ics.domains[1]?.meanDelta).toBeCloseTo((5 / 3 + 1) / 2, 12);
    expect(ics.domains[0]?.conditions.map(({ condition }) => condition)).toEqual([
      'delete',
      'swap',
      'negate',
    ]);
    expect(ics.domains[1]?.conditions[0]?.ratio).toBeCloseTo(2, 12);
    // All verdicts that are there are those of the baseline: OCS does not vary.
    expect(ics.correlation.text).toMatchObject({ n: 2, rho: null, p: null });
  });

  it('does without the projections: what the readings hold stays', () => {
    const bare = icsOf(analyze(readings, null));
    expect(bare).toMatchObject({ anchor: null, controls: 0, blocks: [], placebo: { pairs: 1, moved: 0 } });
    expect(bare.auroc).toEqual(ics.auroc);
    expect(bare.conditions.map(({ all }) => [all.ratio, all.controlRatio, all.quotient])).toEqual(
      ics.conditions.map(({ all }) => [all.ratio, null, null]),
    );
  });

  it('is null for a run that was not projected', () => {
    expect(analyze(hand, null).ics).toBeNull();
    expect(analysisText(analyze(hand, null), { colour: false })).not.toContain('residual stream');
  });
});

it('the domains of OCS and of ICS-delta are compared by rank', () => {
  // Domain d flips d of 4 samples, and moves by 5 - d: the orders are opposite.
  const rows = [0, 1, 2, 3, 4].flatMap(d =>
    [0, 1, 2, 3].flatMap(i => [
      reading(`${d}/${i}`, 'baseline', 1, { ics: 1 }),
      reading(`${d}/${i}`, 'delete', i < d ? 0 : 1, { ics: 1 + 5 - d, verdictLogit: 1 }),
    ]),
  );
  const { correlation } = icsOf(analyze(rows, null));
  // Two of 120 orders are as far from none.
  expect(correlation.text).toMatchObject({
    n: 5,
    rho: expect.closeTo(-1, 12),
    p: expect.closeTo(2 / 120, 12),
    method: 'exact',
  });
  expect(correlation.logit).toMatchObject({ n: 5, rho: null, p: null });
});

/** Rows with projections at two blocks, for the readings that went through a model. */
const projected = fc
  .record({
    rows: fc.array(
      fc.record({
        domain: fc.constantFrom('a', 'b', 'c'),
        label: fc.constantFrom<0 | 1>(0, 1),
        cells: fc.array(fc.tuple(fc.integer({ min: -40, max: 40 }), fc.boolean(), fc.boolean()), {
          minLength: 5,
          maxLength: 5,
        }),
      }),
      { minLength: 2, maxLength: 12 },
    ),
    width: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ rows, width }) => {
    const made = rows.flatMap(({ domain, label, cells }, i) =>
      CONDITIONS.map((condition, c) => {
        const [value = 0, visible, applies] = cells[c] ?? [];
        const id = `${domain}/f#${i}`;
        if (condition !== 'baseline' && !applies) return notApplicable(id, condition, 'not-drawn', { label });
        return reading(id, condition, value % 2 === 0 ? 1 : 0, {
          label,
          visible: visible ?? true,
          ics: value / 8,
        });
      }),
    );
    const streams = made
      .filter(({ applicable }) => applicable)
      .flatMap(({ key, ics }) =>
        [2, 5].map(layer => ({
          key,
          layer,
          values: Float32Array.from({ length: width }, (_, v) =>
            v === 0 ? (ics ?? 0) * (layer === 2 ? 0.5 : 1) : Math.sin((ics ?? 0) * v + layer),
          ),
        })),
      );
    return { made, streams, width };
  });

describe('summariseIcs, whatever the rows', () => {
  it('does not change with the order of rows', () => {
    fc.assert(
      fc.property(
        projected,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        ({ made, streams, width }, keys) => {
          const order = <T>(items: readonly T[]): readonly T[] =>
            items
              .map(item => ({ item, key: found(keys.next().value) }))
              .sort((a, b) => a.key - b.key)
              .map(({ item }) => item);
          const at = { anchor: 5, layers: [2, 5], width };
          const one = analyze(made, { ...at, vectors: streams });
          const other = analyze(order(made), { ...at, vectors: order(streams) });
          expect(other).toEqual(one);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('a direction turned round moves as far, and ranks the other way', () => {
    fc.assert(
      fc.property(projected, ({ made, streams, width }) => {
        const at = { anchor: 5, layers: [2, 5], width };
        const turned = {
          rows: made.map(row => ({ ...row, ics: row.ics === null ? null : -row.ics })),
          vectors: streams.map(({ values, ...row }) => ({
            ...row,
            values: values.map((value, v) => (v === 0 ? -value : value)),
          })),
        };
        const one = icsOf(analyze(made, { ...at, vectors: streams }));
        const other = icsOf(analyze(turned.rows, { ...at, vectors: turned.vectors }));
        expect(other.conditions).toEqual(one.conditions);
        expect(other.domains).toEqual(one.domains);
        expect(other.placebo).toEqual(one.placebo);
        expect(other.baseline.meanAbs).toBe(one.baseline.meanAbs);
        for (const [i, block] of one.blocks.entries()) {
          const reversed = other.blocks[i];
          expect(reversed?.conditions).toEqual(block.conditions);
          if (block.auroc !== null) expect(reversed?.auroc).toBeCloseTo(1 - block.auroc, 12);
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('the section', () => {
  const plain = { colour: false };
  const text = analysisText(analyze(readings, direction), plain);

  it('says that the placebo of an exact run is exactly 0, or that the run is not to be trusted', () => {
    expect(flat(text)).toContain(
      'Exact run: the placebo shift must be exactly 0, and it is; the placebo moved in 0 of 1 samples',
    );
    // ICS at the anchor stays; one control at another block moves by one unit in the last place.
    const nudged = vectors.map(row =>
      row.key.includes('|placebo|') && row.layer === 1
        ? { ...row, values: row.values.map((value, v) => (v === 2 ? value * (1 + 2 ** -23) : value)) }
        : row,
    );
    const broken = flat(analysisText(analyze(readings, { ...direction, vectors: nudged }), plain));
    expect(broken).toContain('placebo ICS moved: the proof does not hold here');
    expect(broken).toContain('the placebo moved in 1 of 1 samples');
    const inexact: Exactness = { kind: 'inexact', tile: 1, prompts: 12, band: 0.5, why: 'unified' };
    expect(
      flat(analysisText(analyze(readings, { ...direction, vectors: nudged }, inexact), plain)),
    ).toContain('Noise of the instrument: the placebo moved in 1 of 1 samples');
    const without = readings.filter(({ condition }) => condition !== 'placebo');
    expect(flat(analysisText(analyze(without, direction), plain))).toContain('No placebo row has ICS');
  });

  it('marks the anchor among the blocks, and keeps to the width', () => {
    expect(text).toMatch(/^ {2}1 +\.000 /m);
    expect(text).toMatch(/^ {2}3 {2}anchor +1\.000 +0\.0 % +88\.9 % +33\.3 % +83\.3 % +66\.7 %/m);
    expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(WIDTH);
    expect(text).not.toContain('NaN');
    expect(text).not.toMatch(/ $/m);
  });

  it('without controls says what cannot be told', () => {
    const alone = vectors.map(row => ({ ...row, values: row.values.subarray(0, 1) }));
    const told = flat(analysisText(analyze(readings, { ...direction, width: 1, vectors: alone }), plain));
    expect(told).toContain('cannot be told from any shift');
  });

  it('stands alone in a run without verdicts', () => {
    const unread = readings.map(row =>
      row.applicable && row.errorCode === null
        ? { ...row, verdictText: null, verdictLogit: null, margin: null, nullReason: 'ics-only' }
        : row,
    );
    const summary = analyze(unread, direction);
    expect(summary.icsOnly).toBe(true);
    const told = flat(analysisText(summary, plain));
    expect(told).toContain('Verdicts None were read');
    expect(told).toContain('the placebo moved ICS in 0 of 1.');
    for (const absent of [
      'Does the judge do the task?',
      'OCS per domain',
      'Could it be chance?',
      'LOW: ',
      'OCS text',
    ])
      expect(told).not.toContain(absent);
    expect(icsOf(summary).conditions).toEqual(icsOf(analyze(readings, direction)).conditions);
    // One row with a verdict, and it is a run like any other.
    const [first, ...others] = unread;
    expect(
      analyze([{ ...found(first), verdictText: 1, nullReason: null }, ...others], direction).icsOnly,
    ).toBe(false);
  });
});
