import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSamples, samplesOf } from '../../src/audit/analyze-samples.js';
import type { NecessityRow, RuleNecessity } from '../../src/audit/analyze-types.js';
import { ruleNecessityOf } from '../../src/audit/rule-necessity.js';
import { CONDITIONS } from '../../src/perturb/types.js';
import type { Reading } from '../../src/run/types.js';
import { flipDistribution } from '../../src/stats/permutation.js';
import { readingsArbitrary } from './generate.js';
import { hand } from './hand.js';
import { reading } from './rows.js';

function necessityOf(readings: readonly Reading[], seed = 42): RuleNecessity {
  const pairs = readSamples(samplesOf(readings), 'text', null).flatMap(sample => sample.pairs);
  const conditions = CONDITIONS.filter(one => readings.some(({ condition }) => condition === one));
  const found = ruleNecessityOf(pairs, conditions, seed);
  if (found === null) throw new Error('expected figures');
  return found;
}
const rowOf = ({ conditions }: RuleNecessity, condition: string): NecessityRow => {
  const row = conditions.find(one => one.condition === condition);
  if (!row) throw new Error(`no row of ${condition}`);
  return row;
};

/** Samples of a domain: label, then verdicts at baseline, deletion, swap. */
function samples(
  domain: string,
  verdicts: readonly (readonly [0 | 1, 0 | 1, 0 | 1, 0 | 1])[],
): readonly Reading[] {
  return verdicts.flatMap(([label, baseline, deletion, swap], i) => [
    reading(`${domain}/${i}`, 'baseline', baseline, { label }),
    reading(`${domain}/${i}`, 'delete', deletion, { label }),
    reading(`${domain}/${i}`, 'swap', swap, { label }),
  ]);
}
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

describe('ruleNecessityOf', () => {
  it('worked by hand: one necessary sample, one reverse', () => {
    const found = necessityOf(hand);
    expect(found).toMatchObject({ n: 4, necessary: 1, reverse: 1, tests: 0 });
    expect(found.conditions.map(row => [row.condition, row.inside.count, row.inside.n])).toEqual([
      ['placebo', 0, 1],
      ['delete', 1, 1],
      ['swap', 0, 1],
      ['negate', 0, 1],
    ]);
    expect(rowOf(found, 'swap').reverse).toMatchObject({ count: 1, n: 1 });
    expect(rowOf(found, 'placebo')).toMatchObject({ permutation: null, bySelection: false });
    // One pair cannot be paired anew: named as degenerate, and no p.
    expect(rowOf(found, 'swap')).toMatchObject({
      permutation: { degenerate: true, degenerateCells: ['a'], pFewer: null, pMore: null },
      adjusted: { pFewer: null, pMore: null },
    });
  });

  /*
   * In domain a, 6 necessary samples: baselines 1 1 1 0 0 0, swaps 0 0 1 1 1 1, so 2 + 3 flips. In b, 4: baselines
   * 1 1 0 0, swaps 0 1 0 1: 2 flips. Domain c has one label only. The rest is not necessary.
   */
  const made = [
    ...samples('a', [
      [1, 1, 0, 0],
      [1, 1, 0, 0],
      [1, 1, 0, 1],
      [0, 0, 1, 1],
      [0, 0, 1, 1],
      [0, 0, 1, 1],
      [1, 1, 1, 0],
      [1, 0, 1, 1],
    ]),
    ...samples('b', [
      [1, 1, 0, 0],
      [1, 1, 0, 1],
      [0, 0, 1, 0],
      [0, 0, 1, 1],
      [0, 1, 0, 1],
    ]),
    ...samples('c', [
      [1, 1, 0, 0],
      [1, 1, 0, 1],
    ]),
  ];

  it('p is that of re-pairing within the domains of the subset (exact tails by convolution)', () => {
    const found = necessityOf(made);
    expect(found).toMatchObject({ n: 15, necessary: 12, reverse: 2, tests: 2 });
    const swap = rowOf(found, 'swap');
    expect(swap.inside).toMatchObject({ count: 8, n: 12 });
    expect(swap.reverse).toMatchObject({ count: 1, n: 2 });
    expect(swap.permutation).toMatchObject({ repairings: 20_000, cells: 3, degenerateCells: ['c'] });
    const chances = (n: number, before: number, after: number) => {
      const { flips, cumulative } = flipDistribution(n, before, after);
      return [...flips].map((f, i) => [f, (cumulative[i] ?? 0) - (cumulative[i - 1] ?? 0)] as const);
    };
    let [fewer, more] = [0, 0];
    for (const [f, p] of chances(6, 3, 4))
      for (const [g, q] of chances(4, 2, 2)) {
        if (f + g <= 7) fewer += p * q;
        if (f + g >= 7) more += p * q;
      }
    // Four standard deviations of a share of 20,000 draws.
    for (const [sampled, tail] of [
      [swap.permutation?.pFewer, fewer],
      [swap.permutation?.pMore, more],
    ] as const)
      expect(Math.abs((sampled ?? -1) - tail)).toBeLessThan(4 * Math.sqrt((tail * (1 - tail)) / 20_000));
    expect(swap.adjusted.pMore).toBeCloseTo(Math.min(1, 2 * (swap.permutation?.pMore ?? 0)), 12);
  });

  it('deletion flips by selection: it is marked and is no test of the family', () => {
    const deletion = rowOf(necessityOf(made), 'delete');
    expect(deletion).toMatchObject({
      bySelection: true,
      inside: { rate: 1 },
      reverse: { rate: 1 },
      adjusted: { pFewer: null, pMore: null },
    });
    expect(deletion.permutation?.pMore).toBeLessThan(0.05);
  });

  it('one label only: every cell is degenerate, none has p = 1', () => {
    const found = necessityOf([
      ...samples('a', times(9, [1, 1, 0, 0])),
      ...samples('b', times(9, [1, 1, 0, 1])),
    ]);
    expect(found.tests).toBe(0);
    for (const condition of ['delete', 'swap'])
      expect(rowOf(found, condition).permutation).toMatchObject({
        degenerate: true,
        degenerateCells: ['a', 'b'],
        pFewer: null,
        pMore: null,
      });
  });

  it('no deletion: no subset; no necessary sample: empty rows', () => {
    expect(ruleNecessityOf([], ['baseline', 'swap'], 1)).toBeNull();
    const none = necessityOf(samples('a', times(4, [1, 1, 1, 1])));
    expect(none).toMatchObject({ n: 4, necessary: 0, tests: 0 });
    expect(rowOf(none, 'swap')).toMatchObject({ inside: { n: 0, rate: null }, permutation: { pairs: 0 } });
  });

  it('the order of rows changes nothing; turning all verdicts and labels round changes no figure', () => {
    const turn = (verdict: 0 | 1 | null): 0 | 1 | null => (verdict === null ? null : verdict === 1 ? 0 : 1);
    fc.assert(
      fc.property(readingsArbitrary, readings => {
        const found = necessityOf(readings);
        expect(necessityOf([...readings].reverse())).toEqual(found);
        const turned = necessityOf(
          readings.map(row => ({
            ...row,
            label: row.label === 1 ? 0 : 1,
            verdictText: turn(row.verdictText),
            verdictLogit: turn(row.verdictLogit),
          })),
        );
        const counts = (of: RuleNecessity) => [
          of.n,
          of.necessary,
          of.reverse,
          of.tests,
          ...of.conditions.map(({ inside, reverse, permutation }) => [
            inside.count,
            inside.n,
            reverse.count,
            permutation?.degenerateCells,
            permutation?.expectedFlips?.toFixed(9),
          ]),
        ];
        expect(counts(turned)).toEqual(counts(found));
      }),
      { numRuns: 40 },
    );
  });
});
