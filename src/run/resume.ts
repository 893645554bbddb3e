import { type FileOps, nodeFiles } from './files.js';
import { holdLock } from './lock.js';
import { type LocalPaths, type Manifest, readLocal, readManifest } from './manifest.js';
import { streamsOf } from './streams.js';
import { type Survey, surveyRun } from './survey.js';
import { openWriter, type RunWriter } from './writer.js';

/** A run that is locked and checked, and not touched yet. */
export interface ResumableRun {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly local: LocalPaths;
  /** Keys of readings whose last row has no error. */
  readonly done: ReadonlySet<string>;
  /** Keys of readings whose last row has one: to be tried again; the new row supersedes the old. */
  readonly retry: ReadonlySet<string>;
  /**
   * Keys of derived rows (`derivedKey`) that are up to date: after the last reading of their sample, none of which is
   * to be tried again.
   */
  readonly derivedDone: ReadonlySet<string>;
  /** Nothing is left to do. */
  readonly complete: boolean;
  /** Bytes of interrupted writes that `openWriter` will cut. */
  readonly tornBytes: number;
  /** Cuts the torn tails and goes on where the last good batch ends. The writer's `close` gives the lock back. */
  readonly openWriter: () => RunWriter;
  /** Gives the lock back without touching the run. Safe to call twice, and after the writer was opened. */
  readonly close: () => void;
}

/**
 * Locks a run, reads and checks all of it. Errors: RUN_NOT_FOUND, RUN_LOCKED, RUN_DAMAGED, IO. RUN_MISMATCH is the
 * caller's: compare `manifest` with `diffManifest` before the writer is opened.
 */
export function openForResume(dir: string, files: FileOps = nodeFiles): ResumableRun {
  const manifest = readManifest(files, dir);
  const local = readLocal(files, dir);
  const lock = holdLock(files, dir);
  try {
    const streams = streamsOf(manifest);
    const survey = surveyRun(files, dir, streams);
    const { done, retry } = sortKeys(survey);
    return {
      dir,
      manifest,
      local,
      done,
      retry,
      derivedDone: upToDate(survey),
      complete: isComplete(manifest, survey),
      tornBytes: survey.tornBytes,
      openWriter: () => openWriter(files, dir, streams, survey.journal, lock.handOver()),
      close: lock.close,
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}

function sortKeys({ readings }: Survey): Pick<ResumableRun, 'done' | 'retry'> {
  const done = new Set<string>();
  const retry = new Set<string>();
  for (const [key, { failed }] of readings) (failed ? retry : done).add(key);
  return { done, retry };
}

/** A crash between a sample's last reading and its derived row leaves no derived row, or one of the readings before. */
function upToDate({ readings, derived }: Survey): ReadonlySet<string> {
  const changed = new Map<string, number>();
  for (const { sampleId, line, failed } of readings.values()) {
    changed.set(sampleId, Math.max(failed ? Number.POSITIVE_INFINITY : line, changed.get(sampleId) ?? 0));
  }
  const fresh = new Set<string>();
  for (const [key, { line, sampleId }] of derived) {
    if (line > (changed.get(sampleId) ?? 0)) fresh.add(key);
  }
  return fresh;
}

/** Every planned row is there without an error, and the process that wrote the last one ended all streams. */
export function isComplete(manifest: Manifest, { readings, journal }: Survey): boolean {
  const { plannedRows } = manifest;
  const good = [...readings.values()].filter(({ failed }) => !failed).length;
  return (
    good === plannedRows &&
    readings.size === plannedRows &&
    streamsOf(manifest).all.every(({ file }) => journal.streams[file].ended)
  );
}
