import { DataType, type Field } from 'apache-arrow';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { TableEncoder } from './export-types.js';
import { columnsOf, type TableFormat } from './schema.js';

/**
 * Parquet, compressed with Snappy; each call of `rows` is a row group. Columns have the names, the order and the nulls
 * of the stream; words of a closed list are text, small integers INT_8, vectors lists of FLOAT. The metadata of the
 * stream's schema is the metadata of the file.
 */
export function parquetEncoder<T extends object>({ columns, schema }: TableFormat<T>): TableEncoder<T> {
  const properties = columnsOf(columns).map(([property]) => property);
  const bytes = new ByteWriter();
  /** What has been written since the last call; the writer goes on counting where it was. */
  const drain = (): Uint8Array => {
    const written = bytes.getBytes().slice();
    bytes.index = 0;
    return written;
  };
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: schema.fields.length }, ...schema.fields.flatMap(elements)],
    kvMetadata: [...schema.metadata].map(([key, value]) => ({ key, value })),
    createdBy: 'plumbline',
  });
  return {
    head: drain,
    rows: rows => {
      const columnData = schema.fields.map(({ name }, i) => ({
        name,
        data: rows.map(row => plain(row[properties[i] as keyof T & string])),
      }));
      // Its writer has nothing to wait for, so it does not.
      void writer.write({ columnData, rowGroupSize: rows.length });
      return drain();
    },
    end: () => {
      void writer.finish();
      return drain();
    },
  };
}

/** Lists are arrays for the Parquet writer. */
function plain(value: unknown): unknown {
  return value instanceof Float32Array ? Array.from(value) : value;
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** A column as Parquet describes it. */
function elements({ name, type, nullable }: Field): readonly SchemaElement[] {
  const repetition_type = nullable ? 'OPTIONAL' : 'REQUIRED';
  const of = (element: Omit<SchemaElement, 'name'>): readonly SchemaElement[] => [
    { name, repetition_type, ...element },
  ];
  if (DataType.isUtf8(type) || DataType.isDictionary(type)) {
    return of({ type: 'BYTE_ARRAY', converted_type: 'UTF8' });
  }
  if (DataType.isBool(type)) return of({ type: 'BOOLEAN' });
  if (DataType.isInt(type)) {
    return of(type.bitWidth === 8 ? { type: 'INT32', converted_type: 'INT_8' } : { type: 'INT32' });
  }
  if (DataType.isFloat(type)) return of({ type: 'DOUBLE' });
  if (DataType.isFixedSizeList(type)) {
    return [
      ...of({ converted_type: 'LIST', num_children: 1 }),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'REQUIRED', type: 'FLOAT' },
    ];
  }
  throw new Error(`column ${name}: no Parquet type for ${type}`);
}
