import { PlumblineError } from '../errors.js';
import { type Appender, openAppender } from '../run/appender.js';
import { createFolder } from '../run/directory.js';
import { type FileOps, nodeFiles } from '../run/files.js';
import { type Journal, readJournal } from '../run/journal.js';
import { holdLock } from '../run/lock.js';
import type { RowFormat } from '../run/schema.js';
import { visitRows } from '../run/survey.js';
import { countBatches, gapsOf, list, type Verification } from '../run/verify.js';
import { GATE_PAIRS, type GatePairRow, gatePairKey } from './pair-rows.js';
import {
  type GateLocal,
  type GateManifest,
  gatePlanHash,
  readGateLocal,
  readGateManifest,
  writeGateManifest,
} from './run-manifest.js';

const STREAMS = { all: [GATE_PAIRS as RowFormat<unknown>] };

/** Takes the rows of a gate audit; each call is one record batch, on the device when it returns. */
export interface GateRunWriter {
  readonly append: (rows: readonly GatePairRow[]) => void;
  /** Ends the stream: every row is there. */
  readonly finish: () => void;
  /** Closes the files and gives the lock back. Safe to call twice. */
  readonly close: () => void;
}

/** Creates a gate audit in a new or empty folder. Errors: RUN_EXISTS, RUN_LOCKED, IO. */
export function createGateRun(
  dir: string,
  manifest: GateManifest,
  local: GateLocal,
  files: FileOps = nodeFiles,
): GateRunWriter {
  const release = createFolder(dir, () => writeGateManifest(files, dir, manifest, local), files);
  return writerOf(openAppender(files, dir, STREAMS.all, readJournal(files, dir, STREAMS), release));
}

function writerOf({ append, finish, close }: Appender): GateRunWriter {
  return { append: rows => append(GATE_PAIRS, rows), finish, close };
}

/** A gate audit that is locked and checked, and not touched yet. */
export interface ResumableGateRun {
  readonly manifest: GateManifest;
  readonly local: GateLocal;
  /** In the order of the file. */
  readonly rows: readonly GatePairRow[];
  /** Nothing is left to score. */
  readonly complete: boolean;
  /** Cuts torn tails and goes on behind the last good batch. The writer's `close` gives the lock back. */
  readonly openWriter: () => GateRunWriter;
  /** Gives the lock back without touching the run. Safe to call twice, and after the writer was opened. */
  readonly close: () => void;
}

/** Locks a gate audit, reads and checks all of it. Errors: RUN_NOT_FOUND, USAGE, RUN_LOCKED, RUN_DAMAGED, IO. */
export function openGateRun(dir: string, files: FileOps = nodeFiles): ResumableGateRun {
  const manifest = readGateManifest(files, dir);
  const local = readGateLocal(files, dir);
  const lock = holdLock(files, dir);
  try {
    const survey = surveyGateRun(files, dir);
    const contradictions = contradictionsOf(manifest, survey);
    if (contradictions.length > 0) {
      throw new PlumblineError(
        'RUN_DAMAGED',
        `${dir}: ${contradictions.join('; ')}; restore it from a copy, or start again with another --out`,
      );
    }
    return {
      manifest,
      local,
      rows: [...survey.rows.values()],
      complete: isComplete(manifest, survey),
      openWriter: () => writerOf(openAppender(files, dir, STREAMS.all, survey.journal, lock.handOver())),
      close: lock.close,
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

interface GateSurvey {
  readonly journal: Journal;
  readonly rows: ReadonlyMap<string, GatePairRow>;
  /** Keys that stand more than once. */
  readonly repeated: readonly string[];
  readonly tornBytes: number;
}

function surveyGateRun(files: FileOps, dir: string): GateSurvey {
  const journal = readJournal(files, dir, STREAMS);
  const rows = new Map<string, GatePairRow>();
  const repeated: string[] = [];
  const torn = visitRows(files, dir, journal, GATE_PAIRS, row => {
    const key = gatePairKey(row);
    if (rows.has(key)) repeated.push(named(row));
    rows.set(key, row);
  });
  return { journal, rows, repeated, tornBytes: journal.tornBytes + torn };
}

/** The rows of a gate audit, checked against its journal. Errors: RUN_NOT_FOUND, USAGE, RUN_DAMAGED, IO. */
export function readGatePairs(dir: string, files: FileOps = nodeFiles): readonly GatePairRow[] {
  readGateManifest(files, dir);
  return [...surveyGateRun(files, dir).rows.values()];
}

/** Checks a gate audit as it stands, without changing it. Errors: RUN_NOT_FOUND, USAGE, RUN_MISMATCH, IO. */
export function verifyGateRun(dir: string, files: FileOps = nodeFiles): Verification {
  try {
    const manifest = readGateManifest(files, dir);
    const survey = surveyGateRun(files, dir);
    const { plannedRows } = manifest;
    const { rows, journal, tornBytes } = survey;
    const details = {
      plannedRows,
      goodRows: rows.size,
      errorRows: 0,
      missingRows: Math.max(0, plannedRows - rows.size),
      derivedRows: null,
      batches: countBatches(journal),
      tornBytes,
    };
    const findings = contradictionsOf(manifest, survey);
    if (findings.length > 0) return { state: 'damaged', exitCode: 4, details, findings };
    if (isComplete(manifest, survey)) return { state: 'complete', exitCode: 0, details, findings: [] };
    return { state: 'incomplete', exitCode: 3, details, findings: gapsOf(dir, details) };
  } catch (error) {
    if (!(error instanceof PlumblineError) || error.code !== 'RUN_DAMAGED') throw error;
    return { state: 'damaged', exitCode: 4, details: null, findings: [error.message] };
  }
}

function contradictionsOf(manifest: GateManifest, { rows, repeated }: GateSurvey): readonly string[] {
  const findings: string[] = [];
  if (gatePlanHash(manifest) !== manifest.planHash)
    findings.push('manifest.json: the plan does not have the plan hash');
  const planned = new Set(
    manifest.encoders.flatMap(({ name }) => manifest.pairIds.map(id => gatePairKey({ encoder: name, id }))),
  );
  if (planned.size !== manifest.plannedRows)
    findings.push(`manifest.json: ${manifest.plannedRows} planned rows, its lists make ${planned.size}`);
  const strangers = [...rows].filter(([key]) => !planned.has(key)).map(([, row]) => named(row));
  if (strangers.length > 0) findings.push(`${GATE_PAIRS.file}: ${list(strangers)}: not in the plan`);
  if (repeated.length > 0) findings.push(`${GATE_PAIRS.file}: ${list(repeated)}: written twice`);
  return findings;
}

function isComplete({ plannedRows }: GateManifest, { rows, journal }: GateSurvey): boolean {
  return rows.size === plannedRows && journal.streams[GATE_PAIRS.file].ended;
}

function named({ encoder, id }: GatePairRow): string {
  return `pair ${id} of ${encoder}`;
}
