import type { Case } from '../corpus/types.js';
import { alterRule, type PerturbContext } from '../perturb/alter.js';
import type { Condition } from '../perturb/types.js';
import { renderPrompt, shownRule } from '../prompt/render.js';
import type { Profile, Segment } from '../prompt/types.js';

/** One row of the run to be: one sample under one condition. */
export interface PlannedRow {
  readonly key: string;
  readonly item: Case;
  readonly condition: Condition;
  readonly applicable: boolean;
  /** Why not applicable; null otherwise. */
  readonly reason: string | null;
  /** false: the condition applies, but the prompt shows what the baseline shows. */
  readonly visible: boolean;
  /** The raw prompt, before any chat template; null when not applicable. */
  readonly prompt: readonly Segment[] | null;
}

export interface PlanOptions {
  readonly conditions: readonly Condition[];
  readonly profile: Profile;
  readonly perturb: PerturbContext;
}

/** `sampleId|condition|alpha|layer|positionScope|direction`; the last four are empty in an unsteered run. */
export function readingKey(sampleId: string, condition: Condition): string {
  return `${sampleId}|${condition}||||`;
}

/** Every row of an audit, sample by sample, so that the conditions of a sample stand together. */
export function planAudit(cases: readonly Case[], options: PlanOptions): PlannedRow[] {
  return cases.flatMap(item => options.conditions.map(condition => planRow(item, condition, options)));
}

function planRow(item: Case, condition: Condition, { profile, perturb }: PlanOptions): PlannedRow {
  const altered = alterRule(item, condition, perturb);
  const unchanged = shownRule(profile, altered.rule) === shownRule(profile, item.rule);
  // The baseline and the placebo are meant to show the rule as it is.
  const meantToChange = condition !== 'baseline' && condition !== 'placebo';
  return {
    key: readingKey(item.id, condition),
    item,
    condition,
    applicable: altered.applicable,
    reason: altered.reason,
    visible: altered.applicable && !(meantToChange && unchanged),
    prompt: altered.applicable ? renderPrompt(profile, altered.rule, item.scenario) : null,
  };
}

export interface ConditionPlan {
  readonly applicable: number;
  readonly visible: number;
}

export interface DomainPlan {
  readonly samples: number;
  readonly conditions: Readonly<Partial<Record<Condition, ConditionPlan>>>;
}

/** Per domain: samples, and per condition the applicable rows and those of them that the prompt shows. */
export function summarisePlan(rows: readonly PlannedRow[]): Readonly<Record<string, DomainPlan>> {
  const domains = new Map<
    string,
    { ids: Set<string>; conditions: Partial<Record<Condition, ConditionPlan>> }
  >();
  for (const row of rows) {
    const domain = domains.get(row.item.domain) ?? { ids: new Set<string>(), conditions: {} };
    domains.set(row.item.domain, domain);
    domain.ids.add(row.item.id);
    const before = domain.conditions[row.condition] ?? { applicable: 0, visible: 0 };
    domain.conditions[row.condition] = {
      applicable: before.applicable + (row.applicable ? 1 : 0),
      visible: before.visible + (row.visible ? 1 : 0),
    };
  }
  return Object.fromEntries(
    [...domains].map(([name, { ids, conditions }]) => [name, { samples: ids.size, conditions }]),
  );
}
