import { entries, length64, structs, type Table, tableAt, tables } from '../run/flatbuffer.js';

/*
 * Every length in an Arrow IPC file or stream, checked against the bytes that are there before arrow-js sees it: it
 * trusts them, and a wrong one can drive it to exhaust the memory. Numbers below are those of the format (Message.fbs,
 * File.fbs, Schema.fbs).
 */

const MAGIC = Buffer.from('ARROW1', 'latin1');
const CONTINUATION = 0xffffffff;
const HEADER_SCHEMA = 1;
const HEADER_DICTIONARY = 2;
const HEADER_RECORD_BATCH = 3;
/** A block of a footer: offset, length of the metadata and padding, length of the body. */
const BLOCK_BYTES = 24;

/** Deeper than any table of cases, and few enough that tables shared by forged offsets cannot multiply. */
const MAX_DEPTH = 8;
const MAX_FIELDS = 10_000;

/** @throws Error in words for bytes that are no Arrow file or stream; RangeError where a length leaves its bounds. */
export function checkArrow(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (MAGIC.equals(bytes.subarray(0, MAGIC.length))) checkFile(bytes, view);
  else checkStream(view);
}

function checkFile(bytes: Uint8Array, view: DataView): void {
  const end = bytes.length - MAGIC.length - 4;
  if (end < 8 || !MAGIC.equals(bytes.subarray(-MAGIC.length)))
    throw new Error('the end of the file is missing');
  const length = view.getInt32(end, true);
  if (length < 8 || length > end - 8) throw new RangeError(`a footer of ${length} bytes`);
  const footer = tableAt(new DataView(bytes.buffer, bytes.byteOffset + end - length, length), 0);
  const schemaAt = footer.field(1);
  if (schemaAt === null) throw new Error('a footer without a schema');
  checkSchema(tableAt(footer.view, schemaAt));
  for (const [field, kind] of [
    [2, HEADER_DICTIONARY],
    [3, HEADER_RECORD_BATCH],
  ] as const) {
    for (const at of entries(footer, field, BLOCK_BYTES)) {
      const message = checkMessage(view, length64(footer.view, at), end - length);
      if (message?.kind !== kind) throw new Error('a block of the footer that is not what it says');
    }
  }
}

function checkStream(view: DataView): void {
  let at = 0;
  for (let first = true; at < view.byteLength; first = false) {
    const message = checkMessage(view, at, view.byteLength);
    if (message === null) return;
    if ((message.kind === HEADER_SCHEMA) !== first)
      throw new Error('a stream starts with its one schema, and this does not');
    at += message.length;
  }
}

/** The message at `at`, which must end before `end`; null for the mark that ends a stream. */
function checkMessage(
  view: DataView,
  at: number,
  end: number,
): { readonly kind: number; readonly length: number } | null {
  if (at + 8 > end || view.getUint32(at, true) !== CONTINUATION)
    throw new Error(`no Arrow message at byte ${at}`);
  const metadataLength = view.getUint32(at + 4, true);
  if (metadataLength === 0) return null;
  const bodyStart = at + 8 + metadataLength;
  if (bodyStart > end) throw new RangeError(`metadata of ${metadataLength} bytes at byte ${at}`);
  const metadata = new DataView(view.buffer, view.byteOffset + at + 8, metadataLength);
  const message = tableAt(metadata, 0);
  const bodyAt = message.field(3);
  const bodyLength = bodyAt === null ? 0 : length64(metadata, bodyAt);
  if (bodyLength > end - bodyStart) throw new RangeError(`a body of ${bodyLength} bytes at byte ${at}`);
  return { kind: checkHeader(message, bodyLength), length: bodyStart - at + bodyLength };
}

function checkHeader(message: Table, bodyLength: number): number {
  const kindAt = message.field(1);
  const headerAt = message.field(2);
  const kind = kindAt === null ? 0 : message.view.getUint8(kindAt);
  if (headerAt === null) throw new Error('an Arrow message without a header');
  const header = tableAt(message.view, headerAt);
  if (kind === HEADER_SCHEMA) checkSchema(header);
  else if (kind === HEADER_RECORD_BATCH) checkBatch(header, bodyLength);
  else if (kind === HEADER_DICTIONARY) {
    const dataAt = header.field(1);
    if (dataAt === null) throw new Error('a dictionary without values');
    checkBatch(tableAt(header.view, dataAt), bodyLength);
  } else throw new Error(`an Arrow message of kind ${kind}`);
  return kind;
}

function checkSchema(schema: Table): void {
  tables(schema, 2);
  checkFields(tables(schema, 1), MAX_DEPTH, { left: MAX_FIELDS });
}

function checkFields(fields: readonly Table[], depth: number, budget: { left: number }): void {
  budget.left -= fields.length;
  if (depth === 0 || budget.left < 0) throw new RangeError('more fields than a table of cases can have');
  for (const field of fields) {
    tables(field, 6);
    checkFields(tables(field, 5), depth - 1, budget);
  }
}

function checkBatch(batch: Table, bodyLength: number): void {
  if (batch.field(3) !== null)
    throw new Error('its batches are compressed, which is not read: write it uncompressed');
  const lengthAt = batch.field(0);
  const rows = lengthAt === null ? 0 : length64(batch.view, lengthAt);
  // The least that a column of texts takes is one byte a row, as a dictionary; any column, a bit a value.
  if (rows > bodyLength) throw new RangeError(`${rows} rows in a body of ${bodyLength} bytes`);
  for (const [values, nulls] of structs(batch, 1)) {
    if (values > 8 * bodyLength || nulls > values)
      throw new RangeError(`a column of ${values} values, ${nulls} of them null`);
  }
  const regions = structs(batch, 2);
  for (const [offset, length] of regions) {
    if (offset + length > bodyLength) throw new RangeError('a buffer outside of its body');
  }
  for (const at of entries(batch, 4, 8)) {
    if (length64(batch.view, at) > regions.length) throw new RangeError('more text buffers than buffers');
  }
}
