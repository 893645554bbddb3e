import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMO_MODEL } from '../models/fixtures.js';
import { temporaryFolder } from '../run/folder.js';
import { runProgram } from './command.js';
import { writeCorpus } from './run.js';

/** 96 cases, each scenario under two rules; the rules of those that `isLong` picks are longer than the model takes. */
function corpusWith(folder: string, isLong: (index: number) => boolean): string {
  const file = writeCorpus(folder);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const long = lines.map((line, i) => {
    const item = JSON.parse(line) as { scenario: string; rule: string };
    return isLong(i) ? JSON.stringify({ ...item, rule: `${item.rule} ${'and so on '.repeat(3000)}` }) : line;
  });
  writeFileSync(file, `${long.join('\n')}\n`);
  return file;
}

const runFit = (folder: string, corpus: string, ...more: readonly string[]) =>
  runProgram(
    'fit',
    ...['--model', DEMO_MODEL, '--corpus', `jsonl:${corpus}`, '--profile', 'standard-full'],
    ...['--gpu', 'off', '--workers', '1', '--threads', '1', '--null-draws', '10'],
    ...['--out', join(folder, `direction${more.length}.gguf`), '--json', ...more],
  );

test('a prompt that does not fit is left out by name, with --contrast rule its partner too', () => {
  const folder = temporaryFolder();
  const corpus = corpusWith(folder, i => i === 5);
  const own = runFit(folder, corpus);
  expect(own.code, own.stderr).toBe(0);
  const { tooLong } = JSON.parse(own.stdout);
  expect(tooLong).toMatchObject({ ids: [expect.stringMatching(/#/)], partners: 0 });
  expect(own.stderr).toMatch(new RegExp(`1 sample was left out of the fit[^]*${tooLong.ids[0]}`));
  const crossed = runFit(folder, corpus, '--contrast', 'rule');
  expect(crossed.code, crossed.stderr).toBe(0);
  expect(JSON.parse(crossed.stdout).tooLong).toMatchObject({ partners: 1 });
});

test('too few that are left end the fit', () => {
  const folder = temporaryFolder();
  const { code, stderr } = runFit(
    folder,
    corpusWith(folder, i => i > 3),
  );
  expect(code).toBe(1);
  expect(stderr).toContain('DIRECTION_FIT');
});
