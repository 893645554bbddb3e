import path from 'node:path';
import type { Reader } from '../audit/ocs.js';
import { analyzeSweep, type SweepAnalysis } from '../audit/sweep-analysis.js';
import { PlumblineError } from '../errors.js';
import { corpusName, subjectOf } from '../run/describe.js';
import { nodeFiles, writeAtomically } from '../run/files.js';
import { readManifest } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import type { Coverage } from './analyze-run.js';

export const SWEEP_FILE = 'sweep.json';

/** What sweep.json holds: figures and the data of a dose–response plot. */
export type SweepSummary = { readonly planHash: string; readonly coverage: Coverage } & SweepAnalysis;

/** Whether a run was made by a sweep. Errors: RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO. */
export function isSweepRun(dir: string): boolean {
  return readManifest(nodeFiles, dir).steering !== undefined;
}

/**
 * Checks the readings of a sweep against its journal and analyzes those that are there; nothing is written.
 * Errors: RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO; RUN_INCOMPLETE when there is no row at all; USAGE for a run that
 * is no sweep.
 */
export function analyzeSweepRun(dir: string, reader: Reader): SweepSummary {
  const manifest = readManifest(nodeFiles, dir);
  const { steering, direction, planHash, plannedRows, seed } = manifest;
  if (steering === undefined || direction === null)
    throw new PlumblineError('USAGE', `${dir} is no sweep; \`plumbline analyze\` says what it shows.`);
  const readings = readReadings(dir);
  if (readings.length === 0) {
    throw new PlumblineError(
      'RUN_INCOMPLETE',
      `${dir} has no row yet: go on with plumbline sweep --resume ${dir}`,
    );
  }
  const coverage = {
    plannedRows,
    missingRows: Math.max(0, plannedRows - readings.length),
    errorRows: readings.filter(({ errorCode }) => errorCode !== null).length,
  };
  const analysis = analyzeSweep(readings, {
    about: {
      subject: subjectOf(manifest),
      corpus: corpusName(manifest),
      run: path.basename(path.resolve(dir)),
    },
    reader,
    seed,
    exactness: manifest.batchPlan?.exactness ?? null,
    direction,
    steering,
  });
  return { planHash, coverage, ...analysis };
}

/** Writes sweep.json into the run, whole or not at all. Errors: IO. */
export function writeSweepAnalysis(dir: string, summary: SweepSummary): void {
  const bytes = Buffer.from(`${JSON.stringify(summary, null, 2)}\n`, 'utf8');
  writeAtomically(nodeFiles, path.join(dir, SWEEP_FILE), bytes);
}
