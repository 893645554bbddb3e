import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { PlumblineError } from '../errors.js';
import type { Interval } from './binomial.js';
import { sortedQuantile } from './quantile.js';

/** Items in ascending order of score; `last[i]` says that item i closes a group of equal scores. */
interface Ranked {
  readonly positive: Uint8Array;
  readonly last: Uint8Array;
}

function rank(scores: readonly number[], labels: readonly (0 | 1)[]): Ranked {
  if (scores.length !== labels.length) {
    throw new PlumblineError(
      'USAGE',
      `${scores.length} scores for ${labels.length} labels: equal numbers expected`,
    );
  }
  const bad = scores.findIndex(score => Number.isNaN(score));
  if (bad >= 0) throw new PlumblineError('USAGE', `score ${bad} is not a number: leave such items out`);
  const order = scores
    .map((score, index) => ({ score, label: labels[index] ?? 0 }))
    .sort((a, b) => (a.score < b.score ? -1 : a.score > b.score ? 1 : a.label - b.label));
  const positive = Uint8Array.from(order, item => item.label);
  const last = Uint8Array.from(order, (item, i) => (order[i + 1]?.score === item.score ? 0 : 1));
  return { positive, last };
}

/** AUROC when item i counts `weight(i)` times; null when a class has no weight. */
function weightedAuroc(ranked: Ranked, weights: Int32Array): number | null {
  let wins = 0;
  let negativesBelow = 0;
  let positives = 0;
  let groupPositives = 0;
  let groupNegatives = 0;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] ?? 0;
    if (ranked.positive[i] === 1) groupPositives += weight;
    else groupNegatives += weight;
    if (ranked.last[i] === 1) {
      wins += groupPositives * (negativesBelow + groupNegatives / 2);
      negativesBelow += groupNegatives;
      positives += groupPositives;
      groupPositives = 0;
      groupNegatives = 0;
    }
  }
  return positives === 0 || negativesBelow === 0 ? null : wins / (positives * negativesBelow);
}

/**
 * Area under the ROC curve: the probability that a positive item scores higher than a negative one, a tie counting
 * one half (Mann-Whitney U over n₁n₀). null when a class is empty.
 */
export function auroc(scores: readonly number[], labels: readonly (0 | 1)[]): number | null {
  return weightedAuroc(rank(scores, labels), new Int32Array(scores.length).fill(1));
}

/**
 * Percentile bootstrap interval of the AUROC over items. Resamples that miss a class are drawn again, so both classes
 * must be there; null otherwise. Equal input in any order of items gives an equal interval.
 */
export function aurocInterval(
  scores: readonly number[],
  labels: readonly (0 | 1)[],
  seed: number,
  resamples = 2000,
  confidence = 0.95,
): Interval | null {
  const ranked = rank(scores, labels);
  const n = scores.length;
  const weights = new Int32Array(n).fill(1);
  if (weightedAuroc(ranked, weights) === null) return null;
  const random = xoroshiro128plus(seed);
  const values = new Float64Array(resamples);
  for (let b = 0; b < resamples; ) {
    weights.fill(0);
    for (let i = 0; i < n; i++) {
      // 32 random bits are enough: the bias is below n / 2³².
      const drawn = Math.floor(((random.next() >>> 0) / 2 ** 32) * n);
      weights[drawn] = (weights[drawn] ?? 0) + 1;
    }
    const value = weightedAuroc(ranked, weights);
    if (value !== null) values[b++] = value;
  }
  values.sort();
  const tail = (1 - confidence) / 2;
  return { low: sortedQuantile(values, tail), high: sortedQuantile(values, 1 - tail) };
}
