import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Columns } from './columnar-arrow.js';
import { utf8Of } from './columnar-text.js';

/** A page of texts is some megabytes; one that claims more than this is damaged. */
const MAX_PAGE_BYTES = 1 << 30;

/** hyparquet-compressors trust the length that a page header claims. */
const boundedCompressors = Object.fromEntries(
  Object.entries(compressors).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, length: number): Uint8Array => {
      if (!(length >= 0 && length <= MAX_PAGE_BYTES)) throw new RangeError(`a page of ${length} bytes`);
      return decompress(input, length);
    },
  ]),
);

/**
 * The columns of a Parquet file; of those, only `wanted` are read.
 *
 * @throws Error in words for bytes that are no Parquet file or are damaged.
 */
export async function parquetColumns(bytes: Uint8Array, wanted: readonly string[]): Promise<Columns> {
  const file: AsyncBuffer = {
    byteLength: bytes.length,
    slice: (start, end) => copyOf(bytes.subarray(start, end)),
  };
  const metadata = await parquetMetadataAsync(file, { geoparquet: false });
  const names = topLevelNames(metadata);
  const columns = wanted.filter(name => names.includes(name));
  checkChunks(metadata, columns, bytes.length);
  const rows = await parquetReadObjects({
    file,
    metadata,
    columns,
    compressors: boundedCompressors,
    parsers: { stringFromBytes: text => text && utf8Of(text, 'a text column') },
    geoparquet: false,
  });
  return {
    names,
    rows: rows.length,
    values: name => rows.map(row => plain(row[name] as unknown)),
  };
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function topLevelNames({ schema }: FileMetaData): readonly string[] {
  const names: string[] = [];
  for (let i = 1; i < schema.length; i += subtreeSize(schema, i)) names.push(schema[i]?.name ?? '');
  return names;
}

/** Elements of the depth-first schema list that belong to element `i`, itself included. */
function subtreeSize(schema: FileMetaData['schema'], i: number): number {
  let size = 1;
  for (let child = 0; child < (schema[i]?.num_children ?? 0) && i + size < schema.length; child++)
    size += subtreeSize(schema, i + size);
  return size;
}

function checkChunks(metadata: FileMetaData, columns: readonly string[], fileLength: number): void {
  for (const { columns: chunks, num_rows: rows } of metadata.row_groups) {
    for (const { meta_data: chunk } of chunks) {
      const [name, ...nested] = chunk?.path_in_schema ?? [];
      if (chunk === undefined || name === undefined || !columns.includes(name)) continue;
      if (nested.length > 0)
        throw new Error(`column ${JSON.stringify(name)} is nested; expected one text or value a row`);
      const start = chunk.dictionary_page_offset ?? chunk.data_page_offset;
      if (start < 0n || start + chunk.total_compressed_size > BigInt(fileLength) || chunk.num_values !== rows)
        throw new RangeError(
          `column ${JSON.stringify(name)}: a chunk outside of the file or not of ${rows} values`,
        );
    }
  }
}

/** Ids and labels may be integers, which are compared as texts. */
function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
