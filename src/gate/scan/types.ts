import type { Comparison, Metric } from '../gates.js';

/**
 * comparison: a score is compared with a constant in the code · setting: a threshold is handed to a library or kept as a
 * default · query: a vector operator is compared inside a database query.
 */
export type FindingKind = 'comparison' | 'setting' | 'query';

/** The number that decides, as far as the source tells. */
export interface Constant {
  /** null = cannot tell. */
  readonly value: number | null;
  /** Name that stands in the source; null for a bare number. */
  readonly name: string | null;
  /** literal: written where it is compared · constant: one value is assigned to the name · default: another may be given. */
  readonly source: 'literal' | 'constant' | 'default' | 'unknown';
  /** Line of the value, from 1; null when unknown. */
  readonly line: number | null;
}

/** A suspected gate. null stands for "cannot tell" throughout. */
export interface Finding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  readonly kind: FindingKind;
  readonly constant: Constant;
  readonly metric: Metric | null;
  /** What the metric was told from; null when it was not. */
  readonly basis: 'expression' | 'definition' | 'name' | 'function' | 'file' | 'operator' | null;
  /** How the score stands to the constant when the action happens. */
  readonly comparison: Comparison | null;
  /** The constant as a cosine, and the side of it on which the action happens. */
  readonly effectiveCosine: { readonly cosine: number; readonly acts: '>=' | '>' | '<=' | '<' | null } | null;
  readonly action: { readonly kind: ActionKind; readonly text: string } | null;
  /** The line of the source, without the blanks around it. */
  readonly snippet: string;
  readonly inTests: boolean;
}

export const ACTIONS = ['cache', 'merge', 'drop', 'block', 'route', 'approve', 'filter', 'rank'] as const;
export type ActionKind = (typeof ACTIONS)[number];

export interface ScanResult {
  /** Files that were parsed. */
  readonly files: number;
  /** Files that were passed over, and why. */
  readonly skipped: readonly { readonly file: string; readonly why: string }[];
  readonly findings: readonly Finding[];
}
