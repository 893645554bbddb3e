import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freeDemoFolder } from '../../src/api/demo.js';
import { readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';

const folder = keptFolder();
afterAll(folder.remove);

test('demo audits the whole embedded corpus, exactly, and says that its numbers mean nothing', async () => {
  const dir = join(folder.path, 'demo-run');
  const { code, stdout, stderr } = await program('demo', '--out', dir);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('random weights');
  expect(stderr).toContain('its numbers mean nothing');
  expect(stderr).toContain('exact: ');
  expect(stderr).toMatch(/npx plumbline inspect .*--sample \S+\/demo#/);
  expect(stdout).toContain('OCS');
  expect(stdout).not.toContain('\x1b');
  expect(verifyRun(dir)).toMatchObject({ state: 'complete' });
  const rows = readReadings(dir);
  expect(new Set(rows.map(row => row.domain)).size).toBe(8);
  expect(new Set(rows.map(row => row.sampleId)).size).toBe(384);
  expect(existsSync(join(dir, 'summary.json'))).toBe(true);
  const sample = /--sample (\S+)/.exec(stderr)?.[1] ?? '';
  const shown = await program('inspect', dir, '--sample', sample);
  expect(shown.code, shown.stderr).toBe(0);

  // A second one into the same folder is refused, and the analysis of the first is repeatable.
  expect((await program('demo', '--out', dir)).stderr).toContain('plumbline: RUN_EXISTS: ');
  const { stdout: json } = await program('analyze', dir, '--json');
  expect(JSON.parse(json)).toEqual(JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')));
  expect(JSON.parse(json)).toMatchObject({
    coverage: { missingRows: 0, errorRows: 0, plannedRows: rows.length },
  });
  expect(freeDemoFolder(folder.path)).toBe(join(folder.path, 'plumbline-demo'));
}, 180_000);
