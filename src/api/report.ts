import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { acrossRuns } from '../audit/across-runs.js';
import type { RunOfMany } from '../audit/across-types.js';
import type { Reader } from '../audit/ocs.js';
import type { FitSummary } from '../direction/provenance.js';
import { readDirection } from '../direction/vector-file.js';
import { PlumblineError } from '../errors.js';
import { explorerSection } from '../report/explorer/section.js';
import { figureCsv } from '../report/figures/csv.js';
import { standalone } from '../report/figures/svg.js';
import type { Figure } from '../report/figures/types.js';
import type { AuditData, Origin, Shifts, SweepData } from '../report/page/data.js';
import { reportPage } from '../report/page/page.js';
import { attempt, nodeFiles, writeAtomically } from '../run/files.js';
import { type Manifest, readManifest } from '../run/manifest.js';
import type { PairRow } from '../run/pairs-file.js';
import { histograms } from '../stats/histogram.js';
import { type AnalyzedRun, analyzeRun } from './analyze-run.js';
import { requireDifferent, runNames, runOfMany } from './analyze-runs.js';
import { DIRECTION_FOLDER } from './direction.js';
import { reportSamples } from './report-samples.js';
import { analyzeSweepRun, isSweepRun } from './sweep-analysis.js';

export interface ReportOptions {
  /** Whose verdicts lead. */
  readonly reader: Reader;
  /** false: the rule-blind floor, which needs the whole corpus, is left out. */
  readonly floor: boolean;
  /** What `features --json` printed for the corpus; none unless told otherwise. */
  readonly features?: string | null;
}

export interface Report {
  /** The page, whole. */
  readonly html: string;
  readonly figures: readonly Figure[];
  /** What was left out, and why: sentences for the person. */
  readonly notes: readonly string[];
}

/**
 * Reads runs and makes one page of them; nothing is written. Audits and sweeps may stand side by side. Equal plans give
 * equal pages, but for the names of the runs.
 * @param dirs folders of runs, at least one.
 * Errors: USAGE without a run, or for one that is given twice; those of `analyzeRun` and `analyzeSweepRun`.
 */
export async function buildReport(dirs: readonly string[], options: ReportOptions): Promise<Report> {
  if (dirs.length === 0) throw new PlumblineError('USAGE', 'A report needs the folder of at least one run.');
  for (const dir of dirs) readManifest(nodeFiles, dir);
  requireDifferent(dirs);
  const names = runNames(dirs);
  const audits: AnalyzedAudit[] = [];
  const sweeps: SweepData[] = [];
  for (const [i, dir] of dirs.entries()) {
    const name = names[i] as string;
    if (isSweepRun(dir)) sweeps.push(await sweepData(dir, name, options));
    else audits.push(await auditData(dir, name, options));
  }
  const { reader } = options;
  const across =
    audits.length > 1
      ? acrossRuns(
          audits.map(({ member }) => member),
          reader,
        )
      : null;
  const named = audits.map(({ dir, data }) => ({ dir, name: data.name }));
  const explorer = named.length === 0 ? null : explorerSection(await reportSamples(named, reader));
  const page = reportPage({ reader, audits: audits.map(({ data }) => data), sweeps, across, explorer });
  const notes = audits.flatMap(({ data }) => data.notes.map(note => `${data.name}: ${note}`));
  return { ...page, notes };
}

/**
 * Writes the page, and into `folder` (null = nowhere) each figure as NAME.svg with its data as NAME.csv; each file whole
 * or not at all. Returns the names of all files. Errors: IO.
 */
export function writeReport(report: Report, out: string, folder: string | null): readonly string[] {
  const write = (file: string, text: string): string => {
    writeAtomically(nodeFiles, file, Buffer.from(text, 'utf8'));
    return file;
  };
  const page = write(out, report.html);
  if (folder === null) return [page];
  attempt('create', folder, () => mkdirSync(folder, { recursive: true }));
  const figures = report.figures.flatMap(figure => [
    write(path.join(folder, `${figure.name}.svg`), standalone(figure)),
    write(path.join(folder, `${figure.name}.csv`), figureCsv(figure)),
  ]);
  return [page, ...figures];
}

/** An audit as the page and the tables of several runs need it. */
interface AnalyzedAudit {
  readonly dir: string;
  readonly data: AuditData;
  readonly member: RunOfMany;
}

async function auditData(dir: string, name: string, options: ReportOptions): Promise<AnalyzedAudit> {
  const manifest = readManifest(nodeFiles, dir);
  const analyzed: AnalyzedRun = await analyzeRun(dir, { ...options, partition: null });
  const data: AuditData = {
    name,
    origin: originOf(manifest),
    summary: analyzed.summary,
    notes: analyzed.notes,
    shifts: shiftsOf(analyzed),
    fit: await fitOf(dir, manifest),
  };
  return { dir, data, member: runOfMany(name, manifest, analyzed) };
}

async function sweepData(dir: string, name: string, { reader }: ReportOptions): Promise<SweepData> {
  const manifest = readManifest(nodeFiles, dir);
  const summary = analyzeSweepRun(dir, reader);
  return { name, origin: originOf(manifest), summary, fit: await fitOf(dir, manifest) };
}

function originOf(manifest: Manifest): Origin {
  const { version, model, options, corpus, profile, direction, seed, planHash } = manifest;
  return {
    version,
    model: model && { name: model.name, sha256: model.sha256 },
    ruleBlind: model === null && options.subject === 'lexical',
    corpus: corpus.files.map(({ name, sha256 }) => ({ name, sha256 })),
    profile,
    direction: direction && { name: direction.name, sha256: direction.sha256, layer: direction.layer },
    seed,
    planHash,
  };
}

/** About how many bins the range of all shifts of a run is cut into. */
const BINS = 40;

/** Both readers have the same margins: one of them is taken. */
function shiftsOf({ pairs, summary }: AnalyzedRun): readonly Shifts[] {
  const conditions = summary.marginShifts.map(({ condition }) => condition);
  const of = (condition: PairRow['condition']): readonly number[] =>
    pairs.flatMap(pair =>
      pair.reader === summary.primary && pair.condition === condition ? (pair.marginShift ?? []) : [],
    );
  const values = conditions.map(of);
  const bins = histograms(values, BINS);
  return conditions.flatMap((condition, i) => {
    const [shifts = [], histogram] = [values[i], bins[i]];
    if (shifts.length === 0 || histogram === undefined) return [];
    return { condition, n: shifts.length, unmoved: shifts.filter(shift => shift === 0).length, histogram };
  });
}

/** What the fit of the run's own direction showed; null without a direction, or when its file does not say. */
async function fitOf(dir: string, { direction }: Manifest): Promise<FitSummary | null> {
  if (direction === null) return null;
  const file = path.join(dir, DIRECTION_FOLDER, direction.name);
  if (!existsSync(file)) return null;
  const { provenance } = await readDirection(file, direction.layer);
  return provenance?.fit ?? null;
}
