import { PlumblineError } from '../errors.js';
import { auroc } from '../stats/auroc.js';
import { fitLogistic, type Logistic, predict } from './logistic.js';
import type { ScoredPair } from './measures.js';
import { tokenJaccard } from './overlap.js';
import { balancedAccuracy, bestThreshold } from './thresholds.js';
import { CELLS, type Cell, cellOf, type GatePair } from './types.js';

/** A pair with what a repair may read of it. */
export interface RepairItem {
  readonly pair: GatePair;
  readonly cosine: number;
  readonly jaccard: number;
}

/** A repaired gate: the higher the suspicion, the likelier a reversal; it fires from `firesFrom` on. */
export interface Repair {
  readonly suspicion: (item: RepairItem) => number;
  readonly fires: (item: RepairItem) => boolean;
}

/** I1: the threshold of best balanced accuracy. I2: logistic regression on standardised (cosine, token Jaccard). */
export type Fitted =
  | { readonly kind: 'I1'; readonly threshold: number }
  | { readonly kind: 'I2'; readonly model: Logistic };
export type RepairKind = Fitted['kind'];

export interface Judgement {
  readonly pairs: number;
  readonly balancedAccuracy: number | null;
  /** Share of reversals stopped. */
  readonly caught: number | null;
  /** Share of paraphrases stopped. */
  readonly falseAlarms: number | null;
  /** Reversals against paraphrases by suspicion; null when one is missing or the repair has no score. */
  readonly auroc: number | null;
  readonly firesByCell: Readonly<Record<Cell, number>>;
}

export interface RepairResult {
  readonly repair: string;
  /** What was fitted; null for a program, which comes as it is. */
  readonly fitted: Fitted | null;
  /** On the data that it was fitted on: no evidence. null for a program. */
  readonly inSample: Judgement | null;
  /** Each anchor judged by a fit to all the others. null for a program. */
  readonly leaveOneAnchorOut: Judgement | null;
  /** On data that no fit has seen. */
  readonly heldOut: Judgement;
}

export function repairItems(scored: readonly ScoredPair[]): readonly RepairItem[] {
  return scored.flatMap(({ pair, score }) =>
    score === null ? [] : [{ pair, cosine: score, jaccard: tokenJaccard(pair.textA, pair.textB) }],
  );
}

/** Errors: CORPUS_EMPTY when the pairs are all of one decision. */
export function fitRepair(kind: RepairKind, items: readonly RepairItem[]): Fitted {
  const reversals = items.filter(({ pair }) => pair.decision === 'opposite').length;
  if (reversals === 0 || reversals === items.length) {
    throw new PlumblineError(
      'CORPUS_EMPTY',
      `a repair is fitted on reversals and paraphrases with a score: ${reversals} and ${items.length - reversals} found`,
    );
  }
  if (kind === 'I1') {
    const best = bestThreshold(
      items.map(({ pair, cosine }) => ({ score: cosine, label: pair.decision === 'same' ? 1 : 0 })),
    );
    return { kind, threshold: best?.threshold ?? Number.NaN };
  }
  const model = fitLogistic(
    items.map(({ pair, cosine, jaccard }) => ({
      features: [cosine, jaccard],
      label: pair.decision === 'opposite' ? 1 : 0,
    })),
  );
  return { kind, model };
}

export function repairOf(fitted: Fitted): Repair {
  if (fitted.kind === 'I1') {
    const { threshold } = fitted;
    return { suspicion: ({ cosine }) => -cosine, fires: ({ cosine }) => cosine < threshold };
  }
  const suspicion = ({ cosine, jaccard }: RepairItem): number => predict(fitted.model, [cosine, jaccard]);
  return { suspicion, fires: item => suspicion(item) >= 0.5 };
}

/** Fits once on `fitOn`, and judges there, with each anchor left out, and once on `heldOut`. */
export function judgeFitted(
  kind: RepairKind,
  fitOn: readonly RepairItem[],
  heldOut: readonly RepairItem[],
): RepairResult {
  refuseOverlap(fitOn, heldOut);
  const fitted = fitRepair(kind, fitOn);
  const repair = repairOf(fitted);
  return {
    repair: kind,
    fitted,
    inSample: judge(
      fitOn.map(item => ({ pair: item.pair, fires: repair.fires(item), suspicion: repair.suspicion(item) })),
    ),
    leaveOneAnchorOut: leaveOneAnchorOut(kind, fitOn),
    heldOut: judge(
      heldOut.map(item => ({
        pair: item.pair,
        fires: repair.fires(item),
        suspicion: repair.suspicion(item),
      })),
    ),
  };
}

/** A verdict on one pair. */
export interface Fired {
  readonly pair: GatePair;
  readonly fires: boolean;
  /** null when it came without a score. */
  readonly suspicion: number | null;
}

export function judge(fired: readonly Fired[]): Judgement {
  const of = (decision: GatePair['decision']) => fired.filter(({ pair }) => pair.decision === decision);
  const [reversals, paraphrases] = [of('opposite'), of('same')];
  const caught = reversals.filter(({ fires }) => fires).length;
  const alarms = paraphrases.filter(({ fires }) => fires).length;
  const suspicions = fired.flatMap(({ suspicion }) => (suspicion === null ? [] : [suspicion]));
  return {
    pairs: fired.length,
    balancedAccuracy: balancedAccuracy({
      same: paraphrases.length,
      opposite: reversals.length,
      sameApproved: paraphrases.length - alarms,
      oppositeApproved: reversals.length - caught,
    }),
    caught: reversals.length === 0 ? null : caught / reversals.length,
    falseAlarms: paraphrases.length === 0 ? null : alarms / paraphrases.length,
    auroc:
      suspicions.length < fired.length
        ? null
        : auroc(
            suspicions,
            fired.map(({ pair }) => (pair.decision === 'opposite' ? 1 : 0)),
          ),
    firesByCell: Object.fromEntries(
      CELLS.map(cell => [cell, fired.filter(({ pair, fires }) => fires && cellOf(pair) === cell).length]),
    ) as Record<Cell, number>,
  };
}

/** null when an anchor holds all of a decision, so that leaving it out leaves nothing to fit. */
function leaveOneAnchorOut(kind: RepairKind, items: readonly RepairItem[]): Judgement | null {
  const anchorOf = ({ pair }: RepairItem): string => `${pair.task} ${pair.anchor}`;
  const fired: Fired[] = [];
  for (const anchor of new Set(items.map(anchorOf))) {
    const others = items.filter(item => anchorOf(item) !== anchor);
    const reversals = others.filter(({ pair }) => pair.decision === 'opposite').length;
    if (reversals === 0 || reversals === others.length) return null;
    const repair = repairOf(fitRepair(kind, others));
    for (const item of items) {
      if (anchorOf(item) === anchor)
        fired.push({ pair: item.pair, fires: repair.fires(item), suspicion: repair.suspicion(item) });
    }
  }
  return judge(fired);
}

/** Errors: USAGE when a pair stands in both: a repair is never judged on what it was fitted on. */
export function refuseOverlap(fitOn: readonly RepairItem[], heldOut: readonly RepairItem[]): void {
  const key = ({ pair }: RepairItem): string => JSON.stringify([pair.textA, pair.textB]);
  const seen = new Set(fitOn.map(key));
  const shared = heldOut.filter(item => seen.has(key(item)));
  if (shared.length > 0) {
    throw new PlumblineError(
      'USAGE',
      `${shared.length} pairs to judge on were fitted on, ${shared[0]?.pair.id} among them: give a corpus of other anchors`,
    );
  }
}
