import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addStretch, MEASURED_FILE } from '../../src/api/measured.js';
import { noCounters } from '../../src/engine/types.js';
import { temporaryFolder } from '../run/folder.js';

const stretch = (tokens: number, rowsBefore: number, rowsAfter: number) => ({
  counters: { ...noCounters(), tokens, decodes: tokens / 10 },
  seconds: 2,
  rowsBefore,
  rowsAfter,
});
const read = (dir: string) => JSON.parse(readFileSync(join(dir, MEASURED_FILE), 'utf8'));

test('stretches are summed, and rows of an interrupted one are said to be uncounted', () => {
  const dir = temporaryFolder();
  addStretch(dir, { nodes: 7 }, stretch(100, 0, 10));
  expect(read(dir)).toMatchObject({ nodes: 7, seconds: 2, stretches: 1, rowsCounted: 10, rowsUncounted: 0 });
  // Rows that had failed, tried again.
  addStretch(dir, { nodes: 7 }, stretch(50, 10, 15));
  expect(read(dir)).toMatchObject({ stretches: 2, rowsCounted: 15, rowsUncounted: 0, tokensPerSecond: 37.5 });
  // A stretch that wrote 5 rows was interrupted in between.
  addStretch(dir, { nodes: 7 }, stretch(30, 20, 40));
  expect(read(dir)).toMatchObject({
    counters: { tokens: 180, decodes: 18 },
    seconds: 6,
    stretches: 3,
    rowsCounted: 35,
    rowsUncounted: 5,
  });
});

test('a file that is not understood counts as none, and the rows before as uncounted', () => {
  const dir = temporaryFolder();
  writeFileSync(join(dir, MEASURED_FILE), '{"counters": ');
  addStretch(dir, {}, stretch(30, 20, 40));
  expect(read(dir)).toMatchObject({ counters: { tokens: 30 }, rowsCounted: 20, rowsUncounted: 20 });
});
