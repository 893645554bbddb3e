import { randomDirections } from '../../direction/vector.js';
import type { Schedule } from '../../engine/executor.js';
import { type JobPlan, planJobs } from '../../engine/jobs.js';
import type { Recipe } from '../../engine/recipe.js';
import { EXACT_RECIPES } from '../../engine/recipe.js';
import type { Job, TapSpec, TokenEval } from '../../engine/types.js';
import { measureWay, SEQUENTIAL, type Subject, sameRecipe, type Way } from './subject.js';
import type { Contestant, Workload } from './types.js';

export type Scope = 'last' | 'all';

export const ALPHAS = [-1, -0.5, 0, 0.5, 1] as const;

/** Jobs of one model; a model that is only set beside another one has no baseline of its own. */
export interface Subjects {
  readonly audit: Subject;
  readonly whole: Subject | null;
  readonly scenarioFirst: Subject | null;
  /** Prompts at five strengths, by where they are steered. */
  readonly alphas: Readonly<Record<Scope, Subject>>;
  readonly format: string;
  readonly layer: number;
  readonly threads: number;
}

/** The direction that is read and added. */
export function benchDirection(nEmbd: number): Float32Array {
  return randomDirections(1, nEmbd, 0);
}

export const BASELINE = {
  audit: 'audit/llama.cpp',
  captured: 'audit/llama.cpp/capture',
  ics: 'ICS only/llama.cpp/early exit',
  separate: 'alphas/llama.cpp/separate',
  sharedPrefix: 'alphas/llama.cpp/shared prefix',
  one: 'alphas/exact/one',
  last: 'alphas/exact/last',
  all: 'alphas/exact/all',
  exact: 'audit/exact/capture',
  exactIcs: 'ICS only/exact',
} as const;

/** Every way of doing every job with this project's own engine. */
export function ownContestants(subjects: Subjects): Contestant[] {
  const { audit, whole, scenarioFirst } = subjects;
  return [
    ...auditContestants('audit', audit, subjects, true),
    ...(whole === null ? [] : auditContestants('whole audit', whole, subjects, false)),
    ...(scenarioFirst === null ? [] : auditContestants('scenario first', scenarioFirst, subjects, false)),
    ...icsContestants(audit, subjects),
    ...alphaContestants(subjects),
  ];
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly against: string;
  readonly equals?: string;
  readonly near?: string;
}

function contestant(
  workload: Workload,
  subject: Subject,
  { format, threads }: Subjects,
  entry: Entry,
  way: Way,
  jobs: readonly Job[] = subject.plan.jobs,
): Contestant {
  return {
    workload,
    format,
    id: entry.id,
    name: entry.name,
    against: entry.against,
    equals: subject.exact ? (entry.equals ?? null) : null,
    near: entry.near ?? null,
    nodes: workload === 'alphas' ? null : subject.plan.nodes,
    measure: () => measureWay(subject, jobs, threads, way),
  };
}

function tapsOf(subject: Subject, layer: number): readonly TapSpec[] {
  return [{ layer, directions: benchDirection(subject.judge.header.nEmbd), keepActivations: false }];
}

function auditContestants(
  workload: Workload,
  subject: Subject,
  subjects: Subjects,
  everyWay: boolean,
): Contestant[] {
  const { recipe } = subject;
  const taps = tapsOf(subject, subjects.layer);
  const base = `${workload}/llama.cpp`;
  const captured = `${base}/capture`;
  const single = `${workload}/single/capture`;
  const row = (entry: Omit<Entry, 'against'>, way: Way): Contestant =>
    contestant(workload, subject, subjects, { against: base, ...entry }, way);
  const exact = (name: string, id: string, way: Partial<Way>): Contestant =>
    row(
      {
        id: `${workload}/${id}`,
        name,
        equals: way.taps === undefined ? single : `${workload}/single`,
        near: captured,
      },
      { schedule: 'exact', recipe, taps, ...way },
    );
  const bare: Way = { schedule: 'single', recipe: SEQUENTIAL, taps: [] };
  const rows = [
    row({ id: base, name: 'llama.cpp' }, bare),
    row({ id: captured, name: 'llama.cpp, capture' }, { ...bare, taps }),
    row({ id: single, name: 'single, capture', near: captured }, { schedule: 'single', recipe, taps }),
    exact('exact, capture', 'exact/capture', {}),
  ];
  if (!everyWay) return rows;
  const forced = Object.entries(EXACT_RECIPES).filter(([, other]) => !sameRecipe(other, recipe));
  return [
    ...rows,
    row({ id: `${workload}/single`, name: 'single', near: base }, { schedule: 'single', recipe, taps: [] }),
    exact('exact', 'exact', { taps: [] }),
    ...forced.flatMap(([name, other]) => forcedRecipe(workload, name, other, row, taps)),
    row(
      { id: `${workload}/unified/capture`, name: 'unified, capture', near: captured },
      { schedule: 'unified', recipe, taps },
    ),
  ];
}

/** A recipe that was not chosen, and the sequence that its bits are held against. */
function forcedRecipe(
  workload: Workload,
  name: string,
  recipe: Way['recipe'],
  row: (entry: Omit<Entry, 'against'>, way: Way) => Contestant,
  taps: readonly TapSpec[],
): Contestant[] {
  const way = (schedule: Schedule): Way => ({ schedule, recipe, taps });
  const single = `${workload}/single/${name}`;
  const near = `${workload}/llama.cpp/capture`;
  return [
    row({ id: single, name: `single, ${name}, capture`, near }, way('single')),
    row(
      { id: `${workload}/exact/${name}`, name: `exact, ${name}, capture`, equals: single, near },
      way('exact'),
    ),
  ];
}

function icsContestants(subject: Subject, subjects: Subjects): Contestant[] {
  const { recipe } = subject;
  const taps = tapsOf(subject, subjects.layer);
  const row = (entry: Omit<Entry, 'against'>, way: Omit<Way, 'taps' | 'stopAtTaps'>): Contestant =>
    contestant(
      'ICS only',
      subject,
      subjects,
      { against: BASELINE.audit, ...entry },
      {
        ...way,
        taps,
        stopAtTaps: true,
      },
    );
  return [
    row(
      { id: BASELINE.ics, name: 'llama.cpp, early exit', near: BASELINE.captured },
      {
        schedule: 'single',
        recipe: SEQUENTIAL,
      },
    ),
    row(
      { id: 'ICS only/single', name: 'single, early exit', near: BASELINE.captured },
      {
        schedule: 'single',
        recipe,
      },
    ),
    row(
      {
        id: BASELINE.exactIcs,
        name: 'exact, early exit',
        equals: 'ICS only/single',
        near: BASELINE.captured,
      },
      { schedule: 'exact', recipe },
    ),
  ];
}

/** The evaluations of a prompt at some strengths; the first evaluates it, the others stand behind it on its stream. */
export function steeredPlan(
  evals: readonly TokenEval[],
  layer: number,
  alphas: readonly number[],
  scope: Scope,
): JobPlan {
  return planJobs(
    evals.map((item, i) => {
      const [first, ...variants] = alphas.map((alpha, k): TokenEval => {
        return { ...item, id: i * ALPHAS.length + k, steer: { layer, vector: 0, alpha, scope } };
      });
      return { item: first as TokenEval, variants, order: i, isolated: false };
    }),
  );
}

function alphaContestants(subjects: Subjects): Contestant[] {
  const { alphas, layer } = subjects;
  const row = (
    entry: Omit<Entry, 'against'>,
    scope: Scope,
    way: Omit<Way, 'taps' | 'vectors' | 'recipe'> & { readonly recipe?: Recipe },
    strengths: readonly number[] = ALPHAS,
  ): Contestant => {
    const subject = alphas[scope];
    const vectors = benchDirection(subject.judge.header.nEmbd);
    return contestant(
      'alphas',
      subject,
      subjects,
      { against: BASELINE.separate, ...entry },
      { recipe: subject.recipe, ...way, vectors, taps: [] },
      steeredPlan(subject.evals, layer, strengths, scope).jobs,
    );
  };
  const exact = { schedule: 'exact' } as const;
  const single = { schedule: 'single' } as const;
  const sequential = { schedule: 'single', recipe: SEQUENTIAL } as const;
  const near = BASELINE.separate;
  const nearAll = 'alphas/llama.cpp/all';
  return [
    row({ id: near, name: 'llama.cpp, five passes, last' }, 'last', sequential),
    row({ id: BASELINE.sharedPrefix, name: 'llama.cpp, own prefix, last', near }, 'last', {
      schedule: 'exact',
      recipe: SEQUENTIAL,
      oneStream: true,
    }),
    row({ id: 'alphas/single/last', name: 'single, five, last', near }, 'last', single),
    row({ id: BASELINE.one, name: 'exact, one, last' }, 'last', exact, ALPHAS.slice(-1)),
    row({ id: BASELINE.last, name: 'exact, five, last', equals: 'alphas/single/last', near }, 'last', exact),
    row({ id: nearAll, name: 'llama.cpp, five passes, all' }, 'all', sequential),
    row({ id: 'alphas/single/all', name: 'single, five, all', near: nearAll }, 'all', single),
    row(
      { id: BASELINE.all, name: 'exact, five, all', equals: 'alphas/single/all', near: nearAll },
      'all',
      exact,
    ),
  ];
}
