import type { Segment } from '../prompt/types.js';

/** One prompt to be evaluated by a subject. */
export interface EvalRequest {
  /** The key of the reading that this evaluation becomes. */
  readonly key: string;
  readonly segments: readonly Segment[];
  /** true = never answered from a shared prefix (the placebo). */
  readonly isolated: boolean;
}
