import { DataType, type Field, RecordBatchReader, RecordBatchStreamWriter, type Schema } from 'apache-arrow';
import { length64, structs, type Table, tableAt } from './flatbuffer.js';
import { fromBatch, type RowFormat, SCHEMA_VERSION, toBatch, VERSION_KEY } from './schema.js';

/** Ends an Arrow stream: the continuation marker and a metadata length of zero. */
export const END_OF_STREAM: Readonly<Uint8Array<ArrayBuffer>> = Uint8Array.of(
  0xff,
  0xff,
  0xff,
  0xff,
  0,
  0,
  0,
  0,
);

/** No head of ours comes near this; a journal that claims more is damaged. */
const MAX_HEAD_BYTES = 1 << 20;

/** Metadata of ours takes some 2 KiB. Below 32 KiB, signed and unsigned 16-bit offsets cannot be told apart. */
const MAX_METADATA_BYTES = 0x7fff;

/** Numbers of the Arrow IPC format (Message.fbs). */
const METADATA_V5 = 4;
const HEADER_RECORD_BATCH = 3;

interface Frame {
  /** Bytes of the flatbuffer, padding included. */
  readonly metadataLength: number;
  readonly bodyLength: number;
  /** Bytes of the whole encapsulated message. */
  readonly length: number;
  readonly message: Table;
}

/** Frame of the encapsulated message at the start of `bytes`, whose body need not be there. Errors: RangeError. */
function frameOf(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== 0xffffffff) throw new RangeError('no continuation marker');
  const metadataLength = view.getUint32(4, true);
  if (metadataLength === 0 || metadataLength % 8 !== 0 || metadataLength > MAX_METADATA_BYTES)
    throw new RangeError(`metadata of ${metadataLength} bytes`);
  if (metadataLength > bytes.length - 8) throw new RangeError(`metadata of ${metadataLength} bytes, cut`);
  const metadata = new DataView(bytes.buffer, bytes.byteOffset + 8, metadataLength);
  const message = tableAt(metadata, 0);
  const bodyAt = message.field(3);
  const bodyLength = bodyAt === null ? 0 : length64(metadata, bodyAt);
  return { metadataLength, bodyLength, length: 8 + metadataLength + bodyLength, message };
}

/**
 * Bytes that the message at the start of `bytes` takes, end-of-stream marker included, even when not all of them are
 * there; null when `bytes` does not start with a readable message.
 */
export function messageLength(bytes: Uint8Array): number | null {
  if (bytes.length >= 8 && END_OF_STREAM.every((byte, i) => bytes[i] === byte)) return END_OF_STREAM.length;
  try {
    return frameOf(bytes).length;
  } catch {
    return null;
  }
}

function isRecordBatch({ message }: Frame): boolean {
  const at = message.field(1);
  return at !== null && message.view.getUint8(at) === HEADER_RECORD_BATCH;
}

/** What a stream starts with: the schema and the dictionaries. */
export function streamHead<T>(format: RowFormat<T>): Uint8Array {
  const bytes = streamOf(format, []);
  let end = 0;
  for (let frame = frameOf(bytes); !isRecordBatch(frame); frame = frameOf(bytes.subarray(end)))
    end += frame.length;
  return bytes.slice(0, end);
}

/**
 * One record batch as one encapsulated message, to follow `head` ({@link streamHead}) or another batch.
 * Errors: USAGE for a value that its column cannot hold.
 */
export function batchMessage<T>(format: RowFormat<T>, head: Uint8Array, rows: readonly T[]): Uint8Array {
  const bytes = streamOf(format, rows);
  if (Buffer.compare(bytes.subarray(0, head.length), head) !== 0) {
    throw new Error(`${format.file}: two batches gave two schemas`);
  }
  return bytes.slice(head.length, bytes.length - END_OF_STREAM.length);
}

/** A whole stream of one batch. */
function streamOf<T>(format: RowFormat<T>, rows: readonly T[]): Uint8Array {
  const writer = new RecordBatchStreamWriter();
  writer.write(toBatch(format, rows));
  writer.finish();
  return writer.toUint8Array(true);
}

/**
 * Checks the head of a file that this or an earlier build wrote: the same columns, types and metadata. Gives what is
 * wrong in words, or null. Only for bytes whose checksum has been checked.
 */
export function headFault<T>(format: RowFormat<T>, head: Uint8Array): string | null {
  if (head.length > MAX_HEAD_BYTES) return `a schema of ${head.length} bytes`;
  try {
    const { schema } = RecordBatchReader.from([head, END_OF_STREAM]).open();
    const version = schema.metadata.get(VERSION_KEY);
    if (version !== String(SCHEMA_VERSION))
      return `schema version ${version}, this build reads ${SCHEMA_VERSION}`;
    const [found, expected] = [describe(schema), describe(format.schema)];
    if (found !== expected) return `columns ${found}, expected ${expected}`;
    for (const [name, value] of format.schema.metadata) {
      const there = schema.metadata.get(name);
      if (there !== value) return `${name} is ${there}, the manifest says ${value}`;
    }
    return null;
  } catch (error) {
    return `an unreadable schema (${String(error)})`;
  }
}

function describe(schema: Schema): string {
  return schema.fields.map(field => `${field.name}: ${field.type}${field.nullable ? '?' : ''}`).join(', ');
}

/**
 * Checks every length in a record batch against the bytes that are there, the schema and the journal's row count,
 * before arrow-js sees it: it trusts them, and a wrong one can drive it to exhaust the memory. Gives what is wrong in
 * words, or null.
 */
export function batchFault(schema: Schema, bytes: Uint8Array, rows: number): string | null {
  try {
    return findBatchFault(schema, bytes, rows);
  } catch (error) {
    if (error instanceof RangeError) return `a message that leaves its bounds (${error.message})`;
    throw error;
  }
}

function findBatchFault(schema: Schema, bytes: Uint8Array, rows: number): string | null {
  const frame = frameOf(bytes);
  if (frame.length !== bytes.length) return `a message of ${frame.length} bytes in ${bytes.length}`;
  const { view, field } = frame.message;
  const versionAt = field(0);
  if (versionAt === null || view.getInt16(versionAt, true) !== METADATA_V5)
    return 'another Arrow metadata version';
  const headerAt = field(2);
  if (!isRecordBatch(frame) || headerAt === null) return 'a message that is no record batch';
  const header = tableAt(view, headerAt);
  if (header.field(3) !== null) return 'a compressed body';

  const lengthAt = header.field(0);
  const length = lengthAt === null ? 0 : length64(view, lengthAt);
  if (length !== rows) return `${length} rows, the journal says ${rows}`;

  const nodes = structs(header, 1);
  const columns = schema.fields.flatMap(column => flatten(column, rows));
  if (nodes.length !== columns.length) return `${nodes.length} columns, expected ${columns.length}`;
  const regions = structs(header, 2);
  const body = bytes.subarray(8 + frame.metadataLength);
  let next = 0;
  for (const [i, { name, type, nullable, length: count }] of columns.entries()) {
    const [valueCount, nullCount] = nodes[i] as readonly [number, number];
    if (valueCount !== count || nullCount > (nullable ? count : 0))
      return `column ${name}: ${valueCount} values, ${nullCount} nulls`;
    const sizes = [nullCount === 0 ? 0 : Math.ceil(count / 8), ...bufferSizes(type, count)];
    const buffers: Uint8Array[] = [];
    for (const size of sizes) {
      const region = regions[next++];
      if (region === undefined) return `column ${name}: a buffer is missing`;
      const [at, bytesThere] = region;
      if (at % 8 !== 0 || at + bytesThere > body.length)
        return `column ${name}: a buffer outside of the body`;
      if (bytesThere < size)
        return `column ${name}: a buffer of ${bytesThere} bytes, at least ${size} needed`;
      buffers.push(body.subarray(at, at + bytesThere));
    }
    const [, offsets, characters] = buffers;
    if (offsets !== undefined && characters !== undefined && !offsetsFit(offsets, count, characters.length)) {
      return `column ${name}: text offsets that leave the text`;
    }
  }
  return next === regions.length ? null : `${regions.length} buffers, expected ${next}`;
}

interface FlatColumn {
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  readonly length: number;
}

/** A column as a record batch lists it: a column of lists, then the column of what is in them. */
function flatten({ name, type, nullable }: Field, length: number): readonly FlatColumn[] {
  const column = { name, type, nullable, length };
  if (!DataType.isFixedSizeList(type)) return [column];
  const children = type.children.flatMap(child => flatten(child, length * type.listSize));
  return [column, ...children.map(child => ({ ...child, name: `${name}.${child.name}` }))];
}

/** Least sizes in bytes of a column's buffers, validity apart. */
function bufferSizes(type: DataType, rows: number): readonly number[] {
  if (DataType.isUtf8(type)) return [4 * (rows + 1), 0];
  if (DataType.isBool(type)) return [Math.ceil(rows / 8)];
  if (DataType.isDictionary(type)) return [rows];
  if (DataType.isInt(type)) return [(rows * type.bitWidth) / 8];
  if (DataType.isFloat(type)) return [type.ArrayType.BYTES_PER_ELEMENT * rows];
  if (DataType.isFixedSizeList(type)) return [];
  throw new Error(`no column of ours is of type ${type}`);
}

function offsetsFit(bytes: Uint8Array, rows: number, end: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let previous = 0;
  for (let i = 0; i <= rows; i++) {
    const offset = view.getInt32(4 * i, true);
    if (offset < previous || offset > end) return false;
    previous = offset;
  }
  return true;
}

/** The rows of a batch that {@link batchFault} found nothing wrong with. Errors: a plain Error in words. */
export function decodeBatch<T>(format: RowFormat<T>, head: Uint8Array, bytes: Uint8Array): readonly T[] {
  const [batch, ...more] = [...RecordBatchReader.from([head, bytes, END_OF_STREAM])];
  if (batch === undefined || more.length > 0) throw new Error('not one record batch');
  return fromBatch(format, batch);
}
