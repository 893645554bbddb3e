import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PlumblineError } from '../errors.js';
import { attempt, attemptUnless, type FileOps, quietly, readWhole, systemCode, writeFully } from './files.js';

export const LOCK_FILE = 'run.lock';

/** Who holds a lock. `started` tells a process from a later one with the same number; null where it is not known. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
}

/** When a process started, in clock ticks since boot, from Linux's /proc; null elsewhere or when it is gone. */
function startOf(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may hold anything; field 22 is the start.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives and is somebody else's.
    if (systemCode(error) === 'ESRCH') return false;
  }
  return holder.started === null || holder.started === startOf(holder.pid);
}

function readHolder(files: FileOps, file: string): Holder | null {
  const bytes = readWhole(files, file);
  try {
    const value = JSON.parse(Buffer.from(bytes ?? new Uint8Array(0)).toString('utf8')) as Holder;
    return Number.isSafeInteger(value.pid) && typeof value.host === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** A holder writes its name right after it made the file: this long is enough to see it. */
const NAME_WAIT_MS = 200;

/** The holder of an existing lock, or null for one whose maker died before it wrote its name. */
function holderOf(files: FileOps, file: string): Holder | null {
  const holder = readHolder(files, file);
  if (holder !== null) return holder;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, NAME_WAIT_MS);
  return readHolder(files, file);
}

/**
 * Takes the run's lock: one process writes a run at a time. A lock whose process is gone is taken over. Returns the
 * release. Errors: RUN_LOCKED, IO.
 */
export function acquireLock(files: FileOps, dir: string): () => void {
  const file = path.join(dir, LOCK_FILE);
  const fd = create(files, file) ?? takeOver(files, dir, file);
  try {
    const holder: Holder = { pid: process.pid, host: os.hostname(), started: startOf(process.pid) };
    writeFully(files, fd, file, Buffer.from(`${JSON.stringify(holder)}\n`, 'utf8'), 0);
  } catch (error) {
    quietly(() => files.unlink(file));
    throw error;
  } finally {
    quietly(() => files.close(fd));
  }
  return () => attempt('remove', file, () => files.unlink(file));
}

/** A lock that is kept while a run is looked at, until whoever writes the run takes it over. */
export interface HeldLock {
  /** Hands the release over. Errors: USAGE when that was done already, or the lock was given back. */
  readonly handOver: () => () => void;
  /** Gives the lock back unless it was handed over. Safe to call twice. */
  readonly close: () => void;
}

/** Errors: RUN_LOCKED, IO. */
export function holdLock(files: FileOps, dir: string): HeldLock {
  let release: (() => void) | null = acquireLock(files, dir);
  const take = (): (() => void) | null => {
    const held = release;
    release = null;
    return held;
  };
  return {
    handOver: () => {
      const held = take();
      if (held === null) throw new PlumblineError('USAGE', `${dir}: opened for writing already, or closed`);
      return held;
    },
    close: () => take()?.(),
  };
}

/** Creates the lock; null when it is there. */
function create(files: FileOps, file: string): number | null {
  return attemptUnless('EEXIST', 'create', file, () => files.open(file, 'wx'));
}

/** Sets a dead process's lock aside and creates ours; of several that try, the exclusive creation lets one through. */
function takeOver(files: FileOps, dir: string, file: string): number {
  const holder = holderOf(files, file);
  if (holder !== null && (holder.host !== os.hostname() || isAlive(holder))) throw locked(dir, file, holder);
  const aside = `${file}.${process.pid}.tmp`;
  // Not there any more: its holder finished just now, or another process was faster; creating decides.
  attemptUnless('ENOENT', 'rename', file, () => files.rename(file, aside));
  const moved = readHolder(files, aside);
  if (moved !== null && moved.pid !== holder?.pid) {
    // Another process took over between our look and our rename: it keeps the run.
    attempt('rename', aside, () => files.rename(aside, file));
    throw locked(dir, file, moved);
  }
  quietly(() => files.unlink(aside));
  const fd = create(files, file);
  if (fd === null) throw locked(dir, file, readHolder(files, file));
  return fd;
}

function locked(dir: string, file: string, holder: Holder | null): PlumblineError {
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new PlumblineError(
    'RUN_LOCKED',
    `${dir} is being written by ${who}; wait for it or stop it, and delete ${file} only if it is surely gone`,
  );
}
