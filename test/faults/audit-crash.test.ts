import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readingKey } from '../../src/audit/plan.js';
import type { Condition } from '../../src/perturb/types.js';
import { readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import type { Outcome } from '../cli/command.js';
import { keptFolder } from '../cli/folder.js';
import { program, sortedReadings, startProgram, wholeTable } from '../cli/program.js';
import { DEMO_MODEL } from '../models/fixtures.js';

const POISON = pathToFileURL(fileURLToPath(new URL('../engine/poison.mjs', import.meta.url))).href;
const folder = keptFolder();
afterAll(folder.remove);

const PER_DOMAIN = 4;
const ROWS = 8 * PER_DOMAIN * 5;
const COMMON = [
  '--model',
  DEMO_MODEL,
  '--corpus',
  'demo',
  '--per-domain',
  String(PER_DOMAIN),
  '--gpu',
  'off',
];

let runs = 0;
const fresh = (): string => join(folder.path, `run-${runs++}`);

interface Poisoned extends Outcome {
  /** What the engine processes noted: their starts, and why they aborted. */
  readonly log: readonly string[];
}

async function poisoned(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Poisoned> {
  const log = join(folder.path, `log-${runs++}`);
  writeFileSync(log, '');
  const preload = { NODE_OPTIONS: `--import ${POISON}`, POISON_LOG: log };
  const { stdout, stderr, code } = await startProgram(args, { ...preload, ...env }).ended;
  return { stdout, stderr, code, log: readFileSync(log, 'utf8').trimEnd().split('\n') };
}

const audit = (dir: string, workers: number): string[] => [
  ...['audit', ...COMMON, '--workers', String(workers), '--threads', '1', '--out', dir, '--json'],
];

/** Row numbers are evaluation ids: the plan goes sample by sample, in the order of the conditions. */
let table = '';
let keys: readonly string[] = [];
beforeAll(async () => {
  const dir = fresh();
  expect((await program(...audit(dir, 2))).code).toBe(0);
  table = wholeTable(dir);
  const { sampleIds, conditions } = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as {
    readonly sampleIds: readonly string[];
    readonly conditions: readonly Condition[];
  };
  keys = sampleIds.flatMap(id => conditions.map(condition => readingKey(id, condition)));
});

test.each([
  [1, [10]],
  [2, [0, 71, 72, 155]],
])('with %i processes, evaluations that kill their process: %j', async (workers, ids) => {
  const dir = fresh();
  const run = await poisoned(audit(dir, workers), { POISON_IDS: ids.join(',') });
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).not.toContain('internal error');
  expect(JSON.parse(run.stdout)).toMatchObject({ rows: ROWS, errors: ids.length });

  // Each is named with the last words of the process that it killed.
  const lines = run.stderr.split('\n');
  for (const id of ids) {
    const at = lines.findIndex(line =>
      line.startsWith(`${keys[id]}: The engine process was ended by SIGABRT`),
    );
    expect(at, run.stderr).toBeGreaterThan(-1);
    expect(lines[at + 1]).toContain(`GGML_ASSERT(harmless) failed: evaluation ${id}`);
  }
  // At least two deaths for each: in company, and alone.
  for (const id of ids)
    expect(run.log.filter(line => line === `evaluation ${id}`).length).toBeGreaterThanOrEqual(1);
  const deaths = run.log.filter(line => line !== 'start').length;
  const starts = run.log.filter(line => line === 'start').length;
  expect(deaths).toBeGreaterThanOrEqual(ids.length + 1);
  expect(starts).toBeGreaterThan(deaths);

  const rows = sortedReadings(dir);
  expect(rows.length).toBe(ROWS);
  const failed = rows.filter(row => row.errorCode !== null);
  expect(failed.map(row => row.key).sort()).toEqual(ids.map(id => keys[id]).sort());
  for (const row of failed)
    expect(row).toMatchObject({ errorCode: 'ENGINE_CRASH', margin: null, verdictText: null });
  expect(verifyRun(dir)).toMatchObject({ state: 'incomplete', exitCode: 3 });

  // Still poison: tried again, and again a row with an error.
  const still = await poisoned(['audit', '--resume', dir, '--json'], { POISON_IDS: ids.join(',') });
  expect(still.code, still.stderr).toBe(0);
  expect(JSON.parse(still.stdout)).toMatchObject({ errors: ids.length, alreadyComplete: false });
  expect(still.log).toContain(`evaluation ${ids[0]}`);
  expect(verifyRun(dir).state).toBe('incomplete');

  const healed = await program('audit', '--resume', dir, '--json');
  expect(healed.code, healed.stderr).toBe(0);
  expect(JSON.parse(healed.stdout)).toMatchObject({ errors: 0 });
  expect(verifyRun(dir)).toMatchObject({ state: 'complete', exitCode: 0 });
  expect(readReadings(dir).filter(row => row.errorCode !== null)).toEqual([]);
  expect(wholeTable(dir)).toBe(table);
});

test('a crash while the model is opened is a typed error with the last words, and leaves no run', async () => {
  const dir = fresh();
  const { code, stdout, stderr, log } = await poisoned(audit(dir, 2), { POISON_OPEN: '1' });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain('plumbline: ENGINE_CRASH: The engine process was ended by SIGABRT');
  expect(stderr).toContain('GGML_ASSERT(harmless) failed: while opening');
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(log).toEqual(['start', 'while opening']);
  expect(() => readFileSync(join(dir, 'manifest.json'))).toThrow('ENOENT');
});
