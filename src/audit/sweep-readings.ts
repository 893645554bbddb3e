import type { ErrorCode } from '../errors.js';
import type { Profile } from '../prompt/types.js';
import type { Reading } from '../run/types.js';
import type { PlannedRow } from './plan.js';
import { type Evaluated, evaluatedReading, failedReading, type PromptFacts } from './readings.js';
import { type SweepStep, stepKey } from './sweep-plan.js';

/** A row of a sweep: a sample as it is (step null), or steered. */
export interface SweepRow {
  readonly base: PlannedRow;
  readonly step: SweepStep | null;
}

export function sweepKey({ base, step }: SweepRow): string {
  return step === null ? base.key : stepKey(base, step);
}

/** The row of a steered or unsteered evaluation; `kl` is the divergence from the unsteered one. */
export function sweptReading(
  row: SweepRow,
  profile: Profile,
  facts: PromptFacts,
  outcome: Evaluated & { readonly kl: number | null },
): Reading {
  return {
    ...evaluatedReading(row.base, profile, facts, outcome),
    ...columnsOf(row),
    kl: row.step === null ? null : outcome.kl,
  };
}

/** The row of an evaluation that failed. */
export function failedSweptReading(
  row: SweepRow,
  profile: Profile,
  facts: PromptFacts | null,
  code: ErrorCode,
): Reading {
  return { ...failedReading(row.base, profile, facts, code), ...columnsOf(row) };
}

function columnsOf(
  row: SweepRow,
): Pick<Reading, 'key' | 'alpha' | 'layer' | 'positionScope' | 'direction' | 'stepNorm' | 'residualShare'> {
  const { step } = row;
  return {
    key: sweepKey(row),
    alpha: step?.alpha ?? null,
    layer: step?.layer ?? null,
    positionScope: step?.scope ?? null,
    direction: step?.direction ?? null,
    stepNorm: step?.stepNorm ?? null,
    residualShare: step?.residualShare ?? null,
  };
}

/** What the model said: the columns that two evaluations of the same computation must share bit for bit. */
const SAID = [
  'logprobCompliant',
  'logprobNoncompliant',
  'firstLogitCompliant',
  'firstLogitNoncompliant',
  'labelMass',
  'generated',
] as const satisfies readonly (keyof Reading)[];

/** The first column in which two evaluations differ, with both values; null when they are equal bit for bit. */
export function difference(a: Reading, b: Reading): string | null {
  const name = SAID.find(column => !Object.is(a[column], b[column]));
  return name === undefined ? null : `${name} ${JSON.stringify(a[name])} against ${JSON.stringify(b[name])}`;
}
