import path from 'node:path';
import { z } from 'zod';
import { POOLINGS, type Pooling } from '../engine/encoder-session.js';
import { GPU_OPTIONS } from '../engine/hardware.js';
import { PlumblineError } from '../errors.js';
import { type FileOps, readWhole, writeAtomically } from '../run/files.js';
import { instrumentOf, jsonBytes, parseJsonFile } from '../run/json-file.js';
import { LOCAL_FILE, MANIFEST_FILE } from '../run/manifest.js';
import { SCHEMA_VERSION } from '../run/schema.js';
import { sha256Of } from '../sha256.js';
import { GATE } from './gates.js';

const count = z.int().nonnegative();

const manifestSchema = z
  .strictObject({
    schemaVersion: z.literal(SCHEMA_VERSION),
    instrument: z.literal('gate'),
    /** {@link gatePlanHash} of the plan fields below. */
    planHash: z.string(),
    /** Rows that pairs.arrows has in the end: each pair once for each encoder. */
    plannedRows: count,
    corpus: z.strictObject({ name: z.string(), sha256: z.string() }).readonly(),
    /** In the order of the corpus. */
    pairIds: z.array(z.string()).readonly(),
    /** In the order of the command line; `facts` hold whatever changes a vector. */
    encoders: z
      .array(
        z
          .strictObject({
            name: z.string(),
            facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).readonly(),
          })
          .readonly(),
      )
      .readonly(),
    gate: GATE.readonly().nullable(),
    /** The corpus may fail its manipulation check. */
    force: z.boolean(),
    seed: z.number(),
    host: z.strictObject({ platform: z.string(), arch: z.string(), cpu: z.string() }).readonly(),
    version: z.string(),
  })
  .readonly();

/** What a gate audit audits and with what. Written before anything else, never changed, free of this machine's paths. */
export type GateManifest = z.infer<typeof manifestSchema>;

const localSchema = z
  .strictObject({
    /** As on the command line, with absolute paths. */
    corpus: z.string(),
    encoders: z.array(z.string()).readonly(),
    settings: z
      .strictObject({
        pooling: z.enum(Object.keys(POOLINGS) as [Pooling, ...Pooling[]]).nullable(),
        prefix: z.string(),
        layerNorm: z.boolean(),
        dims: z.int().positive().nullable(),
      })
      .readonly(),
    engine: z.strictObject({ gpu: z.enum(GPU_OPTIONS), threads: z.int().positive() }).readonly(),
  })
  .readonly();

/** Where corpus and encoders are on this machine: beside the manifest, so that the manifest can be shared. */
export type GateLocal = z.infer<typeof localSchema>;

/** The fields that decide which rows there are and what they mean. */
export type GatePlan = Pick<GateManifest, 'corpus' | 'pairIds' | 'encoders' | 'gate' | 'force' | 'seed'>;

/** SHA-256, hexadecimal, over the plan's fields in a fixed order. */
export function gatePlanHash({ corpus, pairIds, encoders, gate, force, seed }: GatePlan): string {
  const named = encoders.map(({ name, facts }) => [name, Object.entries(facts)]);
  const bound = gate && [gate.name, gate.metric, gate.comparison, gate.threshold, gate.action];
  return sha256Of(JSON.stringify([corpus.name, corpus.sha256, pairIds, named, bound, force, seed]));
}

/** Writes local.json, then manifest.json. Errors: IO. */
export function writeGateManifest(
  files: FileOps,
  dir: string,
  manifest: GateManifest,
  local: GateLocal,
): void {
  writeAtomically(files, path.join(dir, LOCAL_FILE), jsonBytes(localSchema.parse(local)));
  writeAtomically(files, path.join(dir, MANIFEST_FILE), jsonBytes(manifestSchema.parse(manifest)));
}

/** Whether a folder holds a gate audit. Errors: IO. */
export function isGateRun(files: FileOps, dir: string): boolean {
  const bytes = readWhole(files, path.join(dir, MANIFEST_FILE));
  return bytes !== null && instrumentOf(bytes) === 'gate';
}

/** Errors: RUN_NOT_FOUND; USAGE for the run of a judge; RUN_MISMATCH, RUN_DAMAGED, IO. */
export function readGateManifest(files: FileOps, dir: string): GateManifest {
  const bytes = readWhole(files, path.join(dir, MANIFEST_FILE));
  if (bytes === null) {
    throw new PlumblineError(
      'RUN_NOT_FOUND',
      `${dir} is no gate audit: it has no ${MANIFEST_FILE}; name the --out of one`,
    );
  }
  if (instrumentOf(bytes) !== 'gate')
    throw new PlumblineError(
      'USAGE',
      `${dir} is the run of a judge: plumbline audit --resume goes on with it`,
    );
  return parseJsonFile(dir, MANIFEST_FILE, bytes, manifestSchema);
}

/** Errors: RUN_NOT_FOUND when the run was brought here without its local.json; RUN_DAMAGED; IO. */
export function readGateLocal(files: FileOps, dir: string): GateLocal {
  const bytes = readWhole(files, path.join(dir, LOCAL_FILE));
  if (bytes === null) {
    throw new PlumblineError(
      'RUN_NOT_FOUND',
      `${dir} has no ${LOCAL_FILE}, which says where corpus and encoders are on this machine: restore it to resume here`,
    );
  }
  return parseJsonFile(dir, LOCAL_FILE, bytes, localSchema);
}
