import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acrossRuns } from '../../src/audit/across-runs.js';
import type { AcrossSummary, RunOfMany } from '../../src/audit/across-types.js';
import { ICS_ONLY } from '../../src/audit/readings.js';
import { PlumblineError } from '../../src/errors.js';
import type { Reading } from '../../src/run/types.js';
import { otherHand, runOf } from './across-rows.js';
import { readingsArbitrary } from './generate.js';
import { hand, one, zero } from './hand.js';
import { reading } from './rows.js';

const kinds = ({ notes }: AcrossSummary): readonly string[] => notes.map(({ kind }) => kind);
const flips = (of: AcrossSummary['runs'][number] | undefined): readonly unknown[] =>
  (of?.ocs ?? []).map(({ measure, pooled }) => [measure, pooled?.all.count ?? null, pooled?.all.n ?? null]);

describe('two runs, worked by hand', () => {
  const across = acrossRuns([runOf('first', hand), runOf('second', otherHand)], 'text');
  const [first, second] = across.runs;

  it('have a row each, in the order given, placebo first', () => {
    expect(across.runs.map(({ run }) => run)).toEqual(['first', 'second']);
    expect(flips(first)).toEqual([
      ['placebo', 0, 1],
      ['delete', 2, 4],
      ['swap', 2, 5],
      ['negate', 0, 3],
      ['agg', expect.closeTo(1.5, 12), 5],
    ]);
    // Aggregate: 2/3 + 1/2 + 0 + 0 + 1 + 0 of six samples. The second run has no placebo.
    expect(flips(second)).toEqual([
      ['placebo', null, null],
      ['delete', 3, 6],
      ['swap', 2, 6],
      ['negate', 0, 1],
      ['agg', expect.closeTo(13 / 6, 12), 6],
    ]);
  });

  it('keep the figures of their summaries', () => {
    const summary = runOf('first', hand).summary.readers.text;
    expect(first).toMatchObject({
      competence: summary.competence,
      independence: summary.independence,
      ruleNecessity: summary.ruleNecessity,
      groups: summary.groups.pooled,
      errorRows: 1,
      samples: 6,
      domains: ['a', 'b'],
    });
    expect(second?.groups).toEqual({ LOW: 3, HIGH: 2, neither: 1, open: 0 });
    expect(second?.ruleNecessity).toMatchObject({ n: 6, necessary: 3, reverse: 0 });
  });

  it('share the samples that are alike, and compare subsets where both are decided', () => {
    expect(across.overlaps).toEqual([
      {
        a: 'first',
        b: 'second',
        samplesA: 6,
        samplesB: 6,
        samplesBoth: 5,
        conflicting: 1,
        subsets: [
          // a/1 in both, a/2 in the second alone, a/3 in none.
          {
            subset: 'rule-necessary',
            compared: 3,
            inA: 1,
            inB: 2,
            both: 1,
            expectedBoth: 2 / 3,
            jaccard: 1 / 2,
          },
          // a/1 and a/2: a/3 has other applicable conditions, a/4 and b/2 are open in the first run.
          { subset: 'LOW', compared: 2, inA: 0, inB: 0, both: 0, expectedBoth: 0, jaccard: null },
          { subset: 'HIGH', compared: 2, inA: 0, inB: 1, both: 0, expectedBoth: 0, jaccard: 0 },
        ],
      },
    ]);
    expect(across.subsets).toEqual([
      { subset: 'rule-necessary', runs: 2, compared: 3, inRuns: [1, 1, 1] },
      { subset: 'LOW', runs: 2, compared: 2, inRuns: [2, 0, 0] },
      { subset: 'HIGH', runs: 2, compared: 2, inRuns: [1, 1, 0] },
    ]);
  });

  it('are analyzed again on the five samples that both have', () => {
    expect(across.common).toMatchObject({ samples: 5 });
    const [a, b] = across.common?.runs ?? [];
    expect(flips(a)).toContainEqual(['delete', 1, 3]);
    expect(flips(b)).toContainEqual(['delete', 2, 5]);
    expect([a?.samples, b?.samples]).toEqual([5, 5]);
  });

  it('set OCS beside accuracy, without a p of two points', () => {
    const { points, subjects, ranks } = across.overRuns;
    expect(points).toEqual([
      { run: 'first', ocs: expect.closeTo(0.3, 12), accuracy: 4 / 5 },
      { run: 'second', ocs: expect.closeTo(13 / 36, 12), accuracy: 5 / 6 },
    ]);
    expect(subjects).toBe(2);
    expect(ranks).toEqual({ n: 2, rho: 1, p: null, method: null, smallestP: null });
  });

  it('say what differs', () => {
    expect(kinds(across)).toEqual(['other-samples', 'conflicting-samples', 'other-conditions', 'incomplete']);
  });
});

describe('what must be known before rows are compared', () => {
  const noted = (...runs: readonly RunOfMany[]): readonly string[] => kinds(acrossRuns(runs, 'text'));
  const rows = otherHand;

  it('is nothing for two judges under one plan', () => {
    const plan = { planHash: 'p', corpusId: 'c' };
    expect(noted(runOf('x', rows, plan), runOf('y', rows, plan))).toEqual([]);
    expect(acrossRuns([runOf('x', rows), runOf('y', rows)], 'text').common).toBeNull();
  });

  it.each([
    ['the same judge under the same plan', 'same-plan-and-subject', { subjectId: 's', planHash: 'p' }, {}],
    ['the same judge under another plan', 'same-subject', { subjectId: 's', planHash: 'q' }, {}],
    ['other corpus files', 'other-corpora', { corpusId: 'd' }, {}],
    ['another seed', 'other-seeds', {}, { seed: 8 }],
    ['a rule-blind subject', 'rule-blind', { ruleBlind: true }, {}],
    ['rows missing', 'incomplete', { plannedRows: 99 }, {}],
    [
      'an inexact run',
      'inexact',
      {},
      { exactness: { kind: 'inexact', tile: 1, prompts: 1, band: 0.5, why: 'unified' } as const },
    ],
  ])('names %s', (_what, kind, more, options) => {
    const base = runOf('x', rows, { subjectId: 's', planHash: 'p', corpusId: 'c', plannedRows: 24 });
    const judge = { subjectId: 't', planHash: 'p', corpusId: 'c', plannedRows: 24 };
    expect(noted(base, runOf('y', rows, { ...judge, ...more, options }))).toEqual([kind]);
  });

  it('names another prompt', () => {
    const prompted = rows.map(row => ({ ...row, profile: 'scenario-only' }));
    expect(noted(runOf('x', rows), runOf('y', prompted))).toEqual(['other-profiles']);
  });
});

describe('over judges', () => {
  /** A judge that flips on this many of four samples when the rule goes, and is right on as many as told. */
  const judge = (flipped: number, right: number): readonly Reading[] =>
    [0, 1, 2, 3].flatMap(i => {
      const baseline = i < right ? 1 : 0;
      return [
        reading(`a/${i}`, 'baseline', baseline, one),
        reading(`a/${i}`, 'delete', i < flipped ? (baseline === 1 ? 0 : 1) : baseline, one),
      ];
    });
  const runs = [runOf('x', judge(0, 4)), runOf('y', judge(1, 3)), runOf('z', judge(3, 1))];

  it('three in order give the p that six orders can, not the 0 of t', () => {
    const { ranks } = acrossRuns(runs, 'text').overRuns;
    expect(ranks).toEqual({ n: 3, rho: -1, p: 2 / 6, method: 'exact', smallestP: 2 / 6 });
  });

  it('a rule-blind subject is no point, and one judge twice is no evidence', () => {
    const blind = acrossRuns([...runs, runOf('floor', judge(0, 2), { ruleBlind: true })], 'text');
    expect(blind.overRuns.points.map(({ run }) => run)).toEqual(['x', 'y', 'z']);
    const again = acrossRuns([...runs, runOf('again', judge(1, 3), { subjectId: 'y.gguf' })], 'text');
    expect(again.overRuns).toMatchObject({ subjects: 3, ranks: { n: 4, p: null, method: null } });
  });

  it('domains of one run are ranked within it', () => {
    const domains = ['a', 'b', 'c'].flatMap((domain, i) =>
      judge(i, 4 - i).map(row => ({
        ...row,
        domain,
        sampleId: `${domain}${row.sampleId}`,
        key: domain + row.key,
      })),
    );
    expect(acrossRuns([runOf('x', domains)], 'text').runs[0]?.ocsWithAccuracy).toMatchObject({
      n: 3,
      rho: -1,
      method: 'exact',
    });
  });
});

describe('edges', () => {
  it('one run has its row and nothing to be compared with', () => {
    expect(acrossRuns([runOf('x', hand)], 'text')).toMatchObject({
      runs: [{ run: 'x' }],
      overlaps: [],
      subsets: [],
      common: null,
      overRuns: { points: [{ run: 'x' }], ranks: { n: 1, rho: null, p: null } },
    });
  });

  it('runs without a common sample say so and have no common rows', () => {
    const elsewhere = hand.map(row => ({ ...row, sampleId: `x${row.sampleId}`, key: `x${row.key}` }));
    const across = acrossRuns([runOf('x', hand), runOf('y', elsewhere)], 'text');
    expect(across.common).toMatchObject({ samples: 0, runs: [], overRuns: { points: [] } });
    expect(across.overlaps).toMatchObject([{ samplesBoth: 0, conflicting: 0 }]);
    expect(across.overlaps[0]?.subsets[0]).toMatchObject({ compared: 0, expectedBoth: null, jaccard: null });
  });

  it('a run without verdicts keeps its residual stream alone, and is in no overlap of subsets', () => {
    const unjudged = otherHand.map(row => ({
      ...row,
      verdictText: null,
      verdictLogit: null,
      nullReason: ICS_ONLY,
      ics: row.condition === 'baseline' ? 2 : 3,
    }));
    const across = acrossRuns([runOf('x', otherHand), runOf('stream', unjudged)], 'text');
    const [, stream] = across.runs;
    expect(stream).toMatchObject({
      verdicts: false,
      competence: null,
      ocs: [],
      accuracy: [],
      independence: [],
      groups: null,
      ruleNecessity: null,
      ocsWithAccuracy: null,
      // Thirteen altered rows, each moved by 1 from a baseline of 2.
      ics: { meanAbs: 2, altering: { n: 13, meanDelta: 1, ratio: 0.5 } },
    });
    expect(across.overlaps).toMatchObject([{ samplesBoth: 6, subsets: [] }]);
    expect(across.subsets).toEqual([]);
    expect(across.overRuns.points.map(({ run }) => run)).toEqual(['x']);
    expect(kinds(across)).toEqual(['no-verdicts']);
  });

  it('a baseline alone has no flips and no groups', () => {
    const baseline = [reading('a/1', 'baseline', 1, one), reading('a/2', 'baseline', 1, zero)];
    const [row] = acrossRuns([runOf('x', baseline)], 'text').runs;
    expect(row?.ocs.map(({ pooled }) => pooled)).toEqual([null, null, null, null, null]);
    expect(row).toMatchObject({ groups: null, ruleNecessity: null, independence: [] });
  });

  it('steered rows are left aside', () => {
    const steered = hand.map(row => ({ ...row, alpha: 1, key: `${row.key}1`, verdictText: 1 as const }));
    const plain = acrossRuns([runOf('x', hand), runOf('y', otherHand)], 'text');
    expect(acrossRuns([runOf('x', [...hand, ...steered]), runOf('y', otherHand)], 'text')).toEqual(plain);
  });

  it('no run, and two of one name, are USAGE', () => {
    const code = (runs: readonly RunOfMany[]): string => {
      try {
        acrossRuns(runs, 'text');
      } catch (error) {
        return error instanceof PlumblineError ? error.code : String(error);
      }
      return 'nothing thrown';
    };
    expect(code([])).toBe('USAGE');
    expect(code([runOf('x', hand), runOf('x', otherHand)])).toBe('USAGE');
  });
});

describe('any rows', () => {
  const three = fc.tuple(readingsArbitrary, readingsArbitrary, readingsArbitrary);
  const named = (sets: readonly (readonly Reading[])[]): readonly RunOfMany[] =>
    sets.map((readings, i) => runOf(`run ${i}`, readings));
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const byName = <T extends { readonly run: string }>(rows: readonly T[] = []): readonly T[] =>
    [...rows].sort((a, b) => (a.run < b.run ? -1 : 1));
  const byPair = <T extends { readonly a: string; readonly b: string }>(pairs: readonly T[]): readonly T[] =>
    [...pairs].sort((x, y) => (`${x.a} ${x.b}` < `${y.a} ${y.b}` ? -1 : 1));

  it('the order of rows changes nothing, and all is plain JSON', () => {
    const property = fc.property(three, fc.integer(), (sets, by) => {
      const turned = sets.map(rows =>
        [...rows.slice(by % rows.length), ...rows.slice(0, by % rows.length)].reverse(),
      );
      const across = acrossRuns(named(sets), 'text');
      expect(acrossRuns(named(turned), 'text')).toEqual(across);
      expect(plain(across)).toEqual(across);
    });
    fc.assert(property, { seed: 11, numRuns: 6 });
  });

  it('the order of runs changes the order of what is listed alone', () => {
    const property = fc.property(three, sets => {
      const runs = named(sets);
      const there = acrossRuns(runs, 'logit');
      const back = acrossRuns([...runs].reverse(), 'logit');
      expect(byName(back.runs)).toEqual(byName(there.runs));
      expect(byName(back.common?.runs)).toEqual(byName(there.common?.runs));
      expect(back.common?.samples).toBe(there.common?.samples);
      expect(byName(back.overRuns.points)).toEqual(byName(there.overRuns.points));
      expect({ ...back.overRuns, points: [] }).toEqual({ ...there.overRuns, points: [] });
      expect(back.subsets).toEqual(there.subsets);
      const turned = back.overlaps.map(({ a, b, samplesA, samplesB, subsets, ...rest }) => ({
        ...rest,
        a: b,
        b: a,
        samplesA: samplesB,
        samplesB: samplesA,
        subsets: subsets.map(({ inA, inB, ...of }) => ({ ...of, inA: inB, inB: inA })),
      }));
      expect(byPair(turned)).toEqual(byPair(there.overlaps));
    });
    fc.assert(property, { seed: 12, numRuns: 6 });
  });

  it('a run beside itself agrees with itself in everything', () => {
    const property = fc.property(readingsArbitrary, readings => {
      const across = acrossRuns([runOf('x', readings), runOf('y', readings)], 'text');
      expect(across.common).toBeNull();
      for (const { inA, inB, both, jaccard } of across.overlaps[0]?.subsets ?? []) {
        expect([inB, both]).toEqual([inA, inA]);
        expect(jaccard).toBe(inA === 0 ? null : 1);
      }
      const groups = across.runs[0]?.groups;
      const [, low] = across.subsets;
      if (groups && low) expect(low.inRuns[2]).toBe(groups.LOW);
    });
    fc.assert(property, { seed: 13, numRuns: 10 });
  });
});
