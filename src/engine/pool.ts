import { messageOf, PlumblineError } from '../errors.js';
import { type EngineProcess, startEngineProcess } from './process.js';
import type { ContextOptions, EncodedItem, EncodeItem, ModelFacts, ModelOptions } from './session.js';
import {
  addCounters,
  type Counters,
  type EvalOutcome,
  type Exactness,
  type Job,
  noCounters,
  type TokenEval,
} from './types.js';

/** Engine processes that share one model file. Results do not depend on how work is split between them. */
export interface Pool {
  readonly facts: ModelFacts;
  readonly workers: number;
  /** Starts processes until there are this many, or stops some. */
  resize(workers: number): Promise<void>;
  encode(items: readonly EncodeItem[]): Promise<EncodedItem[]>;
  /** Makes every process's context. Returns the cells that one stream has. */
  configure(options: ContextOptions): Promise<number>;
  prove(evals: readonly TokenEval[]): Promise<Exactness>;
  /** Tokens per second of all processes working at once. */
  measure(): Promise<number>;
  run(jobs: readonly Job[], events: RunEvents): Promise<Counters>;
  dispose(): Promise<void>;
}

export interface RunEvents {
  onOutcome(outcome: EvalOutcome): void;
  /** An evaluation that could not be done: it killed its process, or llama.cpp refused it even alone. */
  onFailure(id: number, error: PlumblineError): void;
  readonly signal?: AbortSignal;
}

interface Worker {
  process: EngineProcess;
  outcomes: (outcomes: readonly EvalOutcome[]) => void;
}

/** Evaluations that are handed to a process ahead of time, per stream. */
const AHEAD = 2;
const ENCODE_BATCH = 256;

/** Opens a model in `workers` processes. Throws what the session throws, or ENGINE_CRASH with the captured stderr. */
export async function openPool(
  options: ModelOptions,
  workers: number,
  onProgress: (share: number) => void = () => {},
): Promise<Pool> {
  let context: ContextOptions | null = null;
  let tile: number | null = null;
  let facts: ModelFacts | null = null;
  const pool: Worker[] = [];

  async function start(worker: Worker | null): Promise<Worker> {
    const made: Worker = worker ?? { process: null as never, outcomes: () => {} };
    made.process = startEngineProcess({ onProgress, onOutcomes: outcomes => made.outcomes(outcomes) });
    facts = await made.process.ask({ type: 'open', options });
    if (context !== null)
      await made.process.ask({ type: 'configure', options: { ...context, tile: tile ?? context.tile } });
    return made;
  }

  async function resize(count: number): Promise<void> {
    while (pool.length > count) await pool.pop()?.process.stop();
    const missing = Array.from({ length: count - pool.length }, () => start(null));
    const settled = await Promise.allSettled(missing);
    for (const one of settled) if (one.status === 'fulfilled') pool.push(one.value);
    const failed = settled.find(one => one.status === 'rejected');
    if (failed !== undefined) {
      await dispose();
      throw failed.reason;
    }
  }

  async function dispose(): Promise<void> {
    await Promise.all(pool.splice(0).map(worker => worker.process.stop()));
  }

  const first = (): EngineProcess => {
    const worker = pool[0];
    if (worker === undefined) throw new PlumblineError('DISPOSED', 'The engine has been disposed.');
    return worker.process;
  };

  async function run(jobs: readonly Job[], events: RunEvents): Promise<Counters> {
    const queue = [...jobs];
    let total = noCounters();
    const aborted = (): boolean => events.signal?.aborted ?? false;

    async function work(worker: Worker): Promise<void> {
      while (queue.length > 0 && !aborted()) {
        const lost = await stretch(worker, queue, (context?.lanes ?? 1) * AHEAD);
        if (lost.error === null) continue;
        // Something among the lost evaluations is poison. Each is tried alone; the one that fails alone is named.
        for (const item of lost.evals) {
          if (aborted()) return;
          if (!worker.process.alive()) await start(worker);
          const again = await stretch(worker, [{ evals: [item], shared: [], isolated: true }], 1);
          if (again.error !== null && again.evals.length > 0) events.onFailure(item.id, again.error);
        }
        if (!worker.process.alive() && queue.length > 0) await start(worker);
      }
    }

    /** Feeds one process from `source` until that is empty or something breaks; says what was not done then. */
    async function stretch(
      worker: Worker,
      source: Job[],
      ahead: number,
    ): Promise<{ readonly error: PlumblineError | null; readonly evals: readonly TokenEval[] }> {
      const outstanding = new Map<number, TokenEval>();
      let ended = false;
      const feed = (): void => {
        if (ended) return;
        const batch: Job[] = [];
        while (outstanding.size < ahead && source.length > 0 && !aborted()) {
          const job = source.shift() as Job;
          batch.push(job);
          for (const item of job.evals) outstanding.set(item.id, item);
        }
        ended = source.length === 0 || aborted();
        if (batch.length > 0 || ended) worker.process.sendJobs({ type: 'jobs', jobs: batch, end: ended });
      };
      worker.outcomes = outcomes => {
        for (const outcome of outcomes) {
          outstanding.delete(outcome.id);
          events.onOutcome(outcome);
        }
        feed();
      };
      try {
        const done = worker.process.ask({ type: 'run' });
        feed();
        const counters = await done;
        total = addCounters(total, counters);
        return { error: null, evals: [] };
      } catch (error) {
        const typed =
          error instanceof PlumblineError
            ? error
            : new PlumblineError('DECODE', messageOf(error), { cause: error });
        return { error: typed, evals: [...outstanding.values()] };
      } finally {
        worker.outcomes = () => {};
      }
    }

    await Promise.all(pool.map(work));
    return total;
  }

  await resize(workers);
  return {
    get facts() {
      if (facts === null) throw new PlumblineError('DISPOSED', 'The engine has not been opened.');
      return facts;
    },
    get workers() {
      return pool.length;
    },
    resize,
    async encode(items) {
      const encoded: EncodedItem[] = [];
      for (let from = 0; from < items.length; from += ENCODE_BATCH) {
        encoded.push(
          ...(await first().ask({ type: 'encode', items: items.slice(from, from + ENCODE_BATCH) })),
        );
      }
      return encoded;
    },
    async configure(wanted) {
      context = wanted;
      tile = null;
      const cells = await Promise.all(
        pool.map(worker => worker.process.ask({ type: 'configure', options: wanted })),
      );
      return cells.reduce((a, b) => Math.min(a, b));
    },
    async prove(evals) {
      const exactness = await first().ask({ type: 'prove', evals });
      if (exactness.tile !== context?.tile) {
        tile = exactness.tile;
        const wanted = { ...(context as ContextOptions), tile };
        await Promise.all(
          pool.slice(1).map(worker => worker.process.ask({ type: 'configure', options: wanted })),
        );
      }
      return exactness;
    },
    async measure() {
      const rates = await Promise.all(pool.map(worker => worker.process.ask({ type: 'measure' })));
      return rates.reduce((a, b) => a + b);
    },
    run,
    dispose,
  };
}
