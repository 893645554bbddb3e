import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyRun } from '../../src/run/verify.js';
import { temporaryFolder } from '../run/folder.js';
import { expectedRows, sortedRows, startRun } from './run-workload.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Inside of the repository, so that the compiled child finds the packages. */
const BUILT = path.join(ROOT, 'build', 'run-kill');

const SAMPLES = 20;
const KILLS = 10;

beforeAll(() => {
  fs.rmSync(BUILT, { recursive: true, force: true });
  fs.mkdirSync(BUILT, { recursive: true });
  const config = {
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: { rootDir: ROOT, outDir: BUILT, declaration: false, sourceMap: false },
    include: [],
    files: [path.join(ROOT, 'test', 'faults', 'run-child.ts')],
  };
  fs.writeFileSync(path.join(BUILT, 'tsconfig.json'), JSON.stringify(config));
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', BUILT], { stdio: 'inherit' });
});

afterAll(() => fs.rmSync(BUILT, { recursive: true, force: true }));

/** Runs the child; kills it `delay` ms after it began to write. Gives the signal that ended it, and how long it wrote. */
async function runChild(dir: string, delay: number | null) {
  const script = path.join(BUILT, 'test', 'faults', 'run-child.js');
  const child = spawn(process.execPath, [script, dir, String(SAMPLES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  await once(child.stdout, 'data');
  const start = performance.now();
  if (delay !== null) {
    await setTimeout(delay);
    child.kill('SIGKILL');
  }
  const [code, signal] = await exit;
  return { code, signal, ms: performance.now() - start };
}

test(`kill -9 at ${KILLS} random moments, then resume: the table of an uninterrupted run`, async () => {
  const whole = path.join(temporaryFolder(), 'run');
  startRun(whole, SAMPLES);
  expect(sortedRows(whole)).toEqual(expectedRows(SAMPLES));
  const { ms } = await runChild(path.join(temporaryFolder(), 'run'), null);

  let kills = 0;
  const stops: string[] = [];
  while (kills < KILLS) {
    const dir = path.join(temporaryFolder(), 'run');
    // A run is killed several times before it gets to its end, so that resumed runs are killed too.
    for (;;) {
      const delay = Math.random() * ms * 0.6;
      const { code, signal } = await runChild(dir, delay);
      const context = `killed after ${delay.toFixed(2)} of ${ms.toFixed(0)} ms`;
      if (signal === null) {
        expect(code, context).toBe(0);
        break;
      }
      kills++;
      if (!fs.existsSync(path.join(dir, 'manifest.json'))) continue;
      const { state, details } = verifyRun(dir);
      expect(state, context).not.toBe('damaged');
      stops.push(`${details?.goodRows} rows, ${details?.tornBytes} torn bytes`);
    }
    expect(verifyRun(dir)).toMatchObject({
      state: 'complete',
      details: { goodRows: SAMPLES * 5, tornBytes: 0 },
    });
    expect(sortedRows(dir)).toEqual(sortedRows(whole));
    expect(fs.readdirSync(dir)).not.toContain('run.lock');
  }
  // The moments must have hit runs that were being written, or nothing was tested.
  expect(new Set(stops).size, stops.join('; ')).toBeGreaterThan(3);
});
