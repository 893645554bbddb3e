import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRun } from '../../src/run/directory.js';
import { readDerivedTable, readReadingsTable } from '../../src/run/reader.js';
import { temporaryFolder } from './folder.js';
import { derivedRow, LOCAL, manifest, range, reading } from './rows.js';

const PYTHON = process.env.PLUMBLINE_PYTHON ?? 'python3';

function has(module: string): boolean {
  const there = spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;
  if (!there)
    console.warn(`skipped: reading with ${module} ($PLUMBLINE_PYTHON, here ${PYTHON}, has no ${module})`);
  return there;
}

// Floats are compared by their bits, as hexadecimal text: JSON has no NaN, no infinity and no minus zero.
const READ = `
import json, struct, sys
def plain(value):
    return struct.pack('>d', value).hex() if isinstance(value, float) else value
def pyarrow_rows(path):
    import pyarrow as pa
    table = pa.ipc.open_stream(pa.OSFile(path)).read_all()
    table.validate(full=True)
    assert table.schema.metadata == {b'plumbline.schema': b'2'}, table.schema.metadata
    return table.to_pylist()
def polars_rows(path):
    import polars
    return polars.read_ipc_stream(path).to_dicts()
rows = {'pyarrow': pyarrow_rows, 'polars': polars_rows}[sys.argv[1]](sys.argv[2])
json.dump([{name: plain(value) for name, value in row.items()} for row in rows], sys.stdout)
`;

type Row = Readonly<Record<string, unknown>>;

function pythonRows(library: string, file: string): readonly Row[] {
  const env = { ...process.env, PYTHONIOENCODING: 'utf-8' };
  const options = { encoding: 'utf8', maxBuffer: 1 << 28, env } as const;
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', READ, library, file], options);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout) as readonly Row[];
}

function bits(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString('hex');
}

/** A row as Python shall see it. The names come from the schema, the values from the row that was written. */
function expectedRow(row: object, names: readonly unknown[], floats: ReadonlySet<unknown>): Row {
  const values = Object.values(row) as readonly unknown[];
  return Object.fromEntries(
    names.map((name, i) => {
      const value = values[i];
      return [name, floats.has(name) && typeof value === 'number' ? bits(value) : value];
    }),
  );
}

describe.each(['pyarrow', 'polars'])('%s', library => {
  const missing = !has(library);

  test.skipIf(missing)('reads what was written, batches of 1 to 70 rows, with and without an end', () => {
    const dir = temporaryFolder();
    const writer = createRun(dir, manifest(0), LOCAL);
    const written = { readings: [] as object[], derived: [] as object[] };
    for (const n of range(70, 1)) {
      const readings = range(n, written.readings.length).map(i => reading(i, i % 17 === 0 ? 'DECODE' : null));
      const derived = range(n, written.derived.length).map(derivedRow);
      writer.appendReadings(readings);
      writer.appendDerived(derived);
      written.readings.push(...readings);
      written.derived.push(...derived);
    }
    const check = () => {
      for (const [kind, table] of [
        ['readings', readReadingsTable(dir)],
        ['derived', readDerivedTable(dir)],
      ] as const) {
        const names = table.schema.names as readonly string[];
        const floats = new Set(table.schema.fields.filter(f => `${f.type}` === 'Float64').map(f => f.name));
        const expected = written[kind].map(row => expectedRow(row, names, floats));
        expect(pythonRows(library, path.join(dir, `${kind}.arrows`))).toEqual(expected);
      }
    };
    check();
    const unended = fs.statSync(path.join(dir, 'readings.arrows')).size;
    writer.finish();
    writer.close();
    expect(fs.statSync(path.join(dir, 'readings.arrows')).size).toBe(unended + 8);
    check();
  });

  test.skipIf(missing)('reads a run without any row', () => {
    const dir = temporaryFolder();
    createRun(dir, manifest(1), LOCAL).close();
    expect(pythonRows(library, path.join(dir, 'readings.arrows'))).toEqual([]);
    expect(pythonRows(library, path.join(dir, 'derived.arrows'))).toEqual([]);
  });
});
