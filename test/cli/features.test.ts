import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FeatureReport } from '../../src/api/features.js';
import { featuresCommand } from '../../src/cli/features.js';
import { rounded } from '../../src/features/files.js';
import { type Outcome, runCommand } from './command.js';

let folder = '';
let corpus = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-features-'));
  const line = (id: number, domain: string, rule: string): string =>
    JSON.stringify({ id, domain, rule, scenario: 's', label: id % 2 === 0 ? 'compliant' : 'non-compliant' });
  writeFileSync(
    join(folder, 'cases.jsonl'),
    [
      line(1, 'gate', 'Visitors must wear a badge, unless section 3 applies.'),
      line(2, 'gate', 'Visitors must wear a badge, unless section 3 applies.'),
      line(3, 'gate', 'The keeper may open | close the gate.'),
      line(4, 'de"sk,\u202e', ' '),
    ].join('\n'),
  );
  corpus = `jsonl:${join(folder, 'cases.jsonl')}`;
});
afterAll(() => rmSync(folder, { recursive: true }));

const features = (...args: readonly string[]): Promise<Outcome> =>
  runCommand(featuresCommand(), '--corpus', corpus, ...args);
const words = (text: string): string => text.replace(/\s+/g, ' ');
const reportOf = async (...args: readonly string[]): Promise<FeatureReport> =>
  JSON.parse((await features('--json', ...args)).stdout) as FeatureReport;

describe('the table', () => {
  test('has each rule once, then weighted by cases, and says what is missing or odd', async () => {
    const { stdout, stderr, code } = await features();
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const said = words(stdout);
    // 9 words with one exception and one reference; 7 words with none.
    expect(said).toContain('gate 2 3 5.556 0.500 0.500 –');
    expect(said).toContain('gate 2 3 7.407 0.667 0.667 –');
    expect(said).toContain('none: no parser: give --parser DIR or --conllu FILE');
    expect(said).toContain('1 rule only white space');
    expect(said).toContain('1 rule table pipes');
    expect(said).not.toContain('mostly capitals');
    expect(stdout).not.toContain('\u202e');
  });

  test('by rule has a row each', async () => {
    const { stdout, code } = await features('--per-rule', '--domains', 'gate');
    expect(code).toBe(0);
    expect(words(stdout)).toMatch(/gate [0-9a-f]{16} 2 11\.111 1 1\.000 –/);
    expect(words(stdout)).toMatch(/gate [0-9a-f]{16} 1 0\.000 0 0\.000 –/);
    expect(stdout).not.toContain('de"sk');
  });
});

describe('files', () => {
  test('JSON holds domains with their methods, and rules when asked', async () => {
    const byDomain = await reportOf();
    expect(byDomain).not.toHaveProperty('rules');
    expect(byDomain.methods).toEqual({ mdd: null, fkgl: expect.stringContaining('textstat 0.7.13') });
    expect(byDomain.mddMissing).toContain('no parser');
    const byRule = await reportOf('--per-rule');
    expect(byRule.rules.map(({ domain, cases, blank }) => [domain, cases, blank])).toEqual([
      ['gate', 2, false],
      ['gate', 1, false],
      ['de"sk,\u202e', 1, true],
    ]);
  });

  test('CSV quotes what needs it and leaves missing values empty', async () => {
    const { stdout, stderr } = await features('--csv');
    expect(stderr).toContain('MDD is missing: no parser');
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows.map(({ domain }) => domain)).toEqual(['gate', 'de"sk,\u202e']);
    expect(rows[0]).toMatchObject({
      rules: '2',
      cases: '3',
      crc: '0.5',
      crc_rules: '2',
      mdd3: '',
      mdd3_rules: '0',
      table_pipes: '1',
      mdd_method: '',
    });
    expect(Number(rows[0]?.crc_caseweighted)).toBeCloseTo(2 / 3);
    expect(rows[1]).toMatchObject({ ecd: '', crc: '', fkgl: '', blank: '1' });
  });

  test('numbers in texts have no tail of digits', async () => {
    expect(rounded(2.879999999999999)).toBe(2.88);
    expect(rounded('text')).toBe('text');
    for (const shape of ['--csv', '--json']) {
      const { stdout } = await features('--per-rule', shape);
      expect(stdout).toMatch(/\d\.\d/);
      expect(stdout).not.toMatch(/\.\d{14}/);
    }
  });

  test('Arrow holds the same rows as CSV', async () => {
    const file = join(folder, 'rules.arrow');
    expect(await features('--per-rule', '--arrow', file)).toMatchObject({ stdout: '', code: 0 });
    const table = tableFromIPC(readFileSync(file));
    const csv = parse((await features('--per-rule', '--csv')).stdout, { columns: true }) as Record<
      string,
      string
    >[];
    expect(table.schema.fields.map(({ name }) => name)).toEqual(Object.keys(csv[0] ?? {}));
    const rows = table.toArray().map(row => {
      const values = Object.entries(row as Record<string, unknown>);
      return Object.fromEntries(
        values.map(([name, value]) => [name, value === null ? '' : String(rounded(value))]),
      );
    });
    expect(rows).toEqual(csv);
    await features('--arrow', file);
    expect(tableFromIPC(readFileSync(file)).numRows).toBe(2);
  });
});

describe('parses from a CoNLL-U file', () => {
  const conllu = (content: string): string => {
    const path = join(folder, 'parses.conllu');
    writeFileSync(path, content);
    return path;
  };
  const token = (id: number, form: string, head: number): string =>
    [id, form, '_', '_', '_', '_', head, 'dep', '_', '_'].join('\t');

  test('give depth to the rules that they name, and the others are counted', async () => {
    const ids = (await reportOf('--per-rule')).rules.map(({ ruleId }) => ruleId);
    const path = conllu(
      `# newdoc id = ${ids[0]}\n${token(1, 'a', 2)}\n${token(2, 'b', 0)}\n${token(3, 'c', 1)}\n\n`,
    );
    const report = await reportOf('--per-rule', '--conllu', path);
    expect(report.rules.map(({ mdd3 }) => mdd3)).toEqual([2, null, null]);
    expect(report.mddMissing).toBe('1 rule has no parse in the CoNLL-U file');
    expect(report.methods.mdd).toContain('CoNLL-U');
    expect(report.domains[0]?.features.mdd3).toEqual({ mean: 2, caseWeighted: 2, rules: 1 });
  });

  test('of other rules, damaged or missing are errors', async () => {
    const other = await features('--conllu', conllu(`# newdoc id = x\n${token(1, 'a', 0)}\n\n`));
    expect(other).toMatchObject({ stdout: '', code: 2 });
    expect(other.stderr).toContain('has no parse of any rule');
    const damaged = await features('--conllu', conllu('x\n'));
    expect(damaged).toMatchObject({ stdout: '', code: 1 });
    expect(damaged.stderr).toContain('parses.conllu:1: 1 fields');
    expect((await features('--conllu', join(folder, 'none'))).stderr).toContain('CORPUS_NOT_FOUND');
  });
});

describe('refused', () => {
  test.each([
    [
      ['--parser', 'x', '--conllu', 'y'],
      "option '--parser <dir>' cannot be used with option '--conllu <file>'",
    ],
    [['--json', '--csv'], 'cannot be used with'],
    [['--csv', '--arrow', 'x'], 'cannot be used with'],
  ])('%j', async (args, message) => {
    const { stderr, stdout, code } = await features(...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(message);
  });

  test('an unknown domain, a folder that is no parser', async () => {
    expect((await features('--domains', 'gat')).stderr).toContain('UNKNOWN_DOMAIN');
    expect((await features('--parser', folder)).stderr).toContain('MODEL_NOT_FOUND');
  });
});
