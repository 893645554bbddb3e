import { existsSync } from 'node:fs';
import { PlumblineError } from '../errors.js';
import { GATE_PAIRS } from '../gate/pair-rows.js';
import { isGateRun } from '../gate/run-manifest.js';
import { parquetEncoder } from '../run/export-parquet.js';
import { csvEncoder, jsonLinesEncoder } from '../run/export-text.js';
import type { TableEncoder } from '../run/export-types.js';
import { nodeFiles, writePieces } from '../run/files.js';
import { readJournal } from '../run/journal.js';
import { readManifest } from '../run/manifest.js';
import { batchMessage, END_OF_STREAM, streamHead } from '../run/message.js';
import { lastRows } from '../run/reader.js';
import type { RowFormat, TableFormat } from '../run/schema.js';
import { streamsOf } from '../run/streams.js';
import type { Verification } from '../run/verify.js';
import { verifyAnyRun } from './verify.js';

export const EXPORT_FORMATS = ['parquet', 'csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_TABLES = ['readings', 'derived', 'activations', 'controls', 'pairs'] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];

/** One table of a run, checked, no key twice, in the order of its stream. */
export interface OpenTable {
  readonly table: ExportTable;
  /** `complete` or `incomplete`. */
  readonly verification: Verification;
  readonly rows: () => number;
  /** The pieces of a file in this format, with one part of the table in memory at a time. */
  readonly pieces: (format: ExportFormat | 'arrow') => Iterable<Uint8Array>;
}

/**
 * Checks a run as `verify` does and opens one of its tables; null = the readings, of a gate audit its pairs.
 * Errors: RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO; USAGE for a table that the run does not have.
 */
export function openTable(dir: string, wanted: ExportTable | null): OpenTable {
  const gate = isGateRun(nodeFiles, dir);
  const formats: readonly RowFormat<unknown>[] = gate
    ? [GATE_PAIRS as RowFormat<unknown>]
    : streamsOf(readManifest(nodeFiles, dir)).all;
  const table = wanted ?? (gate ? 'pairs' : 'readings');
  const format = formats.find(({ file }) => file === fileOf(table)) as RowFormat<object> | undefined;
  if (format === undefined) {
    const there = EXPORT_TABLES.filter(name => formats.some(({ file }) => file === fileOf(name)));
    throw new PlumblineError('USAGE', `${dir} keeps no ${table}: its tables are ${there.join(', ')}`);
  }
  const verification = verifyAnyRun(dir);
  if (verification.state === 'damaged') {
    throw new PlumblineError(
      'RUN_DAMAGED',
      `${dir}: ${verification.findings.join('; ')}; nothing was exported, restore the run from a copy`,
    );
  }
  let count = 0;
  return {
    table,
    verification,
    rows: () => count,
    pieces: function* (kind) {
      const encoder = encoderOf(kind, format);
      count = 0;
      yield encoder.head();
      const batches = lastRows(nodeFiles, dir, format, readJournal(nodeFiles, dir, { all: formats }));
      for (const rows of inParts(batches, partOf(format))) {
        count += rows.length;
        yield encoder.rows(rows);
      }
      yield encoder.end();
    },
  };
}

/**
 * Writes a table to a file, whole or not at all; gives its length in bytes. Errors: USAGE when the file is there, or for
 * vectors in a CSV file; those of {@link OpenTable}; IO.
 */
export function exportTable(open: OpenTable, format: ExportFormat, out: string): number {
  requireFree(out);
  return writePieces(nodeFiles, out, open.pieces(format));
}

/** Errors: USAGE when there is something at this place. */
export function requireFree(out: string): void {
  if (existsSync(out)) {
    throw new PlumblineError('USAGE', `${out} is there already: choose another --out, or remove it.`);
  }
}

function fileOf(table: ExportTable): string {
  return `${table}.arrows`;
}

function encoderOf<T extends object>(kind: ExportFormat | 'arrow', format: RowFormat<T>): TableEncoder<T> {
  switch (kind) {
    case 'parquet':
      return parquetEncoder(format);
    case 'csv':
      if (widthOf(format) > 1) {
        throw new PlumblineError(
          'USAGE',
          `a field of a CSV file holds no vector: export ${format.file} as Parquet or JSONL, or to --stdout`,
        );
      }
      return csvEncoder(format);
    case 'jsonl':
      return jsonLinesEncoder(format);
    case 'arrow': {
      const head = streamHead(format);
      return { head: () => head, rows: rows => batchMessage(format, head, rows), end: () => END_OF_STREAM };
    }
  }
}

/** Values that are held in memory at once, about. */
const VALUES_AT_ONCE = 1_000_000;

/** Rows of a part: what Parquet makes a row group of. */
function partOf(format: TableFormat<object>): number {
  return Math.ceil(VALUES_AT_ONCE / (format.schema.fields.length * widthOf(format)));
}

/** Numbers in each vector of a stream of vectors; else 1. */
function widthOf({ schema }: TableFormat<object>): number {
  return Number(schema.metadata.get('plumbline.width') ?? 1);
}

/** The same rows in parts of `size`, the last one smaller. */
function* inParts<T>(batches: Iterable<readonly T[]>, size: number): Generator<readonly T[]> {
  let part: T[] = [];
  for (const rows of batches) {
    for (const row of rows) {
      part.push(row);
      if (part.length < size) continue;
      yield part;
      part = [];
    }
  }
  if (part.length > 0) yield part;
}
