import { type Data, DataType, RecordBatchReader, type Vector } from 'apache-arrow';
import { checkArrow } from './columnar-frames.js';
import { utf8Of } from './columnar-text.js';

/** Columns by name, each with one value a row: a text, a number, a boolean or null. */
export interface Columns {
  readonly names: readonly string[];
  readonly rows: number;
  /** @throws Error in words for a column of another type, or of texts that are not UTF-8. */
  readonly values: (name: string) => readonly unknown[];
}

/**
 * The columns of an Arrow IPC file or stream.
 *
 * @throws Error in words for bytes that are no such thing, are damaged, or use what arrow-js does not read.
 */
export function arrowColumns(bytes: Uint8Array): Columns {
  checkArrow(bytes);
  const reader = RecordBatchReader.from(bytes).open();
  const names = reader.schema.fields.map(({ name }) => name);
  const batches = [...reader];
  return {
    names,
    rows: batches.reduce((sum, { numRows }) => sum + numRows, 0),
    values: name => {
      const at = names.indexOf(name);
      return batches.flatMap(batch => {
        const values = vectorValues(batch.getChildAt(at), name);
        if (values.length !== batch.numRows)
          throw new RangeError(
            `column ${JSON.stringify(name)}: ${values.length} values in ${batch.numRows} rows`,
          );
        return values;
      });
    },
  };
}

function vectorValues(vector: Vector | null, name: string): readonly unknown[] {
  if (vector === null) return [];
  const { type } = vector;
  return vector.data.flatMap((data: Data) => {
    const read = valueReader(data, type, name);
    return Array.from({ length: data.length }, (_, row) => (data.getValid(row) ? read(row) : null));
  });
}

function valueReader(data: Data, type: DataType, name: string): (row: number) => unknown {
  const needed = (length: number, there: number): void => {
    if (there < length) throw new RangeError(`column ${JSON.stringify(name)}: a buffer is too short`);
  };
  if (data.nullCount > 0) needed(Math.ceil((data.offset + data.length) / 8), data.nullBitmap?.length ?? 0);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) {
    const { valueOffsets, values } = data;
    needed(data.length + 1, valueOffsets.length);
    return row => {
      const [start, end] = [Number(valueOffsets[row]), Number(valueOffsets[row + 1])];
      if (!(0 <= start && start <= end && end <= values.length))
        throw new RangeError(`column ${JSON.stringify(name)}, row ${row}: a text outside of its buffer`);
      return utf8Of(values.subarray(start, end), `column ${JSON.stringify(name)}, row ${row}`);
    };
  }
  if (DataType.isUtf8View(type)) {
    needed(VIEW_BYTES * data.length, data.values.length);
    return row => {
      const place = `column ${JSON.stringify(name)}, row ${row}`;
      return utf8Of(viewedBytes(data.values, row, data.variadicBuffers, place), place);
    };
  }
  if (DataType.isDictionary(type)) {
    needed(data.length, data.values.length);
    const texts = vectorValues(data.dictionary ?? null, name);
    return row => {
      const index = Number(data.values[row]);
      if (index < 0 || index >= texts.length)
        throw new RangeError(
          `column ${JSON.stringify(name)}, row ${row}: no value ${index} in its dictionary`,
        );
      return texts[index];
    };
  }
  if (DataType.isBool(type)) {
    needed(Math.ceil((data.offset + data.length) / 8), data.values.length);
    return row => ((data.values[(data.offset + row) >> 3] >> ((data.offset + row) & 7)) & 1) === 1;
  }
  if (DataType.isInt(type)) {
    needed(data.length, data.values.length);
    return row => String(data.values[row]);
  }
  throw new Error(
    `column ${JSON.stringify(name)} is of type ${type}; expected texts (for ids and labels also integers or booleans)`,
  );
}

/** A view holds the length and either the text itself or, after four bytes of it, its buffer and offset there. */
const VIEW_BYTES = 16;
const MAX_INLINE_BYTES = 12;

function viewedBytes(
  views: Uint8Array,
  row: number,
  buffers: readonly Uint8Array[],
  place: string,
): Uint8Array {
  const view = new DataView(views.buffer, views.byteOffset + VIEW_BYTES * row, VIEW_BYTES);
  const length = view.getUint32(0, true);
  if (length <= MAX_INLINE_BYTES) return views.subarray(VIEW_BYTES * row + 4, VIEW_BYTES * row + 4 + length);
  const [buffer, offset] = [buffers[view.getUint32(8, true)], view.getUint32(12, true)];
  if (buffer === undefined || offset + length > buffer.length)
    throw new RangeError(`${place}: a text outside of its buffer`);
  return buffer.subarray(offset, offset + length);
}
