import path from 'node:path';
import { crc32cHex } from './crc32c.js';
import { attempt, type FileOps, openExisting, readFully } from './files.js';
import { type BatchEntry, damaged, type Journal, type JournalEntry, type StreamState } from './journal.js';
import { batchFault, headFault, messageLength, streamHead } from './message.js';
import type { RowFormat } from './schema.js';

/** One batch as it stands in its file, checked, with the head that its stream starts with. */
export interface CheckedBatch {
  readonly entry: BatchEntry;
  readonly head: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * The journalled batches of one stream, one at a time: lengths against the file, CRC-32C, and each message's own
 * lengths. Ends with a look at what stands beyond them, and returns the bytes of a torn tail (one write that was
 * interrupted before its journal line stood). Errors: RUN_DAMAGED with file and offset; IO.
 */
export function* batchesOf<T>(
  files: FileOps,
  dir: string,
  journal: Journal,
  format: RowFormat<T>,
): Generator<CheckedBatch, number> {
  const { file } = format;
  const stream = journal.streams[file];
  const place = path.join(dir, file);
  const fd = openExisting(files, place);
  if (fd === null) {
    if (stream.goodBytes > 0) throw damaged(dir, file, 0, 'the file is missing');
    return 0;
  }
  try {
    const size = attempt('read', place, () => files.size(fd));
    if (stream.schema !== null) {
      const head = readEntry(files, dir, fd, size, format, stream.schema);
      const fault = headFault(format, head);
      if (fault !== null) throw damaged(dir, file, 0, fault);
      for (const entry of stream.batches)
        yield { entry, head, bytes: readEntry(files, dir, fd, size, format, entry) };
    }
    const tail = size - stream.goodBytes;
    const probe = readFully(files, fd, place, Math.min(tail, TAIL_PROBE), stream.goodBytes);
    const fault = tailFault(format, probe, tail, stream);
    if (fault !== null) throw damaged(dir, file, stream.goodBytes, fault);
    return stream.ended ? 0 : tail;
  } finally {
    files.close(fd);
  }
}

/** Enough for the frame of any message of ours. */
const TAIL_PROBE = 1 << 16;

/**
 * A crash leaves at most one write without its line. More than one message beyond the journalled bytes means that the
 * journal has lost lines, and cutting there would lose good rows.
 */
function tailFault<T>(
  format: RowFormat<T>,
  probe: Uint8Array,
  tail: number,
  stream: StreamState,
): string | null {
  if (tail === 0) return stream.ended ? 'the end-of-stream marker is missing' : null;
  const expected = messageLength(probe);
  if (stream.ended) {
    return tail === 8 && expected === 8
      ? null
      : `${tail} bytes where the stream ends, expected its 8-byte marker`;
  }
  const oneWrite = stream.schema === null ? streamHead(format).length : expected;
  return oneWrite !== null && tail > oneWrite ? `${tail} bytes that the journal does not know` : null;
}

/** The bytes of one entry, checked. Errors: RUN_DAMAGED, IO. */
function readEntry<T>(
  files: FileOps,
  dir: string,
  fd: number,
  size: number,
  format: RowFormat<T>,
  entry: JournalEntry,
): Uint8Array {
  const { file, offset, length, rows, kind } = entry;
  if (offset + length > size) {
    throw damaged(dir, file, size, `the file ends here, the journal has ${offset + length} bytes`);
  }
  const bytes = readFully(files, fd, path.join(dir, file), length, offset);
  const found = crc32cHex(bytes);
  if (found !== entry.crc32c) {
    throw damaged(
      dir,
      file,
      offset,
      `${length} bytes with CRC-32C ${found}, the journal has ${entry.crc32c}`,
    );
  }
  const fault = kind === 'batch' ? batchFault(format.schema, bytes, rows) : null;
  if (fault !== null) throw damaged(dir, file, offset, fault);
  return bytes;
}
