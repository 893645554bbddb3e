import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { gateCommand } from '../../src/cli/gate/gate.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { ENCODER_PRESETS } from '../../src/gate/encoder-presets.js';
import { gold } from '../gate/gold.js';
import { temporaryFolder } from '../run/folder.js';
import { skipNote } from '../shared.js';
import { type Outcome, runCommand } from './command.js';

const gate = (...args: readonly string[]): Promise<Outcome> => runCommand(gateCommand(), ...args);
const words = (text: string): string => text.replace(/\s+/g, ' ');
const at = gold();
if (at === null) skipNote('gate commands on the published corpus', 'gold', 'gate');

function corpusFile(lines: readonly object[]): string {
  const file = join(temporaryFolder(), 'pairs.jsonl');
  writeFileSync(file, lines.map(line => JSON.stringify(line)).join('\n'));
  return file;
}

const PAIR = {
  id: 'x',
  task: 'distinctness',
  decision: 'SAME',
  lexical: 'CLOSE',
  anchor_group: 'a',
  subclass: 'negation',
  text_a: 'Do it.',
  text_b: 'Do it now.',
};

/** Reversals that keep the wording and paraphrases that do not, labelled as if both strata had both. */
const confounded = (): string =>
  corpusFile(
    Array.from({ length: 8 }, (_, i) => {
      const anchor = `Open valve number ${i} before noon`;
      const far = `Let water through pipe ${i * 7 + 100}`;
      const row = (decision: string, lexical: string, text_b: string) => ({
        ...PAIR,
        id: `${i}${decision}${lexical}`,
        decision,
        lexical,
        anchor_group: `g${i}`,
        text_a: anchor,
        text_b,
      });
      return [
        row('OPPOSITE', 'CLOSE', `Close valve number ${i} before noon`),
        row('OPPOSITE', 'DISTANT', `Keep that tap shut, ${i}`),
        row('SAME', 'CLOSE', far),
        row('SAME', 'DISTANT', `${far} now`),
      ];
    }).flat(),
  );

describe('gate check', () => {
  test('prints the verdict and exits with 0 or 5', async () => {
    const good = await gate('check', 'builtin');
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/^interpretable: builtin\n/);
    expect(words(good.stdout)).toContain('distinctness: 96 pairs of 24 anchors');
    const bad = await gate('check', `jsonl:${confounded()}`, '--json');
    expect(bad.code).toBe(5);
    expect(JSON.parse(bad.stdout)).toMatchObject({ interpretable: false, tasks: [{ task: 'distinctness' }] });
  });

  test.each([
    ['an id twice', [PAIR, PAIR], 'CORPUS_FORMAT', /id x was used on line 1/],
    [
      'a decision of the other task',
      [{ ...PAIR, decision: 'FAITHFUL' }],
      'CORPUS_FORMAT',
      /SAME or OPPOSITE/,
    ],
    ['a wrong cell', [{ ...PAIR, cell: 'A' }], 'CORPUS_FORMAT', /cell C/],
    ['no text', [{ ...PAIR, text_b: '' }], 'CORPUS_FORMAT', /text_b/],
    ['no pair', [], 'CORPUS_EMPTY', /no pair/],
  ])('refuses a corpus with %s', async (_, lines, code, message) => {
    const outcome = await gate('check', `jsonl:${corpusFile(lines)}`);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toContain(code);
    expect(outcome.stderr).toMatch(message);
  });

  test('refuses what is no corpus', async () => {
    expect(await gate('check', 'csv:x')).toMatchObject({ code: 2 });
    expect((await gate('check', 'jsonl:/nowhere.jsonl')).stderr).toContain('CORPUS_NOT_FOUND');
  });
});

describe('gate build', () => {
  test('writes pairs and checks them', async () => {
    const out = join(temporaryFolder(), 'pairs.jsonl');
    const candidates = new URL('../../models/gate-held-out-candidates.jsonl', import.meta.url).pathname;
    expect(await gate('build', candidates, '--out', out)).toMatchObject({ code: 0, stderr: '' });
    const shipped = new URL('../../models/gate-held-out.jsonl', import.meta.url);
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(shipped, 'utf8'));
  });
});

describe('gate audit', () => {
  test.skipIf(at === null)('of precomputed scores gives the numbers of the oracle as JSON', async () => {
    const { corpus, values } = at as NonNullable<typeof at>;
    const { code, stdout } = await gate('audit', '--encoder', 'token-jaccard', '--corpus', corpus, '--json');
    expect(code).toBe(0);
    const { encoders, decision } = JSON.parse(stdout);
    for (const task of ['distinctness', 'constraint'] as const) {
      const expected = values.encoders['token-Jaccard baseline']?.[task];
      const got = encoders[0].tasks[task];
      expect(got.auroc.close).toBeCloseTo(expected?.decision_auroc.CLOSE ?? Number.NaN, 9);
      expect(got.auroc.distant).toBeCloseTo(expected?.decision_auroc.DISTANT ?? Number.NaN, 9);
      expect(got.auroc.stratified).toBeCloseTo(expected?.decision_auroc.stratified ?? Number.NaN, 9);
      expect([got.lexicalAuroc, got.naiveAuroc, got.oppositeConfoundAuroc]).toEqual([1, 0, 1]);
      expect(got.operatingPoints.map(({ threshold }: { threshold: number }) => threshold)).toEqual([
        0.3, 0.4, 0.8, 0.85, 0.95,
      ]);
      expect(got.floor.difference).toBe(0);
    }
    expect(decision).toMatchObject({
      distinctness: { verdict: 'holds' },
      constraint: { verdict: 'inconclusive' },
    });
  });

  test('of several encoders is one table, judged on the least favourable, with files', async () => {
    const { pairs } = await readGateCorpus('held-out');
    const oracle = join(temporaryFolder(), 'oracle.jsonl');
    // Vectors that know the decision: a paraphrase lies where its anchor does, a reversal across.
    const vectors = new Map<string, readonly number[]>();
    for (const { textA, textB, decision } of pairs) {
      vectors.set(textA, [1, 0]);
      vectors.set(textB, decision === 'same' ? [0.9, 0.1] : [0.1, 0.9]);
    }
    writeFileSync(oracle, [...vectors].map(([text, vector]) => JSON.stringify({ text, vector })).join('\n'));
    const out = join(temporaryFolder(), 'audit');
    const args = ['--encoder', 'token-jaccard', '--encoder', `vectors:${oracle}`, '--corpus', 'held-out'];
    const { code, stdout, stderr } = await gate('audit', ...args, '--gate', 'gptcache', '--out', out);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(words(stdout)).toContain('answer from the cache when cosine >= .60');
    expect(words(stdout)).toContain('oracle.jsonl 1.000 1.000 1.000');
    expect(words(stdout)).toContain(
      'the score tells decisions apart (stratified AUROC 1.000 of the least favourable',
    );
    const table = tableFromIPC(readFileSync(join(out, 'pairs.arrows')));
    expect(table.numRows).toBe(2 * 96);
    const rows = table.toArray().map(row => ({ ...(row as object) }) as Record<string, unknown>);
    const known = rows.filter(({ encoder }) => encoder === 'oracle.jsonl');
    expect(known.every(({ approved, decision }) => approved === (decision === 'same'))).toBe(true);
    const summary = readFileSync(join(out, 'summary.json'), 'utf8');
    expect(JSON.parse(summary)).toMatchObject({ corpus: { name: 'held-out' }, gate: { name: 'gptcache' } });
    expect(summary).not.toContain(temporaryFolder().split('/').slice(0, -1).join('/'));
    expect(await gate('audit', ...args, '--out', out)).toMatchObject({ code: 1, stdout: '' });
  });

  test('stops at a corpus that is not interpretable, unless forced', async () => {
    const spec = `jsonl:${confounded()}`;
    const refused = await gate('audit', '--encoder', 'vectors:/nowhere.jsonl', '--corpus', spec);
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toContain('NOT_INTERPRETABLE');
    const forced = await gate('audit', '--encoder', 'token-jaccard', '--corpus', spec, '--force');
    expect(forced.code).toBe(0);
    expect(forced.stdout).toContain('NOT INTERPRETABLE');
    expect(forced.stdout).toContain('Nothing is decided');
    expect(forced.stdout).not.toContain('the finding');
  });

  test('names what is wrong with its options', async () => {
    expect(await gate('audit')).toMatchObject({ code: 2 });
    expect(await gate('audit', '--encoder', 'magic')).toMatchObject({ code: 2 });
    expect((await gate('audit', '--encoder', 'token-jaccard', '--gate', 'gpt')).stderr).toContain(
      'GATE_INVALID',
    );
  });
});

describe('gate presets and effective', () => {
  test('presets of encoders', async () => {
    const { code, stdout } = await gate('presets', '--encoders', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(9);
    const text = (await gate('presets', '--encoders')).stdout;
    expect(words(text)).toContain('nomic-v1.5-256 nomic-embed-text-v1.5 mean "search_document: " yes 256');
    for (const { name } of ENCODER_PRESETS) expect(text).toContain(`  ${name} `);
  });

  test('list every gate, each proven', async () => {
    const { code, stdout } = await gate('presets', '--json');
    expect(code).toBe(0);
    const presets: readonly { readonly gate: object | null; readonly proven: boolean | null }[] =
      JSON.parse(stdout);
    expect(presets.length).toBeGreaterThan(30);
    expect(presets.every(preset => preset.proven === (preset.gate === null ? null : true))).toBe(true);
    expect(words((await gate('presets')).stdout)).toContain(
      'gptcache inverse-squared-l2 >= 3.2 cosine >= .60 answer from the cache',
    );
  });

  test('convert a gate of options, a preset and a file', async () => {
    const options = ['--metric', 'distance', '--comparison', '<', '--threshold', '0.1'];
    const { stdout } = await gate('effective', ...options);
    expect(words(stdout)).toContain('distance < 0.1 is cosine > .90');
    expect(words((await gate('effective', 'nemo-embeddings-only')).stdout)).toContain('cosine >= .875');
    expect(await gate('effective')).toMatchObject({ code: 2 });
    expect(await gate('effective', 'gptcache', ...options)).toMatchObject({ code: 2 });
  });
});

describe('gate repair', () => {
  test('shows in-sample and held-out side by side, a program too', async () => {
    const script =
      'require("fs").readFileSync(0,"utf8").trim().split("\\n").map(JSON.parse).forEach(({id,text_b})=>console.log(JSON.stringify({id,approve:!/\\bnot\\b/i.test(text_b)})))';
    const { code, stdout, stderr } = await gate(
      'repair',
      '--encoder',
      'token-jaccard',
      '--json',
      '--',
      process.execPath,
      '-e',
      script,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { tasks } = JSON.parse(stdout);
    expect(tasks.distinctness.results.map(({ repair }: { repair: string }) => repair)).toEqual([
      'I1',
      'I2',
      process.execPath,
    ]);
    const [i1, , program] = tasks.distinctness.results;
    expect(i1.inSample.pairs).toBe(96);
    expect(i1.heldOut.pairs).toBe(48);
    expect(program).toMatchObject({ inSample: null, heldOut: { pairs: 48, auroc: null } });
    expect(program.heldOut.caught).toBeGreaterThan(0);
    expect((await gate('repair', '--encoder', 'token-jaccard')).stdout).toContain('in sample');
  });

  test('refuses to judge on the pairs of the fit', async () => {
    const outcome = await gate('repair', '--encoder', 'token-jaccard', '--judge', 'builtin');
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('were fitted on');
  });
});

describe('gate hyperbolic', () => {
  test('tells a projection of unit vectors from one of others', async () => {
    const write = (scale: (i: number) => number): string => {
      const file = join(temporaryFolder(), 'v.jsonl');
      const rows = Array.from({ length: 20 }, (_, i) => {
        const angle = i * i * 0.1;
        return JSON.stringify({
          text: `t${i}`,
          vector: [Math.cos(angle) * scale(i), Math.sin(angle) * scale(i)],
        });
      });
      writeFileSync(file, rows.join('\n'));
      return file;
    };
    const unit = await gate(
      'hyperbolic',
      write(() => 1),
      '--project',
      '--model',
      'lorentz',
      '--json',
    );
    expect(JSON.parse(unit.stdout)).toMatchObject({ model: 'lorentz', noOp: true });
    expect(
      (
        await gate(
          'hyperbolic',
          write(i => (1 + i) / 30),
        )
      ).stdout,
    ).toMatch(/^not a no-op/);
    const outside = await gate(
      'hyperbolic',
      write(() => 1),
    );
    expect(outside.code).toBe(1);
    expect(outside.stderr).toContain('outside of the ball');
  });
});

describe('gate scan', () => {
  test('prints text, JSON and SARIF', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'cache.py'), 'if cosine(a, b) >= 0.85: return_cached()\n');
    const { code, stdout } = await gate('scan', folder);
    expect(code).toBe(0);
    expect(words(stdout)).toContain('src/cache.py:1:4 comparison');
    expect(words(stdout)).toContain('cosine >= 0.85; action: cache');
    expect(stdout).toMatch(/1 finding in 1 file\n$/);
    const json = await gate('scan', folder, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ files: 1, findings: [{ line: 1 }] });
    const sarif = await gate('scan', folder, '--format', 'sarif');
    expect(JSON.parse(sarif.stdout)).toMatchObject({ version: '2.1.0' });
  });
});
