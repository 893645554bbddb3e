import { basename, resolve } from 'node:path';
import { PlumblineError } from '../errors.js';
import { nodeFiles } from '../run/files.js';
import { diffManifest, type LocalPaths, type Manifest, readLocal, readManifest } from '../run/manifest.js';
import { optionsOf } from './manifest.js';
import { type AuditOptions, pathOf } from './options.js';

/** What a run that is compared with another one has of its own. */
export interface AgainstChanges
  extends Pick<AuditOptions, 'profile' | 'conditions' | 'placebo' | 'engine' | 'direction' | 'icsOnly'> {
  /** null = the file that the other run's local.json names. */
  readonly model: string | null;
  /** null = the corpus that the other run's local.json names. */
  readonly corpus: string | null;
}

/**
 * The options of an audit of the same model on the same samples as an earlier run, under another profile.
 * Errors: USAGE for a run that no prompt can be compared with, or for its own profile; RUN_NOT_FOUND, RUN_DAMAGED,
 * RUN_MISMATCH, IO.
 */
export function optionsAgainst(dir: string, changes: AgainstChanges): AuditOptions {
  const manifest = readManifest(nodeFiles, dir);
  requireAudit(dir, manifest);
  if (manifest.profile.name === changes.profile.name) {
    throw new PlumblineError(
      'USAGE',
      `${dir} was made under the profile ${manifest.profile.name} itself: name another one with --profile.`,
    );
  }
  const { model, corpus, ...rest } = changes;
  const known: LocalPaths =
    model !== null && corpus !== null
      ? { modelPath: null, corpusPath: null, argv: [] }
      : readLocal(nodeFiles, dir);
  const local = {
    ...known,
    modelPath: model ?? known.modelPath,
    corpusPath: corpus === null ? known.corpusPath : pathOf(corpus),
  };
  const theirs = optionsOf(manifest, local, dir);
  return {
    ...theirs,
    corpus: corpus ?? theirs.corpus,
    ...rest,
    against: { planHash: manifest.planHash, dir: resolve(dir) },
  };
}

export interface OtherRun {
  readonly dir: string;
  readonly manifest: Manifest;
}

/** The run whose samples these options take; null when they draw their own, or have them already. */
export function runAgainst({ against }: Pick<AuditOptions, 'against'>): OtherRun | null {
  if (against === null || against.dir === null) return null;
  return { dir: against.dir, manifest: readManifest(nodeFiles, against.dir) };
}

/** Of what two runs must share for their verdicts to be paired, the parts that are known. */
export interface SharedFields extends Partial<Pick<Manifest, 'corpus' | 'sampleIds' | 'seed'>> {
  readonly modelSha256?: string;
}

/** Throws RUN_MISMATCH with the differences in corpus, samples, seed and model. */
export function requireSame({ dir, manifest }: OtherRun, ours: SharedFields): void {
  const { corpus = manifest.corpus, sampleIds = manifest.sampleIds, seed = manifest.seed } = ours;
  const differences = diffManifest(manifest, {
    ...manifest,
    corpus: { format: corpus.format, files: corpus.files },
    sampleIds,
    seed,
    // A file may have another name here; its bytes count.
    model: manifest.model && { ...manifest.model, sha256: ours.modelSha256 ?? manifest.model.sha256 },
  });
  if (differences.length > 0) {
    throw new PlumblineError(
      'RUN_MISMATCH',
      `${dir} cannot be paired with what is here: more than the profile differs\n  ${differences.join('\n  ')}\n` +
        'Give the model and the corpus that it was made with (--model, --corpus), or make both runs anew.',
    );
  }
}

/** Errors: USAGE for a sweep, or a subject that reads no prompt. */
export function requireAudit(dir: string, manifest: Manifest): void {
  const why =
    manifest.model === null
      ? 'its subject reads no prompt'
      : manifest.steering !== undefined
        ? 'it is a sweep of steered rows'
        : manifest.options.icsOnly === true
          ? 'it holds no verdicts (--ics-only)'
          : null;
  if (why === null) return;
  throw new PlumblineError(
    'USAGE',
    `${basename(resolve(dir))} cannot be compared by prompt: ${why}; name the run of an audit with verdicts.`,
  );
}
