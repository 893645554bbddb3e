import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PlumblineError } from '../../src/errors.js';
import { createRun } from '../../src/run/directory.js';
import { type FileOps, nodeFiles } from '../../src/run/files.js';
import { readActivations, readControls, readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import { temporaryFolder } from '../run/folder.js';
import { LOCAL, manifest, range, reading, VECTORS, vectorRows } from '../run/rows.js';
import { expectedRows, resumeRun, sortedRows, startRun } from './run-workload.js';

const SAMPLES = 2;

/** Nothing here depends on what a power cut leaves: no need to wait for the device. */
const disk: FileOps = { ...nodeFiles, sync: () => {} };

type Call = keyof FileOps;

/** The calls that change something, or that a broken device can refuse. */
const FALLIBLE: readonly Call[] = [
  'open',
  'write',
  'sync',
  'truncate',
  'mkdir',
  'rename',
  'unlink',
  'read',
  'size',
  'list',
];

interface Fault {
  readonly files: FileOps;
  /** How many of the counted calls were made. */
  readonly calls: () => number;
}

/**
 * A file system whose n-th counted call (from 1) fails with `code`; with `forEver` all later ones too, as on a full
 * disk. A failing write has written half of its bytes first.
 */
function faulty(counted: readonly Call[], n: number, code: string, forEver: boolean): Fault {
  let calls = 0;
  const wrap = <C extends Call>(name: C): FileOps[C] => {
    const original = disk[name] as (...args: unknown[]) => unknown;
    const call = (...args: unknown[]): unknown => {
      if (!counted.includes(name)) return original(...args);
      calls++;
      if (forEver ? calls >= n : calls === n) {
        if (name === 'write') {
          const [fd, bytes, start, length, position] = args as Parameters<FileOps['write']>;
          if (code !== 'EINTR') disk.write(fd, bytes, start, Math.floor(length / 2), position);
        }
        throw Object.assign(new Error(`${code}: injected, ${name}`), { code });
      }
      return original(...args);
    };
    return call as FileOps[C];
  };
  const names = Object.keys(disk) as Call[];
  const files = Object.fromEntries(names.map(name => [name, wrap(name)])) as unknown as FileOps;
  return { files, calls: () => calls };
}

/** After a failed process: what is there is a valid prefix, and starting again or resuming gives the whole table. */
function expectRecovery(dir: string, context: string): void {
  // The process is over; its lock would be stale, but this one is still alive.
  fs.rmSync(path.join(dir, 'run.lock'), { force: true });
  if (fs.existsSync(path.join(dir, 'manifest.json'))) {
    const { state } = verifyRun(dir);
    expect(state, context).not.toBe('damaged');
    expectVectorsOfReadings(dir, context);
    const whole = new Set(expectedRows(SAMPLES));
    expect(
      sortedRows(dir).filter(row => !whole.has(row)),
      context,
    ).toEqual([]);
    resumeRun(dir, SAMPLES, disk);
  } else {
    fs.rmSync(dir, { recursive: true, force: true });
    startRun(dir, SAMPLES, disk);
  }
  expect(verifyRun(dir).state, context).toBe('complete');
  expect(sortedRows(dir), context).toEqual(expectedRows(SAMPLES));
}

/** Every reading that stands has its vectors. Says how many vectors stand without their reading. */
function expectVectorsOfReadings(dir: string, context: string): number {
  const readings = readReadings(dir);
  const keys = new Set(readings.map(({ key }) => key));
  let unread = 0;
  for (const [plan, vectors] of [
    [VECTORS.activations, [...readActivations(dir)]],
    [VECTORS.controls, [...readControls(dir)]],
  ] as const) {
    const ofReadings = vectors.filter(({ key }) => keys.has(key));
    expect(ofReadings, context).toEqual(vectorRows(plan, readings));
    unread += vectors.length - ofReadings.length;
  }
  return unread;
}

function failWith(action: () => void): PlumblineError | null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof PlumblineError) return error;
    throw error;
  }
}

describe.each([
  ['ENOSPC', true],
  ['EIO', false],
] as const)('%s, for good: %s', (code, forEver) => {
  test('at the n-th call of a new run, for each n', () => {
    let failures = 0;
    for (let n = 1; ; n++) {
      const dir = path.join(temporaryFolder(), 'run');
      const fault = faulty(FALLIBLE, n, code, forEver);
      const error = failWith(() => startRun(dir, SAMPLES, fault.files));
      if (fault.calls() < n) break;
      if (error !== null) {
        failures++;
        expect(error.code, `call ${n}`).toBe('IO');
        expect(error.message).toMatch(new RegExp(`^cannot .*run.*${code}: injected`));
      }
      // A device that came back lets the writer take its unfinished write away: other programs can read the streams.
      if (!forEver && fs.existsSync(path.join(dir, 'manifest.json'))) {
        expect(verifyRun(dir).details?.tornBytes, `call ${n}`).toBe(0);
      }
      expectRecovery(dir, `call ${n}`);
    }
    expect(failures).toBeGreaterThan(30);
  });

  test('at the n-th call of a resumed run, for each n', () => {
    for (let n = 1; ; n++) {
      const dir = path.join(temporaryFolder(), 'run');
      // A run that stopped in its first readings, torn: their vectors stand.
      const stopped = faulty(['write'], 16, 'EIO', true);
      expect(failWith(() => startRun(dir, SAMPLES, { ...stopped.files, truncate: stuck }))?.code).toBe('IO');
      fs.rmSync(path.join(dir, 'run.lock'), { force: true });
      expect(verifyRun(dir).details).toMatchObject({ goodRows: 0, tornBytes: expect.any(Number) });
      expect(verifyRun(dir).details?.tornBytes).toBeGreaterThan(500);
      const prefix = journalled(dir);
      const fault = faulty(FALLIBLE, n, code, forEver);
      const error = failWith(() => resumeRun(dir, SAMPLES, fault.files));
      if (fault.calls() < n) break;
      if (error !== null) expect(error.code, `call ${n}`).toBe('IO');
      for (const [file, bytes] of prefix) {
        expect(fs.readFileSync(path.join(dir, file)).subarray(0, bytes.length), `call ${n}`).toEqual(bytes);
      }
      expectRecovery(dir, `call ${n}`);
    }
  });
});

function stuck(): never {
  throw Object.assign(new Error('EIO: injected, truncate'), { code: 'EIO' });
}

/** The bytes that the journal vouches for, and the journal's own whole lines. */
function journalled(dir: string): ReadonlyMap<string, Buffer> {
  const lines = fs
    .readFileSync(path.join(dir, 'journal.jsonl'), 'utf8')
    .split(/(?<=\n)/)
    .filter(line => line.endsWith('\n'));
  const result = new Map([['journal.jsonl', Buffer.from(lines.join(''))]]);
  for (const line of lines) {
    const { file, offset, length } = JSON.parse(line) as { file: string; offset: number; length: number };
    result.set(file, fs.readFileSync(path.join(dir, file)).subarray(0, offset + length));
  }
  return result;
}

test('EINTR at any call is tried again, and short writes are finished', () => {
  const plain = path.join(temporaryFolder(), 'run');
  startRun(plain, SAMPLES, disk);
  const fault = faulty(FALLIBLE, 0, '', false);
  startRun(path.join(temporaryFolder(), 'run'), SAMPLES, fault.files);
  for (let n = 1; n <= fault.calls(); n++) {
    const dir = path.join(temporaryFolder(), 'run');
    startRun(dir, SAMPLES, faulty(FALLIBLE, n, 'EINTR', false).files);
    expectSameFiles(dir, plain);
  }
  const short = path.join(temporaryFolder(), 'run');
  const write: FileOps['write'] = (fd, bytes, start, length, position) =>
    disk.write(fd, bytes, start, Math.min(length, 7), position);
  startRun(short, SAMPLES, { ...disk, write });
  expectSameFiles(short, plain);
});

test('a system that takes no byte, or is interrupted for ever, is an error and no endless loop', () => {
  const nothing = path.join(temporaryFolder(), 'run');
  expect(failWith(() => startRun(nothing, SAMPLES, { ...disk, write: () => 0 }))?.code).toBe('IO');
  const interrupted = path.join(temporaryFolder(), 'run');
  expect(
    failWith(() => startRun(interrupted, SAMPLES, faulty(['write'], 1, 'EINTR', true).files))?.code,
  ).toBe('IO');
});

test('a run that stops between any two writes has the vectors of its readings, and resumes to the whole table', () => {
  let unread = 0;
  for (let n = 1; ; n++) {
    const dir = path.join(temporaryFolder(), 'run');
    // Stops as a killed process does: nothing is taken back.
    const { files, calls } = faulty(['write'], n, 'EIO', true);
    failWith(() => startRun(dir, SAMPLES, { ...files, truncate: stuck }));
    if (calls() < n) break;
    if (fs.existsSync(path.join(dir, 'manifest.json'))) unread += expectVectorsOfReadings(dir, `write ${n}`);
    expectRecovery(dir, `write ${n}`);
  }
  // The stops must have fallen between vectors and readings, or nothing was tested.
  expect(unread).toBeGreaterThan(range(SAMPLES * 5).length);
});

test('after an error a writer repeats it and writes no more', () => {
  const dir = path.join(temporaryFolder(), 'run');
  let broken = false;
  const write: FileOps['write'] = (...args) => {
    if (broken) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
    return disk.write(...args);
  };
  const writer = createRun(dir, manifest(1), LOCAL, { ...disk, write });
  writer.appendReadings([reading(0)]);
  const before = fs.readFileSync(path.join(dir, 'readings.arrows'));
  broken = true;
  const first = failWith(() => writer.appendReadings([reading(1)]));
  expect(first).toMatchObject({ code: 'IO' });
  broken = false;
  expect(failWith(() => writer.appendReadings([reading(1)]))).toBe(first);
  expect(failWith(() => writer.finish())).toBe(first);
  writer.close();
  expect(fs.readFileSync(path.join(dir, 'readings.arrows'))).toEqual(before);
});

test('when the journal cannot be cut back either, the bytes that its line is about stay', () => {
  const dir = path.join(temporaryFolder(), 'run');
  const journal = new Set<number>();
  let broken = false;
  const failing = <A extends readonly [number, ...unknown[]]>(call: (...args: A) => void) => {
    return (...args: A): void => {
      if (broken && journal.has(args[0])) throw Object.assign(new Error('EIO: injected'), { code: 'EIO' });
      call(...args);
    };
  };
  const files: FileOps = {
    ...disk,
    open: (file, flags) => {
      const fd = disk.open(file, flags);
      if (file.endsWith('journal.jsonl')) journal.add(fd);
      return fd;
    },
    sync: failing(disk.sync),
    truncate: failing(disk.truncate),
  };
  const writer = createRun(dir, manifest(1), LOCAL, files);
  broken = true;
  expect(failWith(() => writer.appendReadings([reading(0)]))).toMatchObject({ code: 'IO' });
  writer.close();
  expect(verifyRun(dir)).toMatchObject({ state: 'incomplete', details: { goodRows: 1, tornBytes: 0 } });
});

/** Equal runs give equal bytes. */
function expectSameFiles(dir: string, other: string): void {
  const names = fs.readdirSync(dir).sort();
  expect(names).toEqual(fs.readdirSync(other).sort());
  for (const name of names) {
    expect(fs.readFileSync(path.join(dir, name)), name).toEqual(fs.readFileSync(path.join(other, name)));
  }
}
