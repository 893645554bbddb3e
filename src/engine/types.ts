/** What is read of the residual stream at the last prompt token. */
export interface TapSpec {
  /** Block index from 0: the tapped tensor is `l_out-<layer>`, the stream after that block. */
  readonly layer: number;
  /** Any number of directions, n_embd values each, row-major. */
  readonly directions: Float32Array;
  readonly keepActivations: boolean;
}

/** One prompt to be evaluated, as token ids. */
export interface TokenEval {
  /** Unique in a job list; outcomes carry it. */
  readonly id: number;
  readonly prompt: Int32Array;
  /** Strings whose log-probability after the prompt is wanted, as token ids, each at least one token long. */
  readonly labels: readonly Int32Array[];
  readonly generate: GenerateSpec | null;
  /** What is added to the residual stream meanwhile; without it the evaluation is unsteered. */
  readonly steer?: Steer;
  /** true: later evaluations of the same job report how far they diverge from this one. */
  readonly isReference?: boolean;
}

/** alpha · vector is added to the residual stream after a block. */
export interface Steer {
  /** Block index from 0. */
  readonly layer: number;
  /** Index into the vectors that the context was configured with. */
  readonly vector: number;
  readonly alpha: number;
  /** `last`: at the last prompt token only. `all`: at every token, labels and generated ones included. */
  readonly scope: 'last' | 'all';
}

export interface GenerateSpec {
  readonly maxTokens: number;
  /** Generation ends early once the generated text matches this regular expression (flags `iu`); null = never early. */
  readonly stop: string | null;
  /**
   * null: labels are scored at the end of the prompt. Otherwise where the generated text first matches this expression
   * (flags `iu`); without a match they are not scored.
   */
  readonly scoreAfter: string | null;
}

/** Evaluations that one stream runs one after the other, in an order that keeps shared prefixes on it. */
export interface Job {
  readonly evals: readonly TokenEval[];
  /** Prefixes, shortest first, that other jobs share with this one: computed once, parked, copied. */
  readonly shared: readonly SharedPrefix[];
  /** true: nothing is taken from or left to other evaluations. */
  readonly isolated: boolean;
}

export interface SharedPrefix {
  readonly id: number;
  /** In tokens. */
  readonly length: number;
  /** How many jobs share it. */
  readonly jobs: number;
}

export interface TapOutcome {
  readonly layer: number;
  /** Euclidean norm of the residual stream. */
  readonly norm: number;
  /** One per direction. */
  readonly projections: Float64Array;
  /** n_embd values, or empty. */
  readonly activation: Float32Array;
}

export interface EvalOutcome {
  readonly id: number;
  /** Logit of each label's first token where labels are scored; empty when they were not. */
  readonly firstLogits: Float32Array;
  /** Of the whole vocabulary, where labels are scored. */
  readonly logSumExp: number;
  /** At the last prompt position. */
  readonly argMax: number;
  /** Natural log-probability of each whole label string. */
  readonly labelLogprobs: Float64Array;
  /** Greedy continuation: up to maxTokens ids, ended by an end-of-generation token (not included) or the stop pattern. */
  readonly generated: Int32Array;
  readonly generatedText: string;
  readonly taps: readonly TapOutcome[];
  /** Whole logit rows at the last prompt position; empty unless they are kept (oracles only). */
  readonly logits: Float32Array;
  /** KL divergence (nats) at the last prompt position from the job's reference; null without one. */
  readonly kl: number | null;
}

/** Tokens that went through the model, by what they were for. */
export interface Counters {
  /** All of the following together. */
  tokens: number;
  prompt: number;
  label: number;
  generation: number;
  /** Drafted or dummy tokens that fill a tile. */
  padding: number;
  decodes: number;
  copies: number;
  /** Milliseconds inside llama_decode and its reduction. */
  decodeMs: number;
  /** CPU milliseconds of the whole engine process meanwhile, all threads. */
  cpuMs: number;
}

export function noCounters(): Counters {
  return {
    tokens: 0,
    prompt: 0,
    label: 0,
    generation: 0,
    padding: 0,
    decodes: 0,
    copies: 0,
    decodeMs: 0,
    cpuMs: 0,
  };
}

export function addCounters(a: Counters, b: Counters): Counters {
  return combine(a, b, 1);
}

export function subtractCounters(a: Counters, b: Counters): Counters {
  return combine(a, b, -1);
}

function combine(a: Counters, b: Counters, sign: 1 | -1): Counters {
  const result = noCounters();
  for (const key of Object.keys(result) as (keyof Counters)[]) result[key] = a[key] + sign * b[key];
  return result;
}

/** What comparing a schedule with one prompt per decode showed. */
export type Exactness =
  /** Every compared float was equal, bit for bit. */
  | { readonly kind: 'exact'; readonly tile: number; readonly prompts: number; readonly floats: number }
  | {
      readonly kind: 'inexact';
      readonly tile: number;
      readonly prompts: number;
      readonly band: number;
      readonly why: string;
    };
