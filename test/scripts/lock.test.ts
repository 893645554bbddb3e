import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ran, REPOSITORY, runNode } from './project.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'plumbline-lock-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Takes the lock, writes "in" and "out" into a log with a pause between them, gives the lock back. */
function worker(milliseconds: number, ending = ''): Promise<Ran> {
  const lock = pathToFileURL(join(REPOSITORY, 'scripts', 'lock.mjs')).href;
  const code = `
    import { appendFileSync } from 'node:fs';
    import { withLock } from '${lock}';
    const log = line => appendFileSync(${JSON.stringify(join(root, 'log'))}, line + '\\n');
    await withLock(${JSON.stringify(root)}, async () => {
      log('in');
      await new Promise(resolve => setTimeout(resolve, ${milliseconds}));
      ${ending}
      log('out');
    });`;
  return runNode(['--input-type=module', '--eval', code]);
}

const log = () => readFileSync(join(root, 'log'), 'utf8').trimEnd().split('\n');

function leaveLock(owner: string, ageMs: number): void {
  const folder = join(root, 'build', '.lock');
  mkdirSync(folder, { recursive: true });
  const time = new Date(Date.now() - ageMs);
  writeFileSync(join(folder, owner), '');
  utimesSync(join(folder, owner), time, time);
}

it('lets one set-up in at a time, tells the others that they wait, and leaves nothing behind', async () => {
  const ran = await Promise.all([1, 2, 3, 4].map(() => worker(200)));
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(log()).toEqual(['in', 'out', 'in', 'out', 'in', 'out', 'in', 'out']);
  expect(
    ran.filter(({ stderr }) => stderr.includes('waiting for another set-up')).length,
  ).toBeGreaterThanOrEqual(1);
  expect(readdirSync(join(root, 'build'))).toEqual([]);
});

it('breaks the lock of a set-up that was killed, once, however many wait for it', async () => {
  const killed = await worker(50, 'process.kill(process.pid, "SIGKILL");');
  expect(killed.code).toBeNull();
  expect(readdirSync(join(root, 'build'))).toEqual(['.lock']);
  const ran = await Promise.all([1, 2, 3].map(() => worker(100)));
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(log()).toEqual(['in', 'in', 'out', 'in', 'out', 'in', 'out']);
});

it('gives the lock back when the work fails', async () => {
  const failed = await worker(10, 'throw new Error("no");');
  expect(failed.code).toBe(1);
  expect(readdirSync(join(root, 'build'))).toEqual([]);
});

it('breaks the lock of another machine only when it has not been touched for a minute', async () => {
  leaveLock(`1@not-${hostname()}`, 90_000);
  expect((await worker(10)).code).toBe(0);

  leaveLock(`1@not-${hostname()}`, 0);
  const waiting = worker(10);
  await new Promise(resolve => setTimeout(resolve, 1_000));
  expect(log()).toEqual(['in', 'out']);
  rmSync(join(root, 'build', '.lock'), { recursive: true });
  expect((await waiting).code).toBe(0);
});
