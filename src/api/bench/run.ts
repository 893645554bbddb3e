import { basename } from 'node:path';
import { hostFacts } from '../../engine/hardware.js';
import type { TokenEval } from '../../engine/types.js';
import { PROFILES } from '../../prompt/profiles.js';
import { type Judge, type JudgeEvents, openJudge, replanJudge } from '../judge.js';
import { type AuditOptions, DEFAULT_ENGINE, DEFAULTS, type EngineOptions } from '../options.js';
import { type PreparedAudit, prepareAudit } from '../prepare.js';
import { ALPHAS, ownContestants, type Scope, type Subjects, steeredPlan } from './contestants.js';
import { type BenchJob, jobOf } from './job.js';
import { runRounds } from './rounds.js';
import { childProcesses, mostResident, startupMeter } from './startup.js';
import { bareEvals, recipeName, SCENARIO_FIRST, type Subject, subjectOf } from './subject.js';
import { ownTargets } from './targets.js';
import type { Bench, BenchRow, Contestant, EngineMemory, Target } from './types.js';

export interface BenchOptions {
  readonly model: string;
  readonly corpus: string;
  readonly domains: readonly string[] | null;
  readonly perDomain: number;
  readonly rounds: number;
  readonly threads: number;
}

/** Contestants from elsewhere, in the same rounds. */
export interface Others {
  readonly contestants: readonly Contestant[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  targets(rows: readonly BenchRow[]): readonly Target[];
  close(): Promise<void>;
}

export const NO_OTHERS: Others = { contestants: [], skipped: [], targets: () => [], close: async () => {} };

/** Prompts that are steered: all over the job, because neighbours share prefixes. */
const ALPHA_PROMPTS = 6;

/**
 * Runs one audit in every way, interleaved, with one engine process on the CPU, and compares. CPU seconds are those of
 * the engine; times are of this machine at this moment, ratios are what carries over. Throws BENCH_MISMATCH when a way
 * that claims the bits of one prompt per decode has others.
 */
export async function bench(
  options: BenchOptions,
  events: JudgeEvents,
  open: (job: BenchJob) => Promise<Others> = async () => NO_OTHERS,
): Promise<Bench> {
  const audit = auditOf(options);
  const prepared = await prepareAudit(audit);
  const { engine } = audit;
  const earlier = new Set(childProcesses());
  const judge = await openJudge(options.model, prepared.rows, audit.profile, engine, events);
  let others = NO_OTHERS;
  try {
    const pid = childProcesses().find(child => !earlier.has(child));
    const subjects = await subjectsOf(judge, prepared, engine, options.threads, events);
    others = await open(jobOf(subjects, options.model));
    const startup = startupMeter(options.model);
    const contestants = [...ownContestants(subjects), ...others.contestants];
    const rows = await runRounds(contestants, options.rounds, events.onStage, startup.measure);
    const { plan, recipe } = subjects.audit;
    const { header, pool } = judge;
    return {
      model: { name: header.name ?? basename(options.model), format: subjects.format, bytes: header.bytes },
      host: {
        cpu: hostFacts().cpu,
        cores: hostFacts().cores,
        node: process.version,
        release: pool.facts.release,
      },
      corpus: options.corpus,
      samples: prepared.cases.length,
      evaluations: judge.evals.length,
      sequenceTokens: plan.sequenceTokens,
      nodes: plan.nodes,
      alphaPrompts: subjects.alphas.last.evals.length,
      layer: subjects.layer,
      recipes: {
        audit: recipeName(recipe),
        whole: recipeName((subjects.whole ?? subjects.audit).recipe),
        scenarioFirst: recipeName((subjects.scenarioFirst ?? subjects.audit).recipe),
        last: recipeName(subjects.alphas.last.recipe),
        all: recipeName(subjects.alphas.all.recipe),
      },
      rounds: options.rounds,
      workers: 1,
      threads: options.threads,
      rows,
      startup: startup.read(),
      memory: memoryOf(pid, subjects),
      targets: [...ownTargets(rows), ...others.targets(rows)],
      skipped: others.skipped,
    };
  } finally {
    await others.close();
    await judge.pool.dispose();
  }
}

function auditOf({ model, corpus, domains, perDomain, threads }: BenchOptions): AuditOptions {
  return {
    ...DEFAULTS,
    // Evaluated apart by its nature, in every schedule.
    conditions: ['baseline', 'delete', 'swap', 'negate'],
    placebo: 'off',
    corpus,
    domains,
    perDomain,
    model,
    profile: PROFILES.standard,
    engine: { ...DEFAULT_ENGINE, gpu: 'off', workers: 1, threads },
  };
}

async function subjectsOf(
  judge: Judge,
  prepared: PreparedAudit,
  engine: EngineOptions,
  threads: number,
  events: JudgeEvents,
): Promise<Subjects> {
  const { header, evals } = judge;
  const first = await prepareAudit({ ...prepared.options, profile: SCENARIO_FIRST });
  const turned = await replanJudge(judge, first.rows, SCENARIO_FIRST, engine);
  const layer = Math.floor(header.nLayer / 2);
  const stride = Math.max(1, Math.floor(evals.length / ALPHA_PROMPTS));
  const spread = evals.filter((_, i) => i % stride === 0).slice(0, ALPHA_PROMPTS);
  return {
    audit: await subjectOf(judge, bareEvals(evals), engine, events),
    whole: await subjectOf(judge, evals, engine, events),
    scenarioFirst: await subjectOf(turned, bareEvals(turned.evals), engine, events),
    alphas: await alphaSubjects(judge, bareEvals(spread), layer, engine, events),
    format: header.dominantType ?? 'unknown',
    layer,
    threads,
  };
}

async function alphaSubjects(
  judge: Judge,
  evals: readonly TokenEval[],
  layer: number,
  engine: EngineOptions,
  events: JudgeEvents,
): Promise<Subjects['alphas']> {
  const of = (scope: Scope): Promise<Subject> =>
    subjectOf(judge, evals, engine, events, steeredPlan(evals, layer, ALPHAS, scope));
  return { last: await of('last'), all: await of('all') };
}

/** The job of another model file on the same token ids, for rows beside those of the first. */
export async function sameJob(
  subjects: Subjects,
  model: string,
  engine: EngineOptions,
  events: JudgeEvents,
): Promise<{ readonly subjects: Subjects; readonly close: () => Promise<void> }> {
  const other = await openJudge(model, [], PROFILES.standard, engine, events);
  try {
    const { audit, alphas, layer } = subjects;
    return {
      subjects: {
        ...subjects,
        audit: await subjectOf(other, audit.evals, engine, events),
        whole: null,
        scenarioFirst: null,
        alphas: await alphaSubjects(other, alphas.last.evals, layer, engine, events),
        format: other.header.dominantType ?? 'unknown',
      },
      close: () => other.pool.dispose(),
    };
  } catch (error) {
    await other.pool.dispose();
    throw error;
  }
}

function memoryOf(pid: number | undefined, { audit, whole }: Subjects): EngineMemory | null {
  const mostBytes = pid === undefined ? null : mostResident(pid);
  if (mostBytes === null) return null;
  const kvBytes = Math.max(audit.judge.sizing.kvBytes, whole?.judge.sizing.kvBytes ?? 0);
  return { mostBytes, weightBytes: audit.judge.header.bytes, kvBytes };
}
