import path from 'node:path';
import { CONDITIONS, type Condition } from '../perturb/types.js';
import { nodeFiles, readWhole } from '../run/files.js';
import { type Manifest, readManifest } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import type { Reading } from '../run/types.js';
import { type Verification, verifyRun } from '../run/verify.js';
import { MEASURED_FILE } from './measured.js';

/** What `inspect` says about a run. */
export interface RunFacts {
  readonly kind: 'run';
  readonly manifest: Manifest;
  readonly verification: Verification;
  /** Rows that are there, by condition; null when the run is too damaged to read. */
  readonly conditions: readonly ConditionRows[] | null;
  /** What was counted and timed while the run was made, as facts.json has it; null without one. */
  readonly measured: unknown;
}

export interface ConditionRows {
  readonly condition: Condition;
  readonly rows: number;
  readonly textVerdicts: number;
  readonly logitVerdicts: number;
  readonly notApplicable: number;
  /** Applicable rows whose prompt shows what the baseline shows. */
  readonly invisible: number;
  readonly errors: number;
}

/** Errors: RUN_NOT_FOUND, RUN_MISMATCH, RUN_DAMAGED (the manifest alone), IO. */
export function runFacts(dir: string): RunFacts {
  const manifest = readManifest(nodeFiles, dir);
  const verification = verifyRun(dir);
  const conditions = verification.details === null ? null : countRows(readReadings(dir));
  return { kind: 'run', manifest, verification, conditions, measured: readMeasured(dir) };
}

function countRows(readings: readonly Reading[]): readonly ConditionRows[] {
  return CONDITIONS.flatMap(condition => {
    const rows = readings.filter(row => row.condition === condition);
    const count = (holds: (row: Reading) => boolean): number => rows.filter(holds).length;
    const good = (row: Reading): boolean => row.applicable && row.errorCode === null;
    if (rows.length === 0) return [];
    return {
      condition,
      rows: rows.length,
      textVerdicts: count(row => good(row) && row.verdictText !== null),
      logitVerdicts: count(row => good(row) && row.verdictLogit !== null),
      notApplicable: count(row => !row.applicable),
      invisible: count(row => row.applicable && !row.visible),
      errors: count(row => row.errorCode !== null),
    };
  });
}

/** Nothing depends on this file, so one that cannot be understood counts as none. */
function readMeasured(dir: string): unknown {
  const bytes = readWhole(nodeFiles, path.join(dir, MEASURED_FILE));
  if (bytes === null) return null;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}
