import { PlumblineError } from '../errors.js';
import { mostOutputs, withTile } from './chunk.js';
import { createExecutor, type Executor, type JobSource, jobsOf, type Schedule } from './executor.js';
import { type Backend, openLibrary } from './library.js';
import type { ContextHandle, NativeDevice, NativeModelInfo } from './native.js';
import { proveSchedule } from './proof.js';
import type { Recipe } from './recipe.js';
import { createTokenizer, type TextPiece } from './tokens.js';
import {
  type Counters,
  type EvalOutcome,
  type Exactness,
  subtractCounters,
  type TapSpec,
  type TokenEval,
} from './types.js';

export interface ModelOptions {
  readonly path: string;
  readonly backend: Backend;
  /** Blocks on the GPU; -1 = all, 0 = none. */
  readonly gpuLayers: number;
}

export interface ContextOptions extends Recipe {
  readonly schedule: Schedule;
  readonly lanes: number;
  readonly parks: number;
  /** Tokens that one stream can hold. */
  readonly cells: number;
  readonly ubatch: number;
  readonly threads: number;
  /** Tokens of the longest label. */
  readonly longestLabel: number;
  readonly taps: readonly TapSpec[];
  /** Vectors to steer with, n_embd values each. */
  readonly vectors: Float32Array;
  /** true: stop every pass after the deepest tap. For work that needs no logits. */
  readonly stopAtTaps: boolean;
}

export interface ModelFacts extends NativeModelInfo {
  readonly release: string;
  readonly systemInfo: string;
  readonly devices: readonly NativeDevice[];
  readonly bosText: string;
  readonly eosText: string;
}

/** Prompts as text, to be turned into token ids. */
export interface EncodeItem {
  readonly pieces: readonly TextPiece[];
  readonly labels: readonly string[];
}

export interface EncodedItem {
  readonly prompt: Int32Array;
  readonly labels: readonly Int32Array[];
}

/** One model in this process, with at most one context at a time. */
export interface Session {
  readonly facts: ModelFacts;
  encode(items: readonly EncodeItem[]): EncodedItem[];
  /** Makes the context; an earlier one is disposed. Returns the cells that one stream really has. */
  configure(options: ContextOptions): Promise<number>;
  /** Compares the schedule with one prompt per decode, bit for bit, on these evaluations. */
  prove(evals: readonly TokenEval[]): Promise<Exactness>;
  /** Runs jobs with the tile that the last proof found (or the configured one). Returns what these jobs took. */
  run(source: JobSource, onOutcome: (outcome: EvalOutcome) => void): Promise<Counters>;
  /** Tokens per second of prompt evaluation, measured on dummy text. */
  measure(): Promise<number>;
  dispose(): void;
}

/** Opens a model in this process. Throws LIBRARY_NOT_FOUND, ABI_MISMATCH, MODEL_LOAD or MODEL_UNSUPPORTED. */
export async function openSession(
  options: ModelOptions,
  onProgress: (share: number) => void,
): Promise<Session> {
  const library = openLibrary(options.backend);
  const { binding } = library;
  const model = await binding.loadModel(options.path, options.gpuLayers, false, onProgress);
  const tokenizer = createTokenizer(binding, model);
  const { info } = tokenizer;
  if (info.hasEncoder || !info.hasDecoder || info.isDiffusion) {
    binding.disposeModel(model);
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `${options.path} (${info.description}) does not generate text token by token; a judge must be a decoder-only language model.`,
    );
  }
  const textOf = (id: number): string =>
    id < 0 ? '' : new TextDecoder().decode(binding.tokenBytes(model, Int32Array.of(id), true));

  let context: ContextHandle | null = null;
  let configured: ContextOptions | null = null;
  let executor: Executor | null = null;
  let tile = 0;

  const need = (): { context: ContextHandle; configured: ContextOptions } => {
    if (context === null || configured === null) {
      throw new PlumblineError('DISPOSED', 'This session has no context; configure it first.');
    }
    return { context, configured };
  };
  const makeExecutor = (size: number): Executor => {
    const now = need();
    return createExecutor(binding, now.context, tokenizer, {
      ...now.configured,
      ...withTile(now.configured, size),
      keepLogits: false,
    });
  };

  return {
    facts: {
      ...info,
      release: library.release,
      systemInfo: library.systemInfo,
      devices: binding.devices(),
      bosText: textOf(info.bos),
      eosText: textOf(info.eos),
    },
    encode: items =>
      items.map(item => ({
        prompt: tokenizer.encode(item.pieces),
        labels: item.labels.map(label => tokenizer.encodeContinuation(item.pieces, label)),
      })),
    async configure(wanted) {
      if (context !== null) binding.disposeContext(context);
      context = null;
      const sequences = wanted.lanes + wanted.parks;
      context = await binding.createContext(
        model,
        sequences,
        wanted.cells,
        wanted.ubatch,
        Math.min(wanted.ubatch, wanted.lanes * mostOutputs(wanted.longestLabel)),
        wanted.threads,
        wanted.flashAttention,
        wanted.schedule === 'unified',
      );
      configured = wanted;
      tile = wanted.tile;
      executor = null;
      return wanted.schedule === 'unified' ? wanted.cells : binding.contextInfo(context).cellsPerSequence;
    },
    async prove(evals) {
      const now = need();
      const layers = [...new Set([0, Math.floor(info.nLayer / 2), info.nLayer - 1])];
      const proof = await proveSchedule(binding, now.context, tokenizer, now.configured, layers, evals);
      tile = proof.tile;
      executor = null;
      return proof;
    },
    async run(source, onOutcome) {
      executor ??= makeExecutor(tile);
      const before = { ...executor.counters };
      const cpu = process.cpuUsage();
      try {
        await executor.run(source, onOutcome);
        const { user, system } = process.cpuUsage(cpu);
        return { ...subtractCounters(executor.counters, before), cpuMs: (user + system) / 1000 };
      } catch (error) {
        // Its streams are in an unknown state now.
        executor = null;
        throw error;
      }
    },
    async measure() {
      need();
      // The first pass warms the caches up and is not counted.
      await timeDummy(makeExecutor(tile));
      let passes = 0;
      let spent = 0;
      while (spent < MEASURED_MS) {
        spent += await timeDummy(makeExecutor(tile));
        passes++;
      }
      executor = null;
      return (passes * DUMMY_TOKENS * 1000) / spent;
    },
    dispose() {
      if (context !== null) binding.disposeContext(context);
      context = null;
      binding.disposeModel(model);
    },
  };
}

const DUMMY_TOKENS = 96;
/** Several turns of the scheduler: a small model's single pass would fall between those of a busy neighbour. */
const MEASURED_MS = 200;

/** Milliseconds of one pass. */
async function timeDummy(executor: Executor): Promise<number> {
  const prompt = Int32Array.from({ length: DUMMY_TOKENS }, (_, i) => i % 7);
  const item: TokenEval = { id: 0, prompt, labels: [Int32Array.of(0)], generate: null };
  const began = performance.now();
  await executor.run(jobsOf([{ evals: [item], shared: [], isolated: true }]), () => {});
  return performance.now() - began;
}
