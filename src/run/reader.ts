import { Table } from 'apache-arrow';
import { batchesOf } from './check.js';
import { type FileOps, nodeFiles } from './files.js';
import { readJournal } from './journal.js';
import { readManifest } from './manifest.js';
import { DERIVED, READINGS, type RowFormat, toBatch } from './schema.js';
import { type Place, rowsOf, visitRows } from './survey.js';
import type { DerivedRow, Reading } from './types.js';

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

function readAll<T>(files: FileOps, dir: string, format: RowFormat<T>): readonly T[] {
  readManifest(files, dir);
  const rows = new Map<string, T>();
  visitRows(files, dir, readJournal(files, dir), format, row => {
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
  readManifest(files, dir);
  const journal = readJournal(files, dir);
  const last = new Map<string, Place>();
  visitRows(files, dir, journal, format, (row, place) => {
    last.set(format.keyOf(row), place);
  });
  for (const batch of batchesOf(files, dir, journal, format.file)) {
    const rows = rowsOf(dir, format, batch).filter((row, i) => {
      const place = last.get(format.keyOf(row));
      return place?.line === batch.entry.line && place.row === i;
    });
    if (rows.length > 0) yield rows;
  }
}
