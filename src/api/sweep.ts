import { join } from 'node:path';
import { alphasOf, type SteeringPlan } from '../audit/sweep-plan.js';
import { hostFacts } from '../engine/hardware.js';
import { chooseRecipe } from '../engine/recipe.js';
import { chooseSizing } from '../engine/sizing.js';
import type { Counters } from '../engine/types.js';
import { PlumblineError } from '../errors.js';
import { createRun, requireVacant } from '../run/directory.js';
import { diffManifest, type Manifest, planHash } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import { openForResume } from '../run/resume.js';
import type { Exactness } from '../run/types.js';
import { unlessAborted } from './aborted.js';
import { DIRECTION_FOLDER, keepDirection } from './direction.js';
import { type Judge, type JudgeEvents, openJudge, type ReadyJudge, readyJudge } from './judge.js';
import { localOf, manifestOf, optionsOf } from './manifest.js';
import type { PreparedAudit } from './prepare.js';
import { openSweepDirection, type SweepDirection, steeredLayers } from './sweep-direction.js';
import { executeSweep } from './sweep-execute.js';
import { prepareSweep, type SweepOptions } from './sweep-options.js';
import { costOfSweep, planSweep, type SweepCost, type SweepPlan } from './sweep-plan.js';

/** When `signal` aborts, what has landed is written, and the sweep can be resumed. */
export interface SweepEvents extends JudgeEvents {
  /** Called whenever a row has landed. */
  onRow(done: number, total: number): void;
  /** What was chosen, before the first evaluation. */
  onReady(ready: ReadySweep): void;
}

export interface ReadySweep {
  readonly prepared: PreparedAudit;
  readonly judge: ReadyJudge;
  readonly plan: SweepPlan;
  readonly scale: NonNullable<Manifest['steering']>['scale'];
  readonly direction: NonNullable<Manifest['direction']>;
  readonly cost: SweepCost;
}

export interface SweepResult {
  readonly dir: string;
  readonly rows: number;
  readonly errors: number;
  readonly interrupted: boolean;
  /** true: a resumed run had nothing left to do. */
  readonly alreadyComplete: boolean;
  readonly exactness: Exactness | null;
  readonly counters: Counters | null;
  readonly seconds: number;
}

/**
 * Steers a model along a direction over alphas, layers and scopes, into a new run directory. Every sample is evaluated
 * unsteered as well; in an exact run alpha 0 must equal that bit for bit.
 * Throws what the stages throw, and DECODE when alpha 0 is not the unsteered evaluation.
 */
export async function sweep(
  options: SweepOptions,
  dir: string,
  argv: readonly string[],
  events: SweepEvents,
): Promise<SweepResult> {
  requireVacant(dir);
  const prepared = await prepareSweep(options);
  return withSweep(prepared, options, null, events, async ready => {
    const writer = createRun(dir, sweepManifest(ready, argv), localOf(prepared.options, argv));
    try {
      keepDirection(dir, options.direction);
    } catch (error) {
      writer.close();
      throw error;
    }
    return executeSweep({ ...ready, writer, earlier: [], derivedDone: new Set(), dir }, events);
  });
}

/** Goes on with a sweep; all settings come from its manifest. Throws RUN_MISMATCH with the differences; USAGE for a run that is no sweep. */
export async function resumeSweep(dir: string, events: SweepEvents): Promise<SweepResult> {
  const run = openForResume(dir);
  try {
    const { manifest } = run;
    const options = sweepOptionsOf(dir, manifest, optionsOf(manifest, run.local, dir));
    if (run.complete) return finished(dir, run.done.size);
    const prepared = await prepareSweep(options, manifest.sampleIds);
    return await withSweep(prepared, options, manifest, events, async ready => {
      const differences = diffManifest(manifest, sweepManifest(ready, manifest.argv));
      if (differences.length > 0) {
        throw new PlumblineError(
          'RUN_MISMATCH',
          `${dir} cannot be resumed with what is here now:\n  ${differences.join('\n  ')}\n` +
            'Restore what it was made with, or start a new run with another --out.',
        );
      }
      const earlier = readReadings(dir);
      return executeSweep(
        { ...ready, writer: run.openWriter(), earlier, derivedDone: run.derivedDone, dir },
        events,
      );
    });
  } finally {
    run.close();
  }
}

/** What a sweep would do, and what it would cost in tokens. */
export interface DrySweep {
  readonly samples: number;
  readonly rows: number;
  readonly tooLong: number;
  readonly layers: readonly number[];
  readonly cost: SweepCost;
}

/** Plans a sweep; its jobs are played through without computing anything. */
export async function drySweep(options: SweepOptions, onStage: (text: string) => void): Promise<DrySweep> {
  const prepared = await prepareSweep(options);
  const judge = await openFor(prepared, { onStage, onLoad() {} });
  try {
    const direction = await openSweepDirection(options, judge, prepared.options.seed);
    const layers = direction.layers.map(layer => ({ layer, step: 1, residualNorm: 1, measured: false }));
    const plan = planSweep(judge, prepared.rows, steeringOf(options, layers));
    const { schedule } = prepared.options.engine;
    const recipe = await chooseRecipe(judge.header, plan.jobs, judge.evals, schedule, {
      backend: judge.backend,
      instructions: judge.pool.facts.systemInfo,
    });
    const sizing = chooseSizing(
      judge.header,
      judge.evals,
      schedule,
      plan.jobs.sharedPrefixes,
      hostFacts().freeBytes,
    );
    return {
      samples: prepared.cases.length,
      rows: plan.rows.length,
      tooLong: judge.tooLong.size,
      layers: direction.layers,
      cost: await costOfSweep(judge, plan, { ...sizing, ...recipe, schedule }),
    };
  } finally {
    await judge.pool.dispose();
  }
}

function steeringOf(options: SweepOptions, layers: SteeringPlan['layers']): SteeringPlan {
  const { scopes, random, nudge } = options;
  return { alphas: alphasOf(options.alphas), layers, scopes, random, nudge };
}

async function openFor({ options, rows }: PreparedAudit, events: JudgeEvents): Promise<Judge> {
  if (options.model === null)
    throw new PlumblineError('USAGE', 'No model was named: give --model FILE.gguf.');
  return openJudge(options.model, rows, options.profile, options.engine, events);
}

/** `known` is the manifest of a run that goes on: its split of the cores and its lengths of steps hold. */
async function withSweep<T>(
  prepared: PreparedAudit,
  options: SweepOptions,
  known: Manifest | null,
  events: SweepEvents,
  use: (ready: ReadySweep) => Promise<T>,
): Promise<T> {
  const { engine, seed } = prepared.options;
  const { signal } = events;
  const opened = await unlessAborted(signal, () => openFor(prepared, events));
  try {
    const direction: SweepDirection = await openSweepDirection(options, opened, seed);
    const layers =
      known?.steering?.layers ??
      (await unlessAborted(signal, () => steeredLayers(direction, options.scale, opened, engine, events)));
    const plan = planSweep(opened, prepared.rows, steeringOf(options, layers));
    const judge = await unlessAborted(signal, () =>
      readyJudge({ ...opened, plan: plan.jobs }, engine, events, {
        ...(known === null ? {} : { split: { workers: known.workers, threads: known.threads } }),
        vectors: direction.vectors,
      }),
    );
    const { sizing, recipe } = judge;
    const cost = await costOfSweep(judge, plan, { ...sizing, ...recipe, schedule: engine.schedule });
    const ready = { prepared, judge, plan, scale: options.scale, direction: direction.manifest, cost };
    events.onReady(ready);
    return await use(ready);
  } finally {
    await opened.pool.dispose();
  }
}

function sweepManifest(
  { prepared, judge, plan, scale, direction }: ReadySweep,
  argv: readonly string[],
): Manifest {
  const { alphas, layers, scopes, random, nudge } = plan.steering;
  const [only] = scopes;
  const whole: Manifest = {
    ...manifestOf(prepared, judge, null, argv),
    plannedRows: plan.rows.length,
    alphas,
    layers: layers.map(({ layer }) => layer),
    positionScope: scopes.length > 1 ? 'both' : (only ?? null),
    steering: { scale, random, nudge, layers },
    direction,
  };
  return { ...whole, planHash: planHash(whole) };
}

/** The options that a sweep was made with. */
function sweepOptionsOf(dir: string, manifest: Manifest, audit: SweepOptions['audit']): SweepOptions {
  const { steering, direction, positionScope } = manifest;
  if (steering === undefined || direction === null || positionScope === null) {
    throw new PlumblineError(
      'USAGE',
      `${dir} is no sweep; go on with it by \`plumbline audit --resume ${dir}\`.`,
    );
  }
  return {
    audit,
    direction: join(dir, DIRECTION_FOLDER, direction.name),
    // It was checked when the run was made; its hash is compared with the manifest.
    force: true,
    layers: manifest.layers,
    alphas: manifest.alphas,
    scopes: positionScope === 'both' ? ['last', 'all'] : [positionScope],
    scale: steering.scale,
    random: steering.random,
    nudge: steering.nudge,
    partition: null,
    group: 'all',
  };
}

function finished(dir: string, rows: number): SweepResult {
  return {
    dir,
    rows,
    errors: 0,
    interrupted: false,
    alreadyComplete: true,
    exactness: null,
    counters: null,
    seconds: 0,
  };
}
