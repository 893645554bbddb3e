import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunSummary } from '../../src/api/analyze-run.js';
import { analyzeCommand } from '../../src/cli/analyze.js';
import { featuresCommand } from '../../src/cli/features.js';
import { temporaryFolder } from '../run/folder.js';
import { type Outcome, runCommand } from './command.js';
import { makeRun, writeCorpus } from './run.js';

const analyze = (...args: readonly string[]): Promise<Outcome> =>
  runCommand(analyzeCommand(), ...args, '--no-floor');
const words = (text: string): string => text.replace(/\s+/g, ' ');

const DOMAINS = ['kitchen', 'garage', 'library', 'harbour', 'theatre', 'orchard'];
const RULES = [
  'Staff must log each task, unless section 3 applies.',
  'Visitors may enter. Drivers must not park here.',
  'A reader shall return every book within two weeks of the loan, and should tell the desk.',
  'Ships can wait.',
  'The doors shall be closed, except where paragraph 2 or section 4 says otherwise.',
  'Pickers should wear gloves and must not climb.',
];

/** A run of eight domains: the six above, each with one rule, and two of the demo corpus. */
async function made(): Promise<{ readonly dir: string; readonly features: string }> {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  const cases = DOMAINS.flatMap((domain, d) =>
    Array.from({ length: 4 }, (_, i) => ({
      id: `${domain}-${i}`,
      domain,
      rule: RULES[d],
      scenario: `Scenario ${i} of the ${domain}.`,
      label: i < 1 + (d % 3) ? 'non-compliant' : 'compliant',
    })),
  );
  const corpus = writeCorpus(folder, cases);
  const dir = join(folder, 'run');
  await makeRun({ dir, corpus, every: 1 });
  const printed = await runCommand(featuresCommand(), '--corpus', `jsonl:${corpus}`, '--json');
  const features = join(folder, 'features.json');
  writeFileSync(features, printed.stdout);
  return { dir, features };
}

test('what `features --json` prints is held against the OCS of the run', async () => {
  const { dir, features } = await made();
  const { stdout, stderr, code } = await analyze(dir, '--features', features);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const said = words(stdout);
  expect(said).toContain('Does it depend on the text of the rules?');
  expect(said).toContain('MDD left out: no parser: give --parser DIR');
  expect(stdout).toMatch(/^ *ECD +8 /m);
  expect(stdout).toMatch(/^ *sentence_length_log2 +8 /m);
  expect(stdout.indexOf('Does it depend on the text')).toBeGreaterThan(stdout.indexOf('Sensitivity groups'));
  const { features: found } = JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as RunSummary;
  expect(found?.domains.map(({ domain }) => domain)).toEqual(
    [...DOMAINS, 'expense_approval', 'lab_safety'].sort(),
  );
  expect(found?.outcomes.map(({ outcome, domains }) => [outcome, domains])).toEqual([['ocs', 8]]);
  // Without the option, nothing of it.
  const plain = await analyze(dir);
  expect(plain.stdout).not.toContain('text of the rules');
  expect((JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as RunSummary).features).toBeNull();
});

test('what is no file of features is refused with the place', async () => {
  const { dir, features } = await made();
  const good = JSON.parse(readFileSync(features, 'utf8')) as { readonly domains: readonly object[] };
  const other = join(dir, '..', 'other.json');
  for (const [content, message] of [
    ['no JSON', 'cannot be read'],
    ['[]', 'at the top'],
    [
      JSON.stringify({ ...good, domains: [{ domain: 'a', features: {} }] }),
      'domains[0].features.ecd: expected object',
    ],
    [JSON.stringify({ ...good, domains: [good.domains[0], good.domains[0]] }), 'twice'],
  ] as const) {
    writeFileSync(other, content);
    const { stdout, stderr, code } = await analyze(dir, '--features', other);
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('FEATURES_INVALID');
    expect(stderr).toContain(message);
  }
});
