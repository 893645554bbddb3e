import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportCommand } from '../../src/cli/report.js';
import { temporaryFolder } from '../run/folder.js';
import { runCommand } from './command.js';
import { makeRun, writeCorpus } from './run.js';

test('report writes one page, and each figure with its data', async () => {
  const folder = temporaryFolder();
  const dir = join(folder, 'run');
  await makeRun({ dir, corpus: writeCorpus(folder) });
  const [out, figures] = [join(folder, 'page.html'), join(folder, 'figures')];
  const { stdout, stderr, code } = await runCommand(reportCommand(), dir, '--out', out, '--figures', figures);
  expect(code, stderr).toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^Written: .*page\.html, [\d.]+ kB, 4 figures\. 8 files in .*figures\.\n$/);
  expect(readFileSync(out, 'utf8')).toContain('Does judge.gguf read its rule?');
  const names = ['accuracy-domains', 'answer', 'margins', 'ocs-domains'];
  expect(readdirSync(figures).sort()).toEqual(names.flatMap(name => [`${name}.csv`, `${name}.svg`]));
  expect(readFileSync(join(figures, 'answer.svg'), 'utf8')).toMatch(/^<svg xmlns="[\s\S]*<\/svg>\n$/);
  expect(readFileSync(join(figures, 'answer.csv'), 'utf8')).toContain('changed verdicts,rule deleted,0.5,');

  const json = await runCommand(reportCommand(), dir, '--out', out, '--no-floor', '--json');
  expect(json).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(json.stdout)).toEqual({ files: [out] });
});

test('report names a folder that is no run, and asks for one', async () => {
  const folder = temporaryFolder();
  expect(await runCommand(reportCommand(), folder, '--out', join(folder, 'x.html'))).toMatchObject({
    code: 1,
  });
  expect(await runCommand(reportCommand())).toMatchObject({ code: 2 });
  expect(readdirSync(folder)).toEqual([]);
});
