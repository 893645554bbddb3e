import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DryRun } from '../../src/api/dry-run.js';
import { readDerived, readReadings } from '../../src/run/reader.js';
import type { Reading } from '../../src/run/types.js';
import { verifyRun } from '../../src/run/verify.js';
import { DEMO_CORPUS, DEMO_MODEL } from '../models/fixtures.js';
import { keptFolder } from './folder.js';
import { program, sortedReadings } from './program.js';

const folder = keptFolder();
const PER_DOMAIN = 6;
const SAMPLES = 8 * PER_DOMAIN;

let runs = 0;

interface Audited {
  readonly dir: string;
  readonly rows: readonly Omit<Reading, 'batchId'>[];
  readonly result: Readonly<Record<string, unknown>>;
  readonly stderr: string;
}

/** Audits the demo judge, to the end. */
async function audited(...more: readonly string[]): Promise<Audited> {
  const dir = join(folder.path, `run-${runs++}`);
  const given = (name: string, value: string): readonly string[] =>
    more.includes(name) ? [] : [name, value];
  const { stdout, stderr, code } = await program(
    'audit',
    ...given('--model', DEMO_MODEL),
    ...given('--corpus', 'demo'),
    ...(more.includes('--ids') ? [] : given('--per-domain', String(PER_DOMAIN))),
    ...given('--workers', '1'),
    '--threads',
    '1',
    '--gpu',
    'off',
    '--out',
    dir,
    '--json',
    ...more,
  );
  expect(stderr).not.toMatch(/plumbline:/);
  expect(code, stderr).toBe(0);
  return { dir, rows: sortedReadings(dir), result: JSON.parse(stdout), stderr };
}

function written(name: string, text: string): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

/** Cases of the demo corpus, as its lines have them. */
const CASES = readFileSync(DEMO_CORPUS, 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Readonly<Record<'id' | 'domain' | 'rule' | 'scenario' | 'label', string>>);

let whole: Audited;
beforeAll(async () => {
  whole = await audited('--placebo', 'all');
});
afterAll(folder.remove);

describe('a run on the demo corpus', () => {
  test('has a row for each sample and condition, and is complete', () => {
    const { rows, dir, result } = whole;
    expect(rows.length).toBe(SAMPLES * 5);
    expect(new Set(rows.map(row => row.key)).size).toBe(SAMPLES * 5);
    for (const condition of ['baseline', 'delete', 'swap', 'negate', 'placebo'])
      expect(rows.filter(row => row.condition === condition).length, condition).toBe(SAMPLES);
    expect(verifyRun(dir)).toMatchObject({ state: 'complete', exitCode: 0 });
    expect(result).toMatchObject({
      rows: SAMPLES * 5,
      errors: 0,
      interrupted: false,
      exactness: { kind: 'exact' },
    });
  });

  test('every applicable row is scored, every other says why not', () => {
    for (const row of whole.rows) {
      if (!row.applicable) {
        expect(row.reason, row.key).toMatch(/\S/);
        expect(row, row.key).toMatchObject({
          margin: null,
          generated: null,
          verdictText: null,
          nTokens: null,
        });
        continue;
      }
      expect(row.margin, row.key).toBe((row.logprobCompliant ?? 0) - (row.logprobNoncompliant ?? 0));
      expect(row.verdictLogit).toBe((row.margin ?? 0) >= 0 ? 1 : 0);
      expect(row.labelMass).toBeGreaterThan(0);
      expect(row.labelMass).toBeLessThanOrEqual(1 + 1e-6);
      expect(row.tokensSha256).toMatch(/^[0-9a-f]{64}$/);
      expect(row.verdictText === null).toBe(row.nullReason !== null);
    }
    // Both verdicts are common, or little would be tested.
    const compliant = whole.rows.filter(row => row.verdictText === 1).length;
    expect(compliant).toBeGreaterThan(20);
    expect(whole.rows.filter(row => row.verdictText === 0).length).toBeGreaterThan(20);
  });

  test('a placebo is its baseline bit for bit', () => {
    const byKey = new Map(whole.rows.map(row => [row.key, row]));
    for (const row of whole.rows.filter(({ condition }) => condition === 'placebo')) {
      const baseline = byKey.get(row.key.replace('|placebo|', '|baseline|'));
      expect({ ...row, key: '', condition: '' }).toEqual({ ...baseline, key: '', condition: '' });
    }
    const derived = readDerived(whole.dir);
    expect(derived.length).toBe(SAMPLES * 2);
    expect(derived.map(row => row.flipPlacebo)).toEqual(derived.map(() => 0));
    expect(derived.some(row => row.flipSwap === 1)).toBe(true);
  });

  test('the manifest holds no path of this machine', () => {
    expect(readFileSync(join(whole.dir, 'manifest.json'), 'utf8')).not.toContain(folder.path);
  });

  test('the schedule and the number of processes change nothing', async () => {
    const single = await audited('--placebo', 'all', '--schedule', 'single');
    expect(single.rows).toEqual(whole.rows);
    const pair = await audited('--placebo', 'all', '--workers', '2');
    expect(pair.rows).toEqual(whole.rows);
    expect(JSON.parse(readFileSync(join(pair.dir, 'manifest.json'), 'utf8'))).toMatchObject({ workers: 2 });
  });

  test('a unified run is marked inexact', async () => {
    const { result, dir } = await audited('--schedule', 'unified');
    expect(result.exactness).toMatchObject({ kind: 'inexact' });
    expect(JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8'))).toMatchObject({
      batchPlan: { exactness: { kind: 'inexact' } },
    });
    expect(readReadings(dir).every(row => row.errorCode === null)).toBe(true);
  });
});

describe('what is audited', () => {
  test('--domains leaves the samples of the other domains out and changes no row', async () => {
    const { rows } = await audited('--placebo', 'all', '--domains', 'lab_safety,food_safety');
    const wanted = whole.rows.filter(row => ['lab_safety', 'food_safety'].includes(row.domain));
    expect(rows).toEqual(wanted);
  });

  test('--ids FILE takes exactly those samples', async () => {
    const ids = [...new Set(whole.rows.map(row => row.sampleId))].filter((_, i) => i % 7 === 0);
    const { rows } = await audited('--placebo', 'all', '--ids', written('ids.txt', `${ids.join('\n')}\n\n`));
    expect(rows).toEqual(whole.rows.filter(row => ids.includes(row.sampleId)));
  });

  test('--conditions takes some of them', async () => {
    const { rows } = await audited('--conditions', 'negate,baseline');
    expect(rows).toEqual(whole.rows.filter(row => ['baseline', 'negate'].includes(row.condition)));
  });

  test('--placebo N evaluates N samples twice', async () => {
    const { rows } = await audited('--placebo', '5');
    const placebo = rows.filter(row => row.condition === 'placebo');
    expect(placebo.filter(row => row.applicable).length).toBe(5);
    expect(placebo.length).toBe(SAMPLES);
  });

  test('jsonl and csv corpora with a column map give the same rows as the corpus they were made from', async () => {
    const columns = written(
      'columns.json',
      JSON.stringify({
        columns: { id: 'nr', rule: 'policy', scenario: 'what happened', label: 'ok?' },
        labels: { yes: 1, no: 0 },
      }),
    );
    const renamed = CASES.map(({ id, domain, rule, scenario, label }) => ({
      nr: id,
      domain,
      policy: rule,
      'what happened': scenario,
      'ok?': label === 'compliant' ? 'yes' : 'no',
    }));
    const jsonl = written('cases.jsonl', renamed.map(item => JSON.stringify(item)).join('\n'));
    const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
    const csv = written(
      'cases.csv',
      [Object.keys(renamed[0] ?? {}), ...renamed.map(item => Object.values(item))]
        .map(values => values.map(quoted).join(','))
        .join('\r\n'),
    );
    for (const corpus of [`jsonl:${jsonl}`, `csv:${csv}`]) {
      const { rows } = await audited('--placebo', 'all', '--corpus', corpus, '--columns', columns);
      expect(rows, corpus).toEqual(whole.rows);
    }
  });

  test('a subject that needs no model', async () => {
    const { rows, dir } = await audited('--subject', 'lexical', '--placebo', 'all');
    expect(rows.length).toBe(SAMPLES * 5);
    expect(
      readDerived(dir)
        .map(row => row.ocs)
        .filter(ocs => ocs !== 0),
    ).toEqual([]);
    expect(verifyRun(dir).state).toBe('complete');
  });
});

describe('profiles', () => {
  test.each(['standard-full', 'scenario-only', 'llama-guard'])('%s', async name => {
    const { rows } = await audited('--profile', name);
    const applicable = rows.filter(row => row.applicable);
    expect(applicable.every(row => row.margin !== null && row.profile === name)).toBe(true);
    if (name === 'scenario-only') {
      // No prompt shows the rule: no condition is visible, and no verdict moves.
      const altered = applicable.filter(row => ['delete', 'swap', 'negate'].includes(row.condition));
      expect(altered.filter(row => row.visible)).toEqual([]);
      const margins = new Map(applicable.map(row => [row.sampleId, row.margin]));
      for (const row of applicable) expect(row.margin).toBe(margins.get(row.sampleId));
    }
  });

  test.each(['rule-anchored', 'anchored-300'])('%s scores no label before the marker', async name => {
    const { rows } = await audited('--profile', name, '--domains', 'lab_safety');
    const applicable = rows.filter(row => row.applicable);
    // The demo judge answers at once and never writes the marker.
    for (const row of applicable)
      expect(row).toMatchObject({
        nullReason: 'no-marker',
        verdictText: null,
        margin: null,
        labelMass: null,
      });
    expect(applicable.every(row => (row.generated ?? '') !== '')).toBe(true);
  });

  test('labels behind a marker that the judge writes are scored there, as if the prompt ended with it', async () => {
    const ask = {
      text: '\nQuestion: Does this scenario comply with the stated rule? Answer with exactly one word: Compliant or Non-compliant.\nAnswer:',
    };
    const parts = [
      { text: 'Rule: ' },
      { field: 'rule' },
      { text: '\nScenario: ' },
      { field: 'scenario' },
      ask,
    ];
    const words = { kind: 'words', compliant: ['compliant'], nonCompliant: ['non-compliant'] };
    const labels = { compliant: ' Compliant', nonCompliant: ' Non-compliant' };
    const profile = (name: string, value: object): string =>
      written(`${name}.json`, JSON.stringify({ name, labels, maxTokens: 8, ...value }));
    const marked = await audited(
      '--profile',
      profile('marked', { parts, reader: { ...words, marker: 'Compliant' } }),
    );
    const direct = await audited(
      '--profile',
      profile('direct', { parts: [...parts, { text: ' Compliant' }], reader: words }),
    );
    const behind = new Map(direct.rows.map(row => [row.key, row]));
    const scored = marked.rows.filter(row => row.margin !== null);
    expect(scored.length).toBeGreaterThan(20);
    for (const row of scored) {
      expect(row.generated, row.key).toMatch(/^ Compliant/);
      const { logprobCompliant, logprobNoncompliant, labelMass, firstLogitCompliant } =
        behind.get(row.key) ?? {};
      expect(row).toMatchObject({ logprobCompliant, logprobNoncompliant, labelMass, firstLogitCompliant });
    }
    const unscored = marked.rows.filter(row => row.applicable && row.margin === null);
    expect(unscored.length).toBeGreaterThan(20);
    for (const row of unscored) expect(row).toMatchObject({ nullReason: 'no-marker', verdictLogit: null });
  });
});

test('without a terminal: data on stdout alone, no escape code anywhere', async () => {
  const common = [
    'audit',
    '--corpus',
    'demo',
    '--model',
    DEMO_MODEL,
    '--gpu',
    'off',
    '--workers',
    '1',
    '--threads',
    '1',
  ];
  const dir = join(folder.path, 'plain');
  const text = await program(...common, '--per-domain', '1', '--out', dir);
  expect(text.stdout).toBe('');
  expect(text.stderr).toContain(`plumbline analyze ${dir}`);
  const again = await program('audit', '--resume', dir);
  expect(again).toMatchObject({ code: 0, stdout: '' });
  expect(again.stderr).toContain('is complete: 40 rows, nothing left to do');
  const json = await program('audit', '--resume', dir, '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ alreadyComplete: true, rows: 40 });
  expect(json.stderr).toBe('');
  const plan = await program(...common, '--per-domain', '2', '--dry-run');
  expect(plan.stdout).toContain('nodes in the prefix tree');
  const data = await program(...common, '--per-domain', '2', '--dry-run', '--json');
  expect(JSON.parse(data.stdout)).toMatchObject({
    samples: 16,
    rows: 80,
    domains: { lab_safety: { samples: 2, conditions: { baseline: { applicable: 2, visible: 2 } } } },
  });
  for (const { stdout, stderr } of [text, again, json, plan, data]) {
    expect(stdout).not.toContain('\x1b');
    expect(stderr).not.toContain('\x1b');
  }
});

test('what a dry run counts is what the run evaluates, generation apart', async () => {
  const plan = await program(
    'audit',
    '--corpus',
    'demo',
    '--model',
    DEMO_MODEL,
    '--gpu',
    'off',
    '--per-domain',
    '6',
    '--dry-run',
    '--json',
    '--placebo',
    'all',
  );
  const { engine } = JSON.parse(plan.stdout) as { engine: NonNullable<DryRun['engine']> };
  const { time } = engine;
  if (time === null) throw new Error('the time was not predicted');
  expect(time.sample.evaluations).toBeGreaterThan(0);
  expect(time.seconds * time.sample.tokensPerSecond).toBeCloseTo(engine.tokens, 3);
  expect(time.cpuSeconds).toBeGreaterThan(0);
  const facts = JSON.parse(readFileSync(join(whole.dir, 'facts.json'), 'utf8')) as {
    readonly nodes: number;
    readonly counters: { readonly tokens: number; readonly generation: number };
  };
  expect(engine.treeNodes).toBe(facts.nodes);
  expect(Math.abs(engine.tokens / (facts.counters.tokens - facts.counters.generation) - 1)).toBeLessThan(
    0.02,
  );
});
