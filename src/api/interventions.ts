import path from 'node:path';
import { analyzeInterventions, type Interventions, type ProfileRun } from '../audit/interventions.js';
import type { Reader } from '../audit/ocs.js';
import type { Partition } from '../audit/partition.js';
import { PlumblineError } from '../errors.js';
import { nodeFiles } from '../run/files.js';
import { type Manifest, piecesWords, readManifest } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import { requireAudit, requireSame } from './against.js';

/** What summary.json holds about a run that is compared with others. */
export type RunInterventions = Interventions & {
  /** What else than the prompt could have moved a verdict: sentences for the person. */
  readonly cautions: readonly string[];
};

/**
 * Compares a run with others of the same model on the same samples. The base, whose groups count, is the run that it was
 * made against when that is among them, else the first. Errors: USAGE for runs that cannot be compared or two of one
 * profile; RUN_MISMATCH with the differences; RUN_NOT_FOUND, RUN_DAMAGED, IO.
 */
export function compareRuns(
  dir: string,
  against: readonly string[],
  options: { readonly reader: Reader; readonly partition: Partition | null },
): RunInterventions | null {
  const manifest = readManifest(nodeFiles, dir);
  const given = against.map(other => ({ dir: other, manifest: readManifest(nodeFiles, other) }));
  const [base, ...others] = [...given].sort(
    (a, b) => Number(madeAgainst(manifest, b.manifest)) - Number(madeAgainst(manifest, a.manifest)),
  );
  if (base === undefined) return null;
  requireAudit(dir, manifest);
  const profiles = new Map([[manifest.profile.name, dir]]);
  for (const other of [base, ...others]) {
    requireAudit(other.dir, other.manifest);
    requireSame(other, { ...manifest, ...(manifest.model && { modelSha256: manifest.model.sha256 }) });
    const { name } = other.manifest.profile;
    const twin = profiles.get(name);
    if (twin !== undefined) {
      throw new PlumblineError(
        'USAGE',
        `${twin} and ${other.dir} have the same profile, ${name}: name one run for each profile`,
      );
    }
    profiles.set(name, other.dir);
  }
  const found = analyzeInterventions(
    profileRun(dir, manifest),
    [profileRun(base.dir, base.manifest), ...others.map(other => profileRun(other.dir, other.manifest))],
    { ...options, seed: manifest.seed },
  );
  return {
    ...found,
    cautions: given.flatMap(other => cautionsOf(manifest, nameOf(other.dir), other.manifest)),
  };
}

/** The plan hash of the run that this one was made against; null when it was made alone. */
export function recordedAgainst({ options }: Manifest): string | null {
  return typeof options.against === 'string' ? options.against : null;
}

function madeAgainst(manifest: Manifest, other: Manifest): boolean {
  return recordedAgainst(manifest) === other.planHash;
}

const nameOf = (dir: string): string => path.basename(path.resolve(dir));

function profileRun(dir: string, { profile, planHash }: Manifest): ProfileRun {
  return { name: nameOf(dir), profile: profile.name, planHash, readings: readReadings(dir) };
}

/** Two runs by different means differ by more than the prompt, unless both are exact on the same processor. */
function cautionsOf(ours: Manifest, name: string, theirs: Manifest): readonly string[] {
  const means = ({ engine, host, batchPlan }: Manifest) => ({
    'llama.cpp': engine?.llamaCpp,
    backend: engine?.backend,
    processor: host.gpu ?? host.cpu,
    schedule: batchPlan?.schedule,
    exactness: batchPlan?.exactness.kind,
    attention:
      batchPlan === null
        ? undefined
        : `${batchPlan.flashAttention ? 'flash' : 'plain'} in pieces of ${piecesWords(batchPlan)}`,
  });
  const [own, other] = [means(ours), means(theirs)];
  const differing = (Object.keys(own) as (keyof typeof own)[]).filter(key => own[key] !== other[key]);
  if (differing.length === 0) return [];
  const told = differing.map(key => `${key} ${other[key] ?? 'none'} there, ${own[key] ?? 'none'} here`);
  return [`${name} was evaluated by other means (${told.join('; ')}): a part of a change may be numeric.`];
}
