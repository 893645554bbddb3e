import type { Label } from '../corpus/types.js';
import type { ErrorCode } from '../errors.js';
import type { Profile } from '../prompt/types.js';
import { readVerdict } from '../prompt/verdict.js';
import type { Reading } from '../run/types.js';
import type { LexicalReading } from './lexical.js';
import type { PlannedRow } from './plan.js';

/** What identifies an evaluated prompt. */
export interface PromptFacts {
  readonly nTokens: number;
  readonly promptSha256: string;
  readonly tokensSha256: string;
  /** Ids of the labels' first tokens: compliant, non-compliant. */
  readonly firstTokens: readonly [number, number];
  readonly batchId: number;
}

/** What an evaluation gave; the engine's outcome has this shape. */
export interface Evaluated {
  /** Compliant, non-compliant; empty when the labels were not scored. */
  readonly firstLogits: ArrayLike<number>;
  readonly labelLogprobs: ArrayLike<number>;
  readonly logSumExp: number;
  readonly generatedText: string;
}

/** The row of a condition that does not apply. */
export function notApplicableReading(row: PlannedRow, profile: Profile): Reading {
  return blank(row, profile);
}

/** The row of an evaluation that failed; it is tried again when the run is resumed. */
export function failedReading(
  row: PlannedRow,
  profile: Profile,
  facts: PromptFacts | null,
  code: ErrorCode,
): Reading {
  return { ...blank(row, profile), ...identity(facts), errorCode: code };
}

/** The row of an evaluated prompt. */
export function evaluatedReading(
  row: PlannedRow,
  profile: Profile,
  facts: PromptFacts,
  outcome: Evaluated,
): Reading {
  const text = readVerdict(profile.reader, outcome.generatedText);
  const [compliant, nonCompliant] = [outcome.labelLogprobs[0], outcome.labelLogprobs[1]];
  const base = {
    ...blank(row, profile),
    ...identity(facts),
    generated: outcome.generatedText,
    verdictText: text.verdict,
    nullReason: text.reason,
  };
  if (compliant === undefined || nonCompliant === undefined) return base;
  const margin = compliant - nonCompliant;
  const first = [outcome.firstLogits[0] as number, outcome.firstLogits[1] as number] as const;
  // A first token that both labels share counts once.
  const distinct = facts.firstTokens[0] === facts.firstTokens[1] ? first.slice(0, 1) : first;
  return {
    ...base,
    logprobCompliant: compliant,
    logprobNoncompliant: nonCompliant,
    firstLogitCompliant: first[0],
    firstLogitNoncompliant: first[1],
    margin,
    verdictLogit: signOf(margin),
    labelMass: distinct.reduce((sum, logit) => sum + Math.exp(logit - outcome.logSumExp), 0),
  };
}

/** Reason of a row without verdicts because none were wanted. */
export const ICS_ONLY = 'ics-only';

/** The row of a prompt whose residual stream alone was read. */
export function unjudgedReading(row: PlannedRow, profile: Profile, facts: PromptFacts): Reading {
  return { ...blank(row, profile), ...identity(facts), nullReason: ICS_ONLY };
}

/** The row of the rule-blind floor: its verdict comes from the scenario, so it is the same under every condition. */
export function lexicalReading(row: PlannedRow, profile: Profile, judged: LexicalReading): Reading {
  return {
    ...blank(row, profile),
    verdictText: judged.verdict,
    verdictLogit: judged.verdict,
    margin: judged.margin,
    nullReason: judged.verdict === null ? 'no-training' : null,
  };
}

/** A margin of exactly zero reads as compliant; it needs a rule, and has not been seen. */
function signOf(margin: number): Label {
  return margin >= 0 ? 1 : 0;
}

function identity(
  facts: PromptFacts | null,
): Pick<Reading, 'nTokens' | 'promptSha256' | 'tokensSha256' | 'batchId'> {
  return {
    nTokens: facts?.nTokens ?? null,
    promptSha256: facts?.promptSha256 ?? null,
    tokensSha256: facts?.tokensSha256 ?? null,
    batchId: facts?.batchId ?? null,
  };
}

function blank(row: PlannedRow, profile: Profile): Reading {
  return {
    key: row.key,
    sampleId: row.item.id,
    domain: row.item.domain,
    ruleId: row.item.ruleId,
    condition: row.condition,
    applicable: row.applicable,
    visible: row.visible,
    reason: row.reason,
    profile: profile.name,
    alpha: null,
    layer: null,
    positionScope: null,
    direction: null,
    stepNorm: null,
    residualShare: null,
    label: row.item.label,
    verdictText: null,
    verdictLogit: null,
    logprobCompliant: null,
    logprobNoncompliant: null,
    firstLogitCompliant: null,
    firstLogitNoncompliant: null,
    margin: null,
    labelMass: null,
    kl: null,
    generated: null,
    nullReason: null,
    nTokens: null,
    promptSha256: null,
    tokensSha256: null,
    ics: null,
    icsCos: null,
    residualNorm: null,
    batchId: null,
    errorCode: null,
  };
}
