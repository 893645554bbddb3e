import type { RunOfMany } from '../../src/audit/across-types.js';
import { type AnalyzeOptions, analyzeReadings } from '../../src/audit/analyze.js';
import type { Reading } from '../../src/run/types.js';
import { one, zero } from './hand.js';
import { notApplicable, reading } from './rows.js';

/** A run of these rows; its judge is called as the run unless told otherwise. */
export function runOf(
  name: string,
  readings: readonly Reading[],
  more: Partial<RunOfMany> & { readonly options?: Partial<AnalyzeOptions> } = {},
): RunOfMany {
  const { options, ...rest } = more;
  const about = { subject: `${name}.gguf`, corpus: 'jsonl cases.jsonl', run: name };
  return {
    name,
    readings,
    summary: analyzeReadings(readings, { about, exactness: null, seed: 7, ...options }),
    subjectId: null,
    ruleBlind: false,
    corpusId: null,
    planHash: null,
    plannedRows: null,
    ...rest,
  };
}

/*
 * A second judge on nearly the samples of `hand`; b/1 has another label there, so it is another sample:
 *
 *        label  baseline  delete  swap  negate   group    rule-necessary
 *   a/1    1       1         0      0      1     HIGH     yes
 *   a/2    0       0         1      0     n/a    neither  yes
 *   a/3    1       1         1      1     n/a    LOW      no        (negate applies in `hand`)
 *   a/4    0       0         0      0     n/a    LOW      no        (open in `hand`)
 *   b/1    0       0         1      1     n/a    HIGH     yes
 *   b/2    0       1         1      1     n/a    LOW      no        (open in `hand`)
 */
export const otherHand: readonly Reading[] = (
  [
    ['a/1', one, 1, 0, 0, 1],
    ['a/2', zero, 0, 1, 0, null],
    ['a/3', one, 1, 1, 1, null],
    ['a/4', zero, 0, 0, 0, null],
    ['b/1', zero, 0, 1, 1, null],
    ['b/2', zero, 1, 1, 1, null],
  ] as const
).flatMap(([id, label, baseline, deleted, swapped, negated]) => [
  reading(id, 'baseline', baseline, label),
  reading(id, 'delete', deleted, label),
  reading(id, 'swap', swapped, label),
  negated === null
    ? notApplicable(id, 'negate', 'no-mandatory-modal', label)
    : reading(id, 'negate', negated, label),
]);
