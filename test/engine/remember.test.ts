import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { recallSplit, rememberSplit, type SplitKey, splitFile } from '../../src/engine/remember.js';

const KEY: SplitKey = { modelSha256: 'a', release: 'v1', cpu: 'one', cores: 4, recipe: 'plain' };
const CANDIDATES = [
  { workers: 4, threads: 1 },
  { workers: 1, threads: 4 },
];
const SPLIT = { workers: 4, threads: 1, rate: 100 };

let file: string;
let notes: string[];
const note = (text: string): number => notes.push(text);
const recall = (key = KEY, candidates = CANDIDATES) => recallSplit(file, key, candidates, note);
const remember = (key = KEY, anew = false) => rememberSplit(file, key, SPLIT, anew, note);

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'remember-')), 'plumbline', 'splits.json');
  notes = [];
});

test('a measured division comes back, and for its own key only', async () => {
  expect(await recall()).toBeNull();
  await remember();
  expect(await recall()).toEqual({ ...SPLIT, remembered: true });
  for (const other of [
    { modelSha256: 'b' },
    { release: 'v2' },
    { cpu: 'two' },
    { cores: 2 },
    { recipe: 'flash' },
  ])
    expect(await recall({ ...KEY, ...other })).toBeNull();
  expect(notes).toEqual([]);
});

test('a division that is no candidate is not taken', async () => {
  await remember();
  expect(await recall(KEY, [{ workers: 1, threads: 4 }])).toBeNull();
});

test('measuring anew drops what was known of the model under other keys, and of no other model', async () => {
  const flash = { ...KEY, recipe: 'flash' };
  const other = { ...KEY, modelSha256: 'b' };
  await remember(flash);
  await remember(other);
  await remember(KEY, true);
  expect(await recall(flash)).toBeNull();
  expect(await recall(other)).not.toBeNull();
  expect(await recall()).not.toBeNull();
});

test.each(['{', '[]', '{"x":{"model":"a","workers":0,"threads":1,"rate":1}}', ''])(
  'a damaged file %j is ignored with a word and rewritten',
  async text => {
    await remember();
    writeFileSync(file, text);
    expect(await recall()).toBeNull();
    expect(notes).toEqual([`${file} is damaged; it is ignored and written anew`]);
    await remember();
    expect(await recall()).toEqual({ ...SPLIT, remembered: true });
  },
);

test('many writers at once leave a whole file and no scraps', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, cores) => remember({ ...KEY, cores: cores + 1 })));
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8'))).length).toBeGreaterThan(0);
  expect(readdirSync(dirname(file))).toEqual(['splits.json']);
});

test('a folder that cannot be made is a note', async () => {
  writeFileSync(dirname(file), '');
  await remember();
  expect(notes).toEqual([expect.stringContaining('is not remembered')]);
  expect(await recall()).toBeNull();
});

test('the folder by platform', () => {
  expect(splitFile({ PLUMBLINE_CACHE: '/c' }, 'linux')).toBe(join('/c', 'splits.json'));
  expect(splitFile({ XDG_CACHE_HOME: '/x' }, 'linux')).toBe(join('/x', 'plumbline', 'splits.json'));
  expect(splitFile({ XDG_CACHE_HOME: 'x' }, 'linux')).toContain(join('.cache', 'plumbline'));
  expect(splitFile({}, 'darwin')).toContain(join('Library', 'Caches', 'plumbline'));
  expect(splitFile({ LOCALAPPDATA: '/l' }, 'win32')).toBe(join('/l', 'plumbline', 'splits.json'));
});
