import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDerived, readReadings } from '../../src/run/reader.js';
import { DEMO_MODEL } from '../models/fixtures.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';

const PYTHON = process.env.PLUMBLINE_PYTHON ?? 'python3';
const folder = keptFolder();
afterAll(folder.remove);

const OPEN: Readonly<Record<string, string>> = {
  pyarrow: 'import pyarrow as pa; rows = pa.ipc.open_stream(pa.OSFile(path)).read_all().to_pylist()',
  polars: 'import polars; rows = polars.read_ipc_stream(path).to_dicts()',
};

/** Rows as a Python library sees them, floats as their shortest text, which is the same as ours. */
function pythonRows(library: string, path: string): readonly Readonly<Record<string, unknown>>[] {
  const script = `import json, sys\npath = sys.argv[1]\n${OPEN[library]}\njson.dump(rows, sys.stdout, allow_nan=False)`;
  const env = { ...process.env, PYTHONIOENCODING: 'utf-8' };
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', script, path], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env,
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** Our rows under the names of the columns. */
function columns(rows: readonly object[]): readonly Readonly<Record<string, unknown>>[] {
  const name = (property: string): string =>
    property.replace(/[A-Z]/g, capital => `_${capital.toLowerCase()}`);
  return rows.map(row => Object.fromEntries(Object.entries(row).map(([key, value]) => [name(key), value])));
}

const dir = join(folder.path, 'run');
beforeAll(async () => {
  const engine = ['--gpu', 'off', '--workers', '2', '--threads', '1'];
  const corpus = ['--model', DEMO_MODEL, '--corpus', 'demo', '--per-domain', '3'];
  const { code, stderr } = await program('audit', ...corpus, ...engine, '--out', dir);
  expect(code, stderr).toBe(0);
});

describe.each(Object.keys(OPEN))('%s', library => {
  const missing = spawnSync(PYTHON, ['-c', `import ${library}`]).status !== 0;
  if (missing)
    console.warn(
      `skipped: an audit's rows in ${library} ($PLUMBLINE_PYTHON, here ${PYTHON}, has no ${library})`,
    );

  test.skipIf(missing)('opens the readings and the derived rows of an audit', () => {
    const readings = columns(readReadings(dir));
    const derived = columns(readDerived(dir));
    expect(readings.length).toBe(8 * 3 * 5);
    expect(derived.length).toBe(8 * 3 * 2);
    expect(pythonRows(library, join(dir, 'readings.arrows'))).toEqual(readings);
    expect(pythonRows(library, join(dir, 'derived.arrows'))).toEqual(derived);
  });
});
