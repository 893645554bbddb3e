import type { Label } from '../corpus/types.js';
import type { Condition } from '../perturb/types.js';

/** One row of readings.arrows: one evaluation of one sample under one condition. */
export interface Reading {
  /** Unique in a run: `sampleId|condition|alpha|layer|positionScope|direction` (the last four empty when not steered). */
  readonly key: string;
  readonly sampleId: string;
  readonly domain: string;
  readonly ruleId: string;
  readonly condition: Condition;
  readonly applicable: boolean;
  /** false: applicable, but the text that the prompt shows is the baseline's. */
  readonly visible: boolean;
  /** Why not applicable; null otherwise. */
  readonly reason: string | null;
  readonly profile: string;
  readonly alpha: number | null;
  readonly layer: number | null;
  readonly positionScope: 'last' | 'all' | null;
  /** What a steered row was steered along: `fitted`, `random-1`, …. */
  readonly direction: string | null;
  /** Euclidean norm of what steering added to the residual stream. */
  readonly stepNorm: number | null;
  /** stepNorm over the mean norm of the residual stream at that layer. */
  readonly residualShare: number | null;
  readonly label: Label;
  readonly verdictText: Label | null;
  readonly verdictLogit: Label | null;
  /** Log-probabilities (nats) of the whole label strings. */
  readonly logprobCompliant: number | null;
  readonly logprobNoncompliant: number | null;
  /** Raw logits of the labels' first tokens at the last prompt position. */
  readonly firstLogitCompliant: number | null;
  readonly firstLogitNoncompliant: number | null;
  /** logprobCompliant - logprobNoncompliant. */
  readonly margin: number | null;
  /** Probability of the labels' first tokens under the full softmax at the last prompt position. */
  readonly labelMass: number | null;
  /** KL divergence (nats) of the steered from the unsteered next-token distribution. */
  readonly kl: number | null;
  /** Greedy continuation that the text reader saw. */
  readonly generated: string | null;
  /** Why verdictText is null although the row was evaluated. */
  readonly nullReason: string | null;
  readonly nTokens: number | null;
  readonly promptSha256: string | null;
  /** SHA-256 of the token ids joined by commas. */
  readonly tokensSha256: string | null;
  readonly ics: number | null;
  readonly icsCos: number | null;
  readonly residualNorm: number | null;
  readonly batchId: number | null;
  /** An ErrorCode when this evaluation failed; such rows are tried again on resume. */
  readonly errorCode: string | null;
}

/** One row of derived.arrows: one sample, emitted when its last condition has landed. */
export interface DerivedRow {
  readonly sampleId: string;
  readonly domain: string;
  readonly label: Label;
  /** Which verdict the flips are of: `text` or `logit`. */
  readonly reader: 'text' | 'logit';
  readonly baselineVerdict: Label | null;
  /** 1 = the verdict differs from baseline; null when either is null, not applicable, or failed. */
  readonly flipDelete: Label | null;
  readonly flipSwap: Label | null;
  readonly flipNegate: Label | null;
  readonly flipPlacebo: Label | null;
  /** margin under the condition minus the baseline margin. */
  readonly shiftDelete: number | null;
  readonly shiftSwap: number | null;
  readonly shiftNegate: number | null;
  readonly shiftPlacebo: number | null;
  readonly icsDeltaDelete: number | null;
  readonly icsDeltaSwap: number | null;
  readonly icsDeltaNegate: number | null;
  readonly icsDeltaPlacebo: number | null;
  /** Mean absolute shift of the projections on the control directions, condition against baseline. */
  readonly icsControlDelete: number | null;
  readonly icsControlSwap: number | null;
  readonly icsControlNegate: number | null;
  readonly icsControlPlacebo: number | null;
  /** Mean flip over the applicable altering conditions with both verdicts; null when there is none. */
  readonly ocs: number | null;
  /** LOW = no flip under any applicable altering condition, HIGH = at least two; null when a missing verdict leaves it open. */
  readonly group: 'LOW' | 'HIGH' | 'neither' | null;
}

/** One row of activations.arrows or controls.arrows: one vector of one evaluation. */
export interface VectorRow {
  /** Of the reading that the vector belongs to. */
  readonly key: string;
  /** Block index, from 0. */
  readonly layer: number;
  /** As many as the manifest says: n_embd, or one for the direction and one for each control direction. */
  readonly values: Float32Array;
}

export type { Exactness } from '../engine/types.js';
