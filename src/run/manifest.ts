import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { PlumblineError } from '../errors.js';
import { CONDITIONS } from '../perturb/types.js';
import { type FileOps, readWhole, writeAtomically } from './files.js';
import { instrumentOf, jsonBytes, parseJsonFile } from './json-file.js';
import { SCHEMA_VERSION } from './schema.js';
import type { Exactness } from './types.js';

export const MANIFEST_FILE = 'manifest.json';
export const LOCAL_FILE = 'local.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hexadecimal');
const count = z.int().nonnegative();

const exactness: z.ZodType<Exactness> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exact'), tile: count, prompts: count, floats: count }).readonly(),
  z
    .strictObject({
      kind: z.literal('inexact'),
      tile: count,
      prompts: count,
      band: z.number(),
      why: z.string(),
    })
    .readonly(),
]);

export const STEP_SCALES = ['unit', 'residual', 'sd'] as const;

/** Block indices, as the header of a stream of vectors lists them. */
const vectorLayers = z
  .array(count)
  .nonempty()
  .refine(
    layers => layers.every((layer, i) => layer > (layers[i - 1] ?? -1)),
    'expected ascending block indices',
  )
  .readonly();

/** Far beyond the embedding of any model. */
const MAX_WIDTH = 1 << 20;

const vectorPlan = { layers: vectorLayers, width: z.int().positive().max(MAX_WIDTH) };

const manifestSchema = z
  .strictObject({
    schemaVersion: z.literal(SCHEMA_VERSION),
    /** {@link planHash} of the plan fields below. */
    planHash: sha256,
    /** Distinct keys that readings.arrows has in the end. */
    plannedRows: count,
    corpus: z
      .strictObject({
        format: z.string(),
        files: z.array(z.strictObject({ name: z.string(), bytes: count, sha256 }).readonly()).readonly(),
      })
      .readonly(),
    /** In the order of the plan. */
    sampleIds: z.array(z.string()).readonly(),
    conditions: z.array(z.enum(CONDITIONS)).readonly(),
    /** SHA-256 of the profile as JSON: a user's profile can change under the same name. */
    profile: z.strictObject({ name: z.string(), sha256 }).readonly(),
    /** Steering: strengths, layers and the rows written to; empty and null without. */
    alphas: z.array(z.number()).readonly(),
    layers: z.array(count).readonly(),
    positionScope: z.enum(['last', 'all', 'both']).nullable(),
    /** How a sweep steers, beyond alphas, layers and scope; only a sweep has it. */
    steering: z
      .strictObject({
        /** What alpha 1 adds is as long as: 1, the residual stream, one standard deviation of ICS. */
        scale: z.enum(STEP_SCALES),
        /** Random directions that are steered along at the same norms. */
        random: count,
        /** The vanishing alpha along the fitted direction; 0 = none. */
        nudge: z.number().nonnegative(),
        layers: z
          .array(
            z
              .strictObject({
                layer: count,
                /** Norm of what alpha 1 adds. */
                step: z.number(),
                /** Mean norm of the residual stream after this block at the last prompt token. */
                residualNorm: z.number(),
                /** true: measured on the prompts of this run; false: the direction file told it. */
                measured: z.boolean(),
              })
              .readonly(),
          )
          .readonly(),
      })
      .readonly()
      .optional(),
    /** The direction file that rows are projected on and steered along. `layer` is its anchor, `norm` its vector's there. */
    direction: z
      .strictObject({
        name: z.string(),
        sha256,
        layer: count,
        norm: z.number(),
        /** Of the model that it was fitted on; null when the file does not tell. */
        modelSha256: sha256.nullable(),
        source: z.string(),
      })
      .readonly()
      .nullable(),
    /** The streams of vectors beside the readings; `seed` is the control directions'. */
    vectors: z
      .strictObject({
        activations: z.strictObject(vectorPlan).readonly().nullable(),
        controls: z
          .strictObject({ ...vectorPlan, seed: z.int() })
          .readonly()
          .nullable(),
      })
      .readonly(),
    seed: z.int(),
    /** null when the subject needs no model. `name` is the file's, without its folder. */
    model: z
      .strictObject({
        name: z.string(),
        size: count,
        sha256,
        architecture: z.string(),
        templateSha256: sha256.nullable(),
      })
      .readonly()
      .nullable(),
    engine: z.strictObject({ llamaCpp: z.string(), backend: z.string() }).readonly().nullable(),
    batchPlan: z
      .strictObject({
        nBatch: count,
        nUbatch: count,
        schedule: z.string(),
        tile: count,
        /** Fewest tokens of a stream in one decode. */
        leastPiece: count,
        /** Most of them; null: as many as the batch holds. */
        mostPiece: count.nullable(),
        flashAttention: z.boolean(),
        exactness,
      })
      .readonly()
      .nullable(),
    workers: count,
    threads: count,
    host: z
      .strictObject({ platform: z.string(), arch: z.string(), cpu: z.string(), gpu: z.string().nullable() })
      .readonly(),
    version: z.string(),
    /** As {@link shareableArgv} leaves it. */
    argv: z.array(z.string()).readonly(),
    /** The rest that a resumed run needs, as JSON; paths belong into {@link LocalPaths}. */
    options: z.record(z.string(), z.json()).readonly(),
  })
  .readonly();

/** What was planned and with what. Written before anything else, never changed, free of this machine's paths. */
export type Manifest = z.infer<typeof manifestSchema>;
export type BatchPlan = NonNullable<Manifest['batchPlan']>;

/** Tokens of a stream in one decode, for the person: "4 or more". */
export function piecesWords({ leastPiece, mostPiece }: BatchPlan): string {
  return `${leastPiece} ${mostPiece === null ? 'or more' : `to ${mostPiece}`}`;
}

const localSchema = z
  .strictObject({
    modelPath: z.string().nullable(),
    corpusPath: z.string().nullable(),
    argv: z.array(z.string()).readonly(),
  })
  .readonly();

/** Where things are on this machine: beside the manifest, so that the manifest can be shared. */
export type LocalPaths = z.infer<typeof localSchema>;

/** The fields that decide which rows a run has and what they mean. */
export type PlanFields = Pick<
  Manifest,
  | 'corpus'
  | 'sampleIds'
  | 'conditions'
  | 'profile'
  | 'alphas'
  | 'layers'
  | 'positionScope'
  | 'steering'
  | 'direction'
  | 'vectors'
  | 'seed'
>;

/** The `vectors` of a run that keeps none. */
export const NO_VECTORS: Manifest['vectors'] = { activations: null, controls: null };

/** SHA-256, hexadecimal, over the plan's fields in a fixed order. */
export function planHash(plan: PlanFields): string {
  const files = plan.corpus.files.map(file => [file.name, file.bytes, file.sha256]);
  const { sampleIds, conditions, profile, alphas, layers, positionScope, seed } = plan;
  const ordered = [plan.corpus.format, files, sampleIds, conditions, profile.name, profile.sha256];
  const steering = [
    alphas,
    layers,
    positionScope,
    directionFields(plan),
    ...vectorFields(plan),
    ...steeringFields(plan),
  ];
  return createHash('sha256')
    .update(JSON.stringify([...ordered, ...steering, seed]))
    .digest('hex');
}

function directionFields({ direction }: PlanFields): readonly unknown[] | null {
  if (direction === null) return null;
  const { name, sha256, layer, norm, modelSha256, source } = direction;
  return [name, sha256, layer, norm, modelSha256, source];
}

function steeringFields({ steering }: PlanFields): readonly unknown[] {
  if (steering === undefined) return [];
  const { scale, random, nudge, layers } = steering;
  return [
    scale,
    random,
    nudge,
    layers.map(({ layer, step, residualNorm, measured }) => [layer, step, residualNorm, measured]),
  ];
}

function vectorFields({ vectors: { activations, controls } }: PlanFields): readonly unknown[] {
  return [
    activations && [activations.layers, activations.width],
    controls && [controls.layers, controls.width, controls.seed],
  ];
}

/**
 * The command line without this machine's folders: of each absolute path, after `=` or `format:` too, the last part
 * stays; addresses (`https://…`) stay as they are.
 */
export function shareableArgv(argv: readonly string[]): readonly string[] {
  return argv.map(argument => {
    const [, before = '', file = ''] = /^(--?[\w-]+=|\w{2,}:|)(.*)$/s.exec(argument) ?? [];
    const [, inner = '', rest = file] = before.endsWith('=') ? (/^(\w{2,}:)(.*)$/s.exec(file) ?? []) : [];
    if (before !== '' && rest.startsWith('//')) return argument;
    const absolute = path.posix.isAbsolute(rest) || /^([A-Za-z]:[\\/]|\\\\)/.test(rest);
    return absolute
      ? `${before}${inner}…/${rest.split(/[\\/]/).findLast(part => part !== '') ?? ''}`
      : argument;
  });
}

/** Writes local.json, then manifest.json: a folder with a manifest has all that a resumed run needs. Errors: IO. */
export function writeManifest(files: FileOps, dir: string, manifest: Manifest, local: LocalPaths): void {
  writeAtomically(files, path.join(dir, LOCAL_FILE), jsonBytes(localSchema.parse(local)));
  writeAtomically(files, path.join(dir, MANIFEST_FILE), jsonBytes(manifestSchema.parse(manifest)));
}

/** Errors: RUN_NOT_FOUND without a manifest; USAGE for a gate audit's; RUN_DAMAGED for one that this build cannot read; IO. */
export function readManifest(files: FileOps, dir: string): Manifest {
  const bytes = readWhole(files, path.join(dir, MANIFEST_FILE));
  if (bytes === null) {
    throw new PlumblineError(
      'RUN_NOT_FOUND',
      `${dir} is no run directory: it has no ${MANIFEST_FILE}; name the --out of a run`,
    );
  }
  if (instrumentOf(bytes) === 'gate') {
    throw new PlumblineError(
      'USAGE',
      `${dir} is a gate audit, not the run of a judge: verify, inspect and gate audit --resume take it`,
    );
  }
  return parseJsonFile(dir, MANIFEST_FILE, bytes, manifestSchema);
}

/** Errors: RUN_NOT_FOUND when the run was brought here without its local.json; RUN_DAMAGED; IO. */
export function readLocal(files: FileOps, dir: string): LocalPaths {
  const bytes = readWhole(files, path.join(dir, LOCAL_FILE));
  if (bytes === null) {
    throw new PlumblineError(
      'RUN_NOT_FOUND',
      `${dir} has no ${LOCAL_FILE}, which says where the model and the corpus are on this machine: write it as {"modelPath": …, "corpusPath": …, "argv": []} to resume here`,
    );
  }
  return parseJsonFile(dir, LOCAL_FILE, bytes, localSchema);
}

/**
 * argv and ids tell how, not what: the samples are in the plan. The measured side of a proof (counts, band) may differ
 * where its verdict does not.
 */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'argv',
  'options.ids',
  'batchPlan.exactness.prompts',
  'batchPlan.exactness.floats',
  'batchPlan.exactness.band',
  'batchPlan.exactness.why',
]);

/** What differs between the manifest of a run and what would be run now, a line each; empty when it can go on. */
export function diffManifest<M extends object>(old: M, now: M): string[] {
  return diff('', old, now);
}

function diff(place: string, old: unknown, now: unknown): string[] {
  if (NOT_COMPARED.has(place)) return [];
  if (Array.isArray(old) && Array.isArray(now)) return diffArrays(place, old, now);
  if (isRecord(old) && isRecord(now)) {
    const names = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...names].flatMap(name => diff(place === '' ? name : `${place}.${name}`, old[name], now[name]));
  }
  return JSON.stringify(old) === JSON.stringify(now)
    ? []
    : [`${place}: the run has ${show(old)}, now ${show(now)}`];
}

function diffArrays(place: string, old: readonly unknown[], now: readonly unknown[]): string[] {
  const length = Math.max(old.length, now.length);
  const differing = Array.from({ length }, (_, i) => i).filter(
    i => JSON.stringify(old[i]) !== JSON.stringify(now[i]),
  );
  const [first] = differing;
  if (first === undefined) return [];
  const sizes =
    old.length === now.length
      ? `${differing.length} of ${length}`
      : `${old.length} entries, now ${now.length}; ${differing.length}`;
  return [
    `${place}: ${sizes} differ, first at ${first}: the run has ${show(old[first])}, now ${show(now[first])}`,
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
