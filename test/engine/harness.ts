import { existsSync, renameSync } from 'node:fs';
import { expect } from 'vitest';
import { createExecutor, type ExecutorOptions, jobsOf } from '../../src/engine/executor.js';
import { type PlannedEval, planJobs } from '../../src/engine/jobs.js';
import { openLibrary } from '../../src/engine/library.js';
import type { ContextHandle, ModelHandle, NativeDecodeRequest, NativeTap } from '../../src/engine/native.js';
import { PLAIN } from '../../src/engine/recipe.js';
import { createTokenizer, type Tokenizer } from '../../src/engine/tokens.js';
import type { Counters, EvalOutcome, TokenEval } from '../../src/engine/types.js';
import { randomModel } from '../models/fixtures.js';

const library = openLibrary('cpu');
export const { binding } = library;

/** The oracle's kind of CPU: there its values are met bit for bit, elsewhere within bands. */
export const AVX512 = / AVX512 = 1/.test(library.systemInfo);

export interface OpenModel {
  readonly model: ModelHandle;
  readonly tokenizer: Tokenizer;
}

export async function openModel(path: string): Promise<OpenModel> {
  const model = await binding.loadModel(path, 0, false, () => {});
  return { model, tokenizer: createTokenizer(binding, model) };
}

/** llama_ftype numbers. */
const FTYPES = { Q8_0: 7, Q4_0: 2, Q4_K: 15 } as const;
export const FORMATS = ['F32', 'F16', 'Q8_0', 'Q4_0', 'Q4_K'] as const;
export type Format = (typeof FORMATS)[number];

/** Path of a random model in a format; quantised from its float32 file when it is not there. */
export async function modelIn(format: Format, make = randomModel): Promise<string> {
  if (format === 'F32' || format === 'F16') return make(format);
  const source = await make('F32');
  const path = source.replace('F32', format);
  if (!existsSync(path)) {
    const scratch = `${path}.${process.pid}`;
    binding.quantize(source, scratch, FTYPES[format]);
    renameSync(scratch, path);
  }
  return path;
}

/** What a tap leaves out is not wanted. */
export function tapOf(tap: Partial<NativeTap> & { readonly layer: number }): NativeTap {
  return {
    readRows: new Int32Array(),
    directions: new Float32Array(),
    keepActivations: true,
    addRows: new Int32Array(),
    addAlphas: new Float32Array(),
    addVectors: new Int32Array(),
    vectors: new Float32Array(),
    ...tap,
  };
}

/** A plain decode of `tokens` on one sequence; logits are computed from `outputsFrom` on. */
export function request(
  tokens: ArrayLike<number>,
  more: Partial<NativeDecodeRequest> & {
    readonly position?: number;
    readonly sequence?: number;
    readonly outputsFrom?: number;
  } = {},
): NativeDecodeRequest {
  const { position = 0, sequence = 0, outputsFrom = tokens.length, ...rest } = more;
  const rows = Array.from({ length: tokens.length }, (_, i) => i);
  return {
    tokens: Int32Array.from(tokens),
    positions: Int32Array.from(rows, row => position + row),
    sequences: Int32Array.from(rows, () => sequence),
    outputs: Int8Array.from(rows, row => (row >= outputsFrom ? 1 : 0)),
    wantRows: new Int32Array(),
    wantTokens: new Int32Array(),
    taps: [],
    stopAfterTaps: false,
    keepRows: new Int32Array(),
    ...rest,
  };
}

export function padded(tokens: ArrayLike<number>, tile: number): Int32Array {
  const whole = new Int32Array(Math.ceil(tokens.length / tile) * tile);
  whole.set(Array.from(tokens));
  return whole;
}

/**
 * Log-probability of each label behind the prompt, each from one decode of prompt and label on an empty memory, padded
 * to whole tiles, with a whole number of tiles of output rows: no schedule, no prefix, no copy.
 */
export async function labelLogprobs(
  context: ContextHandle,
  prompt: Int32Array,
  labels: readonly Int32Array[],
  tile: number,
): Promise<number[]> {
  const sums: number[] = [];
  for (const label of labels) {
    const tokens = padded([...prompt, ...label.subarray(0, -1)], tile);
    const first = prompt.length - 1;
    binding.memoryClear(context);
    const result = await binding.decode(
      context,
      request(tokens, {
        outputsFrom: Math.floor(first / tile) * tile,
        wantRows: Int32Array.from(label, (_, i) => first + i),
        wantTokens: label,
      }),
    );
    sums.push(
      [...label.keys()].reduce(
        (sum, i) => sum + ((result.logit[i] as number) - (result.logSumExp[i] as number)),
        0,
      ),
    );
  }
  return sums;
}

export interface ScheduleRun {
  readonly outcomes: ReadonlyMap<number, EvalOutcome>;
  readonly counters: Counters;
  /** As planJobs counts them. */
  readonly nodes: number;
}

/** Runs evaluations through the executor, as jobs of the prefix tree, or one by one where the schedule is `single`. */
export async function runSchedule(
  open: OpenModel,
  context: ContextHandle,
  evals: readonly PlannedEval[],
  options: Pick<ExecutorOptions, 'schedule' | 'lanes' | 'parks'> & Partial<ExecutorOptions>,
): Promise<ScheduleRun> {
  const plan = planJobs(evals);
  const items = evals.flatMap(({ item, variants = [] }) => [item, ...variants]);
  const last = open.tokenizer.info.nLayer - 1;
  const executor = createExecutor(binding, context, open.tokenizer, {
    ...PLAIN,
    taps: [0, Math.floor(last / 2), last].map(layer => ({
      layer,
      directions: new Float32Array(),
      keepActivations: true,
    })),
    vectors: new Float32Array(),
    stopAtTaps: false,
    keepLogits: true,
    ...options,
  });
  const outcomes = new Map<number, EvalOutcome>();
  const jobs =
    options.schedule === 'single'
      ? items.map(item => ({ evals: [item], shared: [], isolated: true }))
      : plan.jobs;
  await executor.run(jobsOf(jobs), outcome => {
    expect(outcomes.has(outcome.id), `evaluation ${outcome.id} came twice`).toBe(false);
    outcomes.set(outcome.id, outcome);
  });
  expect(outcomes.size).toBe(items.length);
  return { outcomes, counters: executor.counters, nodes: plan.nodes };
}

/** How many floats differ in their bits, and by how much at most. */
export function differing(
  a: Float32Array | Float64Array,
  b: Float32Array | Float64Array,
): { count: number; largest: number } {
  let count = Math.abs(a.length - b.length);
  let largest = count > 0 ? Number.POSITIVE_INFINITY : 0;
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (Object.is(a[i], b[i])) continue;
    count++;
    largest = Math.max(largest, Math.abs((a[i] as number) - (b[i] as number)));
  }
  return { count, largest };
}

const SAME = { count: 0, largest: 0 };

/** Every number of two outcomes of one evaluation, compared bit for bit. */
export function expectSame(a: EvalOutcome, b: EvalOutcome, what: string): void {
  expect(a.logits.length, what).toBeGreaterThan(0);
  expect(differing(a.logits, b.logits), `${what}: logits`).toEqual(SAME);
  expect(differing(a.firstLogits, b.firstLogits), `${what}: label logits`).toEqual(SAME);
  expect(differing(a.labelLogprobs, b.labelLogprobs), `${what}: label log-probabilities`).toEqual(SAME);
  expect(b.logSumExp, `${what}: log-sum-exp`).toBe(a.logSumExp);
  expect(b.argMax, `${what}: arg-max`).toBe(a.argMax);
  expect([...b.generated], `${what}: generated ids`).toEqual([...a.generated]);
  expect(b.generatedText, what).toBe(a.generatedText);
  expect(b.taps.length, what).toBe(a.taps.length);
  for (const [i, tap] of a.taps.entries()) {
    const other = b.taps[i];
    if (other === undefined) throw new Error(`${what}: no tap ${i}`);
    expect(other.layer).toBe(tap.layer);
    expect(tap.activation.length).toBeGreaterThan(0);
    expect(differing(tap.activation, other.activation), `${what}: activations of block ${tap.layer}`).toEqual(
      SAME,
    );
    expect(other.norm, `${what}: norm`).toBe(tap.norm);
  }
}

export function planned(item: TokenEval, order: number, isolated = false): PlannedEval {
  return { item, order, isolated };
}
