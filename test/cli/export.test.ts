import { spawnSync } from 'node:child_process';
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { exportCommand } from '../../src/cli/export.js';
import { readReadings, readReadingsTable } from '../../src/run/reader.js';
import { temporaryFolder } from '../run/folder.js';
import { type Outcome, runCommand } from './command.js';
import { makeRun, type RunOptions, writeCorpus } from './run.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

async function run(
  more: Partial<RunOptions> = {},
): Promise<{ readonly dir: string; readonly folder: string }> {
  const folder = temporaryFolder();
  const dir = join(folder, 'run');
  await makeRun({ dir, corpus: writeCorpus(folder), every: 8, ...more });
  return { dir, folder };
}

const exported = (...args: readonly string[]): Promise<Outcome> => runCommand(exportCommand(), ...args);

describe('export', () => {
  test('goes by the ending of the file, and says what was written on stderr', async () => {
    const { dir, folder } = await run();
    const out = join(folder, 'rows.parquet');
    const done = await exported(dir, '--out', out);
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(done.stderr).toMatch(/^Written: .*rows\.parquet, 60 rows of readings, \d/);
    const bytes = new Uint8Array(readFileSync(out));
    const rows = await parquetReadObjects({ file: bytes.buffer });
    expect(rows.map(row => row.key)).toEqual(readReadings(dir).map(({ key }) => key));
    const again = await exported(dir, '--out', out);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toMatch(/USAGE: .*rows\.parquet is there already/);
  });

  test('says so as JSON', async () => {
    const { dir, folder } = await run();
    const out = join(folder, 'derived.txt');
    const done = await exported(dir, '--table', 'derived', '--format', 'csv', '--out', out, '--json');
    expect(JSON.parse(done.stdout)).toEqual({
      file: out,
      table: 'derived',
      format: 'csv',
      rows: 12,
      bytes: readFileSync(out).length,
      state: 'complete',
    });
    expect(done.stderr).toBe('');
  });

  test('streams Arrow to stdout, byte for byte', async () => {
    const { dir } = await run();
    const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, 'export', dir, '--stdout']);
    expect({ stderr: String(stderr), status }).toEqual({ stderr: '', status: 0 });
    const table = tableFromIPC(stdout);
    expect(table.schema.metadata.get('plumbline.schema')).toBe('2');
    expect(table.toArray().map(String)).toEqual(readReadingsTable(dir).toArray().map(String));
  });

  test('of an incomplete run writes what is there, says so and ends with 3', async () => {
    const { dir, folder } = await run({ leaveOut: row => row.condition === 'swap' });
    const done = await exported(dir, '--out', join(folder, 'rows.jsonl'));
    expect(done.code).toBe(3);
    expect(done.stderr).toMatch(/48 rows of readings/);
    expect(done.stderr).toMatch(
      /Not complete: .*12 of 60 planned rows are missing.*What is there was exported/s,
    );
    expect(readFileSync(join(folder, 'rows.jsonl'), 'utf8').split('\n')).toHaveLength(49);
  });

  test('refuses a damaged run, and a command line that leaves open what is meant', async () => {
    const { dir, folder } = await run();
    const usage = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await exported(dir, ...args);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await usage()).toContain('give --out or --stdout');
    expect(await usage('--out', join(folder, 'rows.xlsx'))).toContain(
      'does not end in .parquet, .csv, .jsonl',
    );
    expect(await usage('--table', 'controls', '--out', 'x.csv')).toContain(
      'its tables are readings, derived',
    );
    truncateSync(join(dir, 'readings.arrows'), 9000);
    const { code, stderr } = await exported(dir, '--out', join(folder, 'rows.csv'));
    expect(code).toBe(4);
    expect(stderr).toContain('RUN_DAMAGED');
  });
});
