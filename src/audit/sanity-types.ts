import type { Reader } from './ocs.js';

/** What was broken on purpose. */
export const SANITY_CHECKS = ['weights', 'labels', 'rules'] as const;
export type SanityCheck = (typeof SANITY_CHECKS)[number];

/** `accuracy` counts a null verdict as wrong. `ocs-delete`: flips between the prompt and the prompt without a rule. */
export const SANITY_NUMBERS = ['accuracy', 'margin-auroc', 'ics-auroc', 'label-mass', 'ocs-delete'] as const;
export type SanityNumber = (typeof SANITY_NUMBERS)[number];

/**
 * `fell`: to its null, or below it. `partly`: it fell, and not to its null. `stayed`: it did not fall.
 * `unknown`: it was at its null before, or cannot be had. `none`: it is not expected to fall.
 */
export const SANITY_OUTCOMES = ['fell', 'partly', 'stayed', 'unknown', 'none'] as const;
export type SanityOutcome = (typeof SANITY_OUTCOMES)[number];

export interface Estimate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** One number, before and after one thing was shuffled. */
export interface SanityRow {
  readonly check: SanityCheck;
  readonly number: SanityNumber;
  /** null for numbers that no verdict reader makes. */
  readonly reader: Reader | null;
  /** Unshuffled, with a 95 % interval. */
  readonly before: Estimate;
  /**
   * Shuffled. weights: mean over the copies, with a 99 % interval by Student's t over copies. labels: mean over the
   * permutations, with their middle 95 %. rules: as `before`.
   */
  readonly after: Estimate;
  /**
   * What the shuffled number would be, were the labels dealt anew among the samples of each domain; null where there is no such
   * value.
   */
  readonly null: number | null;
  /** That the shuffled number is at its null; for labels, that permuted labels do as well as the real ones. */
  readonly p: number | null;
  /** Exact McNemar of unshuffled against shuffled verdicts; rules and accuracy only. */
  readonly pDrop: number | null;
  readonly outcome: SanityOutcome;
}

/** What sanity.json holds, and `summary.json` under `sanity`. */
export interface Sanity {
  /** Plan of the run that was checked. */
  readonly planHash: string;
  readonly seed: number;
  /** Samples of the run that were used, and those of them with the label compliant. */
  readonly samples: number;
  readonly compliantLabels: number;
  /** Copies of the model; tensors that were permuted in each, and those left as they were. */
  readonly copies: number;
  readonly tensors: { readonly shuffled: number; readonly kept: number };
  /** Permutations of the labels. */
  readonly permutations: number;
  /** Samples that were shown another rule, and those among them that got it from another domain. */
  readonly rules: { readonly given: number; readonly fromOtherDomain: number };
  readonly rows: readonly SanityRow[];
}
