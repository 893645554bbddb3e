import fs from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, PlumblineError } from '../errors.js';

/**
 * The file system as the run layer uses it: synchronous, one call per system call, `write` and `read` may be short.
 * A parameter everywhere, so that tests can fail any single call.
 */
export interface FileOps {
  readonly open: (path: string, flags: string | number) => number;
  readonly close: (fd: number) => void;
  readonly read: (fd: number, bytes: Uint8Array, start: number, length: number, position: number) => number;
  readonly write: (fd: number, bytes: Uint8Array, start: number, length: number, position: number) => number;
  readonly sync: (fd: number) => void;
  readonly truncate: (fd: number, length: number) => void;
  readonly size: (fd: number) => number;
  readonly list: (path: string) => readonly string[];
  readonly mkdir: (path: string) => void;
  readonly rmdir: (path: string) => void;
  readonly rename: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
}

export const nodeFiles: FileOps = {
  open: (path, flags) => fs.openSync(path, flags),
  close: fd => fs.closeSync(fd),
  read: (fd, bytes, start, length, position) => fs.readSync(fd, bytes, start, length, position),
  write: (fd, bytes, start, length, position) => fs.writeSync(fd, bytes, start, length, position),
  sync: fd => fs.fsyncSync(fd),
  truncate: (fd, length) => fs.ftruncateSync(fd, length),
  size: fd => fs.fstatSync(fd).size,
  list: path => fs.readdirSync(path),
  mkdir: makeFolder,
  rmdir: path => fs.rmdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: path => fs.unlinkSync(path),
};

/** Node's own recursive call never comes back where the system refuses with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) === 'EEXIST' && fs.statSync(path).isDirectory()) return;
    if (systemCode(error) !== 'ENOENT' || parent === path || fs.existsSync(parent)) throw error;
    makeFolder(parent);
    fs.mkdirSync(path);
  }
}

/** The `code` of a system error (`ENOSPC`, …); undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const REMEDY: Readonly<Record<string, string>> = {
  ENOSPC: 'free some space; an interrupted run goes on with --resume',
  EDQUOT: 'free some of your quota; an interrupted run goes on with --resume',
  EACCES: 'choose a folder that you may write',
  EPERM: 'choose a folder that you may write',
  EROFS: 'choose a folder on a writable file system',
  ENOTDIR: 'a part of the path is a file: choose another folder',
};

/** A system error as a typed one: what was tried, where, the system's own words, and what to do. */
export function ioError(action: string, path: string, cause: unknown): PlumblineError {
  const remedy =
    REMEDY[systemCode(cause) ?? ''] ?? 'check the disk; an interrupted run goes on with --resume';
  return new PlumblineError('IO', `cannot ${action} ${path}: ${messageOf(cause)}; ${remedy}`, { cause });
}

/** A signal may interrupt a call any number of times in principle; so many in a row mean that something is wrong. */
const MAX_INTERRUPTIONS = 1000;

/** Runs one system call, again when a signal interrupted it. Errors: IO. */
export function attempt<T>(action: string, path: string, call: () => T): T {
  for (let interruptions = 0; ; interruptions++) {
    try {
      return call();
    } catch (error) {
      if (systemCode(error) === 'EINTR' && interruptions < MAX_INTERRUPTIONS) continue;
      throw ioError(action, path, error);
    }
  }
}

/** Writes all of `bytes` at `position`, however short the single writes are. Errors: IO. */
export function writeFully(
  files: FileOps,
  fd: number,
  path: string,
  bytes: Uint8Array,
  position: number,
): void {
  let done = 0;
  while (done < bytes.length) {
    const from = done;
    const written = attempt('write', path, () =>
      files.write(fd, bytes, from, bytes.length - from, position + from),
    );
    if (written <= 0) throw ioError('write', path, new Error('the system took no byte'));
    done += written;
  }
}

/** Reads exactly `length` bytes at `position`; fewer only where the file ends. Errors: IO. */
export function readFully(
  files: FileOps,
  fd: number,
  path: string,
  length: number,
  position: number,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const from = done;
    const got = attempt('read', path, () => files.read(fd, bytes, from, length - from, position + from));
    if (got <= 0) return bytes.subarray(0, done);
    done += got;
  }
  return bytes;
}

/** Whole content of a file; null when there is no such file. Errors: IO. */
export function readWhole(files: FileOps, path: string): Uint8Array<ArrayBuffer> | null {
  const fd = openExisting(files, path);
  if (fd === null) return null;
  try {
    const size = attempt('read', path, () => files.size(fd));
    return readFully(files, fd, path, size, 0);
  } finally {
    files.close(fd);
  }
}

/** Opens a file for reading; null when there is none. Errors: IO. */
export function openExisting(files: FileOps, path: string): number | null {
  return attemptUnless('ENOENT', 'open', path, () => files.open(path, 'r'));
}

/** As {@link attempt}, but null for the one outcome that the caller is ready for. Errors: IO for any other. */
export function attemptUnless<T>(code: string, action: string, path: string, call: () => T): T | null {
  try {
    return attempt(action, path, call);
  } catch (error) {
    if (error instanceof PlumblineError && systemCode(error.cause) === code) return null;
    throw error;
  }
}

/** What a file system says that cannot flush this kind of file: there is nothing to be done about it. */
const CANNOT_SYNC: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP', 'ENOSYS']);

/** Flushes a file to the device. Errors: IO, but not where the file system has no such call. */
export function syncFile(files: FileOps, fd: number, path: string): void {
  try {
    attempt('flush', path, () => files.sync(fd));
  } catch (error) {
    if (!(error instanceof PlumblineError) || !CANNOT_SYNC.has(systemCode(error.cause))) throw error;
  }
}

/** Flushes a directory, so that new names in it survive a power cut. Windows cannot open directories: skipped there. */
export function syncDirectory(files: FileOps, path: string): void {
  if (process.platform === 'win32') return;
  const fd = attempt('open', path, () => files.open(path, 'r'));
  try {
    syncFile(files, fd, path);
  } finally {
    files.close(fd);
  }
}

/**
 * Writes a file so that it is either absent or whole: to a temporary beside it, flushed, then renamed. The temporary is
 * removed when this fails. Errors: IO.
 */
export function writeAtomically(files: FileOps, path: string, bytes: Uint8Array): void {
  writePieces(files, path, [bytes]);
}

/**
 * As {@link writeAtomically}, of a file that is made piece by piece; gives its length in bytes. Errors: IO; those of
 * making a piece.
 */
export function writePieces(files: FileOps, path: string, pieces: Iterable<Uint8Array>): number {
  const temporary = `${path}.tmp`;
  const fd = attempt('create', temporary, () => files.open(temporary, 'w'));
  let length = 0;
  try {
    try {
      for (const piece of pieces) {
        writeFully(files, fd, temporary, piece, length);
        length += piece.length;
      }
      syncFile(files, fd, temporary);
    } finally {
      files.close(fd);
    }
    attempt('rename', temporary, () => files.rename(temporary, path));
    return length;
  } catch (error) {
    quietly(() => files.unlink(temporary));
    throw error;
  }
}

/** For cleaning up after a failure that is already being reported: a second failure must not hide the first. */
export function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // The first error is the one to report.
  }
}
