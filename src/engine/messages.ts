import type { ErrorCode } from '../errors.js';
import type { EncodedText, EncoderOptions } from './encoder-session.js';
import type { ContextOptions, EncodedItem, EncodeItem, ModelFacts, ModelOptions } from './session.js';
import type { Counters, EvalOutcome, Exactness, Job, TokenEval } from './types.js';

/** What the parent asks an engine process. Every request but `jobs` is answered once, in order. */
export type Request =
  | { readonly type: 'open'; readonly options: ModelOptions }
  | { readonly type: 'encode'; readonly items: readonly EncodeItem[] }
  | { readonly type: 'configure'; readonly options: ContextOptions }
  | { readonly type: 'prove'; readonly evals: readonly TokenEval[] }
  | { readonly type: 'measure' }
  /** A process is a judge's or an encoder's, never both. */
  | { readonly type: 'openEncoder'; readonly options: EncoderOptions }
  | { readonly type: 'embed'; readonly texts: readonly string[] }
  /** Starts a run that takes jobs until `end`; answered when the last job is done. */
  | { readonly type: 'run'; readonly run: number }
  /** Jobs for a run that has failed meanwhile are dropped: its parent hands them out again. */
  | { readonly type: 'jobs'; readonly run: number; readonly jobs: readonly Job[]; readonly end: boolean };

export interface Answers {
  open: ModelFacts;
  encode: EncodedItem[];
  configure: number;
  prove: Exactness;
  measure: number;
  openEncoder: null;
  embed: EncodedText[];
  run: Counters;
}

export type Reply =
  | { readonly type: 'answer'; readonly value: unknown }
  | { readonly type: 'failure'; readonly code: ErrorCode | null; readonly message: string }
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'outcomes'; readonly outcomes: readonly EvalOutcome[] };
