import type { Label } from '../../src/corpus/types.js';
import type { Condition } from '../../src/perturb/types.js';
import type { Reading } from '../../src/run/types.js';

/** A reading with everything that a test does not name left empty. */
export function reading(
  sampleId: string,
  condition: Condition,
  verdict: Label | null,
  more: Partial<Reading> = {},
): Reading {
  return {
    key: `${sampleId}|${condition}||||`,
    sampleId,
    domain: sampleId.split('/')[0] ?? '',
    ruleId: '0123456789abcdef',
    condition,
    applicable: true,
    visible: true,
    reason: null,
    profile: 'standard',
    alpha: null,
    layer: null,
    positionScope: null,
    direction: null,
    stepNorm: null,
    residualShare: null,
    label: 1,
    verdictText: verdict,
    verdictLogit: verdict,
    logprobCompliant: null,
    logprobNoncompliant: null,
    firstLogitCompliant: null,
    firstLogitNoncompliant: null,
    margin: null,
    labelMass: null,
    kl: null,
    generated: null,
    nullReason: verdict === null ? 'no-label' : null,
    nTokens: null,
    promptSha256: null,
    tokensSha256: null,
    ics: null,
    icsCos: null,
    residualNorm: null,
    batchId: null,
    errorCode: null,
    ...more,
  };
}

/** A row for a condition that does not apply to the sample. */
export function notApplicable(
  sampleId: string,
  condition: Condition,
  reason: string,
  more: Partial<Reading> = {},
): Reading {
  return reading(sampleId, condition, null, { applicable: false, reason, nullReason: null, ...more });
}

/** A row whose evaluation failed. */
export function failed(
  sampleId: string,
  condition: Condition,
  errorCode: string,
  more: Partial<Reading> = {},
): Reading {
  return reading(sampleId, condition, null, { errorCode, nullReason: null, ...more });
}
