import { Table } from 'apache-arrow';
import { PlumblineError } from '../errors.js';
import { batchesOf } from './check.js';
import { type FileOps, nodeFiles } from './files.js';
import { type Journal, readJournal } from './journal.js';
import { MANIFEST_FILE, readManifest } from './manifest.js';
import { DERIVED, READINGS, type RowFormat, toBatch } from './schema.js';
import { streamsOf } from './streams.js';
import { type Place, rowsOf, visitRows } from './survey.js';
import type { DerivedRow, Reading, VectorRow } from './types.js';
import type { VectorFormat } from './vectors.js';

// What is read is what the journal vouches for; a torn tail is not looked at. Of rows with one key the last counts: a
// failed evaluation that was tried again, a sample whose derived row was made anew. Each function checks the whole
// stream before it gives the first row. Errors of all: RUN_NOT_FOUND, RUN_DAMAGED (file and byte offset), IO.

/** All readings of a run, no key twice, in file order. */
export function readReadings(dir: string, files: FileOps = nodeFiles): readonly Reading[] {
  return readAll(files, dir, READINGS);
}

/** All derived rows of a run, one for each sample and verdict reader, in file order. */
export function readDerived(dir: string, files: FileOps = nodeFiles): readonly DerivedRow[] {
  return readAll(files, dir, DERIVED);
}

/** The readings as Arrow columns, no key twice, in file order. */
export function readReadingsTable(dir: string, files: FileOps = nodeFiles): Table {
  return new Table([toBatch(READINGS, readReadings(dir, files))]);
}

/** The derived rows as Arrow columns. */
export function readDerivedTable(dir: string, files: FileOps = nodeFiles): Table {
  return new Table([toBatch(DERIVED, readDerived(dir, files))]);
}

/** The readings batch by batch, with only one batch of rows in memory; no key twice. */
export function readReadingBatches(
  dir: string,
  files: FileOps = nodeFiles,
): AsyncGenerator<readonly Reading[]> {
  return readBatches(files, dir, READINGS);
}

/** The derived rows batch by batch. */
export function readDerivedBatches(
  dir: string,
  files: FileOps = nodeFiles,
): AsyncGenerator<readonly DerivedRow[]> {
  return readBatches(files, dir, DERIVED);
}

/**
 * The activations of a run, one batch in memory at a time, no key and layer twice, in file order, as they stand when the
 * first is asked for; nothing may be appended before the last is given. Vectors of a reading that an interruption kept
 * from being written are among them. Errors: also USAGE for a run that keeps none.
 */
export function readActivations(dir: string, files: FileOps = nodeFiles): Iterable<VectorRow> {
  return flat(vectorBatches(files, dir, vectorFormat(files, dir, 'activations')));
}

/** The projections on the control directions, as {@link readActivations}. */
export function readControls(dir: string, files: FileOps = nodeFiles): Iterable<VectorRow> {
  return flat(vectorBatches(files, dir, vectorFormat(files, dir, 'controls')));
}

/** The activations as Arrow columns; layers, width and meaning are in the schema's metadata. */
export function readActivationsTable(dir: string, files: FileOps = nodeFiles): Table {
  return vectorTable(files, dir, 'activations');
}

/** The projections on the control directions as Arrow columns. */
export function readControlsTable(dir: string, files: FileOps = nodeFiles): Table {
  return vectorTable(files, dir, 'controls');
}

function journalOf(files: FileOps, dir: string): Journal {
  return readJournal(files, dir, streamsOf(readManifest(files, dir)));
}

function readAll<T>(files: FileOps, dir: string, format: RowFormat<T>): readonly T[] {
  const rows = new Map<string, T>();
  visitRows(files, dir, journalOf(files, dir), format, row => {
    const key = format.keyOf(row);
    // Deleted first, so that the order of the map is that of the rows that count.
    rows.delete(key);
    rows.set(key, row);
  });
  return [...rows.values()];
}

async function* readBatches<T>(
  files: FileOps,
  dir: string,
  format: RowFormat<T>,
): AsyncGenerator<readonly T[]> {
  yield* lastRows(files, dir, format, journalOf(files, dir));
}

function vectorFormat(files: FileOps, dir: string, kind: 'activations' | 'controls'): VectorFormat {
  const format = streamsOf(readManifest(files, dir))[kind];
  if (format === null) {
    throw new PlumblineError(
      'USAGE',
      `${dir} keeps no ${kind}: its ${MANIFEST_FILE} plans none (vectors.${kind}); make a run that does`,
    );
  }
  return format;
}

function vectorTable(files: FileOps, dir: string, kind: 'activations' | 'controls'): Table {
  const format = vectorFormat(files, dir, kind);
  return new Table(
    format.schema,
    Array.from(vectorBatches(files, dir, format), rows => toBatch(format, rows)),
  );
}

function* flat<T>(batches: Iterable<readonly T[]>): Generator<T> {
  for (const rows of batches) yield* rows;
}

function* vectorBatches(files: FileOps, dir: string, format: VectorFormat): Generator<readonly VectorRow[]> {
  yield* lastRows(files, dir, format, journalOf(files, dir));
}

/**
 * The rows of a stream, no key twice, with one batch in memory at a time. Goes over it twice: to check it and to learn
 * which rows count, then to give them. Errors: RUN_DAMAGED, IO.
 */
export function* lastRows<T>(
  files: FileOps,
  dir: string,
  format: RowFormat<T>,
  journal: Journal,
): Generator<readonly T[]> {
  const last = new Map<string, Place>();
  visitRows(files, dir, journal, format, (row, place) => {
    last.set(format.keyOf(row), place);
  });
  for (const batch of batchesOf(files, dir, journal, format)) {
    const rows = rowsOf(dir, format, batch).filter((row, i) => {
      const place = last.get(format.keyOf(row));
      return place?.line === batch.entry.line && place.row === i;
    });
    if (rows.length > 0) yield rows;
  }
}
