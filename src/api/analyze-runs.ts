import { realpathSync } from 'node:fs';
import path from 'node:path';
import { acrossRuns } from '../audit/across-runs.js';
import type { AcrossSummary, RunOfMany } from '../audit/across-types.js';
import { PlumblineError } from '../errors.js';
import { nodeFiles } from '../run/files.js';
import { type Manifest, readManifest } from '../run/manifest.js';
import { sha256Of } from '../sha256.js';
import { type AnalyzedRun, type AnalyzeRunOptions, analyzeRun } from './analyze-run.js';

export interface AnalyzedRuns {
  /** Each run by itself, in the order given. */
  readonly runs: readonly { readonly dir: string; readonly analyzed: AnalyzedRun }[];
  readonly across: AcrossSummary;
}

/**
 * Analyzes one or many audits and sets them beside each other; nothing is written. Errors: USAGE for a run that is named
 * twice or is a sweep, and as {@link analyzeRun}, of the first run that has one.
 */
export async function analyzeRuns(
  dirs: readonly string[],
  options: AnalyzeRunOptions,
): Promise<AnalyzedRuns> {
  const given = dirs.map(dir => ({ dir, manifest: readManifest(nodeFiles, dir) }));
  requireDifferent(dirs);
  for (const { dir, manifest } of given) {
    if (manifest.steering !== undefined) {
      throw new PlumblineError(
        'USAGE',
        `${dir} is a sweep, which has no place beside audits: analyze it alone, or leave it out`,
      );
    }
  }
  const names = runNames(dirs);
  const runs: { readonly dir: string; readonly analyzed: AnalyzedRun }[] = [];
  const members: RunOfMany[] = [];
  for (const [i, { dir, manifest }] of given.entries()) {
    const analyzed = await analyzeRun(dir, options);
    runs.push({ dir, analyzed });
    members.push(runOfMany(names[i] ?? dir, manifest, analyzed));
  }
  return { runs, across: acrossRuns(members, options.reader) };
}

/** An analyzed run as it goes into `acrossRuns`. */
export function runOfMany(name: string, manifest: Manifest, { summary, readings }: AnalyzedRun): RunOfMany {
  const { model, corpus, planHash, plannedRows, options } = manifest;
  return {
    name,
    summary,
    readings,
    subjectId: model?.sha256 ?? null,
    ruleBlind: model === null && options.subject === 'lexical',
    corpusId: sha256Of(JSON.stringify(corpus.files.map(({ name: file, sha256 }) => [file, sha256]))),
    planHash,
    plannedRows,
  };
}

/** Errors: USAGE for one folder under two names. */
export function requireDifferent(dirs: readonly string[]): void {
  const known = new Map<string, string>();
  for (const dir of dirs) {
    const real = realpathSync(dir);
    const twin = known.get(real);
    if (twin !== undefined) {
      const as = twin === dir ? '' : `, once as ${twin}`;
      throw new PlumblineError('USAGE', `${dir} is named twice${as}: name each run once`);
    }
    known.set(real, dir);
  }
}

/** The last part of each path; where two runs have the same, as many last parts as tell them apart. */
export function runNames(dirs: readonly string[]): readonly string[] {
  const parts = dirs.map(dir => path.resolve(dir).split(path.sep));
  const taken = parts.map(() => 1);
  const named = (): readonly string[] => parts.map((of, i) => of.slice(-(taken[i] ?? 1)).join('/'));
  for (let names = named(); ; names = named()) {
    const alike = names.map((name, i) => names.indexOf(name) !== i || names.lastIndexOf(name) !== i);
    const longer = alike.map((is, i) => is && (taken[i] ?? 1) < (parts[i]?.length ?? 0));
    if (!longer.includes(true)) return names;
    for (const [i, is] of longer.entries()) if (is) taken[i] = (taken[i] ?? 1) + 1;
  }
}
