import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { messageOf, PlumblineError } from '../errors.js';
import { createCollector, type Place, type RawCase } from './collect.js';
import { readCorpusFile } from './read.js';
import type { Corpus, CorpusFile, Label } from './types.js';

/** How a user's own table is read. */
export interface ColumnMap {
  /** The user's name for each field; a field that is not named has its own name (id, domain, rule, scenario, label). */
  readonly columns?: Partial<Readonly<Record<keyof RawCase, string>>>;
  /** Label texts and what they mean; default `compliant` = 1, `non-compliant` = 0. Any other label is reported. */
  readonly labels?: Readonly<Record<string, Label>>;
}

/** One record and its place: the line (from 1) on which it begins, or its index (from 0). */
export interface Row {
  readonly at: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Reads a corpus of one JSON object a line; blank lines are passed over. */
export async function loadJsonl(path: string, map: ColumnMap = {}): Promise<Corpus> {
  return loadTable('jsonl', path, map, parseJsonLines);
}

/** Reads a corpus of comma-separated values (RFC 4180) whose first line names the columns. */
export async function loadCsv(path: string, map: ColumnMap = {}): Promise<Corpus> {
  return loadTable('csv', path, map, text => parseCsv(text, path, map));
}

function namesOf(map: ColumnMap): Readonly<Record<keyof RawCase, string>> {
  return { id: 'id', domain: 'domain', rule: 'rule', scenario: 'scenario', label: 'label', ...map.columns };
}

async function loadTable(
  format: 'jsonl' | 'csv',
  path: string,
  map: ColumnMap,
  rowsOf: (text: string, path: string) => readonly Row[],
): Promise<Corpus> {
  const name = basename(path);
  const { text, file } = await readCorpusFile(path, name);
  return collectRows(format, name, file, rowsOf(text, path), 'line', map);
}

/** Checks the records of a user's own table one after the other. */
export function collectRows(
  format: string,
  name: string,
  file: CorpusFile,
  rows: readonly Row[],
  unit: Place['unit'],
  map: ColumnMap,
): Corpus {
  const names = namesOf(map);
  const labels: Readonly<Record<string, Label>> = map.labels ?? { compliant: 1, 'non-compliant': 0 };
  const collector = createCollector(new Map(Object.entries(labels)));
  rows.forEach(({ at, values }, index) => {
    const raw: RawCase = {
      // An id column that the user named must be there; without one, ids come from the place.
      id: values[names.id] ?? (map.columns?.id === undefined ? undefined : null),
      domain: values[names.domain],
      rule: values[names.rule],
      scenario: values[names.scenario],
      label: values[names.label],
    };
    collector.add(raw, { file: name, at, unit, idFile: name, index, names });
  });
  return { format, cases: collector.cases, issues: collector.issues, files: [file] };
}

/** Columns that a table must have; `all`: those that it may have too, which is an id that the user did not name. */
export function neededColumns(map: ColumnMap, all = false): readonly string[] {
  const { id, ...required } = namesOf(map);
  return all || map.columns?.id !== undefined ? [id, ...Object.values(required)] : Object.values(required);
}

/** One JSON object a line; blank lines are passed over. Errors: CORPUS_FORMAT. */
export function parseJsonLines(text: string, path: string): readonly Row[] {
  const rows: Row[] = [];
  text.split('\n').forEach((source, index) => {
    if (source.trim() === '') return;
    const line = index + 1;
    let value: unknown;
    try {
      value = JSON.parse(source);
    } catch (error) {
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${path}:${line}: not valid JSON: ${messageOf(error)}; expected one JSON object a line`,
        { cause: error },
      );
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${path}:${line}: expected a JSON object with the fields of one case`,
      );
    }
    rows.push({ at: line, values: { ...value } });
  });
  return rows;
}

interface CsvItem {
  readonly record: readonly string[];
  /** The record's own stretch of the file, blank lines before it and its line end included. */
  readonly raw: string;
}

/** Lines are counted here: the parser's own count takes a CR LF inside quotes for two. */
function parseCsv(text: string, path: string, map: ColumnMap): readonly Row[] {
  const [header, ...items] = csvItems(text, path);
  const columns = checkedHeader(header?.record ?? [], path, map);
  let linesBefore = lineEnds(header?.raw ?? '');
  return items.map(({ record, raw }) => {
    const line = 1 + linesBefore + lineEnds(/^[\r\n]*/.exec(raw)?.[0] ?? '');
    linesBefore += lineEnds(raw);
    if (record.length !== columns.length) {
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${path}:${line}: ${record.length} fields, expected ${columns.length} as in the header; quote fields that hold commas`,
      );
    }
    return { at: line, values: Object.fromEntries(columns.map((column, index) => [column, record[index]])) };
  });
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

function csvItems(text: string, path: string): readonly CsvItem[] {
  try {
    return parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      raw: true,
    }) as unknown as readonly CsvItem[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new PlumblineError('CORPUS_FORMAT', `${path}: not valid CSV: ${error.message}`, { cause: error });
  }
}

function checkedHeader(header: readonly string[], path: string, map: ColumnMap): readonly string[] {
  const twice = header.find((column, index) => header.indexOf(column) !== index);
  if (twice !== undefined) {
    throw new PlumblineError('CORPUS_FORMAT', `${path}:1: column ${JSON.stringify(twice)} is named twice`);
  }
  const missing = neededColumns(map).filter(column => !header.includes(column));
  if (missing.length > 0) {
    throw new PlumblineError(
      'CORPUS_FORMAT',
      `${path}:1: no column ${missing.map(column => JSON.stringify(column)).join(', ')}; the header has ` +
        `${header.map(column => JSON.stringify(column)).join(', ')}. Rename the columns or give a column map`,
    );
  }
  return header;
}
