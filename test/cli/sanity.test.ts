import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SANITY_FOLDER } from '../../src/api/sanity.js';
import { SANITY_FILE } from '../../src/api/sanity-file.js';
import type { Sanity } from '../../src/audit/sanity-types.js';
import { runProgram } from './command.js';
import { keptFolder } from './folder.js';
import { startProgram } from './program.js';

const model = (name: string): string =>
  fileURLToPath(new URL(`../../models/reference/${name}.gguf`, import.meta.url));
const corpus = fileURLToPath(new URL('../../models/reference-confounded.jsonl', import.meta.url));

const folder = keptFolder();
afterAll(folder.remove);
const at = (name: string): string => join(folder.path, name);
const ENGINE = ['--gpu', 'off', '--workers', '1', '--threads', '1'];
const sanityOf = (name: string): Sanity =>
  JSON.parse(readFileSync(join(at(name), SANITY_FILE), 'utf8')) as Sanity;
const outcomesOf = ({ rows }: Sanity, check: string) =>
  Object.fromEntries(
    rows
      .filter(row => row.check === check)
      .map(row => [`${row.number}${row.reader === null ? '' : `-${row.reader}`}`, row.outcome]),
  );

function auditArgs(name: string, out: string, ...more: readonly string[]): readonly string[] {
  const cases = ['--corpus', `jsonl:${corpus}`, '--per-domain', '6'];
  return ['audit', '--model', model(name), ...cases, ...ENGINE, '--out', at(out), ...more];
}

describe('a judge that reads its rule', () => {
  const FELL = {
    'accuracy-text': 'fell',
    'accuracy-logit': 'fell',
    'margin-auroc': 'fell',
    'ics-auroc': 'fell',
  };
  beforeAll(() => {
    const { code, stderr } = runProgram(...auditArgs('reader', 'reader', '--fit', '--sanity'));
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('copy 5 of 5');
    expect(stderr).toContain('numbers fell to their null');
    expect(stderr).toContain('it needs its own rule');
  });

  test('every number falls with its weights, its labels and its rules', () => {
    const sanity = sanityOf('reader');
    expect(outcomesOf(sanity, 'weights')).toEqual({ ...FELL, 'label-mass': 'fell' });
    expect(outcomesOf(sanity, 'labels')).toEqual(FELL);
    expect(outcomesOf(sanity, 'rules')).toMatchObject({ ...FELL, 'ocs-delete-text': 'none' });
    expect(sanity).toMatchObject({ samples: 60, compliantLabels: 30, copies: 5, rules: { given: 60 } });
  });

  test('the copies are gone, and the run verifies', () => {
    expect(readdirSync(at('reader'))).not.toContain(SANITY_FOLDER);
    expect(runProgram('verify', at('reader')).code).toBe(0);
  });

  test('analyze prints the table, summary.json holds it', () => {
    const { code, stdout } = runProgram('analyze', at('reader'), '--no-floor');
    expect(code).toBe(0);
    expect(stdout).toContain('Sanity: does every number fall to its null?');
    expect(stdout).toMatch(/rules: accuracy, logit +1\.000 .* fell$/m);
    const summary = JSON.parse(readFileSync(join(at('reader'), 'summary.json'), 'utf8'));
    expect(summary.sanity).toEqual(sanityOf('reader'));
  });

  test('a file that is no such file is named and left out, and made anew when asked', () => {
    const file = join(at('reader'), SANITY_FILE);
    const good = readFileSync(file, 'utf8');
    const again = () => runProgram('analyze', at('reader'), '--no-floor');
    writeFileSync(file, '{"rows": ');
    expect(again()).toMatchObject({ code: 0, stderr: expect.stringContaining('sanity.json left out') });
    writeFileSync(file, good.replace(/"planHash": "../, '"planHash": "--'));
    expect(again().stderr).toContain('belongs to another run');
    expect(again().stdout).not.toContain('Sanity:');
    const { code } = runProgram('audit', '--resume', at('reader'), '--sanity');
    expect(code).toBe(0);
    // The same seed and the same machine: the same file, bit for bit.
    expect(readFileSync(file, 'utf8')).toBe(good);
  });
});

test('a judge that reads the wording of the scenario keeps its accuracy under other rules', async () => {
  // Stopped while the first copy is read: the run is whole, nothing of the checks is left.
  const running = startProgram(auditArgs('shortcut', 'shortcut', '--sanity'));
  while (!running.said().includes('copy 1 of 5')) await new Promise(resolve => setTimeout(resolve, 20));
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect(code, stderr).toBe(130);
  expect(stderr).toContain('INTERRUPTED');
  expect(stderr).toContain(`--resume ${at('shortcut')} --sanity`);
  expect(existsSync(join(at('shortcut'), SANITY_FOLDER))).toBe(false);
  expect(existsSync(join(at('shortcut'), SANITY_FILE))).toBe(false);
  expect(runProgram('verify', at('shortcut')).code).toBe(0);

  // What a kill leaves is removed by the next try.
  mkdirSync(join(at('shortcut'), SANITY_FOLDER));
  writeFileSync(join(at('shortcut'), SANITY_FOLDER, 'shortcut.gguf'), 'half a copy');
  const resumed = runProgram('audit', '--resume', at('shortcut'), '--sanity', '--json');
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(existsSync(join(at('shortcut'), SANITY_FOLDER))).toBe(false);
  expect(JSON.parse(resumed.stdout).sanity).toEqual(sanityOf('shortcut'));
  expect(outcomesOf(sanityOf('shortcut'), 'weights')['margin-auroc']).toBe('fell');
  expect(outcomesOf(sanityOf('shortcut'), 'rules')).toMatchObject({
    'accuracy-text': 'stayed',
    'accuracy-logit': 'stayed',
    'margin-auroc': 'stayed',
  });
  expect(resumed.stderr).toContain('the judge is right as often as before');

  // Once there, it stays.
  const before = readFileSync(join(at('shortcut'), SANITY_FILE), 'utf8');
  const third = runProgram('audit', '--resume', at('shortcut'), '--sanity');
  expect(third).toMatchObject({ code: 0, stderr: expect.not.stringContaining('copy 1') });
  expect(readFileSync(join(at('shortcut'), SANITY_FILE), 'utf8')).toBe(before);
});

describe('what has no weights to shuffle', () => {
  test('the word floor', () => {
    const args = ['--subject', 'lexical', '--corpus', `jsonl:${corpus}`];
    const { code, stderr } = runProgram('audit', ...args, '--sanity', '--out', at('lexical'));
    expect(code).toBe(2);
    expect(stderr).toContain('--subject lexical has neither');
    expect(existsSync(at('lexical'))).toBe(false);
    expect(runProgram('audit', ...args, '--per-domain', '2', '--out', at('lexical')).code).toBe(0);
    expect(runProgram('audit', '--resume', at('lexical'), '--sanity')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no audit of a model'),
    });
  });

  test('a dry run', () => {
    const { code, stderr } = runProgram(...auditArgs('reader', 'dry', '--dry-run', '--sanity'));
    expect(code).toBe(2);
    expect(stderr).toContain('leave out --sanity');
  });
});
