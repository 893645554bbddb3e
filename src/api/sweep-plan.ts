import type { PlannedRow } from '../audit/plan.js';
import {
  FITTED,
  planSteps,
  SCOPES,
  type Scope,
  type SteeringPlan,
  type SweepStep,
} from '../audit/sweep-plan.js';
import type { SweepRow } from '../audit/sweep-readings.js';
import type { Grain } from '../engine/chunk.js';
import type { Schedule } from '../engine/executor.js';
import { type JobPlan, planJobs } from '../engine/jobs.js';
import { simulateJobs } from '../engine/simulate.js';
import type { Sizing } from '../engine/sizing.js';
import type { Job } from '../engine/types.js';
import type { Judge } from './judge.js';

/** The evaluations of a sweep: each sample as it is, and steered in every way, in one family. */
export interface SweepPlan {
  readonly steering: SteeringPlan;
  readonly steps: readonly SweepStep[];
  readonly rows: readonly SweepRow[];
  readonly jobs: JobPlan;
  /** Rows per sample; sample i has the rows i · family … i · family + family - 1, the unsteered one first. */
  readonly family: number;
}

/** Plans the sweep of an open judge whose rows are the unsteered prompts. Evaluation ids are row numbers. */
export function planSweep(judge: Judge, base: readonly PlannedRow[], steering: SteeringPlan): SweepPlan {
  const steps = planSteps(steering);
  return {
    steering,
    steps,
    rows: base.flatMap(row => [{ base: row, step: null }, ...steps.map(step => ({ base: row, step }))]),
    jobs: familyJobs(judge, steps, 1 + steps.length),
    family: 1 + steps.length,
  };
}

function familyJobs(judge: Judge, steps: readonly SweepStep[], family: number): JobPlan {
  return planJobs(
    judge.evals.map(item => {
      const id = item.id * family;
      return {
        item: { ...item, id, isReference: true },
        variants: steps.map(({ layer, vector, factor, scope }, i) => ({
          ...item,
          id: id + 1 + i,
          steer: { layer, vector, alpha: factor, scope },
        })),
        order: id,
        isolated: false,
      };
    }),
  );
}

/** The jobs that are left: a family with a steered row to do keeps its unsteered evaluation, which the others refer to. */
export function jobsLeft(plan: SweepPlan, isDone: (row: SweepRow) => boolean): readonly Job[] {
  const done = plan.rows.map(isDone);
  const open = new Set(done.flatMap((is, id) => (is ? [] : [Math.floor(id / plan.family)])));
  return plan.jobs.jobs
    .map(job => ({
      ...job,
      evals: job.evals.filter(({ id }) =>
        id % plan.family === 0 ? open.has(id / plan.family) : done[id] !== true,
      ),
    }))
    .filter(job => job.evals.length > 0);
}

/** Tokens that the schedule evaluates, generation left out. */
export interface SweepCost {
  /** The prompts alone, unsteered. */
  readonly unsteered: number;
  readonly scopes: readonly ScopeCost[];
}

export interface ScopeCost {
  readonly scope: Scope;
  /** Steered evaluations of one sample. */
  readonly evaluations: number;
  /** Tokens that they take on top of the unsteered ones, over all samples. */
  readonly tokens: number;
  /** Of one sample: what one more evaluation takes on average. */
  readonly perEvaluation: number;
}

/** Plays the jobs through without computing anything, scope by scope. */
export async function costOfSweep(
  judge: Judge,
  plan: Pick<SweepPlan, 'steps'>,
  options: Sizing & Grain & { readonly schedule: Schedule },
): Promise<SweepCost> {
  const tokensOf = async (steps: readonly SweepStep[]): Promise<number> =>
    (await simulateJobs(familyJobs(judge, steps, 1 + steps.length).jobs, options)).tokens;
  const unsteered = await tokensOf([]);
  const scopes: ScopeCost[] = [];
  for (const scope of SCOPES) {
    const steps = plan.steps.filter(step => step.scope === scope);
    if (steps.length === 0) continue;
    const tokens = (await tokensOf(steps)) - unsteered;
    const evaluations = steps.length;
    scopes.push({ scope, evaluations, tokens, perEvaluation: tokens / evaluations / judge.evals.length });
  }
  return { unsteered, scopes };
}

/** What alpha 0 of every layer and scope is called for: it must be the unsteered row. */
export function isIdentity(step: SweepStep): boolean {
  return step.alpha === 0 && step.direction === FITTED;
}
