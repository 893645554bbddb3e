import { constants } from 'node:fs';
import path from 'node:path';
import { PlumblineError } from '../errors.js';
import { crc32cHex } from './crc32c.js';
import { attempt, type FileOps, quietly, syncDirectory, syncFile, writeFully } from './files.js';
import { JOURNAL_FILE, type Journal, type JournalEntry, journalLine } from './journal.js';
import { batchMessage, END_OF_STREAM, streamHead } from './message.js';
import type { RowFormat } from './schema.js';

/**
 * Appends rows to the streams of a run. Each call is one record batch, on the device with its journal line when the call
 * returns. After an error the run holds what it held before the call, and every later call gives the same error.
 */
export interface Appender {
  /** Throws when no more rows are taken. Errors: USAGE; that of an earlier call. */
  readonly ready: () => void;
  /** No rows: nothing is written. Errors: IO; USAGE for a value that its column cannot hold (nothing is written then). */
  readonly append: <T>(format: RowFormat<T>, rows: readonly T[]) => void;
  /** Ends all streams: everything that this process had to write is there. Errors: IO. */
  readonly finish: () => void;
  /** Closes the files and gives the lock back; the run can be resumed. Safe to call twice. */
  readonly close: () => void;
}

/** A file that grows at its end. `end` counts the bytes that stand for good. */
interface Growing {
  readonly path: string;
  readonly fd: number;
  end: number;
}

interface Stream<T> {
  readonly format: RowFormat<T>;
  readonly head: Uint8Array;
  readonly data: Growing;
}

/** Opens a file without touching its content, and cuts what lies beyond `end`. */
function openAt(files: FileOps, file: string, end: number): Growing {
  const fd = attempt('open', file, () => files.open(file, constants.O_RDWR | constants.O_CREAT));
  try {
    if (attempt('read', file, () => files.size(fd)) > end) {
      attempt('cut', file, () => files.truncate(fd, end));
      syncFile(files, fd, file);
    }
  } catch (error) {
    quietly(() => files.close(fd));
    throw error;
  }
  return { path: file, fd, end };
}

/**
 * Appends bytes to a stream and notes them in the journal: the bytes are on the device before their line is. When that
 * fails, both files are as before, or end in bytes that the journal does not know. Errors: IO.
 */
function commit<T>(
  files: FileOps,
  log: Growing,
  { format, data }: Stream<T>,
  kind: JournalEntry['kind'],
  bytes: Uint8Array,
  rows: number,
): void {
  const { file } = format;
  const entry = { file, kind, offset: data.end, length: bytes.length, rows, crc32c: crc32cHex(bytes) };
  const line = Buffer.from(journalLine(entry), 'utf8');
  try {
    writeFully(files, data.fd, data.path, bytes, data.end);
    syncFile(files, data.fd, data.path);
    writeFully(files, log.fd, log.path, line, log.end);
    syncFile(files, log.fd, log.path);
  } catch (error) {
    // In this order, and the second only after the first: a line whose bytes are gone would be damage.
    quietly(() => {
      files.truncate(log.fd, log.end);
      files.truncate(data.fd, data.end);
    });
    throw error;
  }
  data.end += bytes.length;
  log.end += line.length;
}

/**
 * Opens the streams of a run whose journal has been read and checked, cuts the torn tails and the end markers, and writes
 * what a stream starts with where it is not there yet. The journal is cut first: a stream must never be shorter than its
 * journal says. `release` gives the lock back; it is called by `close` and when opening fails. Errors: IO.
 */
export function openAppender(
  files: FileOps,
  dir: string,
  formats: readonly RowFormat<unknown>[],
  journal: Journal,
  release: () => void,
): Appender {
  const opened: Growing[] = [];
  let failure: unknown = null;
  let state: 'open' | 'finished' | 'closed' = 'open';

  const open = (file: string, end: number): Growing => {
    const growing = openAt(files, path.join(dir, file), end);
    opened.push(growing);
    return growing;
  };
  const openStream = <T>(format: RowFormat<T>): Stream<T> => ({
    format,
    head: streamHead(format),
    data: open(format.file, journal.streams[format.file].goodBytes),
  });
  const close = (): void => {
    if (state === 'closed') return;
    state = 'closed';
    for (const { fd } of opened) quietly(() => files.close(fd));
    release();
  };

  const write = <T>(
    log: Growing,
    stream: Stream<T>,
    kind: JournalEntry['kind'],
    bytes: Uint8Array,
    rows: number,
  ): void => {
    try {
      commit(files, log, stream, kind, bytes, rows);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  const ready = (): void => {
    if (failure !== null) throw failure;
    if (state !== 'open')
      throw new PlumblineError('USAGE', `${dir}: a ${state} run takes no more rows; resume it`);
  };

  try {
    const log = open(JOURNAL_FILE, journal.goodBytes);
    const targets = formats.map(openStream);
    // All streams first: the names of all files are on the device before any line of the journal is.
    syncDirectory(files, dir);
    for (const stream of targets) {
      if (stream.data.end === 0) write(log, stream, 'schema', stream.head, 0);
    }
    const append = <T>({ file }: RowFormat<T>, rows: readonly T[]): void => {
      ready();
      const stream = targets.find(({ format }) => format.file === file);
      if (stream !== undefined && rows.length > 0)
        write(log, stream, 'batch', batchMessage(stream.format, stream.head, rows), rows.length);
    };
    const finish = (): void => {
      ready();
      for (const stream of targets) write(log, stream, 'end', END_OF_STREAM, 0);
      state = 'finished';
    };
    return { ready, append, finish, close };
  } catch (error) {
    quietly(close);
    throw error;
  }
}
