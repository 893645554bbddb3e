import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ExportFormat, type ExportTable, exportTable, openTable } from '../../src/api/export.js';
import { createRun } from '../../src/run/directory.js';
import { readActivations, readDerived, readReadings } from '../../src/run/reader.js';
import { DERIVED, READINGS } from '../../src/run/schema.js';
import type { Reading } from '../../src/run/types.js';
import { temporaryFolder } from './folder.js';
import { appendMeasured, derivedRow, LOCAL, manifest, range, reading, TEXTS, VECTORS } from './rows.js';

const PYTHON = process.env.PLUMBLINE_PYTHON ?? 'python3';

/** Texts that a spreadsheet or a careless reader takes for something else. */
const TRICKY = ['=1+1', '-0', '"', '""', ' a ', 'NaN', 'null', '1', '\n', ',', '\r\nx', ...TEXTS];

/** A run of 300 readings in batches of all sizes, 60 derived rows, and vectors; some readings were tried again. */
function run(): string {
  const dir = path.join(temporaryFolder(), 'run');
  const writer = createRun(dir, manifest(60, VECTORS), LOCAL);
  const change = (row: Reading, i: number): Reading => ({
    ...row,
    generated: row.generated === null ? null : (TRICKY[i % TRICKY.length] ?? ''),
  });
  writer.appendReadings(range(9).map(i => reading(i, 'DECODE')));
  for (let next = 0, n = 1; next < 300; next += n, n = Math.min(n * 2, 300 - next)) {
    appendMeasured(
      writer,
      range(n, next).map(i => change(reading(i), i)),
    );
  }
  writer.appendDerived(range(60).map(derivedRow));
  writer.finish();
  writer.close();
  return dir;
}

function exported(dir: string, table: ExportTable, format: ExportFormat): string {
  const out = path.join(path.dirname(dir), `${table}.${format}`);
  const open = openTable(dir, table);
  exportTable(open, format, out);
  return out;
}

const column = (property: string): string =>
  property.replace(/[A-Z]/g, capital => `_${capital.toLowerCase()}`);

/** Our rows under the names of the columns, floats as their bits. */
function expected(rows: readonly object[], floats: ReadonlySet<string>): readonly object[] {
  return rows.map(row =>
    Object.fromEntries(
      Object.entries(row).map(([property, value]) => [
        column(property),
        value !== null && floats.has(column(property)) ? bits(value) : value,
      ]),
    ),
  );
}

function bits(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString('hex');
}

const FLOATS = {
  readings: new Set(READINGS.schema.fields.filter(f => `${f.type}` === 'Float64').map(f => f.name)),
  derived: new Set(DERIVED.schema.fields.filter(f => `${f.type}` === 'Float64').map(f => f.name)),
} as const;

const READ = `
import json, struct, sys
def plain(value):
    if isinstance(value, float): return struct.pack('>d', value).hex()
    return [plain(v) for v in value] if isinstance(value, list) else value
def pyarrow_parquet(path):
    import pyarrow.parquet as pq
    table = pq.read_table(path)
    table.validate(full=True)
    assert table.schema.metadata[b'plumbline.schema'] == b'2', table.schema.metadata
    return table.to_pylist()
def polars_parquet(path):
    import polars
    return polars.read_parquet(path).to_dicts()
def pyarrow_csv(path):
    import pyarrow as pa, pyarrow.csv as csv
    types = {name: pa.type_for_alias(kind) for name, kind in json.loads(sys.argv[3]).items()}
    table = csv.read_csv(path, parse_options=csv.ParseOptions(newlines_in_values=True), convert_options=csv.ConvertOptions(
        column_types=types, null_values=[''], strings_can_be_null=True, quoted_strings_can_be_null=False))
    return table.to_pylist()
def polars_csv(path):
    import polars
    kinds = {'double': polars.Float64, 'int8': polars.Int8, 'int32': polars.Int32, 'bool': polars.Boolean, 'string': polars.String}
    return polars.read_csv(path, schema={name: kinds[kind] for name, kind in json.loads(sys.argv[3]).items()}).to_dicts()
rows = globals()[sys.argv[1]](sys.argv[2])
json.dump([{name: plain(value) for name, value in row.items()} for row in rows], sys.stdout)
`;

function python(how: string, file: string, types: object = {}): readonly object[] {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', READ, how, file, JSON.stringify(types)], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

const KINDS: Readonly<Record<string, string>> = {
  Float64: 'double',
  Int8: 'int8',
  Int32: 'int32',
  Bool: 'bool',
};
const typesOf = ({ schema }: typeof READINGS | typeof DERIVED): object =>
  Object.fromEntries(schema.fields.map(({ name, type }) => [name, KINDS[`${type}`] ?? 'string']));

describe.each(['pyarrow', 'polars'])('%s', library => {
  const missing = spawnSync(PYTHON, ['-c', `import ${library}`]).status !== 0;
  if (missing)
    console.warn(
      `skipped: exported files in ${library} ($PLUMBLINE_PYTHON, here ${PYTHON}, has no ${library})`,
    );

  test.skipIf(missing)('reads the Parquet files as the rows are', () => {
    const dir = run();
    expect(python(`${library}_parquet`, exported(dir, 'readings', 'parquet'))).toEqual(
      expected(readReadings(dir), FLOATS.readings),
    );
    expect(python(`${library}_parquet`, exported(dir, 'derived', 'parquet'))).toEqual(
      expected(readDerived(dir), FLOATS.derived),
    );
    const vectors = [...readActivations(dir)].map(row => ({ ...row, values: [...row.values].map(bits) }));
    expect(python(`${library}_parquet`, exported(dir, 'activations', 'parquet'))).toEqual(vectors);
  });

  test.skipIf(missing)('reads the CSV files as the rows are, with nulls apart from empty texts', () => {
    const dir = run();
    const types = typesOf(READINGS);
    const rows = python(`${library}_csv`, exported(dir, 'readings', 'csv'), types);
    expect(rows).toEqual(expected(readReadings(dir), FLOATS.readings));
    expect(python(`${library}_csv`, exported(dir, 'derived', 'csv'), typesOf(DERIVED))).toEqual(
      expected(readDerived(dir), FLOATS.derived),
    );
  });
});

describe('an exported table', () => {
  test('in JSONL has every column of every row, nulls kept, numbers to the last bit', () => {
    const dir = run();
    const lines = readFileSync(exported(dir, 'readings', 'jsonl'), 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    const numbers = lines.map(line => JSON.parse(line) as Record<string, unknown>);
    const back = numbers.map(row =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          value !== null && FLOATS.readings.has(name) ? bits(Number(value)) : value,
        ]),
      ),
    );
    expect(back).toEqual(expected(readReadings(dir), FLOATS.readings));
    expect(numbers.some(({ logprob_noncompliant }) => logprob_noncompliant === '-Infinity')).toBe(true);
    const vectors = readFileSync(exported(dir, 'activations', 'jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(
      vectors.map(line =>
        (JSON.parse(line) as { values: readonly unknown[] }).values.map(v => bits(Number(v))),
      ),
    ).toEqual([...readActivations(dir)].map(({ values }) => [...values].map(bits)));
  });

  test('has only the last row of a key', () => {
    const dir = run();
    const open = openTable(dir, null);
    const out = path.join(path.dirname(dir), 'readings.csv');
    exportTable(open, 'csv', out);
    expect(open).toMatchObject({ table: 'readings', verification: { state: 'complete' } });
    expect(open.rows()).toBe(300);
    expect(readFileSync(out, 'utf8')).not.toContain(',DECODE\n');
  });

  test('is refused over another file, as vectors in CSV, and of a damaged run; nothing is left behind', () => {
    const dir = run();
    const folder = path.dirname(dir);
    const out = path.join(folder, 'x.csv');
    writeFileSync(out, 'mine');
    expect(() => exportTable(openTable(dir, 'readings'), 'csv', out)).toThrow(/x\.csv is there already/);
    expect(readFileSync(out, 'utf8')).toBe('mine');
    const vectors = path.join(folder, 'v.csv');
    expect(() => exportTable(openTable(dir, 'controls'), 'csv', vectors)).toThrow(/holds no vector/);
    expect(() => openTable(dir, 'pairs')).toThrow(
      'keeps no pairs: its tables are readings, derived, activations, controls',
    );
    const open = openTable(dir, 'derived');
    truncateSync(path.join(dir, 'derived.arrows'), 5000);
    // The file is damaged after it was checked: what was begun goes.
    expect(() => exportTable(open, 'jsonl', path.join(folder, 'd.jsonl'))).toThrow(
      expect.objectContaining({ code: 'RUN_DAMAGED' }),
    );
    expect(() => openTable(dir, 'readings')).toThrow(
      expect.objectContaining({
        code: 'RUN_DAMAGED',
        message: expect.stringContaining('nothing was exported'),
      }),
    );
    expect(existsSync(vectors)).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['run', 'x.csv']);
  });

  test('of an incomplete run holds what is there, also when that is nothing', () => {
    const dir = path.join(temporaryFolder(), 'run');
    createRun(dir, manifest(1), LOCAL).close();
    for (const format of ['parquet', 'csv', 'jsonl'] as const) exported(dir, 'readings', format);
    expect(openTable(dir, null).verification.state).toBe('incomplete');
    expect(readFileSync(path.join(path.dirname(dir), 'readings.jsonl'), 'utf8')).toBe('');
    expect(readFileSync(path.join(path.dirname(dir), 'readings.csv'), 'utf8').split('\n')).toHaveLength(2);
  });
});
