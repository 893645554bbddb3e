import { csvField } from '../csv.js';
import type { TableEncoder } from './export-types.js';
import { columnsOf, type TableFormat } from './schema.js';

const NONE = new Uint8Array(0);
const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/**
 * CSV after RFC 4180 with a line feed at the end of each line. A missing value is an empty field, an empty text a quoted
 * one. Nothing is put before a text that a spreadsheet would take for a formula: it would be another text then.
 */
export function csvEncoder<T extends object>({ columns, schema }: TableFormat<T>): TableEncoder<T> {
  const properties = columnsOf(columns).map(([property]) => property);
  const line = (fields: readonly string[]): string => `${fields.join(',')}\n`;
  return {
    head: () => utf8(line(schema.fields.map(({ name }) => csvField(name)))),
    rows: rows => utf8(rows.map(row => line(properties.map(property => cell(row[property])))).join('')),
    end: () => NONE,
  };
}

function cell(value: unknown): string {
  if (value === '') return '""';
  return typeof value === 'number' ? digits(value) : csvField(value);
}

/** One JSON object a line, every column in it. */
export function jsonLinesEncoder<T extends object>({ columns, schema }: TableFormat<T>): TableEncoder<T> {
  const properties = columnsOf(columns).map(([property]) => property);
  const names = schema.fields.map(({ name }) => JSON.stringify(name));
  const line = (row: T): string =>
    `{${properties.map((property, i) => `${names[i]}:${json(row[property])}`).join(',')}}\n`;
  return { head: () => NONE, rows: rows => utf8(rows.map(line).join('')), end: () => NONE };
}

/** JSON has no word for a number that is not finite: those are texts. */
function json(value: unknown): string {
  if (value instanceof Float32Array) return `[${Array.from(value, json).join(',')}]`;
  if (typeof value !== 'number') return JSON.stringify(value);
  return Number.isFinite(value) ? digits(value) : `"${value}"`;
}

/** The shortest digits that give the same number again; the sign of a zero is kept. */
function digits(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value);
}
