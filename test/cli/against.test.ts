import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/api/analyze-run.js';
import type { Manifest } from '../../src/run/manifest.js';
import { readReadings } from '../../src/run/reader.js';
import { DEMO_MODEL, randomModel } from '../models/fixtures.js';
import type { Outcome } from './command.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';
import { writeCorpus } from './run.js';

const folder = keptFolder();
afterAll(folder.remove);

const ENGINE = ['--gpu', 'off', '--workers', '1', '--threads', '1'] as const;
const at = (name: string): string => join(folder.path, name);
const manifestOf = (name: string): Manifest =>
  JSON.parse(readFileSync(join(at(name), 'manifest.json'), 'utf8')) as Manifest;
const flat = (text: string): string => text.replace(/\s+/g, ' ');
const audit = (name: string, ...more: readonly string[]): Promise<Outcome> =>
  program('audit', ...ENGINE, '--out', at(name), ...more);
const against = (name: string, profile: string, ...more: readonly string[]): Promise<Outcome> =>
  audit(name, '--against', at('base'), '--profile', profile, ...more);

let corpus = '';
let ids = '';
beforeAll(async () => {
  corpus = writeCorpus(folder.path);
  // Chosen by hand, so that no draw could give them again.
  ids = at('ids.txt');
  const lines = readFileSync(corpus, 'utf8').trimEnd().split('\n');
  const chosen = lines
    .filter((_, i) => i % 5 === 0)
    .map(line => (JSON.parse(line) as { readonly id: string }).id);
  writeFileSync(ids, `${chosen.join('\n')}\n`);
  const base = await audit(
    'base',
    '--model',
    DEMO_MODEL,
    '--corpus',
    `jsonl:${corpus}`,
    '--ids',
    ids,
    '--seed',
    '5',
  );
  expect(base.code, base.stderr).toBe(0);
  const full = await against('full', 'standard-full');
  expect(full.code, full.stderr).toBe(0);
});

describe('an audit against a run', () => {
  test('has its samples, corpus, seed and model, and the baseline alone', () => {
    const [theirs, ours] = [manifestOf('base'), manifestOf('full')];
    for (const field of ['corpus', 'sampleIds', 'seed', 'model'] as const)
      expect(ours[field]).toEqual(theirs[field]);
    expect(ours.conditions).toEqual(['baseline']);
    expect(ours.profile.name).toBe('standard-full');
    expect(ours.options.against).toBe(theirs.planHash);
    expect(JSON.stringify(ours)).not.toContain(folder.path);
    const rows = readReadings(at('full'));
    expect(new Set(rows.map(({ sampleId }) => sampleId))).toEqual(new Set(theirs.sampleIds));
    expect(rows.every(({ profile }) => profile === 'standard-full')).toBe(true);
  });

  test('resumes as any other run', async () => {
    expect((await program('audit', '--resume', at('full'))).stderr).toContain('nothing left to do');
  });

  test('runs all conditions when they are asked for, with the same swaps', async () => {
    const all = ['baseline', 'delete', 'swap', 'negate'];
    const { code, stderr } = await against('all', 'standard-full', '--conditions', all.join(','));
    expect(code, stderr).toBe(0);
    expect(manifestOf('all').conditions).toEqual(all);
    const deleted = (name: string) =>
      readReadings(at(name))
        .filter(({ condition }) => condition === 'delete')
        .map(({ sampleId, tokensSha256 }) => [sampleId, tokensSha256] as const);
    // With an empty rule the two prompts are one, so their tokens must be too.
    expect(new Map(deleted('all'))).toEqual(new Map(deleted('base')));
  });

  test('another model or another corpus is RUN_MISMATCH, with the difference', async () => {
    const model = await against('other-model', 'standard-full', '--model', await randomModel('F16'));
    expect(model).toMatchObject({ code: 1, stdout: '' });
    expect(model.stderr).toMatch(/RUN_MISMATCH: .*more than the profile differs\n {2}model\.sha256: /);
    const changed = at('changed.jsonl');
    writeFileSync(changed, `${readFileSync(corpus, 'utf8')}\n`);
    const other = await against('other-corpus', 'standard-full', '--corpus', `jsonl:${changed}`);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/RUN_MISMATCH: .*\n {2}corpus\.files: 1 of 1 differ/);
    for (const name of ['other-model', 'other-corpus']) expect(() => manifestOf(name)).toThrow();
  });

  test('what is taken from the run cannot be given, and its own profile says nothing', async () => {
    const drawn = await against('x', 'standard-full', '--seed', '5', '--per-domain', '3');
    expect(drawn).toMatchObject({ code: 2 });
    expect(drawn.stderr).toContain('leave out --per-domain, --seed');
    expect(await against('x', 'standard')).toMatchObject({ code: 2 });
    const lexical = await audit(
      'words',
      '--subject',
      'lexical',
      '--corpus',
      `jsonl:${corpus}`,
      '--per-domain',
      '4',
    );
    expect(lexical.code, lexical.stderr).toBe(0);
    const words = await audit('x', '--against', at('words'), '--profile', 'standard-full');
    expect(words).toMatchObject({ code: 2 });
    expect(words.stderr).toContain('reads no prompt');
  });

  test('finds model and corpus where it is told when the run does not say', async () => {
    const moved = at('moved.gguf');
    copyFileSync(DEMO_MODEL, moved);
    rmSync(join(at('base'), 'local.json'));
    expect((await against('lost', 'standard-full')).stderr).toContain('RUN_NOT_FOUND');
    const found = await against('found', 'standard-full', '--model', moved, '--corpus', `jsonl:${corpus}`);
    expect(found.code, found.stderr).toBe(0);
    const values = (name: string) => new Map(readReadings(at(name)).map(({ key, margin }) => [key, margin]));
    expect(values('found')).toEqual(values('full'));
  });
});

describe('analyze --against', () => {
  const analyze = (name: string, ...more: readonly string[]): Promise<Outcome> =>
    program('analyze', at(name), '--no-floor', ...more);

  test('pairs the runs, counted from the rows', async () => {
    const { stdout, code, stderr } = await analyze('full', '--against', at('base'));
    expect(code, stderr).toBe(0);
    const baseline = (name: string) =>
      new Map(
        readReadings(at(name))
          .filter(({ condition }) => condition === 'baseline')
          .map(row => [row.sampleId, row]),
      );
    const [before, after] = [baseline('base'), baseline('full')];
    let gained = 0;
    let lost = 0;
    for (const [id, { label, verdictText }] of before) {
      const then = after.get(id)?.verdictText ?? null;
      if (verdictText === null || then === null || verdictText === then) continue;
      if (then === label) gained++;
      else lost++;
    }
    expect(gained + lost).toBeGreaterThan(0);
    const { interventions } = JSON.parse(
      readFileSync(join(at('full'), 'summary.json'), 'utf8'),
    ) as RunSummary;
    expect(interventions).toMatchObject({
      groups: { source: 'base' },
      paired: [
        {
          run: 'base',
          effect: 'text',
          changes: [{ group: 'all', samples: before.size, gained, lost }, {}, {}, {}],
        },
      ],
      cautions: [],
    });
    const { groups, paired } = interventions ?? { groups: null, paired: [] };
    expect(groups?.LOW).toBeGreaterThan(0);
    expect(paired[0]?.changes[1]?.samples).toBe(groups?.LOW);
    expect(flat(stdout)).toContain('standard → standard-full, against base');
    expect(flat(stdout)).toContain('Missing: no run under anchored-300 or rule-anchored');
  });

  test('several runs: the recorded base leads, whichever is named first', async () => {
    const quoted = await audit('quoted', '--against', at('full'), '--profile', 'rule-anchored');
    expect(quoted.code, quoted.stderr).toBe(0);
    const { stdout, code } = await analyze(
      'quoted',
      '--against',
      at('base'),
      '--against',
      at('full'),
      '--json',
    );
    expect(code).toBe(0);
    const { interventions } = JSON.parse(stdout) as RunSummary;
    expect(interventions?.paired.map(({ run, effect }) => [run, effect])).toEqual([
      ['full', 'instruction'],
      ['base', 'both'],
    ]);
    expect(interventions?.effects.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'standard standard-full',
      'standard-full rule-anchored',
      'standard rule-anchored',
    ]);
    // The demo judge never writes the marker: all verdicts are lost, and that is said.
    const { stdout: text } = await analyze('quoted', '--against', at('full'));
    expect(flat(text)).toContain('No sample has a verdict under both');
  });

  test('a partition file fixes the groups', async () => {
    const groups = at('groups.json');
    expect((await analyze('base', '--write-partition', groups)).code).toBe(0);
    const { stdout } = await analyze('full', '--against', at('base'), '--partition', groups, '--json');
    const { interventions } = JSON.parse(stdout) as RunSummary;
    expect(interventions?.groups.source).toBe('demo-judge.gguf');
    expect(interventions?.paired[0]?.changes[1]?.samples).toBeGreaterThan(0);
  });

  test('asks for the folder when it is not given, and refuses what cannot be paired', async () => {
    const alone = await analyze('full');
    expect(alone.stderr).toContain('name its folder with --against');
    expect(alone.stdout).not.toContain('What does another prompt change?');
    expect(await analyze('full', '--against', at('found'))).toMatchObject({ code: 2, stdout: '' });
    const elsewhere = await audit(
      'elsewhere',
      '--model',
      DEMO_MODEL,
      '--corpus',
      'demo',
      '--per-domain',
      '1',
    );
    expect(elsewhere.code).toBe(0);
    const { stderr, code } = await analyze('full', '--against', at('elsewhere'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/RUN_MISMATCH: .*\n {2}corpus\.format: /);
  });
});
