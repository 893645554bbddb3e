import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { DryRun } from '../../src/api/dry-run.js';
import { readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import { shared, skipNote } from '../shared.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';

const CORPUS = shared('data', 'omnicompliance');
const MODEL = shared('models', 'SmolLM2-135M-Instruct-Q4_1.gguf');
if (CORPUS === null) skipNote('audits of the published corpus', 'data', 'omnicompliance');
if (MODEL === null) skipNote('audits of a real judge', 'models', 'SmolLM2-135M-Instruct-Q4_1.gguf');

const folder = keptFolder();
afterAll(folder.remove);

const corpus = ['--corpus', `omnicompliance:${CORPUS}`];
const FOUR = [...corpus, '--domains', 'ccpa,finance_crypto,policy_reddit,edu_online_learning'];
const engine = ['--model', `${MODEL}`, '--gpu', 'off'];

/** Evaluated tokens per node of the prefix tree that a schedule may come to. */
const MOST_PER_NODE = 1.06;

describe.skipIf(CORPUS === null)('the published corpus', () => {
  test('negate applies to the published share of each complete domain', async () => {
    const published: Readonly<Record<string, number>> = {
      ccpa: 30.9,
      sb35: 31.8,
      finance_crypto: 38.9,
      finance_cross_border_payment_law: 46.4,
      finance_eletric_momey: 43.6,
      cybersecurity_mitre_attack: 0,
      edu_academic_integrity: 0,
      edu_online_learning: 0,
      edu_discrimination_us_edu_dept: 22.6,
      policy_openai: 10.1,
      policy_reddit: 8.0,
      policy_x: 9.5,
      foundation_rights: 34.5,
    };
    const { code, stdout, stderr } = await program(
      'audit',
      ...corpus,
      '--per-domain',
      'all',
      '--dry-run',
      '--json',
    );
    expect(code, stderr).toBe(0);
    const { domains, engine: none, rows, samples } = JSON.parse(stdout) as DryRun;
    expect(none).toBeNull();
    expect(rows).toBe(samples * 5);
    let applicable = 0;
    let invisible = 0;
    for (const [name, percent] of Object.entries(published)) {
      const domain = domains[name];
      const negate = domain?.conditions.negate;
      if (domain === undefined || negate === undefined) throw new Error(`${name} is missing`);
      expect(Number(((100 * negate.applicable) / domain.samples).toFixed(1)), name).toBe(percent);
      applicable += negate.applicable;
      invisible += negate.applicable - negate.visible;
    }
    expect([applicable, invisible]).toEqual([4128, 564]);
  });

  test('the rule-blind floor has the published accuracy', async () => {
    const dir = join(folder.path, 'lexical');
    const only = ['--per-domain', 'all', '--conditions', 'baseline'];
    const run = await program('audit', '--subject', 'lexical', ...corpus, ...only, '--out', dir);
    expect(run.code, run.stderr).toBe(0);
    const { code, stdout, stderr } = await program('analyze', dir, '--json');
    expect(code, stderr).toBe(0);
    const { domains } = JSON.parse(stdout) as {
      readonly domains: readonly { readonly domain: string; readonly lexicalFloor: number }[];
    };
    expect(domains.length).toBe(20);
    const mean = domains.reduce((sum, { lexicalFloor }) => sum + lexicalFloor, 0) / domains.length;
    expect(mean).toBeGreaterThan(0.83);
    expect(mean).toBeLessThan(0.87);
  }, 180_000);
});

describe.skipIf(CORPUS === null || MODEL === null)('a real judge', () => {
  test('the whole job of 4 × 25 samples comes to few more tokens than its prefix tree has', async () => {
    const job = [...engine, ...FOUR, '--per-domain', '25', '--dry-run', '--json'];
    const { code, stdout, stderr } = await program('audit', ...job);
    expect(code, stderr).toBe(0);
    const { samples, engine: plan } = JSON.parse(stdout) as DryRun;
    expect(samples).toBe(100);
    if (plan === null) throw new Error('the dry run has no engine part');
    expect(plan.tokens).toBeGreaterThanOrEqual(plan.treeNodes);
    expect(plan.tokens / plan.treeNodes).toBeLessThanOrEqual(MOST_PER_NODE);
    expect(plan.sequenceTokens).toBeGreaterThan(plan.treeNodes);
    expect(plan.memory.weightBytes).toBe(readFileSync(`${MODEL}`).length);
  });

  test('an audit runs to its end, exactly, and analyze prints the table', async () => {
    const dir = join(folder.path, 'small');
    const run = await program('audit', ...engine, ...FOUR, '--per-domain', '2', '--out', dir);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('bit for bit');
    expect(verifyRun(dir)).toMatchObject({ state: 'complete' });
    const rows = readReadings(dir);
    expect(rows.length).toBe(8 * 5);
    const applicable = rows.filter(row => row.applicable);
    expect(applicable.every(row => row.margin !== null && row.labelMass !== null)).toBe(true);
    for (const placebo of applicable.filter(row => row.condition === 'placebo')) {
      const baseline = rows.find(row => row.sampleId === placebo.sampleId && row.condition === 'baseline');
      expect([placebo.margin, placebo.generated]).toEqual([baseline?.margin, baseline?.generated]);
    }
    const { counters, nodes } = JSON.parse(readFileSync(join(dir, 'facts.json'), 'utf8')) as {
      readonly nodes: number;
      readonly counters: { readonly tokens: number; readonly generation: number };
    };
    const { tokens, generation } = counters;
    console.info(`4 × 2 samples: ${tokens} tokens, ${generation} of them generated, for ${nodes} nodes`);
    expect((tokens - generation) / nodes).toBeLessThanOrEqual(MOST_PER_NODE);

    const table = await program('analyze', dir);
    expect(table.code, table.stderr).toBe(0);
    for (const word of ['delete', 'swap', 'negate', 'placebo', 'OCS']) expect(table.stdout).toContain(word);
  }, 240_000);

  test("a profile in the model's own chat template", async () => {
    const profile = join(folder.path, 'chat.json');
    writeFileSync(
      profile,
      JSON.stringify({
        name: 'chat',
        parts: [
          { text: 'Rule: ' },
          { field: 'rule' },
          { text: '\nScenario: ' },
          { field: 'scenario' },
          { text: '\nIs this Compliant or Non-compliant? Answer with one word.' },
        ],
        ruleChars: 300,
        labels: { compliant: ' Compliant', nonCompliant: ' Non-compliant' },
        reader: { kind: 'words', compliant: ['compliant'], nonCompliant: ['non-compliant'] },
        chat: 'model',
      }),
    );
    const dir = join(folder.path, 'chat');
    const few = [...corpus, '--domains', 'ccpa', '--per-domain', '2', '--conditions', 'baseline,delete'];
    const run = await program('audit', ...engine, ...few, '--profile', profile, '--out', dir);
    expect(run.code, run.stderr).toBe(0);
    const rows = readReadings(dir);
    expect(rows.length).toBe(4);
    expect(rows.every(row => row.margin !== null && row.errorCode === null)).toBe(true);
    // The template's turns come on top of the text that the profile gives.
    const plain = join(folder.path, 'plain');
    writeFileSync(profile, readFileSync(profile, 'utf8').replace('"chat":"model"', '"chat":"none"'));
    const bare = await program('audit', ...engine, ...few, '--profile', profile, '--out', plain);
    expect(bare.code, bare.stderr).toBe(0);
    const tokens = new Map(readReadings(plain).map(row => [row.key, row.nTokens ?? 0]));
    for (const row of rows) expect(row.nTokens).toBeGreaterThan((tokens.get(row.key) ?? 0) + 5);
  }, 120_000);
});
