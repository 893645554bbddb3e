import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRun } from '../../src/run/directory.js';
import { nodeFiles } from '../../src/run/files.js';
import { acquireLock } from '../../src/run/lock.js';
import { openForResume } from '../../src/run/resume.js';
import { temporaryFolder } from './folder.js';
import { LOCAL, manifest } from './rows.js';

const create = (dir: string) => createRun(dir, manifest(2), LOCAL);
const withCode = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('creating a run', () => {
  test('makes the folder and everything in it', () => {
    const dir = path.join(temporaryFolder(), 'a', 'b');
    create(dir).close();
    expect(fs.readdirSync(dir).sort()).toEqual([
      'derived.arrows',
      'journal.jsonl',
      'local.json',
      'manifest.json',
      'readings.arrows',
    ]);
  });

  test('takes an empty folder, and no other', () => {
    const dir = temporaryFolder();
    create(dir).close();
    const before = fs.readdirSync(dir);
    expect(() => create(dir)).toThrow(withCode('RUN_EXISTS', /--resume .*another --out/));
    expect(fs.readdirSync(dir)).toEqual(before);

    const other = temporaryFolder();
    fs.writeFileSync(path.join(other, 'thesis.tex'), '');
    expect(() => create(other)).toThrow(withCode('RUN_EXISTS', /is not empty: choose another --out/));
    expect(fs.readdirSync(other)).toEqual(['thesis.tex']);
    expect(() => create(path.join(other, 'thesis.tex'))).toThrow(withCode('IO', /thesis\.tex/));
    expect(() => create(path.join(other, 'thesis.tex', 'run'))).toThrow(
      withCode('IO', /choose another folder/),
    );
  });

  test('says what to do where it may not write, and leaves nothing', () => {
    const parent = temporaryFolder();
    const dir = path.join(parent, 'run');
    const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const refuse = (): never => {
      throw refused;
    };
    expect(() => createRun(dir, manifest(2), LOCAL, { ...nodeFiles, mkdir: refuse })).toThrow(
      withCode('IO', /cannot create .*run: EACCES.* choose a folder that you may write/),
    );
    expect(() => createRun(dir, manifest(2), LOCAL, { ...nodeFiles, rename: refuse })).toThrow(
      withCode('IO', /EACCES/),
    );
    expect(fs.readdirSync(parent)).toEqual([]);
  });

  test('starts over in a folder whose process died before the manifest stood', async () => {
    const dir = temporaryFolder();
    fs.writeFileSync(path.join(dir, 'run.lock'), JSON.stringify(await deadHolder()));
    fs.writeFileSync(path.join(dir, 'local.json'), '{}');
    fs.writeFileSync(path.join(dir, 'manifest.json.tmp'), '{"sch');
    create(dir).close();
    openForResume(dir).close();
    expect(fs.readdirSync(dir)).not.toContain('manifest.json.tmp');
  });

  test('writes the manifest once: appending and ending a run leave its bytes alone', () => {
    const dir = temporaryFolder();
    const writer = create(dir);
    const before = fs.statSync(path.join(dir, 'manifest.json'), { bigint: true });
    writer.finish();
    writer.close();
    const after = fs.statSync(path.join(dir, 'manifest.json'), { bigint: true });
    expect([after.ino, after.mtimeNs, after.size]).toEqual([before.ino, before.mtimeNs, before.size]);
  });
});

/** A holder that was a process of this machine and is none any more. */
async function deadHolder() {
  const child = spawn(process.execPath, ['-e', '']);
  const pid = child.pid;
  await once(child, 'exit');
  return { pid, host: os.hostname(), started: null };
}

describe('the lock', () => {
  test('keeps a second writer out, also one of the same process', () => {
    const dir = temporaryFolder();
    const writer = create(dir);
    expect(() => openForResume(dir)).toThrow(withCode('RUN_LOCKED', new RegExp(`process ${process.pid} on`)));
    writer.close();
    const run = openForResume(dir);
    expect(() => openForResume(dir)).toThrow(withCode('RUN_LOCKED', /being written/));
    run.close();
    run.close();
    openForResume(dir).close();
  });

  test.each([
    ['a dead process', deadHolder],
    [
      'a later process with the same number',
      async () => ({ pid: process.pid, host: os.hostname(), started: '1' }),
    ],
    ['a process that died before it wrote its name', async () => null],
  ])('of %s is taken over', async (_, holder) => {
    const dir = temporaryFolder();
    const value = await holder();
    fs.writeFileSync(path.join(dir, 'run.lock'), value === null ? '' : JSON.stringify(value));
    const release = acquireLock(nodeFiles, dir);
    expect(() => acquireLock(nodeFiles, dir)).toThrow(withCode('RUN_LOCKED', /./));
    release();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  test('of another machine is never taken over', () => {
    const dir = temporaryFolder();
    fs.writeFileSync(
      path.join(dir, 'run.lock'),
      JSON.stringify({ pid: 1, host: 'elsewhere', started: null }),
    );
    expect(() => acquireLock(nodeFiles, dir)).toThrow(
      withCode('RUN_LOCKED', /process 1 on elsewhere.*delete .*run\.lock/),
    );
  });

  test('of a dead process goes to one of many that want it', async () => {
    const dir = temporaryFolder();
    const stale = JSON.stringify(await deadHolder());
    // Each look at the stale lock lets another process take it over first.
    for (const winners of [1, 2, 3]) {
      fs.writeFileSync(path.join(dir, 'run.lock'), stale);
      let nested = winners;
      const held: (() => void)[] = [];
      const racing = {
        ...nodeFiles,
        rename: (from: string, to: string) => {
          if (nested-- > 0) {
            try {
              held.push(acquireLock(racing, dir));
            } catch {
              // Lost the race, as all but one must.
            }
          }
          nodeFiles.rename(from, to);
        },
      };
      try {
        held.push(acquireLock(racing, dir));
      } catch (error) {
        expect(error).toMatchObject({ code: 'RUN_LOCKED' });
      }
      expect(held).toHaveLength(1);
      held[0]?.();
    }
  });
});
