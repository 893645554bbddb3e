import { basename } from 'node:path';
import { messageOf, PlumblineError } from '../errors.js';
import { arrowColumns, type Columns } from './columnar-arrow.js';
import { parquetColumns } from './columnar-parquet.js';
import { readCorpusBytes } from './read.js';
import { type ColumnMap, collectRows, neededColumns } from './tabular.js';
import type { Corpus } from './types.js';

/** Reads a corpus of one Parquet file, the columns named as those of a CSV corpus. */
export async function loadParquet(path: string, map: ColumnMap = {}): Promise<Corpus> {
  return loadColumns('parquet', path, map, bytes => parquetColumns(bytes, neededColumns(map, true)));
}

/** Reads a corpus of one Arrow IPC file (also called Feather) or stream. */
export async function loadArrow(path: string, map: ColumnMap = {}): Promise<Corpus> {
  return loadColumns('arrow', path, map, async bytes => arrowColumns(bytes));
}

async function loadColumns(
  format: 'parquet' | 'arrow',
  path: string,
  map: ColumnMap,
  read: (bytes: Uint8Array) => Promise<Columns>,
): Promise<Corpus> {
  const name = basename(path);
  const { bytes, file } = await readCorpusBytes(path, name);
  try {
    const columns = await read(bytes);
    const twice = columns.names.find((column, index) => columns.names.indexOf(column) !== index);
    if (twice !== undefined) throw new Error(`column ${JSON.stringify(twice)} is named twice`);
    const missing = neededColumns(map).filter(column => !columns.names.includes(column));
    if (missing.length > 0) {
      throw new Error(
        `no column ${missing.map(column => JSON.stringify(column)).join(', ')}; the file has ` +
          `${columns.names.map(column => JSON.stringify(column)).join(', ')}. Rename the columns or give a column map`,
      );
    }
    const wanted = neededColumns(map, true).filter(column => columns.names.includes(column));
    const values = wanted.map(column => [column, columns.values(column)] as const);
    const rows = Array.from({ length: columns.rows }, (_, index) => ({
      at: index,
      values: Object.fromEntries(values.map(([column, all]) => [column, all[index]])),
    }));
    return collectRows(format, name, file, rows, 'index', map);
  } catch (error) {
    if (error instanceof PlumblineError) throw error;
    throw new PlumblineError(
      'CORPUS_FORMAT',
      `${path}: cannot be read as ${format === 'parquet' ? 'a Parquet file' : 'an Arrow file or stream'}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
