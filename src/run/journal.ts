import path from 'node:path';
import { PlumblineError } from '../errors.js';
import { crc32cHex } from './crc32c.js';
import { type FileOps, readWhole } from './files.js';
import { END_OF_STREAM } from './message.js';
import { ALL_STREAM_FILES, type StreamFile } from './schema.js';
import type { RunStreams } from './streams.js';

export const JOURNAL_FILE = 'journal.jsonl';

/** One line of the journal: one write to one of the streams, noted after its bytes were flushed. */
export interface JournalEntry {
  readonly file: StreamFile;
  /** `schema` = what the stream starts with, `batch` = one record batch, `end` = the end-of-stream marker. */
  readonly kind: 'schema' | 'batch' | 'end';
  readonly offset: number;
  readonly length: number;
  readonly rows: number;
  /** CRC-32C of the bytes, eight hexadecimal digits. */
  readonly crc32c: string;
}

/** The journalled part of one stream. */
export interface StreamState {
  readonly schema: JournalEntry | null;
  readonly batches: readonly BatchEntry[];
  /** End of the last batch, or of the schema: nothing before it is ever rewritten. */
  readonly goodBytes: number;
  /** The end-of-stream marker is journalled. */
  readonly ended: boolean;
}

/** A batch with its place among all lines of the journal, so that batches of two streams can be put in order. */
export interface BatchEntry extends JournalEntry {
  readonly line: number;
}

export interface Journal {
  /** All that a run may have; those that this run does not have hold nothing. */
  readonly streams: Readonly<Record<StreamFile, StreamState>>;
  /** Bytes up to and with the last line that is neither torn nor an end marker. */
  readonly goodBytes: number;
  /** Bytes up to and with the last whole line. */
  readonly wholeBytes: number;
  /** Bytes after the last newline: a line that was being written. */
  readonly tornBytes: number;
}

/** RUN_DAMAGED, with the file and the byte offset where the run stops being what was written. */
export function damaged(dir: string, file: string, offset: number, what: string): PlumblineError {
  const place = path.join(dir, file);
  return new PlumblineError(
    'RUN_DAMAGED',
    `${place}, byte ${offset}: ${what}; the files were changed after they were written: restore them from a copy, or start again with another --out`,
  );
}

/** The line of an entry, newline included. The order of the fields is part of the format. */
export function journalLine({ file, kind, offset, length, rows, crc32c }: JournalEntry): string {
  return `${JSON.stringify({ file, kind, offset, length, rows, crc32c })}\n`;
}

/** The entry of a line; null for anything but what {@link journalLine} writes, to the byte. */
function parseLine(line: string): JournalEntry | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const entry = value as JournalEntry;
  const sound =
    typeof value === 'object' &&
    value !== null &&
    ALL_STREAM_FILES.includes(entry.file) &&
    ['schema', 'batch', 'end'].includes(entry.kind) &&
    [entry.offset, entry.length, entry.rows].every(n => Number.isSafeInteger(n) && n >= 0) &&
    /^[0-9a-f]{8}$/.test(entry.crc32c);
  return sound && journalLine(entry) === `${line}\n` ? entry : null;
}

/**
 * Reads the journal alone. A run without one has written nothing yet. Errors: RUN_DAMAGED when a whole line is not
 * what this program writes or does not follow from the lines before it; IO.
 */
export function readJournal(files: FileOps, dir: string, { all }: Pick<RunStreams, 'all'>): Journal {
  const planned = all.map(({ file }) => file);
  const bytes = readWhole(files, path.join(dir, JOURNAL_FILE)) ?? new Uint8Array(0);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const streams = ofEach((): StreamState => ({ schema: null, batches: [], goodBytes: 0, ended: false }));
  const batches = ofEach((): BatchEntry[] => []);
  let goodBytes = 0;
  let start = 0;
  for (let line = 0; start < wholeBytes; line++) {
    const end = bytes.indexOf(0x0a, start) + 1;
    const entry = parseLine(Buffer.from(bytes.subarray(start, end - 1)).toString('utf8'));
    if (entry === null)
      throw damaged(dir, JOURNAL_FILE, start, `line ${line + 1} is not a line of a journal`);
    const fault = planned.includes(entry.file)
      ? sequenceFault(streams[entry.file], entry)
      : `the manifest plans no ${entry.file}`;
    if (fault !== null) throw damaged(dir, JOURNAL_FILE, start, `line ${line + 1}: ${fault}`);
    if (entry.kind === 'batch') batches[entry.file].push({ ...entry, line });
    const before = streams[entry.file];
    streams[entry.file] =
      entry.kind === 'end'
        ? { ...before, ended: true }
        : {
            schema: before.schema ?? entry,
            batches: batches[entry.file],
            goodBytes: entry.offset + entry.length,
            ended: false,
          };
    if (entry.kind === 'end') {
      // Good bytes stop before the first end marker; only further end markers may follow it.
    } else if (goodBytes === start) goodBytes = end;
    else throw damaged(dir, JOURNAL_FILE, start, `line ${line + 1} follows the end of a stream`);
    start = end;
  }
  return { streams, goodBytes, wholeBytes, tornBytes: bytes.length - wholeBytes };
}

function ofEach<V>(make: () => V): Record<StreamFile, V> {
  return Object.fromEntries(ALL_STREAM_FILES.map(file => [file, make()])) as Record<StreamFile, V>;
}

const END_CHECKSUM = crc32cHex(END_OF_STREAM);

/** Why an entry cannot follow what its stream holds already; null when it can. */
function sequenceFault(stream: StreamState, entry: JournalEntry): string | null {
  const { file, kind, offset, length, rows, crc32c } = entry;
  if (stream.ended) return `${file} has ended already`;
  if ((stream.schema === null) !== (kind === 'schema')) return `${kind} of ${file} out of turn`;
  if (offset !== stream.goodBytes) return `${file} goes on at ${offset}, expected ${stream.goodBytes}`;
  if (kind === 'end' && (length !== END_OF_STREAM.length || crc32c !== END_CHECKSUM)) {
    return `${file} ends in something else than an end-of-stream marker`;
  }
  const expectsRows = kind === 'batch';
  if (length === 0 || expectsRows !== rows > 0) return `${kind} of ${length} bytes and ${rows} rows`;
  return null;
}
