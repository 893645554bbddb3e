import { cpus } from 'node:os';
import { randomDirections } from '../direction/vector.js';
import { SCHEDULES, type Schedule } from '../engine/executor.js';
import { hostFacts } from '../engine/hardware.js';
import { planJobs } from '../engine/jobs.js';
import { PLAIN, UNIFIED } from '../engine/recipe.js';
import { chooseSizing } from '../engine/sizing.js';
import { addCounters, type Counters, noCounters, type TokenEval } from '../engine/types.js';
import { moments } from '../stats/moments.js';
import { type Judge, type JudgeEvents, openJudge } from './judge.js';
import type { AuditOptions } from './options.js';
import { prepareAudit } from './prepare.js';

export interface ScheduleBench {
  readonly schedule: Schedule;
  /** Sums over all rounds. */
  readonly counters: Counters;
  readonly seconds: readonly number[];
  /** Prompt tokens of the job per second of wall time, median over rounds: the job is the same for all schedules. */
  readonly jobTokensPerSecond: number;
  readonly samplesPerSecond: number;
  /** CPU seconds of the engine per round, median. */
  readonly cpuSeconds: number;
  /** Speed against `single`: medians of wall time and of CPU time. */
  readonly wallRatio: number;
  readonly cpuRatio: number;
  readonly tokensPerNode: number;
}

export interface Bench {
  readonly model: { readonly name: string; readonly format: string | null; readonly bytes: number };
  readonly host: { readonly cpu: string; readonly cores: number };
  readonly samples: number;
  readonly evaluations: number;
  readonly sequenceTokens: number;
  readonly nodes: number;
  readonly rounds: number;
  readonly workers: number;
  readonly threads: number;
  readonly schedules: readonly ScheduleBench[];
  readonly alphas: AlphaBench;
}

/** What steering at the last prompt token costs: five strengths against one, of the same prompts. */
export interface AlphaBench {
  readonly prompts: number;
  /** Mean tokens of a prompt. */
  readonly promptTokens: number;
  /** Evaluated tokens, wall time and CPU time of five strengths over those of one. */
  readonly tokenRatio: number;
  readonly wallRatio: number;
  readonly cpuRatio: number;
}

/**
 * Runs the same audit under every schedule, interleaved, in one process with one thread, and compares. Wall times are of
 * this machine at this moment; the ratios are what carries over.
 */
export async function benchSchedules(
  options: AuditOptions,
  rounds: number,
  events: JudgeEvents,
): Promise<Bench> {
  const prepared = await prepareAudit(options);
  if (options.model === null) throw new Error('bench needs a model');
  const judge = await openJudge(options.model, prepared.rows, options.profile, options.engine, events);
  const threads = options.engine.threads ?? 1;
  try {
    const { pool, header, evals } = judge;
    const plan = planJobs(evals.map(item => ({ item, order: item.id, isolated: false })));
    const measured = new Map<Schedule, { counters: Counters; seconds: number[]; cpu: number[] }>(
      SCHEDULES.map(schedule => [schedule, { counters: noCounters(), seconds: [], cpu: [] }]),
    );
    for (let round = 0; round < rounds; round++) {
      for (const schedule of SCHEDULES) {
        events.onStage(`round ${round + 1} of ${rounds}: ${schedule}`);
        const recipe = schedule === 'unified' ? UNIFIED : PLAIN;
        const sizing = chooseSizing(header, evals, schedule, plan.sharedPrefixes, hostFacts().freeBytes / 3);
        await pool.configure({
          ...sizing,
          ...recipe,
          schedule,
          threads,
          taps: [],
          vectors: new Float32Array(),
          stopAtTaps: false,
        });
        const began = performance.now();
        const counters = await pool.run(plan.jobs, {
          onOutcome() {},
          onFailure(_id, error) {
            throw error;
          },
        });
        const entry = measured.get(schedule) as NonNullable<ReturnType<typeof measured.get>>;
        entry.seconds.push((performance.now() - began) / 1000);
        entry.cpu.push(counters.cpuMs / 1000);
        entry.counters = addCounters(entry.counters, counters);
      }
    }
    const alphas = await benchAlphas(judge, rounds, threads, events);
    const single = measured.get('single') as NonNullable<ReturnType<typeof measured.get>>;
    const schedules = [...measured].map(
      ([schedule, { counters, seconds, cpu }]): ScheduleBench => ({
        schedule,
        counters,
        seconds,
        jobTokensPerSecond: plan.sequenceTokens / median(seconds),
        samplesPerSecond: prepared.cases.length / median(seconds),
        cpuSeconds: median(cpu),
        wallRatio: median(single.seconds) / median(seconds),
        cpuRatio: median(single.cpu) / median(cpu),
        tokensPerNode: counters.tokens / rounds / plan.nodes,
      }),
    );
    return {
      model: { name: header.name ?? 'model', format: header.dominantType, bytes: header.bytes },
      host: { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: hostFacts().cores },
      samples: prepared.cases.length,
      evaluations: evals.length,
      sequenceTokens: plan.sequenceTokens,
      nodes: plan.nodes,
      rounds,
      workers: 1,
      threads,
      schedules,
      alphas,
    };
  } finally {
    await judge.pool.dispose();
  }
}

const ALPHAS = [-1, -0.5, 0, 0.5, 1];
const ALPHA_PROMPTS = 12;

async function benchAlphas(
  judge: Judge,
  rounds: number,
  threads: number,
  events: JudgeEvents,
): Promise<AlphaBench> {
  const { pool, header, evals } = judge;
  // Neighbours share prefixes; prompts from all over the job say what one alone costs.
  const stride = Math.max(1, Math.floor(evals.length / ALPHA_PROMPTS));
  const chosen = evals
    .filter((_, i) => i % stride === 0)
    .slice(0, ALPHA_PROMPTS)
    .map(item => ({ ...item, generate: null }));
  const layer = Math.floor(header.nLayer / 2);
  const vectors = randomDirections(1, header.nEmbd, 0);
  const jobsFor = (alphas: readonly number[]) =>
    planJobs(
      chosen.map((item, i) => {
        const id = i * (ALPHAS.length + 1);
        const variants = alphas.map((alpha, k): TokenEval => {
          return { ...item, id: id + 1 + k, steer: { layer, vector: 0, alpha, scope: 'last' } };
        });
        // The first strength evaluates the prompt; the others share it.
        const [first, ...rest] = variants as [TokenEval, ...TokenEval[]];
        return { item: first, variants: rest, order: i, isolated: false };
      }),
    ).jobs;
  const sizing = chooseSizing(header, chosen, 'exact', 0, hostFacts().freeBytes / 3);
  const measured = [[ALPHAS[4] as number], ALPHAS].map(alphas => ({
    jobs: jobsFor(alphas),
    seconds: [] as number[],
    cpu: [] as number[],
    tokens: 0,
  }));
  await pool.configure({
    ...sizing,
    schedule: 'exact',
    ...PLAIN,
    threads,
    taps: [],
    vectors,
    stopAtTaps: false,
  });
  for (let round = 0; round < rounds; round++) {
    for (const entry of measured) {
      events.onStage(
        `round ${round + 1} of ${rounds}: ${entry === measured[0] ? 'one alpha' : 'five alphas'}`,
      );
      const began = performance.now();
      const counters = await pool.run(entry.jobs, {
        onOutcome() {},
        onFailure(_id, error) {
          throw error;
        },
      });
      entry.seconds.push((performance.now() - began) / 1000);
      entry.cpu.push(counters.cpuMs);
      entry.tokens = counters.tokens;
    }
  }
  const [one, five] = measured as [(typeof measured)[number], (typeof measured)[number]];
  return {
    prompts: chosen.length,
    promptTokens: chosen.reduce((sum, item) => sum + item.prompt.length, 0) / chosen.length,
    tokenRatio: five.tokens / one.tokens,
    wallRatio: median(five.seconds) / median(one.seconds),
    cpuRatio: median(five.cpu) / median(one.cpu),
  };
}

function median(values: readonly number[]): number {
  return moments(values).median ?? Number.NaN;
}
