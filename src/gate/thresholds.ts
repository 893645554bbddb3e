/** Pairs by what they are and what `score >= t` says of them. */
export interface Confusion {
  readonly same: number;
  readonly opposite: number;
  readonly sameApproved: number;
  readonly oppositeApproved: number;
}

export interface ScoredLabel {
  readonly score: number;
  /** 1 = same decision. */
  readonly label: 0 | 1;
}

export function confusionAt(items: readonly ScoredLabel[], approves: (score: number) => boolean): Confusion {
  let same = 0;
  let sameApproved = 0;
  let oppositeApproved = 0;
  for (const { score, label } of items) {
    const approved = approves(score) ? 1 : 0;
    same += label;
    if (label === 1) sameApproved += approved;
    else oppositeApproved += approved;
  }
  return { same, opposite: items.length - same, sameApproved, oppositeApproved };
}

/** Mean of the share of paraphrases approved and the share of reversals not approved; null when either is empty. */
export function balancedAccuracy({
  same,
  opposite,
  sameApproved,
  oppositeApproved,
}: Confusion): number | null {
  if (same === 0 || opposite === 0) return null;
  return (sameApproved * opposite + (opposite - oppositeApproved) * same) / (2 * same * opposite);
}

/** Thresholds that do the same: any t with low < t <= high. null = no bound. */
export interface ThresholdRange {
  readonly low: number | null;
  readonly high: number | null;
}

export interface BestThreshold {
  readonly balancedAccuracy: number;
  /** Every range of thresholds that reaches it, ascending; neighbours are apart by one or more scores. */
  readonly ranges: readonly ThresholdRange[];
  /** Middle of the first range: the threshold to take. The lowest score where the range has no lower end. */
  readonly threshold: number;
}

/**
 * The thresholds of `score >= t` = same with the best balanced accuracy. The direction is fixed, and equally good ones
 * are found in whole numbers, so that no rounding decides between them. null when a class is empty.
 */
export function bestThreshold(items: readonly ScoredLabel[]): BestThreshold | null {
  const same = items.filter(({ label }) => label === 1).length;
  const opposite = items.length - same;
  if (same === 0 || opposite === 0) return null;
  const scores = [...new Set(items.map(({ score }) => score))].sort((a, b) => a - b);
  const at = new Map(scores.map(score => [score, { same: 0, opposite: 0 }]));
  for (const { score, label } of items) {
    const counts = at.get(score);
    if (counts !== undefined) counts[label === 1 ? 'same' : 'opposite']++;
  }
  // Twice the balanced accuracy times same times opposite; at first everything is approved.
  let merit = same * opposite;
  let best = merit;
  let ranges: ThresholdRange[] = [{ low: null, high: scores[0] as number }];
  scores.forEach((score, i) => {
    const counts = at.get(score);
    merit += (counts?.opposite ?? 0) * same - (counts?.same ?? 0) * opposite;
    const range = { low: score, high: scores[i + 1] ?? null };
    if (merit > best) {
      best = merit;
      ranges = [range];
    } else if (merit === best) ranges.push(range);
  });
  const [{ low, high }] = ranges as [ThresholdRange, ...ThresholdRange[]];
  const threshold = low === null ? (high ?? 0) : high === null ? low : (low + high) / 2;
  return { balancedAccuracy: best / (2 * same * opposite), ranges, threshold };
}
