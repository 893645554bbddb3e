import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { withTile } from '../engine/chunk.js';
import { hostFacts } from '../engine/hardware.js';
import { packageRoot } from '../engine/package-root.js';
import { PlumblineError } from '../errors.js';
import {
  type BatchPlan,
  type LocalPaths,
  type Manifest,
  NO_VECTORS,
  planHash,
  shareableArgv,
} from '../run/manifest.js';
import { SCHEMA_VERSION } from '../run/schema.js';
import { sha256Of } from '../sha256.js';
import { DIRECTION_FOLDER, type OpenDirection } from './direction.js';
import type { ReadyJudge } from './judge.js';
import { type AuditOptions, pathOf, storedOptions, toStored } from './options.js';
import type { PreparedAudit } from './prepare.js';

/** Everything about a run that can be shared: what was planned, and with what. */
export function manifestOf(
  prepared: PreparedAudit,
  judge: ReadyJudge | null,
  direction: OpenDirection | null,
  argv: readonly string[],
): Manifest {
  const { options, corpus, cases, rows } = prepared;
  const host = hostFacts();
  const plan = {
    corpus: { format: corpus.format, files: corpus.files },
    sampleIds: cases.map(item => item.id),
    conditions: options.conditions,
    profile: { name: options.profile.name, sha256: sha256Of(JSON.stringify(options.profile)) },
    alphas: [],
    layers: [],
    positionScope: null,
    direction: direction?.manifest ?? null,
    vectors: direction?.vectors ?? NO_VECTORS,
    seed: options.seed,
  };
  return {
    schemaVersion: SCHEMA_VERSION,
    planHash: planHash(plan),
    plannedRows: rows.length,
    ...plan,
    model:
      judge === null
        ? null
        : {
            name: basename(judge.header.path),
            size: judge.header.bytes,
            sha256: judge.sha256,
            architecture: judge.header.architecture,
            templateSha256: judge.header.chatTemplate === null ? null : sha256Of(judge.header.chatTemplate),
          },
    engine: judge === null ? null : { llamaCpp: judge.pool.facts.release, backend: judge.backend },
    batchPlan: judge === null ? null : batchPlanOf(judge, options.engine.schedule),
    workers: judge?.split.workers ?? 0,
    threads: judge?.split.threads ?? 0,
    host: {
      platform: host.platform,
      arch: host.arch,
      cpu: host.cpu,
      gpu:
        judge?.pool.facts.devices.find(device => device.type === 1 || device.type === 2)?.description ?? null,
    },
    version: productVersion(),
    argv: shareableArgv(argv),
    options: JSON.parse(JSON.stringify(toStored(options))) as Manifest['options'],
  };
}

function batchPlanOf({ sizing, recipe, exactness }: ReadyJudge, schedule: string): BatchPlan {
  const { tile, least, most } = withTile(recipe, exactness.tile);
  return {
    nBatch: sizing.ubatch,
    nUbatch: sizing.ubatch,
    schedule,
    tile,
    leastPiece: least,
    mostPiece: Number.isFinite(most) ? most : null,
    flashAttention: recipe.flashAttention,
    exactness,
  };
}

/** This machine's paths, absolute: a run can be resumed from any folder. */
export function localOf(options: AuditOptions, argv: readonly string[]): LocalPaths {
  const corpus = pathOf(options.corpus);
  return {
    modelPath: options.model === null ? null : resolve(options.model),
    corpusPath: corpus === null ? null : resolve(corpus),
    argv,
  };
}

/** The options that a run was made with. Throws RUN_MISMATCH when another build wrote them in a way that this one cannot read. */
export function optionsOf(manifest: Manifest, local: LocalPaths, dir: string): AuditOptions {
  const stored = storedOptions.safeParse(manifest.options);
  if (!stored.success) {
    throw new PlumblineError(
      'RUN_MISMATCH',
      `The run was made by plumbline ${manifest.version}, whose options this version cannot read; resume it with that version.`,
    );
  }
  const { corpusFormat, ids: _drawn, direction, against, ...rest } = stored.data;
  return {
    ...rest,
    model: local.modelPath,
    corpus: local.corpusPath === null ? corpusFormat : `${corpusFormat}:${local.corpusPath}`,
    // The samples come from the manifest.
    ids: null,
    conditions: manifest.conditions,
    against: against === null ? null : { planHash: against, dir: null },
    seed: manifest.seed,
    direction:
      direction === null || manifest.direction === null
        ? null
        : { ...direction, path: join(dir, DIRECTION_FOLDER, manifest.direction.name) },
  };
}

export function productVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string })
    .version;
}
