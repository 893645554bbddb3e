import { rankByDraw } from '../corpus/draw.js';
import type { Case } from '../corpus/types.js';
import type { AlteredRule, Condition } from './types.js';

/** A modal of obligation that is not negated already. */
const MANDATORY_MODAL = /\b(must|shall)\b(?!\s+not\b)/gi;

export interface PerturbContext {
  readonly seed: number;
  /**
   * From {@link canonicalRules} over the *whole* corpus, not over the sampled part of it: the domains in here are the
   * ones that a swap draws from, and a sample must get the same swap whatever else is in the run.
   */
  readonly canonical: ReadonlyMap<string, string>;
  /** Ids of the samples whose baseline is evaluated twice, from {@link placeboSet}. */
  readonly placebo: ReadonlySet<string>;
}

/**
 * The rule of a case under a condition. A condition that does not apply gives the rule as it was, with the reason.
 *
 * Whether a change can be seen in the prompt depends on the profile, so it is not decided here: compare
 * `shownRule(profile, altered)` with `shownRule(profile, original)`.
 */
export function alterRule(item: Case, condition: Condition, context: PerturbContext): AlteredRule {
  const changed = (rule: string, swapDomain: string | null = null): AlteredRule => {
    return { condition, applicable: true, reason: null, rule, swapDomain };
  };
  const notApplicable = (reason: string): AlteredRule => {
    return { condition, applicable: false, reason, rule: item.rule, swapDomain: null };
  };
  switch (condition) {
    case 'baseline':
      return changed(item.rule);
    case 'delete':
      return changed('');
    case 'swap': {
      const domain = swapDomainOf(item, context);
      const rule = domain === null ? undefined : context.canonical.get(domain);
      return rule === undefined ? notApplicable('one-domain') : changed(rule, domain);
    }
    case 'negate': {
      const rule = negated(item.rule);
      return rule === item.rule ? notApplicable('no-mandatory-modal') : changed(rule);
    }
    case 'placebo':
      return context.placebo.has(item.id) ? changed(item.rule) : notApplicable('not-drawn');
  }
}

/**
 * Every "must" and "shall" becomes "must not" and "shall not", all capitals "MUST NOT"; those that are negated already
 * and all other modals stay. The expression is the one of the applicability gate, so a rule changes exactly when the
 * condition applies.
 */
export function negated(rule: string): string {
  return rule.replace(MANDATORY_MODAL, modal => `${modal} ${modal === modal.toUpperCase() ? 'NOT' : 'not'}`);
}

/**
 * Uniform among the other domains: each gets its own draw and the lowest wins, so a domain that joins the corpus only
 * moves the samples that it wins.
 */
function swapDomainOf({ id, domain }: Case, { seed, canonical }: PerturbContext): string | null {
  const others = [...canonical.keys()].filter(other => other !== domain);
  return rankByDraw(others, seed, 'swap', other => [domain, id, other])[0] ?? null;
}
