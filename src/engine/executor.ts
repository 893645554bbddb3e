import { PlumblineError } from '../errors.js';
import type { Chunk, ChunkResult, EvaluateOptions, Stream } from './chunk.js';
import { createDrafts } from './drafts.js';
import { evaluate, extendTo } from './evaluate.js';
import type { ContextHandle, NativeBinding, NativeDecodeResult, NativeTap } from './native.js';
import { largestPick } from './pack.js';
import type { Tokenizer } from './tokens.js';
import {
  type Counters,
  type EvalOutcome,
  type Job,
  noCounters,
  type SharedPrefix,
  type TapOutcome,
  type TapSpec,
} from './types.js';

/**
 * `exact`: many streams with separate memories, equal chunks, whole tiles. `single`: one prompt per decode, nothing
 * shared between prompts. `unified`: one memory, unequal chunks, no tiles: fast and inexact.
 */
export const SCHEDULES = ['exact', 'single', 'unified'] as const;
export type Schedule = (typeof SCHEDULES)[number];

export interface ExecutorOptions {
  readonly schedule: Schedule;
  /** Streams that evaluate. */
  readonly lanes: number;
  /** Streams that keep shared prefixes. */
  readonly parks: number;
  /** Every chunk is a multiple of this many tokens. */
  readonly tile: number;
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

interface Lane extends Stream {
  readonly sequence: number;
  steps: Generator<Chunk | null, void, ChunkResult> | null;
  pending: PendingChunk | null;
  waited: number;
}

interface PendingChunk {
  readonly chunk: Chunk;
  done: number;
  readonly logit: Float32Array;
  readonly logSumExp: Float64Array;
  readonly argMax: Int32Array;
  taps: readonly TapOutcome[];
  row: Float32Array;
}

interface SteeredRows {
  readonly rows: number[];
  readonly alphas: number[];
  readonly vectors: number[];
}

interface Park {
  readonly sequence: number;
  prefix: number | null;
  tokens: Int32Array;
  lastUse: number;
  /** Jobs that have yet to start from it, if all of them come to this process. */
  awaited: number;
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
  const drafts = createDrafts();
  const { ubatch } = binding.contextInfo(context);
  const lastBlock = tokenizer.info.nLayer - 1;
  const lastBlock = tokenizer.info.nLayer - 1;
  const unified = options.schedule === 'unified';
  const share = options.schedule !== 'single';
  const settings: EvaluateOptions = {
    tile: options.tile,
    tapped: options.taps.length > 0,
    keepLogits: options.keepLogits,
    stopAtTaps: options.stopAtTaps,
    share,
    counters,
    drafts,
  };
  let clock = 0;
  const resident: Int32Array[] = Array.from(
    { length: options.lanes + options.parks },
    () => new Int32Array(),
  );
  const lanes: Lane[] = Array.from({ length: options.lanes }, (_, sequence) => ({
    sequence,
    steps: null,
    pending: null,
    waited: 0,
    resident: () => resident[sequence] as Int32Array,
    truncate(length) {
      const held = resident[sequence] as Int32Array;
      if (length >= held.length) return;
      if (!binding.memoryRemoveTail(context, sequence, length)) {
        // Recurrent memories cannot be shortened: start again.
        binding.memoryRemoveTail(context, sequence, 0);
        resident[sequence] = new Int32Array();
        return;
      }
      resident[sequence] = held.subarray(0, length);
    },
  }));
  const parks: Park[] = Array.from({ length: options.parks }, (_, i) => ({
    sequence: options.lanes + i,
    prefix: null,
    tokens: new Int32Array(),
    lastUse: 0,
    awaited: 0,
  }));
  const inMaking = new Set<number>();
  binding.memoryClear(context);

  function copy(from: number, to: number): void {
    if (unified) binding.memoryRemoveTail(context, to, 0);
    binding.memoryCopy(context, from, to);
    resident[to] = (resident[from] as Int32Array).slice();
    counters.copies++;
  }

  /** The lane's program: shared prefixes first, then one evaluation after the other. Yields null while it waits. */
  function* program(
    lane: Lane,
    job: Job,
    onOutcome: (outcome: EvalOutcome) => void,
  ): Generator<Chunk | null, void, ChunkResult> {
    const first = job.evals[0];
    if (first === undefined) return;
    if (share && !job.isolated && parks.length > 0) yield* prepare(lane, first.prompt, job.shared);
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

  function* prepare(
    lane: Lane,
    prompt: Int32Array,
    shared: readonly SharedPrefix[],
  ): Generator<Chunk | null, void, ChunkResult> {
    for (const [depth, prefix] of shared.entries()) {
      if (prefix.length >= prompt.length) return;
      while (inMaking.has(prefix.id)) yield null;
      const parked = parks.find(park => park.prefix === prefix.id);
      if (parked !== undefined) {
        parked.lastUse = ++clock;
        parked.awaited--;
        // A deeper parked prefix makes copying this one pointless.
        const deeper = shared
          .slice(depth + 1)
          .some(next => parks.some(park => park.prefix === next.id) || inMaking.has(next.id));
        if (deeper || holds(lane, parked.tokens)) continue;
        copy(parked.sequence, lane.sequence);
        continue;
      }
      inMaking.add(prefix.id);
      try {
        yield* extendTo(lane, prompt, prefix.length, settings);
        const slot = parks.reduce((worst, park) => (isLessWanted(park, worst) ? park : worst));
        copy(lane.sequence, slot.sequence);
        slot.prefix = prefix.id;
        slot.tokens = prompt.slice(0, prefix.length);
        slot.lastUse = ++clock;
        slot.awaited = prefix.jobs - 1;
      } finally {
        inMaking.delete(prefix.id);
      }
    }
  }

  function holds(lane: Lane, tokens: Int32Array): boolean {
    const held = lane.resident();
    return held.length >= tokens.length && tokens.every((token, i) => held[i] === token);
  }

  function advance(lane: Lane, result: ChunkResult | null): void {
    const steps = lane.steps;
    if (steps === null) return;
    const next = result === null ? steps.next(undefined as never) : steps.next(result);
    lane.pending = null;
    if (next.done === true) lane.steps = null;
    else if (next.value !== null) lane.pending = pendingOf(next.value);
  }

  /** What goes into the next decode: for each lane in it, how many tokens of its pending chunk. */
  function choose(): { readonly lane: Lane; readonly pending: PendingChunk; readonly length: number }[] {
    const waiting = lanes.filter(lane => lane.pending !== null);
    if (unified) {
      let room = ubatch;
      const taken: { lane: Lane; pending: PendingChunk; length: number }[] = [];
      for (const lane of [...waiting].sort((a, b) => b.waited - a.waited)) {
        const pending = lane.pending as PendingChunk;
        const length = Math.min(room, pending.chunk.tokens.length - pending.done);
        if (length > 0) taken.push({ lane, pending, length });
        room -= length;
      }
      return taken;
    }
    const longest = waiting.reduce<Lane | null>((a, b) => (a === null || b.waited > a.waited ? b : a), null);
    const must = longest !== null && longest.waited >= PATIENCE ? longest.sequence : -1;
    const lengths = lanes.map(lane =>
      lane.pending === null ? 0 : lane.pending.chunk.tokens.length - lane.pending.done,
    );
    const pick = largestPick(lengths, ubatch, options.tile, must);
    if (pick === null) return [];
    return lanes
      .slice(pick.first, pick.last + 1)
      .map(lane => ({ lane, pending: lane.pending as PendingChunk, length: pick.length }));
  }

  async function step(): Promise<void> {
    const taken = choose();
    const total = taken.reduce((sum, part) => sum + part.length, 0);
    const tokens = new Int32Array(total);
    const positions = new Int32Array(total);
    const sequences = new Int32Array(total);
    const outputs = new Int8Array(total);
    const wantRows: number[] = [];
    const wantTokens: number[] = [];
    const wantOwners: { pending: PendingChunk; index: number }[] = [];
    const keepRows: number[] = [];
    const keepOwners: PendingChunk[] = [];
    const steered = new Map<number, SteeredRows>();
    const tapRows: number[] = [];
    const tapOwners: PendingChunk[] = [];
    let base = 0;
    for (const { lane, pending, length } of taken) {
      const { chunk, done } = pending;
      const start = lane.resident().length;
      tokens.set(chunk.tokens.subarray(done, done + length), base);
      for (let i = 0; i < length; i++) {
        positions[base + i] = start + i;
        sequences[base + i] = lane.sequence;
        outputs[base + i] = inRange(done + i, chunk.outputs) ? 1 : 0;
      }
      for (const [index, want] of chunk.wants.entries()) {
        if (want.row < done || want.row >= done + length) continue;
        if (index === 0 && chunk.keepFirst) {
          keepRows.push(wantRows.length);
          keepOwners.push(pending);
        }
        wantRows.push(base + want.row - done);
        wantTokens.push(want.token);
        wantOwners.push({ pending, index });
      }
      if (chunk.tapRow !== null && chunk.tapRow >= done && chunk.tapRow < done + length) {
        tapRows.push(base + chunk.tapRow - done);
        tapOwners.push(pending);
      }
      if (chunk.steer !== null) {
        const { spec, row } = chunk.steer;
        const rows = steered.get(spec.layer) ?? { rows: [], alphas: [], vectors: [] };
        steered.set(spec.layer, rows);
        for (let i = 0; i < length; i++) {
          if (row !== null && row !== done + i) continue;
          // The last block keeps only rows that have outputs, and nothing reads the others.
          if (spec.layer === lastBlock && outputs[base + i] === 0) continue;
          // The last block keeps only rows that have outputs, and nothing reads the others.
          if (spec.layer === lastBlock && outputs[base + i] === 0) continue;
          rows.rows.push(base + i);
          rows.alphas.push(spec.alpha);
          rows.vectors.push(spec.vector);
        }
      }
      base += length;
    }
    const began = performance.now();
    const result = await binding.decode(context, {
      tokens,
      positions,
      sequences,
      outputs,
      wantRows: Int32Array.from(wantRows),
      wantTokens: Int32Array.from(wantTokens),
      taps: nativeTaps(tapRows, steered),
      stopAfterTaps: options.stopAtTaps,
      keepRows: Int32Array.from(keepRows),
    });
    counters.decodeMs += performance.now() - began;
    counters.decodes++;
    counters.tokens += total;
    distribute(result, wantOwners, tapOwners, keepOwners);
    const inDecode = new Set(taken.map(part => part.lane));
    for (const lane of lanes)
      lane.waited = lane.pending !== null && !inDecode.has(lane) ? lane.waited + 1 : 0;
    for (const { lane, pending, length } of taken) {
      const held = lane.resident();
      const grown = new Int32Array(held.length + length);
      grown.set(held);
      grown.set(pending.chunk.tokens.subarray(pending.done, pending.done + length), held.length);
      resident[lane.sequence] = grown;
      pending.done += length;
      if (pending.done === pending.chunk.tokens.length) advance(lane, pending);
    }
  }

  /** Layers that are read, steered or both, ascending. */
  function nativeTaps(readRows: readonly number[], steered: ReadonlyMap<number, SteeredRows>): NativeTap[] {
    const reading = options.stopAtTaps || readRows.length > 0 ? options.taps : [];
    const layers = new Set([...reading.map(tap => tap.layer), ...steered.keys()]);
    return [...layers]
      .sort((a, b) => a - b)
      .map(layer => {
        const tap = reading.find(candidate => candidate.layer === layer);
        const added = steered.get(layer);
        return {
          layer,
          readRows: Int32Array.from(tap === undefined ? [] : readRows),
          directions: tap?.directions ?? new Float32Array(),
          keepActivations: tap?.keepActivations ?? false,
          addRows: Int32Array.from(added?.rows ?? []),
          addAlphas: Float32Array.from(added?.alphas ?? []),
          addVectors: Int32Array.from(added?.vectors ?? []),
          vectors: added === undefined ? new Float32Array() : options.vectors,
        };
      });
  }

  function distribute(
    result: NativeDecodeResult,
    wantOwners: readonly { readonly pending: PendingChunk; readonly index: number }[],
    tapOwners: readonly PendingChunk[],
    keepOwners: readonly PendingChunk[],
  ): void {
    for (const [i, { pending, index }] of wantOwners.entries()) {
      pending.logit[index] = result.logit[i] as number;
      pending.logSumExp[index] = result.logSumExp[i] as number;
      pending.argMax[index] = result.argMax[i] as number;
    }
    const width = keepOwners.length === 0 ? 0 : result.rows.length / keepOwners.length;
    for (const [i, pending] of keepOwners.entries())
      pending.row = result.rows.slice(i * width, (i + 1) * width);
    for (const [i, pending] of tapOwners.entries()) {
      const read = result.taps.filter(tap => options.taps.some(spec => spec.layer === tap.layer));
      pending.taps = read.map(tap => {
        const directions = tap.projections.length / tapOwners.length;
        const embd = tap.activations.length / tapOwners.length;
        return {
          layer: tap.layer,
          norm: tap.norms[i] as number,
          projections: tap.projections.slice(i * directions, (i + 1) * directions),
          activation: tap.activations.slice(i * embd, (i + 1) * embd),
        };
      });
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
      } else if (inMaking.size === 0) {
        throw new PlumblineError(
          'DECODE',
          'The schedule stands still: lanes wait for a prefix that nobody computes.',
        );
      }
    }
  }

  return { counters, run };
}

/** A prefix that no job waits for goes first, then the one not used for longest. */
function isLessWanted(a: Park, b: Park): boolean {
  const done = (park: Park): number => (park.awaited > 0 ? 1 : 0);
  return done(a) - done(b) < 0 || (done(a) === done(b) && a.lastUse < b.lastUse);
}

function inRange(row: number, { from, count }: Chunk['outputs']): boolean {
  return row >= from && row < from + count;
}

function pendingOf(chunk: Chunk): PendingChunk {
  return {
    chunk,
    done: 0,
    logit: new Float32Array(chunk.wants.length),
    logSumExp: new Float64Array(chunk.wants.length),
    argMax: new Int32Array(chunk.wants.length),
    taps: [],
    row: new Float32Array(),
  };
}
