import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyCommand } from '../../src/cli/verify.js';
import { temporaryFolder } from '../run/folder.js';
import { runCommand } from './command.js';
import { makeRun, writeCorpus } from './run.js';

async function run(more: Partial<Parameters<typeof makeRun>[0]> = {}): Promise<string> {
  const dir = join(temporaryFolder(), 'run');
  await makeRun({ dir, corpus: writeCorpus(temporaryFolder()), ...more });
  return dir;
}

test('a complete run', async () => {
  const dir = await run();
  const { stdout, stderr, code } = await runCommand(verifyCommand(), dir);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(`complete: ${dir}\n`);
  expect(stdout).toMatch(/^ {2}planned rows {8}60$/m);
  expect(stdout).toMatch(/^ {2}good rows {11}60$/m);
});

test('a run with rows missing and failed says how many and how to go on', async () => {
  const dir = await run({
    leaveOut: row => row.sampleId.startsWith('lab_safety') && row.condition === 'swap',
    change: row => (row.condition === 'delete' ? { ...row, errorCode: 'DECODE' } : row),
  });
  const { stdout, code } = await runCommand(verifyCommand(), dir);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^incomplete: /);
  expect(stdout).toContain('6 of 60 planned rows are missing');
  expect(stdout).toContain('12 rows hold an error');
  expect(stdout.replace(/\s+/g, ' ')).toContain(`--resume ${dir}`);
});

test('a damaged run names the file and the byte', async () => {
  const dir = await run();
  const file = join(dir, 'readings.arrows');
  const bytes = readFileSync(file);
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  const { stdout, code } = await runCommand(verifyCommand(), dir);
  expect(code).toBe(4);
  expect(stdout).toMatch(/^damaged: /);
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/readings\.arrows, byte \d+: .*CRC-32C/);
});

test('JSON holds the same, for each state', async () => {
  const dir = await run();
  const parse = async (): Promise<unknown> => {
    const { stdout, code } = await runCommand(verifyCommand(), dir, '--json');
    return { ...(JSON.parse(stdout) as object), code };
  };
  expect(await parse()).toMatchObject({
    state: 'complete',
    code: 0,
    exitCode: 0,
    findings: [],
    details: { plannedRows: 60, goodRows: 60, missingRows: 0, tornBytes: 0 },
  });
  appendFileSync(join(dir, 'journal.jsonl'), '{"file"');
  expect(await parse()).toMatchObject({ details: { tornBytes: 7 } });
  truncateSync(join(dir, 'readings.arrows'), 900);
  expect(await parse()).toMatchObject({ state: 'damaged', code: 4, details: null });
});

test('what is no run is a typed error', async () => {
  const nowhere = await runCommand(verifyCommand(), join(temporaryFolder(), 'nothing'));
  expect(nowhere).toMatchObject({ code: 1, stdout: '' });
  expect(nowhere.stderr).toContain('RUN_NOT_FOUND');
  const file = writeCorpus(temporaryFolder());
  const notFolder = await runCommand(verifyCommand(), file);
  expect(notFolder.code).toBe(1);
  expect(notFolder.stderr).not.toContain('internal error');
});
