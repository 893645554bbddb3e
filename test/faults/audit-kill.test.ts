import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../src/run/files.js';
import { readManifest } from '../../src/run/manifest.js';
import { streamsOf } from '../../src/run/streams.js';
import { surveyRun } from '../../src/run/survey.js';
import { verifyRun } from '../../src/run/verify.js';
import { keptFolder } from '../cli/folder.js';
import { aliveInGroup, program, type Running, startProgram, wholeTable } from '../cli/program.js';
import { DEMO_MODEL } from '../models/fixtures.js';

const folder = keptFolder();
afterAll(folder.remove);

const KILLS = 10;
const PER_DOMAIN = 24;
const ROWS = 8 * PER_DOMAIN * 5;

let runs = 0;
const fresh = (): string => join(folder.path, `run-${runs++}`);

function startAudit(dir: string): Running {
  const engine = ['--gpu', 'off', '--workers', '2', '--threads', '1'];
  const corpus = ['--corpus', 'demo', '--per-domain', String(PER_DOMAIN)];
  return startProgram(['audit', '--model', DEMO_MODEL, ...corpus, ...engine, '--out', dir]);
}

const isThere = (dir: string): boolean => {
  try {
    return readdirSync(dir).includes('manifest.json');
  } catch {
    return false;
  }
};

/** How many rows have landed; the stream is looked at, not read. */
function batches(dir: string): number {
  try {
    return readFileSync(join(dir, 'journal.jsonl'), 'utf8').split('"batch"').length - 1;
  } catch {
    return 0;
  }
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within 30 s: ${what}`);
    await delay(5);
  }
}

/** Keys of rows that were written again although nothing was wrong with them. */
function repeatedKeys(dir: string): readonly string[] {
  return surveyRun(nodeFiles, dir, streamsOf(readManifest(nodeFiles, dir))).repeated;
}

let table = '';
let milliseconds = 0;
beforeAll(async () => {
  const dir = fresh();
  const run = startAudit(dir);
  await until(() => isThere(dir), 'a manifest');
  const began = performance.now();
  expect((await run.ended).code).toBe(0);
  milliseconds = performance.now() - began;
  table = wholeTable(dir);
});

test(`kill -9 of all processes at ${KILLS} random moments, each followed by --resume`, async () => {
  const stops = new Set<number>();
  let dir = fresh();
  for (let kills = 0; kills < KILLS; ) {
    const running = isThere(dir) ? startProgram(['audit', '--resume', dir]) : startAudit(dir);
    const rowsBefore = batches(dir);
    // From the moment at which rows begin to come; a quarter of the kills falls into the start.
    if (Math.random() < 0.75)
      await Promise.race([until(() => batches(dir) > rowsBefore, 'a row'), running.ended]);
    await Promise.race([delay(Math.random() * milliseconds * 0.7), running.ended]);
    if (running.child.exitCode !== null) {
      expect((await running.ended).code).toBe(0);
      expect(wholeTable(dir)).toBe(table);
      dir = fresh();
      continue;
    }
    process.kill(-running.pid, 'SIGKILL');
    await running.ended;
    kills++;
    if (!isThere(dir)) continue;
    const { state, details } = verifyRun(dir);
    expect(state).not.toBe('damaged');
    stops.add(details?.goodRows ?? 0);
  }
  if (!isThere(dir)) expect((await startAudit(dir).ended).code).toBe(0);
  const last = await program('audit', '--resume', dir);
  expect(last.code, last.stderr).toBe(0);
  expect(verifyRun(dir)).toMatchObject({ state: 'complete', details: { goodRows: ROWS } });
  expect(wholeTable(dir)).toBe(table);
  expect(repeatedKeys(dir)).toEqual([]);
  expect(readdirSync(dir)).not.toContain('run.lock');
  // The moments must have hit runs that were being written, or nothing was tested.
  expect(stops.size, [...stops].join(', ')).toBeGreaterThan(2);
}, 240_000);

describe('interruption', () => {
  const linux = process.platform === 'linux';

  test('Ctrl-C keeps what was done and ends within 2 s; resuming completes the run', async () => {
    const dir = fresh();
    const running = startAudit(dir);
    await until(() => batches(dir) > 0, 'rows');
    const began = performance.now();
    process.kill(-running.pid, 'SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(performance.now() - began).toBeLessThan(2000);
    expect(code).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Interrupted. Go on with: npx plumbline audit --resume ${dir}`);
    if (linux) expect(aliveInGroup(running.pid)).toEqual([]);
    const { state, details } = verifyRun(dir);
    expect(state).toBe('incomplete');
    expect(details?.goodRows).toBeGreaterThan(0);
    expect(details?.goodRows).toBeLessThan(ROWS);
    expect(details?.tornBytes).toBe(0);
    expect(readdirSync(dir)).not.toContain('run.lock');
    const again = await program('audit', '--resume', dir);
    expect(again.code, again.stderr).toBe(0);
    expect(wholeTable(dir)).toBe(table);
    expect(repeatedKeys(dir)).toEqual([]);
  });

  test.each(['opening', 'comparing'])('Ctrl-C while it is %s leaves no run', async stage => {
    const dir = fresh();
    const running = startAudit(dir);
    await until(() => running.said().includes(stage), stage);
    const began = performance.now();
    process.kill(-running.pid, 'SIGINT');
    const { code, stderr } = await running.ended;
    expect(performance.now() - began).toBeLessThan(2000);
    expect(code).toBe(130);
    // Where the proof was over already, the run has begun and can go on.
    if (!isThere(dir))
      expect(stderr).toContain('plumbline: INTERRUPTED: Stopped before the first evaluation');
    if (linux) expect(aliveInGroup(running.pid)).toEqual([]);
  });

  test('a second Ctrl-C ends at once', async () => {
    const dir = fresh();
    const running = startAudit(dir);
    await until(() => batches(dir) > 0, 'rows');
    // The parent alone is held, so that both signals wait for it.
    process.kill(running.pid, 'SIGSTOP');
    process.kill(running.pid, 'SIGINT');
    process.kill(running.pid, 'SIGCONT');
    process.kill(running.pid, 'SIGINT');
    expect((await running.ended).code).toBe(130);
    expect((await program('audit', '--resume', dir)).code).toBe(0);
    expect(wholeTable(dir)).toBe(table);
  });

  test.runIf(linux)('no engine process survives a parent that is killed', async () => {
    for (const stage of ['opening', 'comparing', 'rows'] as const) {
      const dir = fresh();
      const running = startAudit(dir);
      await until(() => (stage === 'rows' ? batches(dir) > 0 : running.said().includes(stage)), stage);
      if (stage === 'rows') expect(aliveInGroup(running.pid).length).toBe(3);
      process.kill(running.pid, 'SIGKILL');
      await until(() => aliveInGroup(running.pid).length === 0, `all ended, parent killed while ${stage}`);
    }
  });
});
