import { type Data, Field, makeData, RecordBatch, Schema, Struct } from 'apache-arrow';
import { PlumblineError } from '../errors.js';
import { CONDITIONS } from '../perturb/types.js';
import {
  bool,
  type Column,
  type Columns,
  float64,
  identifier,
  int32,
  label,
  oneOf,
  orNull,
  required,
  text,
} from './columns.js';
import type { DerivedRow, Reading } from './types.js';

/** Raised whenever a column, its type, or a dictionary's word list changes. */
export const SCHEMA_VERSION = 2;

/** Key of the schema version in the Arrow schema's metadata. */
export const VERSION_KEY = 'plumbline.schema';

/**
 * The append-only streams that the run of a judge may have, in the order in which one evaluation is written to them. A
 * reading comes after its vectors, so that a reading that is there always has them.
 */
export const STREAM_FILES = [
  'activations.arrows',
  'controls.arrows',
  'readings.arrows',
  'derived.arrows',
] as const;

/** Those of any run: a gate audit has one of its own. */
export const ALL_STREAM_FILES = [...STREAM_FILES, 'pairs.arrows'] as const;

export type StreamFile = (typeof ALL_STREAM_FILES)[number];

/** One kind of row and the file that it lives in. */
export interface TableFormat<T> {
  readonly file: string;
  readonly columns: Columns<T>;
  /** The one schema object: arrow-js ends a stream without a word when a batch comes with any other. */
  readonly schema: Schema;
}

/** Rows that are appended to a stream. */
export interface RowFormat<T> extends TableFormat<T> {
  readonly file: StreamFile;
  /** Rows with the same key supersede each other. */
  readonly keyOf: (row: T) => string;
}

/** sampleId → sample_id, promptSha256 → prompt_sha256. */
function columnName(property: string): string {
  return property.replace(/[A-Z]/g, capital => `_${capital.toLowerCase()}`);
}

/** Properties of a row with their columns, in the order of the file. */
export function columnsOf<T>(
  columns: Columns<T>,
): readonly (readonly [keyof T & string, Column<T[keyof T]>])[] {
  return Object.entries(columns) as unknown as readonly (readonly [keyof T & string, Column<T[keyof T]>])[];
}

/** The Arrow schema of columns, frozen, with the schema version and `about` in its metadata. */
export function schemaOf<T>(columns: Columns<T>, about: Readonly<Record<string, string>> = {}): Schema {
  const fields = columnsOf(columns).map(([property, column]) =>
    Object.freeze(new Field(columnName(property), column.type, column.nullable)),
  );
  const metadata = new Map([[VERSION_KEY, String(SCHEMA_VERSION)], ...Object.entries(about)]);
  const schema = new Schema([...fields], metadata);
  Object.freeze(schema.fields);
  return Object.freeze(schema);
}

const readingColumns: Columns<Reading> = {
  key: required(identifier),
  sampleId: required(identifier),
  domain: required(text),
  ruleId: required(text),
  condition: required(oneOf(0, CONDITIONS)),
  applicable: required(bool),
  visible: required(bool),
  reason: orNull(text),
  profile: required(text),
  alpha: orNull(float64),
  layer: orNull(int32),
  positionScope: orNull(oneOf(1, ['last', 'all'])),
  direction: orNull(identifier),
  stepNorm: orNull(float64),
  residualShare: orNull(float64),
  label: required(label),
  verdictText: orNull(label),
  verdictLogit: orNull(label),
  logprobCompliant: orNull(float64),
  logprobNoncompliant: orNull(float64),
  firstLogitCompliant: orNull(float64),
  firstLogitNoncompliant: orNull(float64),
  margin: orNull(float64),
  labelMass: orNull(float64),
  kl: orNull(float64),
  generated: orNull(text),
  nullReason: orNull(text),
  nTokens: orNull(int32),
  promptSha256: orNull(text),
  tokensSha256: orNull(text),
  ics: orNull(float64),
  icsCos: orNull(float64),
  residualNorm: orNull(float64),
  batchId: orNull(int32),
  errorCode: orNull(text),
};

const derivedColumns: Columns<DerivedRow> = {
  sampleId: required(identifier),
  domain: required(text),
  label: required(label),
  reader: required(oneOf(0, ['text', 'logit'])),
  baselineVerdict: orNull(label),
  flipDelete: orNull(label),
  flipSwap: orNull(label),
  flipNegate: orNull(label),
  flipPlacebo: orNull(label),
  shiftDelete: orNull(float64),
  shiftSwap: orNull(float64),
  shiftNegate: orNull(float64),
  shiftPlacebo: orNull(float64),
  icsDeltaDelete: orNull(float64),
  icsDeltaSwap: orNull(float64),
  icsDeltaNegate: orNull(float64),
  icsDeltaPlacebo: orNull(float64),
  icsControlDelete: orNull(float64),
  icsControlSwap: orNull(float64),
  icsControlNegate: orNull(float64),
  icsControlPlacebo: orNull(float64),
  ocs: orNull(float64),
  group: orNull(oneOf(1, ['LOW', 'HIGH', 'neither'])),
};

/** The key of a derived row: one row for each sample and verdict reader. */
export function derivedKey(row: Pick<DerivedRow, 'sampleId' | 'reader'>): string {
  return `${row.sampleId}|${row.reader}`;
}

export const READINGS: RowFormat<Reading> = Object.freeze({
  file: 'readings.arrows',
  columns: readingColumns,
  schema: schemaOf(readingColumns),
  keyOf: (row: Reading) => row.key,
});

export const DERIVED: RowFormat<DerivedRow> = Object.freeze({
  file: 'derived.arrows',
  columns: derivedColumns,
  schema: schemaOf(derivedColumns),
  keyOf: derivedKey,
});

/** Builds one record batch. Errors: USAGE for a value that its column cannot hold. */
export function toBatch<T>(format: TableFormat<T>, rows: readonly T[]): RecordBatch {
  const children: Data[] = columnsOf(format.columns).map(([property, column]) => {
    const values = rows.map(row => row[property]);
    const wrong = values.findIndex(value => !column.accepts(value));
    if (wrong >= 0) {
      throw new PlumblineError(
        'USAGE',
        `${format.file}, row ${wrong} of ${rows.length}: ${property} is ${show(values[wrong])}, expected ${column.expects}`,
      );
    }
    return column.data(values);
  });
  const type = new Struct(format.schema.fields);
  const data = makeData({ type, length: rows.length, nullCount: 0, nullBitmap: null, children });
  return new RecordBatch(format.schema, data);
}

/** The rows of a record batch. Errors: a plain Error that names the row and the column; the caller adds the place. */
export function fromBatch<T>(format: RowFormat<T>, batch: RecordBatch): readonly T[] {
  const columns = columnsOf(format.columns).map(([property, column], i) => {
    const vector = batch.getChildAt(i);
    const values = vector === null ? [] : column.values(vector);
    return Array.from({ length: batch.numRows }, (_, row) => {
      const value = values[row];
      if (!column.accepts(value)) {
        throw new Error(`row ${row}: ${columnName(property)} holds ${show(value)}, not ${column.expects}`);
      }
      return [property, value] as const;
    });
  });
  return Array.from(
    { length: batch.numRows },
    (_, row) => Object.fromEntries(columns.map(column => column[row] as readonly [string, unknown])) as T,
  );
}

function show(value: unknown): string {
  return value instanceof Float32Array ? `a Float32Array of ${value.length}` : JSON.stringify(value);
}
