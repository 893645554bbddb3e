export const CONDITIONS = ['baseline', 'delete', 'swap', 'negate', 'placebo'] as const;
export type Condition = (typeof CONDITIONS)[number];

/** The conditions that change the rule; the placebo and the baseline do not. */
export const ALTERING = ['delete', 'swap', 'negate'] as const;
export type Altering = (typeof ALTERING)[number];

/** What the rule field becomes under one condition. */
export interface AlteredRule {
  readonly condition: Condition;
  readonly applicable: boolean;
  /** Why not applicable: `no-mandatory-modal`, `one-domain`, `not-drawn` (placebo share); null when applicable. */
  readonly reason: string | null;
  /** The full altered rule, before any truncation by a profile; the original rule when not applicable. */
  readonly rule: string;
  /** Domain that the swapped-in rule comes from; null for other conditions. */
  readonly swapDomain: string | null;
}
