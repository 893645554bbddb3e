import { ALTERING } from '../perturb/types.js';
import type { RunOfMany, Subset } from './across-types.js';
import { readSamples, samplesOf } from './analyze-samples.js';
import type { Group } from './analyze-types.js';
import type { Reader } from './ocs.js';

/** What one run made of one sample, as far as other runs are compared with it. */
export interface SampleView {
  /** Domain, rule and label: a sample of the same id that differs in one of them is another sample. */
  readonly identity: string;
  /** Baseline right and deletion wrong; null when one of the two verdicts is missing. */
  readonly necessary: boolean | null;
  readonly group: Group | null;
  /** The altering conditions that apply: a group made of other ones is another group. */
  readonly applicable: string;
}

/** A run's samples by id, ordered by id. */
export type SampleViews = ReadonlyMap<string, SampleView>;

export function sampleViews({ readings, summary }: RunOfMany, reader: Reader): SampleViews {
  const unsteered = readings.filter(({ alpha }) => alpha === null);
  return new Map(
    readSamples(samplesOf(unsteered), reader, summary.exactness).map(
      ({ id, domain, label, rows, derived, pairs }) => {
        const [any] = rows.values();
        const deletion = pairs.find(({ condition }) => condition === 'delete');
        return [
          id,
          {
            identity: JSON.stringify([domain, any?.ruleId, label]),
            necessary: deletion === undefined ? null : deletion.before === label && deletion.after !== label,
            group: derived.group,
            applicable: ALTERING.filter(condition => rows.get(condition)?.applicable).join(' '),
          },
        ];
      },
    ),
  );
}

/** Ids of the samples that all of these runs have, alike in domain, rule and label. */
export function commonIds(runs: readonly SampleViews[]): readonly string[] {
  const [first, ...others] = runs;
  if (first === undefined) return [];
  return [...first].flatMap(([id, { identity }]) =>
    others.every(other => other.get(id)?.identity === identity) ? [id] : [],
  );
}

/**
 * Whether each of these runs counts a sample into a subset; null when it is not decided in all of them, or when other
 * conditions apply in one than in another.
 */
export function membership(
  views: readonly (SampleView | undefined)[],
  subset: Subset,
): readonly boolean[] | null {
  const members: boolean[] = [];
  for (const view of views) {
    if (view === undefined) return null;
    if (subset === 'rule-necessary') {
      if (view.necessary === null) return null;
      members.push(view.necessary);
    } else {
      if (view.group === null || view.applicable !== views[0]?.applicable) return null;
      members.push(view.group === subset);
    }
  }
  return members;
}
