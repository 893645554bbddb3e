import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Interval } from '../stats/binomial.js';

/** The scores of one anchor within one stratum. */
export interface AnchorScores {
  readonly same: readonly number[];
  readonly opposite: readonly number[];
}

/** Wins of the same side of anchor i over the opposite side of anchor j, for a weighted AUROC over anchors. */
interface Wins {
  readonly anchors: number;
  readonly wins: Float64Array;
  readonly same: Float64Array;
  readonly opposite: Float64Array;
}

function winsOf(anchors: readonly AnchorScores[]): Wins {
  const n = anchors.length;
  const wins = new Float64Array(n * n);
  anchors.forEach(({ same }, i) => {
    anchors.forEach(({ opposite }, j) => {
      let total = 0;
      for (const s of same) for (const o of opposite) total += s > o ? 1 : s === o ? 0.5 : 0;
      wins[i * n + j] = total;
    });
  });
  return {
    anchors: n,
    wins,
    same: Float64Array.from(anchors, ({ same }) => same.length),
    opposite: Float64Array.from(anchors, ({ opposite }) => opposite.length),
  };
}

function weightedAuroc({ anchors, wins, same, opposite }: Wins, weights: Float64Array): number | null {
  let won = 0;
  let positives = 0;
  let negatives = 0;
  for (let i = 0; i < anchors; i++) {
    const weight = weights[i] ?? 0;
    if (weight === 0) continue;
    positives += weight * (same[i] ?? 0);
    negatives += weight * (opposite[i] ?? 0);
    let row = 0;
    for (let j = 0; j < anchors; j++) row += (weights[j] ?? 0) * (wins[i * anchors + j] ?? 0);
    won += weight * row;
  }
  return positives === 0 || negatives === 0 ? null : won / (positives * negatives);
}

/** What a bootstrap gives: an interval for each figure; null where a resample too often had no value. */
export interface AnchorIntervals {
  readonly close: Interval | null;
  readonly distant: Interval | null;
  readonly stratified: Interval | null;
  /** Stratified AUROC minus that of the other scorer on the same resamples; null without another. */
  readonly difference: Interval | null;
}

export const RESAMPLES = 2000;

/**
 * Percentile bootstrap over anchors: an anchor drawn twice brings all its pairs twice, in both strata and for both
 * scorers. A single anchor, or none, gives no interval. The anchors must be in the same order in all lists.
 */
export function anchorIntervals(
  close: readonly AnchorScores[],
  distant: readonly AnchorScores[],
  other: { readonly close: readonly AnchorScores[]; readonly distant: readonly AnchorScores[] } | null,
  seed: number,
): AnchorIntervals {
  const n = close.length;
  if (n < 2) return { close: null, distant: null, stratified: null, difference: null };
  const [ofClose, ofDistant] = [winsOf(close), winsOf(distant)];
  const others = other === null ? null : ([winsOf(other.close), winsOf(other.distant)] as const);
  const values = { close: [], distant: [], stratified: [], difference: [] } as Record<
    keyof AnchorIntervals,
    number[]
  >;
  const random = xoroshiro128plus(seed);
  const weights = new Float64Array(n);
  for (let b = 0; b < RESAMPLES; b++) {
    weights.fill(0);
    for (let i = 0; i < n; i++) {
      const drawn = Math.floor(((random.next() >>> 0) / 2 ** 32) * n);
      weights[drawn] = (weights[drawn] ?? 0) + 1;
    }
    const [c, d] = [weightedAuroc(ofClose, weights), weightedAuroc(ofDistant, weights)];
    if (c !== null) values.close.push(c);
    if (d !== null) values.distant.push(d);
    if (c === null || d === null) continue;
    values.stratified.push((c + d) / 2);
    if (others === null) continue;
    const [oc, od] = [weightedAuroc(others[0], weights), weightedAuroc(others[1], weights)];
    if (oc !== null && od !== null) values.difference.push((c + d) / 2 - (oc + od) / 2);
  }
  return {
    close: percentiles(values.close),
    distant: percentiles(values.distant),
    stratified: percentiles(values.stratified),
    difference: percentiles(values.difference),
  };
}

const TAIL = 0.025;

function percentiles(values: readonly number[]): Interval | null {
  // Anchors without one of the sides can empty a resample; a few of those are no harm.
  if (values.length < RESAMPLES / 2) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
    return below + (above - below) * (place - Math.floor(place));
  };
  return { low: at(TAIL), high: at(1 - TAIL) };
}
