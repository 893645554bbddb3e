import { auroc } from '../stats/auroc.js';
import type { Interval } from '../stats/binomial.js';
import { type PermutationP, signFlipP } from '../stats/mean-permutation.js';
import { type AnchorScores, anchorIntervals } from './anchor-bootstrap.js';
import {
  type BestThreshold,
  balancedAccuracy,
  bestThreshold,
  confusionAt,
  type ScoredLabel,
} from './thresholds.js';
import { CELLS, type Cell, cellOf, type GatePair, type Stratum } from './types.js';

/** A pair with its score; null with a flag where there is none. */
export interface ScoredPair {
  readonly pair: GatePair;
  readonly score: number | null;
  readonly flag: string | null;
}

/** A pair that has a score. */
interface Measured {
  readonly pair: GatePair;
  readonly score: number;
}

/** Thresholds of `score >= t` = same that every audit shows. */
export const OPERATING_POINTS = [0.3, 0.4, 0.8, 0.85, 0.95] as const;

/** What a threshold does, in counts and shares. */
export interface OperatingPoint {
  readonly threshold: number;
  readonly balancedAccuracy: number | null;
  /** Share approved of all reversals, and of all paraphrases. */
  readonly approveReversals: number | null;
  readonly approveParaphrases: number | null;
  readonly strata: Readonly<Record<Stratum, StratumCounts>>;
}

export interface StratumCounts {
  readonly reversals: number;
  readonly reversalsApproved: number;
  readonly paraphrases: number;
  readonly paraphrasesRejected: number;
}

export interface Aurocs {
  readonly close: number | null;
  readonly distant: number | null;
  /** Mean of the two; null when one is missing. */
  readonly stratified: number | null;
  /** Over both strata at once. */
  readonly pooled: number | null;
}

export interface PairedTest extends PermutationP {
  /** Anchors that have both sides. */
  readonly anchors: number;
  /** Mean over anchors of same minus opposite; null without an anchor. */
  readonly meanDifference: number | null;
}

export interface SingleThreshold {
  readonly pooled: BestThreshold;
  readonly close: BestThreshold;
  readonly distant: BestThreshold;
  readonly meanPerStratum: number;
  /** Balanced accuracy that one threshold for both strata costs. */
  readonly cost: number;
  /** Distance of the two strata's thresholds. */
  readonly spread: number;
}

export interface NearTies {
  /** Least distance between a paraphrase's and a reversal's score. */
  readonly closest: number | null;
  /** Pairs of a paraphrase and a reversal within {@link NEAR_TIE} of each other. */
  readonly count: number;
}

/** What another quantisation of the same encoder may move a cosine by. */
export const NEAR_TIE = 1e-3;

export interface Measures {
  readonly pairs: number;
  readonly anchors: number;
  /** Pairs without a score, by flag. */
  readonly flagged: Readonly<Record<string, number>>;
  readonly cellMeans: Readonly<Record<Cell, number | null>>;
  /** Scores of each cell, ascending. */
  readonly scores: Readonly<Record<Cell, readonly number[]>>;
  /** Decision AUROC: does a paraphrase score higher than a reversal of equal overlap? */
  readonly auroc: Aurocs;
  /** 95 %, bootstrap over anchors. */
  readonly intervals: Readonly<Record<'close' | 'distant' | 'stratified', Interval | null>>;
  /** Positive control, mean over decisions: close against distant among pairs of the same decision. */
  readonly lexicalAuroc: number | null;
  readonly lexicalAurocByDecision: { readonly same: number | null; readonly opposite: number | null };
  /** Confounded: distant paraphrases against close reversals. */
  readonly naiveAuroc: number | null;
  /** Confounded the other way: close paraphrases against distant reversals. */
  readonly oppositeConfoundAuroc: number | null;
  /** Sign-flip tests over anchors. */
  readonly paired: Readonly<Record<'close' | 'distant' | 'stratified', PairedTest>>;
  /** null when a stratum lacks a class. */
  readonly singleThreshold: SingleThreshold | null;
  readonly operatingPoints: readonly OperatingPoint[];
  readonly nearTies: Readonly<Record<Stratum, NearTies>>;
  /** The floor on the same pairs, and by how much the encoder is above it. */
  readonly floor: {
    readonly auroc: Aurocs;
    readonly difference: number | null;
    readonly interval: Interval | null;
  };
  readonly subclasses: readonly SubclassMeasures[];
}

export interface SubclassMeasures {
  readonly subclass: string;
  readonly anchors: number;
  readonly auroc: Aurocs;
  readonly cellMeans: Readonly<Record<Cell, number | null>>;
}

/**
 * Every measure of one scorer on one task. Pairs without a score are left out, and counted. `floor` holds the floor's
 * scores of the same pairs in the same order.
 */
export function measure(scored: readonly ScoredPair[], floor: readonly ScoredPair[], seed: number): Measures {
  const measured = withScores(scored);
  const kept = new Set(measured.map(({ pair }) => pair));
  const floored = withScores(floor).filter(({ pair }) => kept.has(pair));
  const anchors = [...new Set(scored.map(({ pair }) => pair.anchor))];
  const byAnchor = (of: readonly Measured[], stratum: Stratum): readonly AnchorScores[] =>
    anchors.map(anchor => {
      const within = of.filter(({ pair }) => pair.anchor === anchor && pair.stratum === stratum);
      return { same: scoresOf(within, 'same'), opposite: scoresOf(within, 'opposite') };
    });
  const strata = { close: byAnchor(measured, 'close'), distant: byAnchor(measured, 'distant') };
  const { difference: interval, ...intervals } = anchorIntervals(
    strata.close,
    strata.distant,
    { close: byAnchor(floored, 'close'), distant: byAnchor(floored, 'distant') },
    seed,
  );
  const [own, floorAuroc] = [aurocsOf(measured), aurocsOf(floored)];
  const lexical = {
    same: aurocOf(cellsOf(measured, 'C'), cellsOf(measured, 'D')),
    opposite: aurocOf(cellsOf(measured, 'A'), cellsOf(measured, 'B')),
  };
  return {
    pairs: scored.length,
    anchors: anchors.length,
    flagged: countFlags(scored),
    cellMeans: cellMeansOf(measured),
    scores: Object.fromEntries(
      CELLS.map(cell => [cell, [...cellsOf(measured, cell)].sort((a, b) => a - b)]),
    ) as Record<Cell, number[]>,
    auroc: own,
    intervals,
    lexicalAuroc: meanOf(lexical.same, lexical.opposite),
    lexicalAurocByDecision: lexical,
    naiveAuroc: aurocOf(cellsOf(measured, 'D'), cellsOf(measured, 'A')),
    oppositeConfoundAuroc: aurocOf(cellsOf(measured, 'C'), cellsOf(measured, 'B')),
    paired: pairedTests(strata, seed),
    singleThreshold: singleThresholdOf(measured),
    operatingPoints: OPERATING_POINTS.map(threshold =>
      operatingPoint(measured, threshold, score => score >= threshold),
    ),
    nearTies: { close: nearTiesOf(measured, 'close'), distant: nearTiesOf(measured, 'distant') },
    floor: {
      auroc: floorAuroc,
      difference:
        own.stratified === null || floorAuroc.stratified === null
          ? null
          : own.stratified - floorAuroc.stratified,
      interval,
    },
    subclasses: [...new Set(scored.map(({ pair }) => pair.subclass))].sort().map(subclass => {
      const of = measured.filter(({ pair }) => pair.subclass === subclass);
      return {
        subclass,
        anchors: new Set(of.map(({ pair }) => pair.anchor)).size,
        auroc: aurocsOf(of),
        cellMeans: cellMeansOf(of),
      };
    }),
  };
}

function withScores(scored: readonly Pick<ScoredPair, 'pair' | 'score'>[]): readonly Measured[] {
  return scored.flatMap(({ pair, score }) => (score === null ? [] : [{ pair, score }]));
}

/** What a gate that approves by score does on the pairs that have one. `threshold` is only noted. */
export function operatingPoint(
  scored: readonly Pick<ScoredPair, 'pair' | 'score'>[],
  threshold: number,
  approves: (score: number) => boolean,
): OperatingPoint {
  const measured = withScores(scored);
  const all = confusionAt(labelled(measured), approves);
  const counts = (stratum: Stratum): StratumCounts => {
    const of = confusionAt(labelled(measured.filter(({ pair }) => pair.stratum === stratum)), approves);
    return {
      reversals: of.opposite,
      reversalsApproved: of.oppositeApproved,
      paraphrases: of.same,
      paraphrasesRejected: of.same - of.sameApproved,
    };
  };
  return {
    threshold,
    balancedAccuracy: balancedAccuracy(all),
    approveReversals: all.opposite === 0 ? null : all.oppositeApproved / all.opposite,
    approveParaphrases: all.same === 0 ? null : all.sameApproved / all.same,
    strata: { close: counts('close'), distant: counts('distant') },
  };
}

function labelled(measured: readonly Measured[]): readonly ScoredLabel[] {
  return measured.map(({ pair, score }) => ({ score, label: pair.decision === 'same' ? 1 : 0 }));
}

function scoresOf(measured: readonly Measured[], decision: GatePair['decision']): readonly number[] {
  return measured.filter(({ pair }) => pair.decision === decision).map(({ score }) => score);
}

function cellsOf(measured: readonly Measured[], cell: Cell): readonly number[] {
  return measured.filter(({ pair }) => cellOf(pair) === cell).map(({ score }) => score);
}

function aurocOf(positive: readonly number[], negative: readonly number[]): number | null {
  return auroc(
    [...positive, ...negative],
    [...positive.map(() => 1 as const), ...negative.map(() => 0 as const)],
  );
}

function aurocsOf(measured: readonly Measured[]): Aurocs {
  const close = aurocOf(cellsOf(measured, 'C'), cellsOf(measured, 'A'));
  const distant = aurocOf(cellsOf(measured, 'D'), cellsOf(measured, 'B'));
  const pooled = aurocOf(scoresOf(measured, 'same'), scoresOf(measured, 'opposite'));
  return { close, distant, stratified: meanOf(close, distant), pooled };
}

function cellMeansOf(measured: readonly Measured[]): Readonly<Record<Cell, number | null>> {
  return Object.fromEntries(CELLS.map(cell => [cell, mean(cellsOf(measured, cell))])) as Record<
    Cell,
    number | null
  >;
}

function pairedTests(
  strata: Readonly<Record<Stratum, readonly AnchorScores[]>>,
  seed: number,
): Readonly<Record<'close' | 'distant' | 'stratified', PairedTest>> {
  const differencesIn = (stratum: Stratum): readonly (number | null)[] =>
    strata[stratum].map(({ same, opposite }) => {
      const [s, o] = [mean(same), mean(opposite)];
      return s === null || o === null ? null : s - o;
    });
  const [close, distant] = [differencesIn('close'), differencesIn('distant')];
  const test = (values: readonly (number | null)[]): PairedTest => {
    const there = values.filter(value => value !== null);
    return { ...signFlipP(there, seed), anchors: there.length, meanDifference: mean(there) };
  };
  return {
    close: test(close),
    distant: test(distant),
    stratified: test(close.map((difference, i) => meanOf(difference, distant[i] ?? null))),
  };
}

function singleThresholdOf(measured: readonly Measured[]): SingleThreshold | null {
  const of = (stratum: Stratum): BestThreshold | null =>
    bestThreshold(labelled(measured.filter(({ pair }) => pair.stratum === stratum)));
  const [pooled, close, distant] = [bestThreshold(labelled(measured)), of('close'), of('distant')];
  if (pooled === null || close === null || distant === null) return null;
  const meanPerStratum = (close.balancedAccuracy + distant.balancedAccuracy) / 2;
  return {
    pooled,
    close,
    distant,
    meanPerStratum,
    cost: meanPerStratum - pooled.balancedAccuracy,
    spread: Math.abs(close.threshold - distant.threshold),
  };
}

function nearTiesOf(measured: readonly Measured[], stratum: Stratum): NearTies {
  const within = measured.filter(({ pair }) => pair.stratum === stratum);
  const gaps = scoresOf(within, 'same').flatMap(s => scoresOf(within, 'opposite').map(o => Math.abs(s - o)));
  return {
    closest: gaps.length === 0 ? null : gaps.reduce((least, gap) => Math.min(least, gap)),
    count: gaps.filter(gap => gap < NEAR_TIE).length,
  };
}

function countFlags(scored: readonly ScoredPair[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { score, flag } of scored) {
    if (score !== null) continue;
    const name = flag ?? 'no-score';
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length;
}

function meanOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : (a + b) / 2;
}
