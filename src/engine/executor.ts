import { PlumblineError } from '../errors.js';
import { assembleBatch, type Part, type PendingChunk, pendingOf } from './batch.js';
import type { Chunk, ChunkResult, EvaluateOptions, Grain } from './chunk.js';
import { createDrafts } from './drafts.js';
import { evaluate } from './evaluate.js';
import type { ContextHandle, NativeBinding } from './native.js';
import { bestPick } from './pack.js';
import { createStreams, type NumberedStream } from './streams.js';
import type { Tokenizer } from './tokens.js';
import { type Counters, type EvalOutcome, type Job, noCounters, type TapSpec } from './types.js';

/**
 * `exact`: many streams with separate memories, equal chunks, whole tiles. `single`: one prompt per decode, nothing
 * shared between prompts. `unified`: one memory, unequal chunks, no tiles: fast and inexact.
 */
export const SCHEDULES = ['exact', 'single', 'unified'] as const;
export type Schedule = (typeof SCHEDULES)[number];

export interface ExecutorOptions extends Grain {
  readonly schedule: Schedule;
  /** Streams that evaluate. */
  readonly lanes: number;
  /** Streams that keep shared prefixes. */
  readonly parks: number;
  readonly taps: readonly TapSpec[];
  /** Vectors that evaluations can be steered with, n_embd values each, row-major. */
  readonly vectors: Float32Array;
  /** true: stop every pass after the deepest tap; no logits are computed, labels and generation are left out. */
  readonly stopAtTaps: boolean;
  readonly keepLogits: boolean;
}

/** Hands out jobs. */
export interface JobSource {
  /** The next job; null when there will be none, undefined when it is still on its way. */
  take(): Job | null | undefined;
  /** Resolves when `take` has something to say again. */
  ready(): Promise<void>;
}

/** A source of jobs that are all there. */
export function jobsOf(jobs: readonly Job[]): JobSource {
  let at = 0;
  return { take: () => jobs[at++] ?? null, ready: () => Promise.resolve() };
}

export interface Executor {
  readonly counters: Counters;
  /** Runs jobs until the source is empty. Outcomes come in the order in which they are ready. */
  run(source: JobSource, onOutcome: (outcome: EvalOutcome) => void): Promise<void>;
}

/** A stream with the work that it does. */
interface Lane extends NumberedStream {
  /** The program of its job; null when it has none. Yields null while it waits for another lane. */
  steps: Generator<Chunk | null, void, ChunkResult> | null;
  pending: PendingChunk | null;
  /** Decodes in a row that it was left out of. */
  waited: number;
}

/** A lane that was left out of this many decodes is in the next one. */
const PATIENCE = 64;

export function createExecutor(
  binding: NativeBinding,
  context: ContextHandle,
  tokenizer: Tokenizer,
  options: ExecutorOptions,
): Executor {
  const counters = noCounters();
  const { ubatch, cellsPerSequence } = binding.contextInfo(context);
  const unified = options.schedule === 'unified';
  const share = options.schedule !== 'single';
  const batchOptions = { ...options, lastBlock: tokenizer.info.nLayer - 1 };
  const settings: EvaluateOptions = {
    tile: options.tile,
    least: options.least,
    most: options.most,
    tapped: options.taps.length > 0,
    keepLogits: options.keepLogits,
    stopAtTaps: options.stopAtTaps,
    share,
    counters,
    drafts: createDrafts(),
  };
  const streams = createStreams(binding, context, { ...options, unified }, counters);
  const lanes: Lane[] = streams.lanes.map(stream => ({ ...stream, steps: null, pending: null, waited: 0 }));

  /** Shared prefixes first, then one evaluation after the other. */
  function* program(
    lane: Lane,
    job: Job,
    onOutcome: (outcome: EvalOutcome) => void,
  ): Generator<Chunk | null, void, ChunkResult> {
    const [first] = job.evals;
    if (first === undefined) return;
    if (share && !job.isolated) yield* streams.prepare(lane, first.prompt, job.shared, settings);
    const own = job.isolated ? { ...settings, share: false } : settings;
    let reference: Float32Array | null = null;
    for (const item of job.evals) {
      const outcome: EvalOutcome = yield* evaluate(lane, item, tokenizer, own, item.steer ? reference : null);
      if (item.isReference === true) reference = outcome.logits;
      // A reference row stays here: it is as wide as the vocabulary.
      onOutcome(options.keepLogits ? outcome : { ...outcome, logits: new Float32Array() });
    }
    if (job.isolated) lane.truncate(0);
  }

  function advance(lane: Lane, result: ChunkResult | null): void {
    if (lane.steps === null) return;
    const next = result === null ? lane.steps.next(undefined as never) : lane.steps.next(result);
    lane.pending = null;
    if (next.done === true) lane.steps = null;
    else if (next.value !== null) lane.pending = pendingOf(next.value);
  }

  /** The lanes of the next decode, and how many tokens of each one's pending chunk go into it. */
  function choose(): { readonly lane: Lane; readonly length: number }[] {
    const pending = lanes.map(lane =>
      lane.pending === null ? 0 : lane.pending.chunk.tokens.length - lane.pending.done,
    );
    const byPatience = [...lanes.keys()]
      .filter(i => pending[i] !== 0)
      .sort((a, b) => (lanes[b] as Lane).waited - (lanes[a] as Lane).waited);
    if (unified) {
      let room = ubatch;
      return byPatience.flatMap(i => {
        const length = Math.min(room, pending[i] as number);
        room -= length;
        return length > 0 ? [{ lane: lanes[i] as Lane, length }] : [];
      });
    }
    const [longest] = byPatience;
    const must = longest !== undefined && (lanes[longest] as Lane).waited >= PATIENCE ? longest : -1;
    const waiting = lanes.map((lane, i) => ({
      pending: pending[i] as number,
      room: cellsPerSequence - lane.resident().length,
    }));
    const pick = bestPick(waiting, ubatch, options, must);
    if (pick === null) return [];
    return lanes.slice(pick.first, pick.last + 1).map(lane => ({ lane, length: pick.length }));
  }

  async function step(): Promise<void> {
    const chosen = choose();
    const parts = chosen.map(
      ({ lane, length }): Part => ({
        pending: lane.pending as PendingChunk,
        sequence: lane.sequence,
        start: lane.resident().length,
        length,
      }),
    );
    const batch = assembleBatch(parts, batchOptions);
    const began = performance.now();
    batch.deliver(await binding.decode(context, batch.request));
    counters.decodeMs += performance.now() - began;
    counters.decodes++;
    counters.tokens += batch.request.tokens.length;
    const served = new Set(chosen.map(({ lane }) => lane));
    for (const lane of lanes) lane.waited = lane.pending !== null && !served.has(lane) ? lane.waited + 1 : 0;
    for (const { lane, length } of chosen) {
      const pending = lane.pending as PendingChunk;
      const { tokens } = pending.chunk;
      const taken = new Int32Array(length);
      taken.set(tokens.subarray(pending.done, pending.done + length));
      streams.append(lane.sequence, taken);
      pending.done += length;
      counters.padding += Math.max(0, pending.done - tokens.length);
      if (pending.done >= tokens.length) advance(lane, pending);
    }
  }

  async function run(source: JobSource, onOutcome: (outcome: EvalOutcome) => void): Promise<void> {
    let empty = false;
    for (;;) {
      for (const lane of lanes) {
        if (lane.steps !== null || empty) continue;
        const job = source.take();
        if (job === undefined) break;
        if (job === null) {
          empty = true;
          break;
        }
        lane.steps = program(lane, job, onOutcome);
        advance(lane, null);
      }
      for (const lane of lanes) if (lane.steps !== null && lane.pending === null) advance(lane, null);
      if (lanes.some(lane => lane.pending !== null)) await step();
      else if (lanes.every(lane => lane.steps === null)) {
        if (empty) return;
        await source.ready();
      } else if (!streams.isMaking()) {
        throw new PlumblineError(
          'DECODE',
          'The schedule stands still: lanes wait for a prefix that nobody computes.',
        );
      }
    }
  }

  return { counters, run };
}
