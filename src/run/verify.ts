import { PlumblineError } from '../errors.js';
import { type FileOps, nodeFiles } from './files.js';
import type { Journal } from './journal.js';
import { type Manifest, planHash, readManifest } from './manifest.js';
import { isComplete } from './resume.js';
import { streamsOf } from './streams.js';
import { type Survey, surveyRun } from './survey.js';

export interface Verification {
  readonly state: 'complete' | 'incomplete' | 'damaged';
  readonly exitCode: 0 | 3 | 4;
  /** null when the run is too damaged to count. */
  readonly details: VerificationDetails | null;
  /** What is missing or wrong, a sentence each; empty for a complete run. */
  readonly findings: readonly string[];
}

export interface VerificationDetails {
  readonly plannedRows: number;
  /** Keys whose last row has no error, and those whose last row has one. */
  readonly goodRows: number;
  readonly errorRows: number;
  readonly missingRows: number;
  /** null in a run that has no derived rows by its kind. */
  readonly derivedRows: number | null;
  /** Record batches over all streams. */
  readonly batches: number;
  readonly tornBytes: number;
}

/**
 * Checks a run as it stands, without changing it: every journalled byte, every row, and whether all that was planned is
 * there. Errors: RUN_NOT_FOUND, RUN_MISMATCH (a run of another schema version), IO.
 */
export function verifyRun(dir: string, files: FileOps = nodeFiles): Verification {
  try {
    const manifest = readManifest(files, dir);
    const survey = surveyRun(files, dir, streamsOf(manifest));
    const details = count(manifest, survey);
    const contradictions = contradictionsOf(manifest, survey);
    if (contradictions.length > 0)
      return { state: 'damaged', exitCode: 4, details, findings: contradictions };
    if (isComplete(manifest, survey)) return { state: 'complete', exitCode: 0, details, findings: [] };
    return { state: 'incomplete', exitCode: 3, details, findings: gapsOf(dir, details) };
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.code !== 'RUN_DAMAGED') throw error;
    return { state: 'damaged', exitCode: 4, details: null, findings: [error.message] };
  }
}

function count(
  { plannedRows }: Manifest,
  { readings, derived, journal, tornBytes }: Survey,
): VerificationDetails {
  const errorRows = [...readings.values()].filter(({ failed }) => failed).length;
  return {
    plannedRows,
    goodRows: readings.size - errorRows,
    errorRows,
    missingRows: Math.max(0, plannedRows - readings.size),
    derivedRows: derived.size,
    batches: countBatches(journal),
    tornBytes,
  };
}

/** Record batches over all streams. */
export function countBatches({ streams }: Journal): number {
  return Object.values(streams).reduce((sum, { batches }) => sum + batches.length, 0);
}

/** What no interruption explains: rows and plan that contradict each other. */
function contradictionsOf(
  manifest: Manifest,
  { readings, repeated, bare, unread }: Survey,
): readonly string[] {
  const findings: string[] = [];
  if (planHash(manifest) !== manifest.planHash)
    findings.push('manifest.json: the plan does not have the plan hash');
  if (readings.size > manifest.plannedRows) {
    findings.push(`readings.arrows: ${readings.size} keys, the plan has ${manifest.plannedRows}`);
  }
  const planned = new Set(manifest.sampleIds);
  const strangers = [...readings].filter(([, { sampleId }]) => !planned.has(sampleId)).map(([key]) => key);
  if (strangers.length > 0) findings.push(`readings.arrows: ${list(strangers)}: of no sample of the plan`);
  if (repeated.length > 0)
    findings.push(`readings.arrows: ${list(repeated)}: written again after a good row`);
  if (bare.length > 0) findings.push(`readings.arrows: ${list(bare)}`);
  if (unread.length > 0 && readings.size >= manifest.plannedRows)
    findings.push(`vectors of ${list(unread)}: of no reading of the run`);
  return findings;
}

export function list(keys: readonly string[]): string {
  return keys.length === 1 ? `${keys[0]}` : `${keys[0]} and ${keys.length - 1} more`;
}

/** What an interruption left undone, in words. */
export function gapsOf(dir: string, details: VerificationDetails): readonly string[] {
  const { plannedRows, errorRows, missingRows, tornBytes } = details;
  const findings: string[] = [];
  if (missingRows > 0) findings.push(`${missingRows} of ${plannedRows} planned rows are missing`);
  if (errorRows > 0) findings.push(`${errorRows} rows hold an error`);
  if (tornBytes > 0) findings.push(`${tornBytes} bytes of an interrupted write, which a resume cuts`);
  if (findings.length === 0) findings.push('all rows are there, but the run was not ended');
  return [...findings, `go on with --resume ${dir}`];
}
