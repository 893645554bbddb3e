import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Request } from '../../src/engine/messages.js';
import { openPool, type Pool } from '../../src/engine/pool.js';
import type { EngineProcess, EngineProcessEvents } from '../../src/engine/process.js';
import type { ContextOptions } from '../../src/engine/session.js';
import { type EvalOutcome, type Job, noCounters, type TokenEval } from '../../src/engine/types.js';
import { PlumblineError } from '../../src/errors.js';

/** What the made-up engine does with an evaluation. */
interface Behaviour {
  /** Ids that kill their process. */
  readonly poison: ReadonlySet<number>;
  /** Ids that llama.cpp refuses: the run fails, the process lives. */
  readonly refused: ReadonlySet<number>;
  /** Evaluations whose outcomes travel together. */
  readonly together: number;
}

const state = vi.hoisted(() => ({
  behaviour: { poison: new Set<number>(), refused: new Set<number>(), together: 3 } as Behaviour,
  started: 0,
  alive: 0,
  openFails: null as unknown,
}));

vi.mock('../../src/engine/process.js', () => ({ startEngineProcess: madeUpProcess }));
vi.mock('../../src/engine/addon.js', () => ({ ensureAddon: async () => {} }));

const outcomeOf = (id: number): EvalOutcome =>
  ({
    id,
    firstLogits: new Float32Array(),
    logSumExp: 0,
    argMax: 0,
    labelLogprobs: Float64Array.of(id),
    generated: new Int32Array(),
    generatedText: '',
    taps: [],
    logits: new Float32Array(),
  }) as unknown as EvalOutcome;

/** An engine process that computes nothing and keeps to the messages of the real one. */
function madeUpProcess(events: EngineProcessEvents): EngineProcess {
  let death: PlumblineError | null = null;
  let queue: Job[] = [];
  let current = -1;
  let ended = false;
  let settle: { resolve: (value: never) => void; reject: (error: unknown) => void } | null = null;
  state.started++;
  state.alive++;

  function die(why: string): void {
    if (death !== null) return;
    death = new PlumblineError('ENGINE_CRASH', why);
    state.alive--;
    settle?.reject(death);
    settle = null;
  }

  /** One evaluation a turn, so that everything interleaves. */
  function turn(ready: EvalOutcome[]): void {
    if (death !== null || settle === null) return;
    const job = queue[0];
    const item = job?.evals[0];
    const { poison, refused, together } = state.behaviour;
    const flush = (): void => {
      if (ready.length > 0) events.onOutcomes(ready);
    };
    if (job === undefined || item === undefined) {
      flush();
      if (queue.length > 0) queue.shift();
      else if (ended) {
        current = -1;
        const { resolve } = settle;
        settle = null;
        resolve({ ...noCounters(), tokens: 1 } as never);
        return;
      }
      setImmediate(turn, []);
      return;
    }
    if (poison.has(item.id)) {
      die(`poison ${item.id}`);
      return;
    }
    if (refused.has(item.id)) {
      flush();
      queue = [];
      current = -1;
      const { reject } = settle;
      settle = null;
      reject(new PlumblineError('DECODE', `refused ${item.id}`));
      return;
    }
    queue[0] = { ...job, evals: job.evals.slice(1) };
    const more = [...ready, outcomeOf(item.id)];
    if (more.length === together) events.onOutcomes(more);
    setImmediate(turn, more.length === together ? [] : more);
  }

  return {
    ask: (request: Request) =>
      new Promise((resolve, reject) => {
        if (death !== null) return reject(death);
        if (request.type === 'open' && state.openFails !== null) return reject(state.openFails);
        if (request.type !== 'run') return setImmediate(resolve, 256 as never);
        current = request.run;
        ended = false;
        settle = { resolve: resolve as never, reject };
        setImmediate(turn, []);
      }),
    sendJobs(request) {
      // On its way for a moment: the run may be over when it arrives.
      setImmediate(() => {
        if (request.run !== current) return;
        queue = queue.concat(request.jobs);
        ended = request.end;
      });
    },
    alive: () => death === null,
    async stop() {
      die('stopped');
    },
  };
}

const item = (id: number): TokenEval =>
  ({
    id,
    prompt: Int32Array.of(1, 2, id),
    labels: [Int32Array.of(1)],
    generate: null,
  }) as unknown as TokenEval;

/** Jobs of the given sizes, ids counted through. */
function jobsOf(sizes: readonly number[]): { readonly jobs: readonly Job[]; readonly count: number } {
  let count = 0;
  const jobs = sizes.map(size => ({
    evals: Array.from({ length: size }, () => item(count++)),
    shared: [],
    isolated: false,
  }));
  return { jobs, count };
}

async function opened(workers: number, signal?: AbortSignal): Promise<Pool> {
  const pool = await openPool({ path: 'x.gguf', backend: 'cpu', gpuLayers: 0 }, workers, () => {}, signal);
  await pool.configure({ lanes: 2, tile: 4 } as ContextOptions);
  return pool;
}

beforeEach(() => {
  Object.assign(state, { started: 0, alive: 0, openFails: null });
  state.behaviour = { poison: new Set(), refused: new Set(), together: 3 };
});

describe('run', () => {
  test('each evaluation has one outcome or one failure, whatever dies or is refused', async () => {
    const scenario = fc.record({
      workers: fc.integer({ min: 1, max: 3 }),
      sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
      poison: fc.uniqueArray(fc.nat(30), { maxLength: 4 }),
      refused: fc.uniqueArray(fc.nat(30), { maxLength: 4 }),
      together: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ workers, sizes, poison, refused, together }) => {
        const { jobs, count } = jobsOf(sizes);
        state.behaviour = { poison: new Set(poison), refused: new Set(refused), together };
        const pool = await opened(workers);
        const outcomes: number[] = [];
        const failures = new Map<number, string>();
        await pool.run(jobs, {
          onOutcome: ({ id }) => outcomes.push(id),
          onFailure: (id, { code, message }) => {
            expect(failures.has(id)).toBe(false);
            failures.set(id, `${code} ${message}`);
          },
        });
        await pool.dispose();
        const bad = new Map<number, string>();
        for (let id = 0; id < count; id++) {
          if (poison.includes(id)) bad.set(id, `ENGINE_CRASH poison ${id}`);
          else if (refused.includes(id)) bad.set(id, `DECODE refused ${id}`);
        }
        expect([...failures].sort()).toEqual([...bad].sort());
        const good = Array.from({ length: count }, (_, id) => id).filter(id => !bad.has(id));
        expect(outcomes.sort((a, b) => a - b)).toEqual(good);
        expect(state.alive).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  test('a process that dies is started again only as often as it must be', async () => {
    const { jobs } = jobsOf([3, 3, 3]);
    state.behaviour = { poison: new Set([4]), refused: new Set(), together: 1 };
    const pool = await opened(1);
    await pool.run(jobs, { onOutcome() {}, onFailure() {} });
    // The first, one after the death in company, one after the death alone if work is left.
    expect(state.started).toBeLessThanOrEqual(3);
    await pool.dispose();
  });

  test('what the receiver throws ends the run and is what it throws', async () => {
    const full = new PlumblineError('IO', 'the disk is full');
    for (const workers of [1, 2]) {
      const pool = await opened(workers);
      let seen = 0;
      const run = pool.run(jobsOf([2, 2, 2, 2, 2, 2, 2]).jobs, {
        onOutcome() {
          if (++seen >= 4) throw full;
        },
        onFailure() {},
      });
      await expect(run).rejects.toBe(full);
      await pool.dispose();
      expect(state.alive).toBe(0);
    }
  });

  test('an aborted signal ends the processes, and the run returns', async () => {
    const controller = new AbortController();
    const pool = await opened(2, controller.signal);
    const outcomes: number[] = [];
    await pool.run(jobsOf([4, 4, 4, 4, 4, 4, 4, 4]).jobs, {
      onOutcome({ id }) {
        outcomes.push(id);
        if (outcomes.length === 6) controller.abort();
      },
      onFailure: id => expect.fail(`evaluation ${id} failed`),
    });
    expect(outcomes.length).toBeGreaterThanOrEqual(6);
    expect(outcomes.length).toBeLessThan(32);
    expect(state.alive).toBe(0);
    expect(state.started).toBe(2);
    await pool.dispose();
  });
});

describe('opening', () => {
  test('a failure leaves no process behind', async () => {
    const refusal = new PlumblineError('MODEL_LOAD', 'no');
    state.openFails = refusal;
    await expect(openPool({ path: 'x', backend: 'cpu', gpuLayers: 0 }, 3)).rejects.toBe(refusal);
    expect(state.alive).toBe(0);
  });

  test('a signal that has aborted before', async () => {
    const opening = openPool({ path: 'x', backend: 'cpu', gpuLayers: 0 }, 1, () => {}, AbortSignal.abort());
    await expect(opening).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(state.started).toBe(0);
  });

  test('resizing starts and stops processes', async () => {
    const pool = await opened(1);
    await pool.resize(4);
    expect([pool.workers, state.alive]).toEqual([4, 4]);
    await pool.resize(2);
    expect([pool.workers, state.alive]).toEqual([2, 2]);
    await pool.dispose();
    expect(state.alive).toBe(0);
    await expect(pool.encode([{ pieces: [], labels: [] }])).rejects.toMatchObject({ code: 'DISPOSED' });
  });
});
