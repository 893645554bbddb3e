import { simulateJobs } from '../engine/simulate.js';
import type { Job } from '../engine/types.js';
import type { ConfiguredJudge } from './judge.js';

/** How long the evaluations of a run will take on this machine, from a sample of its own jobs. */
export interface Prediction {
  /** Wall time of all evaluations; loading, the choice of the split, the proof and the analysis come on top. */
  readonly seconds: number;
  /** CPU seconds of all engine processes. */
  readonly cpuSeconds: number;
  readonly split: { readonly workers: number; readonly threads: number };
  /** What was measured. Rates hold for the machine as busy as it was then. */
  readonly sample: {
    readonly evaluations: number;
    readonly seconds: number;
    /** Prompt, label and padding tokens a second, generation and overhead included in the time. */
    readonly tokensPerSecond: number;
    /** Mean over the sample. The rest of the run is assumed to generate as much. */
    readonly generatedPerEvaluation: number;
  };
}

/** A sample ends when it has taken this long; a further one is not begun when it might pass the bound. */
const ENOUGH_SECONDS = 2;
const BOUND_SECONDS = 60;

/**
 * Runs growing samples of the plan's jobs, evenly spread over it, and scales the last one up by the tokens that the
 * schedule evaluates for it and for the whole plan. Null when not even the first sample, one job a process, ends within a
 * minute: then the pool's processes have been ended through `stop`.
 */
export async function predictRun(judge: ConfiguredJudge, stop: AbortController): Promise<Prediction | null> {
  const { pool, plan, split, context } = judge;
  const timer = setTimeout(() => stop.abort(), BOUND_SECONDS * 1000);
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / 1000;
  try {
    for (let count = split.workers; ; count *= 2) {
      const jobs = spread(plan.jobs, count);
      // A fresh context: it holds nothing of the sample before.
      await pool.configure(context);
      const start = elapsed();
      let evaluations = 0;
      const counters = await pool.run(jobs, {
        onOutcome: () => evaluations++,
        onFailure(_id, error) {
          throw error;
        },
      });
      if (stop.signal.aborted) return null;
      const seconds = elapsed() - start;
      const last = jobs.length === plan.jobs.length || seconds >= ENOUGH_SECONDS;
      if (!last && elapsed() + 2 * seconds < BOUND_SECONDS / 2) continue;
      const sampled = (await simulateJobs(jobs, context)).tokens;
      const whole = (await simulateJobs(plan.jobs, context)).tokens;
      return {
        seconds: (seconds * whole) / sampled,
        cpuSeconds: ((counters.cpuMs / 1000) * whole) / sampled,
        split: { workers: split.workers, threads: split.threads },
        sample: {
          evaluations,
          seconds,
          tokensPerSecond: sampled / seconds,
          generatedPerEvaluation: counters.generation / evaluations,
        },
      };
    }
  } catch (error) {
    if (stop.signal.aborted) return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** `count` of them, evenly spread; all when there are no more. */
function spread(jobs: readonly Job[], count: number): readonly Job[] {
  if (count >= jobs.length) return jobs;
  return Array.from({ length: count }, (_, i) => jobs[Math.floor((i * jobs.length) / count)] as Job);
}
