import { ALTERING, type Altering } from '../perturb/types.js';
import type { Rate, Summary } from './analyze-types.js';

/** What one block of a judge shows of the rule. */
export interface BlockUse {
  readonly layer: number;
  /** Of ICS against the label, on scenarios that stand under two rules: the wording cannot tell. */
  readonly auroc: number | null;
  /** Mean |ICS-delta| under negation over the mean baseline |ICS|; 2 when negation turns every sign. */
  readonly ratio: number | null;
}

export interface RuleUse {
  /** Right where the wording of the scenario gives the label away, and where it does not. */
  readonly accuracy: { readonly confounded: Rate; readonly crossed: Rate };
  /** Verdicts that change, where wording gives the label away. */
  readonly flips: Readonly<Record<Altering, Rate>>;
  /** Ascending. */
  readonly blocks: readonly BlockUse[];
  /** The block that the fit chose, and the last one. */
  readonly best: BlockUse;
  readonly last: BlockUse;
  /** What the verdict does with the rule; null when the figures show neither. */
  readonly verdict: 'follows' | 'ignores' | null;
  /** What the best block does with it. */
  readonly inside: 'computes' | 'nothing' | null;
  readonly kind: RuleUseKind;
}

export type RuleUseKind = 'reads' | 'never-looked' | 'computes-and-ignores' | 'unclear';

/** The limits behind {@link RuleUse.kind}. */
export const LIMITS = {
  /** A verdict follows the rule when the interval of its flips under negation, and of crossed accuracy, lies above. */
  follows: 0.5,
  /** A verdict ignores the rule when the intervals of its flips lie below, under every condition. */
  ignores: 0.05,
  /** A block computes what the rule says when AUROC and ratio reach these. */
  auroc: 0.9,
  ratio: 1,
  /** A block holds nothing of it when its ratio stays below. */
  nothing: 0.2,
} as const;

/**
 * Says what a judge does with its rule, from its figures alone. `confounded`: a run under every altering condition on a
 * corpus whose wording gives the label away; `crossed`: baseline rows on one whose wording does not. Both are projected
 * on one direction. Throws when a run lacks what is needed: that is a fault of the caller.
 */
export function ruleUse(confounded: Summary, crossed: Summary): RuleUse {
  const blocks = blocksOf(confounded, crossed);
  const best = blocks.find(({ layer }) => layer === confounded.ics?.anchor);
  const last = blocks.at(-1);
  if (best === undefined || last === undefined) throw new Error('a run has no projections');
  const flips = Object.fromEntries(
    ALTERING.map(condition => [condition, flipsOf(confounded, condition)]),
  ) as Record<Altering, Rate>;
  const accuracy = {
    confounded: confounded.readers.text.competence.accuracy,
    crossed: crossed.readers.text.competence.accuracy,
  };
  const follows = above(flips.negate, LIMITS.follows) && above(accuracy.crossed, LIMITS.follows);
  const ignores = ALTERING.every(condition => below(flips[condition], LIMITS.ignores));
  const verdict = follows ? 'follows' : ignores ? 'ignores' : null;
  const inside = computes(best) ? 'computes' : blocks.every(holdsNothing) ? 'nothing' : null;
  const use = { accuracy, flips, blocks, best, last, verdict, inside } as const;
  return { ...use, kind: kindOf(use) };
}

function kindOf({ accuracy, verdict, inside, last }: Omit<RuleUse, 'kind'>): RuleUseKind {
  if (!above(accuracy.confounded, LIMITS.follows)) return 'unclear';
  if (verdict === 'follows' && inside === 'computes') return 'reads';
  if (verdict === 'ignores' && inside === 'nothing') return 'never-looked';
  if (verdict === 'ignores' && inside === 'computes' && holdsNothing(last)) return 'computes-and-ignores';
  return 'unclear';
}

function blocksOf(confounded: Summary, crossed: Summary): readonly BlockUse[] {
  const aurocs = new Map(crossed.ics?.blocks.map(({ layer, auroc }) => [layer, auroc]));
  return (confounded.ics?.blocks ?? []).map(({ layer, conditions }) => ({
    layer,
    auroc: aurocs.get(layer) ?? null,
    ratio: conditions.find(({ condition }) => condition === 'negate')?.ratio ?? null,
  }));
}

function flipsOf({ readers }: Summary, condition: Altering): Rate {
  const row = readers.text.ocs.find(({ measure }) => measure === condition);
  if (row === undefined) throw new Error(`the run has no rows under ${condition}`);
  return row.pooled.visible;
}

const above = ({ low }: Rate, limit: number): boolean => low !== null && low > limit;
const below = ({ high }: Rate, limit: number): boolean => high !== null && high < limit;
const computes = ({ auroc, ratio }: BlockUse): boolean =>
  auroc !== null && auroc >= LIMITS.auroc && ratio !== null && ratio >= LIMITS.ratio;
const holdsNothing = ({ ratio }: BlockUse): boolean => ratio !== null && ratio < LIMITS.nothing;
