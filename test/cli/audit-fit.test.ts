import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import { DEMO_MODEL } from '../models/fixtures.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';

const folder = keptFolder();
afterAll(() => folder.remove());

const demo = [
  '--model',
  DEMO_MODEL,
  '--corpus',
  'demo',
  '--per-domain',
  '8',
  '--workers',
  '1',
  '--threads',
  '1',
];

test('audit --fit fits on its samples, audits along the direction and keeps it', async () => {
  const dir = join(folder.path, 'run');
  const { code, stderr } = await program('audit', ...demo, '--fit', '--out', dir);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('Compliance direction of demo-judge.gguf');
  expect(readdirSync(join(dir, 'direction'))).toEqual(['fitted.gguf']);
  expect(verifyRun(dir).state).toBe('complete');
  const evaluated = readReadings(dir).filter(row => row.applicable);
  expect(evaluated.length).toBeGreaterThan(200);
  for (const row of evaluated) {
    expect(row.ics).not.toBeNull();
    expect(row.verdictLogit).not.toBeNull();
  }
});

test('audit --fit makes the direction itself, and refuses an occupied folder before it fits', async () => {
  const both = await program(
    'audit',
    ...demo,
    '--fit',
    '--direction',
    'd.gguf',
    '--out',
    join(folder.path, 'x'),
  );
  expect(both.code).toBe(2);
  expect(both.stderr).toContain('--fit makes the direction; leave out --direction');
  const again = await program('audit', ...demo, '--fit', '--out', join(folder.path, 'run'));
  expect(again.stderr).toMatch(/^plumbline: RUN_EXISTS/);
  expect(existsSync(join(folder.path, 'x'))).toBe(false);
});
