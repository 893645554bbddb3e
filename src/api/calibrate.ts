import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type CalibrationCheck,
  calibrationFigures,
  type Evidence,
  type Intervals,
  judgeFigures,
} from '../audit/calibrate.js';
import type { Known, KnownPrompt } from '../audit/calibrate-known.js';
import { readNpy } from '../direction/npy.js';
import { messageOf, PlumblineError } from '../errors.js';
import { nodeFiles } from '../run/files.js';
import { readManifest } from '../run/manifest.js';
import { readControls, readReadings } from '../run/reader.js';
import { faultsOf } from '../zod-faults.js';
import { audit } from './audit.js';
import { DEFAULT_CONTROLS } from './direction.js';
import type { AuditOptions } from './options.js';
import { fitReference, referenceAudit, referenceFile } from './reference.js';
import { sweep } from './sweep.js';
import { SWEEP_DEFAULTS } from './sweep-options.js';

/** Samples drawn from each domain for the figures, and for steering. */
const PER_DOMAIN = 24;
const STEERED_PER_DOMAIN = 4;
const RANDOM_DIRECTIONS = 4;
/** Models that are measured at the same time; each keeps one core busy. */
const AT_ONCE = 2;

const interval = z.tuple([z.number(), z.number()]);
const expectation = z.strictObject({
  /** The model has to be steered when this is here: block, and alpha in mean residual norms. */
  steering: z.strictObject({ block: z.int(), alpha: z.number() }).nullable(),
  intervals: z.record(z.string(), interval),
});
const expectationsFile = z.strictObject({
  /** Intervals that hold for every model. */
  all: z.record(z.string(), interval),
  models: z.record(z.string(), expectation),
});
const card = z.object({ planted: z.string(), sha256: z.string() });
const prompts = z.array(z.object({ text: z.string(), tokens: z.array(z.int()) }));
const oracle = z.object({
  readings: z.array(z.object({ logits: z.array(z.number()), labelLogprobs: z.array(z.number()) })),
});

/** A shipped model with known relation to its rule. */
export interface ReferenceModel {
  readonly name: string;
  readonly path: string;
  /** What is planted, in words. */
  readonly planted: string;
  readonly known: Known;
  readonly intervals: Intervals;
  readonly steering: { readonly block: number; readonly alpha: number } | null;
}

export interface ModelCalibration {
  readonly model: string;
  readonly planted: string;
  readonly seed: number;
  readonly checks: readonly CalibrationCheck[];
  readonly pass: boolean;
}

export interface CalibrateOptions {
  /** null = every reference model. */
  readonly model: string | null;
  /** Of the samples drawn, the fit, and the random directions. */
  readonly seed: number;
}

export interface CalibrateEvents {
  onStage(text: string): void;
  onModel(result: ModelCalibration): void;
  readonly signal?: AbortSignal;
}

/**
 * The models that `calibrate` measures: those with expected figures.
 * Throws USAGE for a name that is none of them; IO when a file of the package is missing or damaged.
 */
export function referenceModels(only: string | null = null): readonly ReferenceModel[] {
  const { all, models } = packageFile('expectations.json', expectationsFile);
  const texts = packageFile('oracle-prompts.json', prompts);
  const names = Object.keys(models);
  if (only !== null && !names.includes(only)) {
    throw new PlumblineError(
      'USAGE',
      `No reference model is called ${JSON.stringify(only)}; expected one of ${names.join(', ')}.`,
    );
  }
  return names
    .filter(name => only === null || name === only)
    .map(name => {
      const { steering, intervals } = models[name] as z.infer<typeof expectation>;
      const { planted, sha256 } = packageFile(`${name}.json`, card);
      const known = knownPrompts(name, texts);
      const path = referenceFile(`${name}.gguf`);
      return {
        name,
        path,
        planted,
        known: { sha256, prompts: known },
        intervals: { ...all, ...intervals },
        steering,
      };
    });
}

/**
 * Measures the reference models on the CPU, some at a time; results are told in the order of the models. Throws what the
 * stages throw, and then nothing else is begun.
 */
export async function calibrate(
  { model, seed }: CalibrateOptions,
  events: CalibrateEvents,
): Promise<readonly ModelCalibration[]> {
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(events.signal === undefined ? [] : [events.signal])]);
  const models = referenceModels(model);
  const results: ModelCalibration[] = [];
  let told = 0;
  const waiting = models.entries();
  const lane = async (): Promise<void> => {
    for (const [at, reference] of waiting) {
      events.onStage(`${reference.name}: fitting, auditing and steering`);
      const evidence = await gatherEvidence(reference, seed, signal);
      const checks = judgeFigures(calibrationFigures(evidence, reference.known), reference.intervals);
      const { name, planted } = reference;
      results[at] = { model: name, planted, seed, checks, pass: checks.every(check => check.pass) };
      for (let next = results[told]; next !== undefined; next = results[++told]) events.onModel(next);
    }
  };
  const lanes = Array.from({ length: AT_ONCE }, () =>
    lane().catch(error => {
      failed.abort();
      throw error;
    }),
  );
  await Promise.all(lanes);
  return results;
}

/**
 * Runs the instrument on one reference model, in a temporary folder that is removed: a direction fitted on scenarios
 * under two rules, audits of both corpora, a sweep. Throws what these throw; INTERRUPTED when stopped.
 */
export async function gatherEvidence(
  { path, steering }: ReferenceModel,
  seed: number,
  signal?: AbortSignal,
): Promise<Evidence> {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-calibrate-'));
  const events = {
    onStage() {},
    onLoad() {},
    onReady() {},
    onRow() {},
    ...(signal === undefined ? {} : { signal }),
  };
  const stopped = (): void => {
    if (signal?.aborted) throw new PlumblineError('INTERRUPTED', 'Stopped; nothing was written.');
  };
  try {
    const direction = join(folder, 'direction.gguf');
    const { fit } = await fitReference(path, seed, direction, events);
    stopped();
    const confounded = join(folder, 'confounded');
    await audit(optionsOf(path, 'confounded', seed), confounded, [], events);
    stopped();
    const crossed = join(folder, 'crossed');
    const along = {
      path: direction,
      layer: null,
      controls: DEFAULT_CONTROLS,
      activations: false,
      force: false,
    };
    await audit({ ...optionsOf(path, 'crossed', seed), direction: along }, crossed, [], events);
    stopped();
    const steered = join(folder, 'steered');
    if (steering !== null) {
      const { block, alpha } = steering;
      await sweep(
        {
          ...SWEEP_DEFAULTS,
          audit: { ...optionsOf(path, 'crossed', seed), perDomain: STEERED_PER_DOMAIN },
          direction,
          layers: [block],
          alphas: [-alpha, alpha],
          scale: 'residual',
          random: RANDOM_DIRECTIONS,
          nudge: 0,
        },
        steered,
        [],
        events,
      );
      stopped();
    }
    const manifests = [crossed, confounded, ...(steering === null ? [] : [steered])].map(run =>
      readManifest(nodeFiles, run),
    );
    const controls = manifests[0]?.vectors.controls ?? null;
    const anchor = manifests[0]?.direction?.layer;
    if (controls === null || anchor === undefined)
      throw new Error('the audit of the crossed corpus has no projections');
    const { layers, width } = controls;
    return {
      confounded: readReadings(confounded),
      crossed: readReadings(crossed),
      direction: { anchor, layers, width, vectors: [...readControls(crossed)] },
      fit: fit.layers,
      steered: steering === null ? null : readReadings(steered),
      exactness: manifests.map(manifest => manifest.batchPlan?.exactness ?? null),
      sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
      seed,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function optionsOf(model: string, corpus: 'crossed' | 'confounded', seed: number): AuditOptions {
  return { ...referenceAudit(model, corpus, seed), perDomain: PER_DOMAIN };
}

/** The prompts of the training framework with what it read of them. */
function knownPrompts(name: string, texts: z.infer<typeof prompts>): readonly KnownPrompt[] {
  const { readings } = packageFile(`${name}.oracle.json`, oracle);
  const streams = `${name}.oracle.npy`;
  const { shape, data } = packageBytes(streams, bytes => readNpy(bytes, streams));
  const [count, blocks, width] = shape;
  if (count !== texts.length || readings.length !== count || blocks === undefined || width === undefined)
    throw new PlumblineError('IO', `${referenceFile(streams)}: expected ${texts.length} prompts. ${RESTORE}`);
  return texts.map((prompt, i) => ({
    ...prompt,
    ...(readings[i] as (typeof readings)[number]),
    streams: Array.from({ length: blocks }, (_, block) => {
      const at = (i * blocks + block) * width;
      return data.subarray(at, at + width);
    }),
  }));
}

const RESTORE = 'It is part of the package: restore the file, or install again.';

function packageFile<T>(name: string, schema: z.ZodType<T>): T {
  return packageBytes(name, bytes => schema.parse(JSON.parse(bytes.toString('utf8'))));
}

function packageBytes<T>(name: string, parse: (bytes: Buffer) => T): T {
  const path = referenceFile(name);
  try {
    return parse(readFileSync(path));
  } catch (error) {
    const why = error instanceof z.ZodError ? faultsOf(error) : messageOf(error);
    throw new PlumblineError('IO', `${path}: ${why}. ${RESTORE}`, { cause: error });
  }
}
