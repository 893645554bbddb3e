import { describe, expect, test } from 'vitest';
import { auditGate, type GateAudit } from '../../src/gate/audit.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import {
  cosineScorer,
  type Embedding,
  type Encoder,
  type Scorer,
  TOKEN_JACCARD,
} from '../../src/gate/encoder.js';
import { measure, type ScoredPair } from '../../src/gate/measures.js';
import { scorePairs } from '../../src/gate/score.js';
import type { GateCorpus } from '../../src/gate/types.js';

const CELLS = [
  ['opposite', 'close'],
  ['opposite', 'distant'],
  ['same', 'close'],
  ['same', 'distant'],
] as const;

/** Anchors with one pair in each cell and the scores given, A B C D. */
function scoredPairs(anchors: readonly (readonly number[])[]): readonly ScoredPair[] {
  return anchors.flatMap((scores, a) =>
    CELLS.map(([decision, stratum], i) => ({
      pair: {
        id: `${a}-${i}`,
        task: 'distinctness' as const,
        decision,
        stratum,
        anchor: `anchor ${a}`,
        subclass: 'negation',
        register: null,
        textA: `text ${a}`,
        textB: `text ${a} ${i}`,
      },
      score: scores[i] ?? null,
      flag: null,
    })),
  );
}

const swapped = (scored: readonly ScoredPair[]): readonly ScoredPair[] =>
  scored.map(({ pair, ...rest }) => ({
    ...rest,
    pair: { ...pair, decision: pair.decision === 'same' ? 'opposite' : 'same' },
  }));

describe('scores', () => {
  const anchors = [
    [0.9, 0.2, 0.85, 0.3],
    [0.7, 0.4, 0.95, 0.35],
    [0.8, 0.5, 0.8, 0.1],
  ];

  test('with the labels swapped mirror every AUROC exactly', () => {
    const scored = scoredPairs(anchors);
    const [one, other] = [measure(scored, scored, 1).auroc, measure(swapped(scored), scored, 1).auroc];
    for (const name of ['close', 'distant', 'stratified', 'pooled'] as const)
      expect((one[name] ?? 0) + (other[name] ?? 0)).toBe(1);
  });

  test('that are all equal tie at one half, and no threshold helps', () => {
    const scored = scoredPairs(anchors.map(() => [0.5, 0.5, 0.5, 0.5]));
    const got = measure(scored, scored, 1);
    expect(got.auroc).toEqual({ close: 0.5, distant: 0.5, stratified: 0.5, pooled: 0.5 });
    expect(got.intervals.stratified).toEqual({ low: 0.5, high: 0.5 });
    expect(got.singleThreshold?.pooled).toMatchObject({ balancedAccuracy: 0.5, threshold: 0.5 });
    expect(got.paired.stratified).toMatchObject({ p: 1, meanDifference: 0 });
    expect(got.nearTies.close).toEqual({ closest: 0, count: 9 });
  });

  test('of one anchor have no interval', () => {
    const scored = scoredPairs(anchors.slice(0, 1));
    const got = measure(scored, scored, 1);
    expect(got.intervals).toEqual({ close: null, distant: null, stratified: null });
    expect(got.auroc).toMatchObject({ close: 0, distant: 1, stratified: 0.5 });
    expect(got.paired.close).toMatchObject({ anchors: 1, p: 1 });
  });

  test('of an empty stratum are null there, and in all that needs it', () => {
    const scored = scoredPairs(anchors).filter(({ pair }) => pair.stratum === 'close');
    const got = measure(scored, scored, 1);
    expect(got.auroc.close).not.toBeNull();
    expect(got.auroc).toMatchObject({ distant: null, stratified: null });
    expect(got).toMatchObject({ lexicalAuroc: null, naiveAuroc: null, singleThreshold: null });
    expect(got.paired.distant).toMatchObject({ anchors: 0, p: null, meanDifference: null });
  });

  test('that are missing are left out and counted', () => {
    const scored = scoredPairs(anchors).map((row, i) =>
      i === 0 ? { ...row, score: null, flag: 'too-long' } : row,
    );
    const got = measure(scored, scored, 1);
    expect(got.flagged).toEqual({ 'too-long': 1 });
    expect(got.pairs).toBe(12);
    expect(got.paired.close.anchors).toBe(2);
    const none = measure(
      scored.map(row => ({ ...row, score: null })),
      scored,
      1,
    );
    expect(none.auroc).toEqual({ close: null, distant: null, stratified: null, pooled: null });
    expect(none.operatingPoints[0]).toMatchObject({ balancedAccuracy: null, approveReversals: null });
  });

  test('of an anchor that is there twice count as one unit', () => {
    const once = scoredPairs(anchors);
    const twice = [
      ...once,
      ...once.map(({ pair, ...rest }) => ({ ...rest, pair: { ...pair, id: `${pair.id}b` } })),
    ];
    const [a, b] = [measure(once, once, 1), measure(twice, twice, 1)];
    expect(b.anchors).toBe(3);
    expect(b.auroc).toEqual(a.auroc);
    expect(b.intervals).toEqual(a.intervals);
    expect(b.paired).toEqual(a.paired);
  });
});

describe('vectors', () => {
  const pairs = [
    { textA: 'one', textB: 'two' },
    { textA: 'one', textB: 'one' },
    { textA: 'two', textB: 'three' },
  ];
  const encoder = (embed: (text: string, i: number) => Embedding): Encoder => ({
    name: 'made up',
    facts: {},
    embed: async texts => texts.map(embed),
  });
  const vector = (...numbers: number[]): Embedding => ({ vector: Float32Array.from(numbers), flag: null });

  test('are asked for once for each text, and equal texts have the cosine 1', async () => {
    const asked: string[] = [];
    const scores = await cosineScorer({
      name: 'made up',
      facts: {},
      embed: async texts => {
        asked.push(...texts);
        return texts.map(() => vector(0.1, 0.7, 0.3));
      },
    }).score(pairs);
    expect(asked).toEqual(['one', 'two', 'three']);
    expect(scores[1]).toEqual({ score: 1, flag: null });
    expect(scores[0]?.score).toBeCloseTo(1, 12);
    expect(scores[0]?.score).toBeLessThanOrEqual(1);
  });

  test.each([
    ['not a number', vector(Number.NaN, 1), 'not-finite'],
    ['infinite', vector(Number.POSITIVE_INFINITY, 1), 'not-finite'],
    ['zero', vector(0, 0), 'zero-vector'],
    ['missing', { vector: null, flag: null }, 'no-vector'],
    ['of a text that is too long', { vector: null, flag: 'too-long' }, 'too-long'],
    ['of a text that was cut', { vector: Float32Array.of(1, 2), flag: 'truncated' }, 'truncated'],
  ])('that are %s flag their pairs', async (_, bad, flag) => {
    const scores = await cosineScorer(encoder(text => (text === 'three' ? bad : vector(1, 2)))).score(pairs);
    expect(scores.map(score => score.flag)).toEqual([null, null, flag]);
    expect(scores[2]?.score).toBeNull();
  });

  test('of two widths, or of another number, are refused', async () => {
    const widths = encoder((_, i) => vector(...Array(i + 2).fill(1)));
    await expect(cosineScorer(widths).score(pairs)).rejects.toMatchObject({
      code: 'VECTORS_INVALID',
      message: expect.stringMatching(/2 and of 3 numbers/),
    });
    const few = { ...widths, embed: async () => [vector(1)] };
    await expect(cosineScorer(few).score(pairs)).rejects.toThrow(/1 vectors for 3 texts/);
  });
});

describe('a confounded corpus', () => {
  /** Reversals keep the wording, paraphrases never do: what a naive test of a gate often has. */
  async function confounded(): Promise<GateCorpus> {
    const corpus = await readGateCorpus('builtin');
    const distant = new Map(
      corpus.pairs
        .filter(({ decision, stratum }) => decision === 'same' && stratum === 'distant')
        .map(({ task, anchor, textB }) => [`${task} ${anchor}`, textB]),
    );
    const pairs = corpus.pairs.map(pair =>
      pair.decision === 'same' ? { ...pair, textB: distant.get(`${pair.task} ${pair.anchor}`) ?? '' } : pair,
    );
    return { ...corpus, pairs };
  }
  const never: Scorer = {
    name: 'never asked',
    facts: {},
    score: () => {
      throw new Error('an encoder was asked before the check');
    },
  };
  const run = async (corpus: GateCorpus, scorer: Scorer, force: boolean): Promise<GateAudit> =>
    auditGate({
      corpus,
      scoreAll: async () => [{ ...scorer, scored: await scorePairs(scorer, corpus) }],
      gate: null,
      force,
      seed: 1,
    });

  test('is refused before any encoder is asked', async () => {
    const corpus = await confounded();
    await expect(run(corpus, never, false)).rejects.toMatchObject({
      code: 'NOT_INTERPRETABLE',
      message: expect.stringMatching(/close pairs differ in token overlap by decision/),
    });
    const twoCells = corpus.pairs.filter(
      ({ decision, stratum }) => (decision === 'same') === (stratum === 'distant'),
    );
    await expect(run({ ...corpus, pairs: twoCells }, never, false)).rejects.toThrow(/no pair in cell B, C/);
  });

  test('when forced, shows the naive AUROC near zero beside the stratified one', async () => {
    const audit = await run(await confounded(), TOKEN_JACCARD, true);
    expect(audit.forced).toBe(true);
    expect(Object.values(audit.decision)).toEqual([null, null]);
    for (const task of Object.values(audit.encoders[0]?.tasks ?? {})) {
      expect(task.naiveAuroc).toBeLessThan(0.01);
      expect(task.auroc.stratified).toBeGreaterThan(0.2);
    }
  });
});
