import path from 'node:path';
import { PlumblineError } from '../errors.js';
import { attempt, attemptUnless, type FileOps, nodeFiles, quietly, syncDirectory } from './files.js';
import { readJournal } from './journal.js';
import { acquireLock, LOCK_FILE } from './lock.js';
import { LOCAL_FILE, type LocalPaths, MANIFEST_FILE, type Manifest, writeManifest } from './manifest.js';
import { streamsOf } from './streams.js';
import { openWriter, type RunWriter } from './writer.js';

/**
 * Creates a run in a new or empty folder and opens it for writing. The manifest comes before any row. When this fails
 * before the manifest stands, nothing is left behind; afterwards the run can be resumed. Errors: RUN_EXISTS for a folder
 * with anything in it; RUN_LOCKED; IO.
 */
export function createRun(
  dir: string,
  manifest: Manifest,
  local: LocalPaths,
  files: FileOps = nodeFiles,
): RunWriter {
  const release = createFolder(dir, () => writeManifest(files, dir, manifest, local), files);
  const streams = streamsOf(manifest);
  return openWriter(files, dir, streams, readJournal(files, dir, streams), release);
}

/**
 * Makes a new or empty folder a run: takes its lock, lets `describe` write {@link LOCAL_FILE} and {@link MANIFEST_FILE}, in
 * this order, and returns the release of the lock. Errors: as {@link createRun}.
 */
export function createFolder(dir: string, describe: () => void, files: FileOps = nodeFiles): () => void {
  const existed = checkVacant(files, dir);
  if (!existed) attempt('create', dir, () => files.mkdir(dir));
  const release = lockVacant(files, dir, existed);
  try {
    describe();
  } catch (error) {
    quietly(() => files.unlink(path.join(dir, LOCAL_FILE)));
    quietly(release);
    if (!existed) quietly(() => files.rmdir(dir));
    throw error;
  }
  try {
    syncDirectory(files, dir);
  } catch (error) {
    quietly(release);
    throw error;
  }
  return release;
}

/** Takes the lock, and looks again: another process may have made its run between the first look and the lock. */
function lockVacant(files: FileOps, dir: string, existed: boolean): () => void {
  let release: (() => void) | null = null;
  try {
    release = acquireLock(files, dir);
    checkVacant(files, dir);
    return release;
  } catch (error) {
    if (release !== null) quietly(release);
    if (!existed) quietly(() => files.rmdir(dir));
    throw error;
  }
}

/** Refuses a folder that a run could not be created in, before anything costly is done for it. Errors: RUN_EXISTS, IO. */
export function requireVacant(dir: string, files: FileOps = nodeFiles): void {
  checkVacant(files, dir);
}

/** true when the folder is there and free, false when it is not there. Errors: RUN_EXISTS, IO. */
function checkVacant(files: FileOps, dir: string): boolean {
  const entries = attemptUnless('ENOENT', 'list', dir, () => files.list(dir));
  if (entries === null) return false;
  if (entries.length === 0 || isStillborn(entries)) return true;
  throw new PlumblineError(
    'RUN_EXISTS',
    entries.includes(MANIFEST_FILE)
      ? `${dir} already holds a run: go on with it by --resume ${dir}, or choose another --out`
      : `${dir} is not empty: choose another --out`,
  );
}

/** What a process leaves that was killed while it created a run: its lock, but no manifest, so that nothing is lost. */
function isStillborn(entries: readonly string[]): boolean {
  const ours = (entry: string): boolean =>
    [LOCK_FILE, LOCAL_FILE, `${LOCAL_FILE}.tmp`, `${MANIFEST_FILE}.tmp`].includes(entry) ||
    (entry.startsWith(`${LOCK_FILE}.`) && entry.endsWith('.tmp'));
  return entries.includes(LOCK_FILE) && entries.every(ours);
}
