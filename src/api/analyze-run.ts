import path from 'node:path';
import { type AnalyzeOptions, analyzeReadings } from '../audit/analyze.js';
import type { Summary } from '../audit/analyze-types.js';
import { type FeaturesOcs, featuresAgainstOcs } from '../audit/features-ocs.js';
import { lexicalAccuracy, lexicalFloor } from '../audit/lexical.js';
import type { Reader } from '../audit/ocs.js';
import { pairRows } from '../audit/pairs.js';
import { formatPartition, type Partition, partitionOf } from '../audit/partition.js';
import type { Sanity } from '../audit/sanity-types.js';
import { PlumblineError } from '../errors.js';
import { corpusName, subjectOf } from '../run/describe.js';
import { nodeFiles, writeAtomically } from '../run/files.js';
import { type Manifest, readManifest } from '../run/manifest.js';
import { PAIRS_FILE, type PairRow, pairsFile } from '../run/pairs-file.js';
import { readControls, readReadings } from '../run/reader.js';
import type { Reading } from '../run/types.js';
import { readFeatures } from './features-file.js';
import { compareRuns, type RunInterventions, recordedAgainst } from './interventions.js';
import { readPartition } from './partition-file.js';
import { corpusOfRun } from './run-corpus.js';
import { readSanity } from './sanity-file.js';

export interface AnalyzeRunOptions {
  /** Verdict reader of the leading tables. */
  readonly reader: Reader;
  /** A partition file made on another run; null = none. */
  readonly partition: string | null;
  /** false: the rule-blind floor, which needs the whole corpus, is left out. */
  readonly floor: boolean;
  /** Folders of runs of the same model on the same samples under other profiles; none unless told otherwise. */
  readonly against?: readonly string[];
  /** What `features --json` printed for the corpus; null = none. */
  readonly features?: string | null;
}

/** How much of the plan there is; rows with an error are among those that are there. */
export interface Coverage {
  readonly plannedRows: number;
  readonly missingRows: number;
  readonly errorRows: number;
}

/** What summary.json holds. */
export type RunSummary = {
  readonly planHash: string;
  readonly coverage: Coverage;
  /** null when the run was compared with no other. */
  readonly interventions: RunInterventions | null;
  /** Text features against OCS by domain; null when no features were given. */
  readonly features: FeaturesOcs | null;
  /** null when the run was audited without sanity checks. */
  readonly sanity: Sanity | null;
} & Summary;

export interface AnalyzedRun {
  readonly summary: RunSummary;
  /** The rows that all of this was made of. */
  readonly readings: readonly Reading[];
  readonly pairs: readonly PairRow[];
  /** The run's own LOW and HIGH. */
  readonly partition: Partition;
  /** What was left out, and why: sentences for the person. */
  readonly notes: readonly string[];
}

export const SUMMARY_FILE = 'summary.json';

/**
 * Checks the readings of a run against its journal and analyzes those that are there; nothing is written.
 * Errors: RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO; RUN_INCOMPLETE when there is no row at all; PARTITION_INVALID;
 * FEATURES_INVALID; USAGE for a run in `against` that cannot be compared.
 */
export async function analyzeRun(dir: string, options: AnalyzeRunOptions): Promise<AnalyzedRun> {
  const manifest = readManifest(nodeFiles, dir);
  const given = options.partition === null ? null : readPartition(options.partition);
  const text = options.features == null ? null : readFeatures(options.features);
  const readings = readReadings(dir);
  if (readings.length === 0)
    throw new PlumblineError('RUN_INCOMPLETE', `${dir} has no row yet: go on with --resume ${dir}`);
  const floor =
    options.floor && manifest.options.icsOnly !== true ? await floorOf(dir, manifest, readings) : null;
  const exactness = manifest.batchPlan?.exactness ?? null;
  const { reader } = options;
  const summary = analyzeReadings(readings, {
    about: {
      subject: subjectOf(manifest),
      corpus: corpusName(manifest),
      run: path.basename(path.resolve(dir)),
    },
    exactness,
    reader,
    seed: manifest.seed,
    ...(floor?.accuracy && { lexicalFloor: floor.accuracy }),
    ...(floor?.why && { floorMissing: `the corpus is not at hand (${floor.why})` }),
    ...(given && { partition: given }),
    ...directionOf(dir, manifest),
  });
  const coverage = {
    plannedRows: manifest.plannedRows,
    missingRows: Math.max(0, manifest.plannedRows - readings.length),
    errorRows: readings.filter(({ errorCode }) => errorCode !== null).length,
  };
  const { planHash } = manifest;
  const against = options.against ?? [];
  const interventions = compareRuns(dir, against, { reader, partition: given });
  const { sanity, why: sanityMissing } = readSanity(dir, planHash);
  return {
    summary: {
      planHash,
      coverage,
      interventions,
      sanity,
      features: text && featuresAgainstOcs(text, summary),
      ...summary,
    },
    readings,
    pairs: pairRows(readings, exactness),
    partition: partitionOf(readings, reader, { planHash, subject: subjectOf(manifest) }),
    notes: [
      ...(sanityMissing === null ? [] : [sanityMissing]),
      ...(floor?.why ? [`lexical floor left out: the corpus is not at hand (${floor.why})`] : []),
      ...(against.length === 0 && recordedAgainst(manifest) !== null
        ? [
            'this run was made against another one: name its folder with --against to see what the prompt changes',
          ]
        : []),
    ],
  };
}

function directionOf(
  dir: string,
  { direction, vectors: { controls } }: Manifest,
): Pick<AnalyzeOptions, 'direction'> {
  if (direction === null || controls === null) return {};
  const { layers, width } = controls;
  return { direction: { anchor: direction.layer, layers, width, vectors: readControls(dir) } };
}

/** Writes summary.json and derived.arrow into the run, each whole or not at all. Errors: IO. */
export function writeAnalysis(dir: string, { summary, pairs }: AnalyzedRun): void {
  writeAtomically(nodeFiles, path.join(dir, PAIRS_FILE), pairsFile(pairs));
  writeAtomically(nodeFiles, path.join(dir, SUMMARY_FILE), encode(`${JSON.stringify(summary, null, 2)}\n`));
}

/** Errors: RUN_INCOMPLETE, because a missing row could move its sample to another group; USAGE without verdicts; IO. */
export function writePartition(file: string, dir: string, { summary, partition }: AnalyzedRun): void {
  const { missingRows, plannedRows } = summary.coverage;
  if (summary.icsOnly) {
    throw new PlumblineError(
      'USAGE',
      `${dir} holds no verdicts (--ics-only), and groups are made of flips: write the partition from a run with verdicts`,
    );
  }
  if (missingRows > 0) {
    throw new PlumblineError(
      'RUN_INCOMPLETE',
      `${missingRows} of ${plannedRows} planned rows of ${dir} are missing, and groups made without them could be wrong: go on with --resume ${dir}, then write the partition`,
    );
  }
  writeAtomically(nodeFiles, file, encode(formatPartition(partition)));
}

function encode(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/**
 * Accuracy of the rule-blind floor on the run's own samples, so that it stands beside the judge's; it learns from all
 * cases of their domains.
 */
async function floorOf(
  dir: string,
  manifest: Manifest,
  readings: readonly Reading[],
): Promise<{ readonly accuracy: ReadonlyMap<string, number | null> | null; readonly why: string | null }> {
  const { corpus, why } = await corpusOfRun(dir, manifest);
  if (corpus === null) return { accuracy: null, why };
  const ids = new Set(readings.map(({ sampleId }) => sampleId));
  const domains = new Set(readings.map(({ domain }) => domain));
  const cases = corpus.cases.filter(({ domain }) => domains.has(domain));
  const judged = lexicalFloor(cases, { seed: manifest.seed }).filter(({ id }) => ids.has(id));
  return { accuracy: lexicalAccuracy(judged), why: null };
}
