import { describe, expect, test } from 'vitest';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { TOKEN_JACCARD } from '../../src/gate/encoder.js';
import { type Measures, measure, type ScoredPair } from '../../src/gate/measures.js';
import { charJaccard } from '../../src/gate/overlap.js';
import { type Stratum, TASKS, type Task } from '../../src/gate/types.js';
import { skipNote } from '../shared.js';
import { type GoldTask, gold } from './gold.js';

const at = gold();
if (at === null) skipNote('the oracle values of the gate audit', 'gold', 'gate');

const ENCODERS = [
  'all-MiniLM-L6-v2',
  'gguf MiniLM-L6 F16',
  'token-Jaccard baseline',
  'char-4-gram Jaccard baseline',
];

async function measuresOf(encoder: string, task: Task): Promise<Measures> {
  const { values, corpus } = at as NonNullable<typeof at>;
  const pairs = (await readGateCorpus(corpus)).pairs.filter(pair => pair.task === task);
  const cosines = new Map(values.pairs.map(({ id, cos }) => [id, cos[encoder]]));
  const floor = (await TOKEN_JACCARD.score(pairs)).map(
    (score, i) => ({ pair: pairs[i], ...score }) as ScoredPair,
  );
  const scored = pairs.map((pair, i) => ({
    pair,
    flag: null,
    score:
      encoder === 'token-Jaccard baseline'
        ? (floor[i]?.score ?? null)
        : encoder.startsWith('char')
          ? charJaccard(pair.textA, pair.textB)
          : (cosines.get(pair.id) as number),
  }));
  return measure(scored, floor, 1);
}

const STRATA: readonly (readonly [Stratum, 'CLOSE' | 'DISTANT'])[] = [
  ['close', 'CLOSE'],
  ['distant', 'DISTANT'],
];

describe.skipIf(at === null)('against the oracle', () => {
  test.each(ENCODERS.flatMap(encoder => TASKS.map(task => [encoder, task] as const)))(
    '%s, %s',
    async (encoder, task) => {
      const expected = at?.values.encoders[encoder]?.[task] as GoldTask;
      const got = await measuresOf(encoder, task);
      const near = (value: number | null | undefined, wanted: number): void =>
        expect(value ?? Number.NaN).toBeCloseTo(wanted, 5);
      for (const cell of ['A', 'B', 'C', 'D'] as const) near(got.cellMeans[cell], expected.cell_mean[cell]);
      near(got.auroc.close, expected.decision_auroc.CLOSE);
      near(got.auroc.distant, expected.decision_auroc.DISTANT);
      near(got.auroc.stratified, expected.decision_auroc.stratified);
      near(got.auroc.pooled, expected.decision_auroc.pooled);
      near(got.lexicalAuroc, expected.lexical_auroc.mean as number);
      near(got.naiveAuroc, expected.naive_confounded_auroc);
      for (const [stratum, name] of STRATA) {
        expect((got.paired[stratum].meanDifference ?? 0) > 0).toBe(expected.reversal_moves_more[name]);
        // The oracle draws items, we draw anchors: pairs that are alike within an anchor make our interval narrower.
        const [low, high] = [
          got.intervals[stratum]?.low ?? Number.NaN,
          got.intervals[stratum]?.high ?? Number.NaN,
        ];
        const [theirLow, theirHigh] = expected.decision_ci95[name];
        expect(low).toBeLessThanOrEqual(expected.decision_auroc[name]);
        expect(high).toBeGreaterThanOrEqual(expected.decision_auroc[name]);
        expect(high - low).toBeLessThan(theirHigh - theirLow + 0.05);
      }

      const single = expected.one_threshold_deployed_direction;
      for (const [ours, theirs] of [
        [got.singleThreshold?.pooled, single.single],
        [got.singleThreshold?.close, single.CLOSE],
        [got.singleThreshold?.distant, single.DISTANT],
      ] as const) {
        near(ours?.balancedAccuracy, theirs.ba);
        near(ours?.threshold, theirs.first_midpoint);
        // No score is above 1 nor below 0 here: beyond those, the oracle's ends and ours are the same range.
        const bounds = (low: number | null, high: number | null) => [
          low?.toFixed(5) ?? null,
          high?.toFixed(5) ?? null,
        ];
        expect(ours?.ranges.map(({ low, high }) => bounds(low, high))).toEqual(
          theirs.intervals.map(([low, high]) => bounds(low, high)),
        );
      }
      near(got.singleThreshold?.meanPerStratum, single.mean_per_stratum);
      near(got.singleThreshold?.cost, single.cost);
      near(got.singleThreshold?.spread, single.spread_first_midpoint);

      for (const [i, point] of expected.shipped.entries()) {
        const ours = got.operatingPoints[i];
        expect(ours?.threshold).toBe(point.t);
        near(ours?.balancedAccuracy, point.ba);
        near(ours?.approveParaphrases, point.tpr);
        near(ours?.approveReversals, 1 - point.tnr);
        const { close, distant } = ours?.strata ?? {};
        expect(close?.reversalsApproved).toBe(point.approved_reversals_CLOSE);
        expect((close?.reversalsApproved ?? 0) + (distant?.reversalsApproved ?? 0)).toBe(
          point.approved_reversals,
        );
        expect(distant?.paraphrasesRejected).toBe(point.missed_restatements_DISTANT);
      }
    },
  );
});
