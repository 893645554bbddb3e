import type { Schedule } from '../../engine/executor.js';
import { type JobPlan, planJobs } from '../../engine/jobs.js';
import { EXACT_RECIPES, type Recipe, UNIFIED } from '../../engine/recipe.js';
import type { ContextOptions } from '../../engine/session.js';
import type { EvalOutcome, Job, TapSpec, TokenEval } from '../../engine/types.js';
import { PROFILES } from '../../prompt/profiles.js';
import type { Profile } from '../../prompt/types.js';
import { type Judge, type JudgeEvents, type ReadyJudge, readyJudge } from '../judge.js';
import type { EngineOptions } from '../options.js';
import { marginsOf, projectionsOf } from './compare.js';
import type { Measure } from './types.js';

/** llama.cpp as it is: flash attention, one prompt per decode, nothing shared, no row that is not asked for. */
export const SEQUENTIAL: Recipe = { flashAttention: true, tile: 1, least: 1, most: Number.POSITIVE_INFINITY };

export function sameRecipe(a: Recipe, b: Recipe): boolean {
  return a.flashAttention === b.flashAttention && a.least === b.least && a.most === b.most;
}

export function recipeName(recipe: Recipe): string {
  const known = Object.entries(EXACT_RECIPES).find(([, other]) => sameRecipe(other, recipe));
  return known?.[0] ?? `${recipe.flashAttention ? 'flash' : 'plain'} from ${recipe.least} tokens`;
}

/** The standard prompt with the rule behind the scenario: the conditions of a sample share most of it. */
export const SCENARIO_FIRST: Profile = {
  ...PROFILES.standard,
  name: 'standard, scenario first',
  parts: [
    { text: 'Scenario: ' },
    { field: 'scenario' },
    { text: '\nRule: ' },
    { field: 'rule' },
    ...PROFILES.standard.parts.slice(-1),
  ],
};

/** A job in one open model, ready for every way of doing it. */
export interface Subject {
  readonly judge: ReadyJudge;
  readonly evals: readonly TokenEval[];
  readonly plan: JobPlan;
  readonly recipe: Recipe;
  /** false: on this machine the schedule makes no claim, and none is checked. */
  readonly exact: boolean;
}

/** Evaluations of a judge as a job of their own, with recipe and sizing as an audit or a sweep would choose them. */
export async function subjectOf(
  judge: Judge,
  evals: readonly TokenEval[],
  engine: EngineOptions,
  events: JudgeEvents,
  plan: JobPlan = planJobs(evals.map(item => ({ item, order: item.id, isolated: false }))),
): Promise<Subject> {
  const ready = await readyJudge({ ...judge, evals, plan }, engine, events);
  const { tile, kind } = ready.exactness;
  return { judge: ready, evals, plan, recipe: { ...ready.recipe, tile }, exact: kind === 'exact' };
}

/** The readings that every contestant can give: both labels' first tokens at the end of the prompt, no text. */
export function bareEvals(evals: readonly TokenEval[]): TokenEval[] {
  return evals.map(item => ({
    ...item,
    labels: item.labels.map(label => label.slice(0, 1)),
    generate: null,
  }));
}

/** How a subject's job is done. */
export interface Way {
  readonly schedule: Schedule;
  readonly recipe: Recipe;
  readonly taps: readonly TapSpec[];
  readonly stopAtTaps?: boolean;
  readonly vectors?: Float32Array;
  /** One stream and no parked prefix. */
  readonly oneStream?: boolean;
}

/** Makes the contexts anew, unmeasured, and runs the jobs. */
export async function measureWay(
  subject: Subject,
  jobs: readonly Job[],
  threads: number,
  way: Way,
): Promise<Measure> {
  const { pool, sizing } = subject.judge;
  const few = way.schedule === 'single' || way.oneStream === true;
  const context: ContextOptions = {
    ...sizing,
    ...(few ? { lanes: 1, parks: 0 } : {}),
    ...(way.schedule === 'unified' ? UNIFIED : way.recipe),
    schedule: way.schedule,
    threads,
    taps: way.taps,
    vectors: way.vectors ?? new Float32Array(),
    stopAtTaps: way.stopAtTaps ?? false,
  };
  await pool.configure(context);
  const outcomes = new Map<number, EvalOutcome>();
  const cpu = process.cpuUsage();
  const began = performance.now();
  const counters = await pool.run(jobs, {
    onOutcome: outcome => outcomes.set(outcome.id, outcome),
    onFailure(_id, error) {
      throw error;
    },
  });
  const wallSeconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const ordered = [...outcomes.values()].sort((a, b) => a.id - b.id);
  return {
    cpuSeconds: counters.cpuMs / 1000,
    wallSeconds,
    counters,
    parentCpuSeconds: (user + system) / 1e6,
    outcomes,
    margins: marginsOf(ordered),
    projections: projectionsOf(ordered),
  };
}
