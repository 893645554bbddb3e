import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRun } from '../../src/run/directory.js';
import { readDerivedTable, readReadingsTable } from '../../src/run/reader.js';
import type { VectorRow } from '../../src/run/types.js';
import { temporaryFolder } from './folder.js';
import { appendMeasured, derivedRow, LOCAL, manifest, range, reading, VECTORS, vectorRows } from './rows.js';

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
  return JSON.parse(python(READ, library, file)) as readonly Row[];
}

/** What a Python program with these arguments prints. */
function python(program: string, ...args: readonly string[]): string {
  const env = { ...process.env, PYTHONIOENCODING: 'utf-8' };
  const options = { encoding: 'utf8', maxBuffer: 1 << 28, env } as const;
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', program, ...args], options);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
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

// Vectors are compared by their bytes, as a library hands them to NumPy.
const READ_VECTORS = `
import json, sys
import numpy
def of_pyarrow(path):
    import pyarrow as pa
    table = pa.ipc.open_stream(pa.OSFile(path)).read_all()
    table.validate(full=True)
    about = {k.decode(): v.decode() for k, v in table.schema.metadata.items()}
    vectors = table['values'].combine_chunks()
    array = vectors.flatten().to_numpy(zero_copy_only=True).reshape(-1, vectors.type.list_size)
    return str(table.schema.field('values').type), about, array, table['key'].to_pylist(), table['layer'].to_pylist()
def of_polars(path):
    import polars
    frame = polars.read_ipc_stream(path)
    array = frame['values'].to_numpy()
    return str(frame.schema['values']), None, array, frame['key'].to_list(), frame['layer'].to_list()
kind, about, array, keys, layers = {'pyarrow': of_pyarrow, 'polars': of_polars}[sys.argv[1]](sys.argv[2])
json.dump({'type': kind, 'about': about, 'dtype': str(array.dtype), 'shape': array.shape, 'keys': keys,
           'layers': layers, 'bytes': numpy.ascontiguousarray(array).tobytes().hex()}, sys.stdout)
`;

const TYPES = {
  pyarrow: (width: number) => `fixed_size_list<item: float not null>[${width}]`,
  polars: (width: number) => `Array(Float32, shape=(${width},))`,
};

describe.each(['pyarrow', 'polars'] as const)('vectors in %s', library => {
  const missing = !has(library) || !has('numpy');

  test.skipIf(missing)('have the shape, the bits and the layers that were written', () => {
    const dir = temporaryFolder();
    const writer = createRun(dir, manifest(0, VECTORS), LOCAL);
    const readings = range(40).map(i => reading(i));
    for (const n of [1, 2, 17, 20]) appendMeasured(writer, readings.splice(0, n));
    const expectSame = (file: string, width: number, rows: readonly VectorRow[], about: object) => {
      const bytes = Buffer.concat(rows.map(({ values }) => Buffer.from(values.buffer)));
      expect(JSON.parse(python(READ_VECTORS, library, path.join(dir, file)))).toEqual({
        type: TYPES[library](width),
        about: library === 'pyarrow' ? { 'plumbline.schema': '2', ...about } : null,
        dtype: 'float32',
        shape: [rows.length, width],
        keys: rows.map(({ key }) => key),
        layers: rows.map(({ layer }) => layer),
        bytes: bytes.toString('hex'),
      });
    };
    const all = range(40).map(i => reading(i));
    expectSame('activations.arrows', 5, vectorRows(VECTORS.activations, all), {
      'plumbline.layers': '[0,3]',
      'plumbline.width': '5',
      'plumbline.values': 'activation: l_out-<layer> at the last prompt token',
    });
    writer.finish();
    writer.close();
    expectSame('controls.arrows', 2, vectorRows(VECTORS.controls, all), {
      'plumbline.layers': '[3]',
      'plumbline.width': '2',
      'plumbline.values':
        'projections of l_out-<layer> at the last prompt token: 0 on the direction, i on control direction i',
      'plumbline.seed': '9',
    });
  });

  test.skipIf(missing)('of a run without any row are an empty table', () => {
    const dir = temporaryFolder();
    createRun(dir, manifest(1, VECTORS), LOCAL).close();
    const empty = JSON.parse(python(READ_VECTORS, library, path.join(dir, 'activations.arrows'))) as object;
    expect(empty).toMatchObject({ type: TYPES[library](5), shape: [0, 5], keys: [], bytes: '' });
  });
});
