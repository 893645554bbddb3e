import { messageOf } from '../errors.js';
import { batchesOf, type CheckedBatch } from './check.js';
import type { FileOps } from './files.js';
import { damaged, type Journal, readJournal } from './journal.js';
import { decodeBatch } from './message.js';
import { isRetried } from './retry.js';
import type { RowFormat } from './schema.js';
import type { RunStreams } from './streams.js';
import { createCoverage, wantsVectors } from './vectors.js';

/** Where a row stands: the line of its batch in the journal, and its number in the batch. */
export interface Place {
  readonly line: number;
  readonly row: number;
}

/** What resuming and verifying need to know of a row. */
interface Mark {
  readonly sampleId: string;
  readonly line: number;
}

interface ReadingMark extends Mark {
  readonly failed: boolean;
  /** It must have its vectors, in a run that keeps vectors. */
  readonly evaluated: boolean;
}

/** All rows of a run, checked: the last row of each key. */
export interface Survey {
  readonly journal: Journal;
  readonly readings: ReadonlyMap<string, ReadingMark>;
  readonly derived: ReadonlyMap<string, Mark>;
  /** Bytes of interrupted writes, over all files. */
  readonly tornBytes: number;
  /** Keys with a row after one that had no error: no run of ours writes that. */
  readonly repeated: readonly string[];
  /** Evaluated readings that a vector is missing of, in words: no run of ours writes a reading before its vectors. */
  readonly bare: readonly string[];
  /** Keys of vectors without a reading: what an interruption leaves between the two. */
  readonly unread: readonly string[];
}

/** The rows of a checked batch. Errors: RUN_DAMAGED. */
export function rowsOf<T>(
  dir: string,
  format: RowFormat<T>,
  { entry, head, bytes }: CheckedBatch,
): readonly T[] {
  try {
    return decodeBatch(format, head, bytes);
  } catch (error) {
    throw damaged(dir, entry.file, entry.offset, messageOf(error));
  }
}

/** Calls `visit` for each row of a stream in file order; returns the bytes of its torn tail. Errors: RUN_DAMAGED, IO. */
export function visitRows<T>(
  files: FileOps,
  dir: string,
  journal: Journal,
  format: RowFormat<T>,
  visit: (row: T, place: Place) => void,
): number {
  const batches = batchesOf(files, dir, journal, format);
  for (let next = batches.next(); ; next = batches.next()) {
    if (next.done) return next.value;
    const { line } = next.value.entry;
    for (const [row, value] of rowsOf(dir, format, next.value).entries()) visit(value, { line, row });
  }
}

/** Reads and checks every byte and every row of a run. Errors: RUN_DAMAGED, IO. */
export function surveyRun(files: FileOps, dir: string, streams: RunStreams): Survey {
  const journal = readJournal(files, dir, streams);
  const readings = new Map<string, ReadingMark>();
  const derived = new Map<string, Mark>();
  const repeated: string[] = [];
  const vectors = createCoverage(streams.vectors);
  let tornBytes = journal.tornBytes;
  for (const format of streams.vectors) {
    tornBytes += visitRows(files, dir, journal, format, row => vectors.add(format, row));
  }
  tornBytes += visitRows(files, dir, journal, streams.readings, (reading, { line }) => {
    const { key, sampleId, errorCode } = reading;
    if (readings.get(key)?.failed === false) repeated.push(key);
    readings.set(key, { sampleId, line, failed: isRetried(errorCode), evaluated: wantsVectors(reading) });
  });
  tornBytes += visitRows(files, dir, journal, streams.derived, (row, { line }) => {
    derived.set(streams.derived.keyOf(row), { sampleId: row.sampleId, line });
  });
  const bare = [...readings].flatMap(([key, { evaluated }]) => {
    const missing = evaluated ? vectors.missing(key) : null;
    return missing === null ? [] : [`${key}: ${missing}`];
  });
  const unread = [...vectors.keys()].filter(key => !readings.has(key));
  return { journal, readings, derived, tornBytes, repeated, bare, unread };
}
