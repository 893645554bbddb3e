import { messageOf, PlumblineError } from '../errors.js';
import { ensureAddon } from './addon.js';
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
}

interface Worker {
  process: EngineProcess;
  outcomes: (outcomes: readonly EvalOutcome[]) => void;
}

/** Evaluations that are handed to a process ahead of time, per stream; a stream that has no job gets one in any case. */
const AHEAD = 2;
/** How far from the head of the queue a process may take a job whose prefix it already holds. */
const REACH = 48;
/** Shorter prefixes are not worth keeping to one process. */
const OWNED_TOKENS = 16;
const ENCODE_BATCH = 256;

/**
 * Opens a model in `workers` processes. Throws what the session throws, or ENGINE_CRASH with the captured stderr. When
 * `signal` aborts, the processes are ended at once and whatever is going on rejects; a run returns what it has counted.
 */
export async function openPool(
  options: ModelOptions,
  workers: number,
  onProgress: (share: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Pool> {
  let context: ContextOptions | null = null;
  let tile: number | null = null;
  let facts: ModelFacts | null = null;
  const pool: Worker[] = [];
  /** All that may be alive, those that are being opened too. */
  const processes = new Set<EngineProcess>();
  let runs = 0;
  let closed = false;
  /** No process is started any more, and no work is handed out. */
  const aborted = (): boolean => closed || (signal?.aborted ?? false);
  const end = (): Promise<unknown> => Promise.all([...processes].map(one => one.stop()));
  signal?.addEventListener('abort', end);

  async function start(worker: Worker | null): Promise<Worker> {
    if (aborted()) throw new PlumblineError('INTERRUPTED', 'Stopped before an engine process was started.');
    const made: Worker = worker ?? { process: null as never, outcomes: () => {} };
    if (worker !== null) processes.delete(worker.process);
    made.process = startEngineProcess({ onProgress, onOutcomes: outcomes => made.outcomes(outcomes) });
    processes.add(made.process);
    facts = await made.process.ask({ type: 'open', options });
    if (context !== null)
      await made.process.ask({ type: 'configure', options: { ...context, tile: tile ?? context.tile } });
    return made;
  }

  async function resize(count: number): Promise<void> {
    for (const { process } of pool.splice(count)) {
      await process.stop();
      processes.delete(process);
    }
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
    closed = true;
    signal?.removeEventListener('abort', end);
    pool.length = 0;
    await end();
  }

  const first = (): EngineProcess => {
    const worker = pool[0];
    if (worker === undefined) throw new PlumblineError('DISPOSED', 'The engine has been disposed.');
    return worker.process;
  };

  async function run(jobs: readonly Job[], events: RunEvents): Promise<Counters> {
    const queue = [...jobs];
    const owners = new Map<number, Worker>();

    /** The next job for a process: one whose shared prefix it has computed, or nobody has, before one of another's. */
    function next(worker: Worker, source: Job[]): Job {
      const within = source.slice(0, REACH);
      const prefixOf = (job: Job): number | null =>
        job.shared.findLast(prefix => prefix.length >= OWNED_TOKENS)?.id ?? null;
      const at = within.findIndex(job => {
        const prefix = prefixOf(job);
        return prefix === null || (owners.get(prefix) ?? worker) === worker;
      });
      const [job] = source.splice(Math.max(0, at), 1) as [Job];
      const prefix = prefixOf(job);
      if (prefix !== null && !owners.has(prefix)) owners.set(prefix, worker);
      return job;
    }
    let total = noCounters();

    async function work(worker: Worker): Promise<void> {
      while (queue.length > 0 && !aborted()) {
        const lost = await stretch(worker, queue, context?.lanes ?? 1);
        if (lost.error === null) continue;
        // Something among the lost evaluations is poison. Each is tried alone; the one that fails alone is named.
        for (const item of lost.evals) {
          if (aborted()) return;
          if (!worker.process.alive()) await start(worker);
          const again = await stretch(worker, [{ evals: [item], shared: [], isolated: true }], 1);
          if (again.error !== null && again.evals.length > 0) events.onFailure(item.id, again.error);
        }
        if (!worker.process.alive() && queue.length > 0 && !aborted()) await start(worker);
      }
    }

    /** Feeds one process from `source` until that is empty or something breaks; says what was not done then. */
    async function stretch(
      worker: Worker,
      source: Job[],
      lanes: number,
    ): Promise<{ readonly error: PlumblineError | null; readonly evals: readonly TokenEval[] }> {
      const outstanding = new Map<number, TokenEval>();
      /** By evaluation: the job that it belongs to, and by job what is outstanding of it. */
      const jobOf = new Map<number, Job>();
      const left = new Map<Job, number>();
      const number = runs++;
      let ended = false;
      const feed = (): void => {
        if (ended) return;
        const batch: Job[] = [];
        // A job of many evaluations keeps one stream busy, not all.
        while ((outstanding.size < lanes * AHEAD || left.size < lanes) && source.length > 0 && !aborted()) {
          const job = next(worker, source);
          batch.push(job);
          left.set(job, job.evals.length);
          for (const item of job.evals) {
            outstanding.set(item.id, item);
            jobOf.set(item.id, job);
          }
        }
        ended = source.length === 0 || aborted();
        if (batch.length > 0 || ended)
          worker.process.sendJobs({ type: 'jobs', run: number, jobs: batch, end: ended });
      };
      const settle = (id: number): void => {
        const job = jobOf.get(id);
        jobOf.delete(id);
        if (job === undefined) return;
        const rest = (left.get(job) ?? 1) - 1;
        if (rest === 0) left.delete(job);
        else left.set(job, rest);
      };
      // What the receiver of outcomes throws (a full disk) is no fault of the engine: it ends the run.
      let refuse: (error: unknown) => void = () => {};
      const refused = new Promise<{ readonly cause: unknown }>(resolve => {
        refuse = cause => resolve({ cause });
      });
      worker.outcomes = outcomes => {
        try {
          for (const outcome of outcomes) {
            outstanding.delete(outcome.id);
            settle(outcome.id);
            events.onOutcome(outcome);
          }
          feed();
        } catch (error) {
          refuse(error);
        }
      };
      let settled: Counters | { readonly cause: unknown };
      try {
        const done = worker.process.ask({ type: 'run', run: number });
        feed();
        settled = await Promise.race([done, refused]);
      } catch (error) {
        const typed =
          error instanceof PlumblineError
            ? error
            : new PlumblineError('DECODE', messageOf(error), { cause: error });
        return { error: typed, evals: [...outstanding.values()] };
      } finally {
        worker.outcomes = () => {};
      }
      if ('cause' in settled) throw settled.cause;
      total = addCounters(total, settled);
      return { error: null, evals: [] };
    }

    await Promise.all(pool.map(work));
    return total;
  }

  await ensureAddon();
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
