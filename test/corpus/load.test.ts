import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import { placeOf } from '../../src/corpus/omnicompliance.js';
import type { PlumblineError } from '../../src/errors.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-corpus-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function failure(spec: string, map?: Parameters<typeof loadCorpus>[1]): Promise<PlumblineError> {
  return loadCorpus(spec, map).then(
    () => {
      throw new Error(`${spec} was accepted`);
    },
    (error: PlumblineError) => error,
  );
}

const line = (fields: object): string => JSON.stringify(fields);
const good = { id: 'a', domain: 'd', rule: ' R\u00a0', scenario: 'S\n', label: 'compliant' };

describe('jsonl', () => {
  test('keeps texts as they are and records the file', async () => {
    const path = file(
      'good.jsonl',
      `\ufeff${line(good)}\r\n\n${line({ ...good, id: 7, label: 'non-compliant' })}`,
    );
    const corpus = await loadCorpus(`jsonl:${path}`);
    expect(corpus.format).toBe('jsonl');
    expect(corpus.cases.map(({ id, rule, scenario, label }) => [id, rule, scenario, label])).toEqual([
      ['a', ' R\u00a0', 'S\n', 1],
      ['7', ' R\u00a0', 'S\n', 0],
    ]);
    expect(corpus.cases[0]?.ruleId).toMatch(/^[0-9a-f]{16}$/);
    expect(corpus.files).toEqual([
      { name: 'good.jsonl', bytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    expect(corpus.issues.map(({ kind, at }) => [kind, at])).toEqual([['duplicate-case', 3]]);
  });

  test('reports what it skips and what it keeps, with lines', async () => {
    const rows = [
      good,
      { ...good, id: 'b', label: 'maybe', scenario: '1' },
      { ...good, id: 'a', scenario: '2' },
      { ...good, id: 'c', rule: ' \n', scenario: '3' },
      { ...good, id: 'd', scenario: '' },
      { ...good, id: 'e', rule: undefined },
      { ...good, id: 'f', scenario: '\ud800' },
      { ...good, id: ['x'], scenario: '3' },
      { ...good, id: undefined, scenario: '4' },
    ];
    const corpus = await loadCorpus(`jsonl:${file('issues.jsonl', rows.map(line).join('\n'))}`);
    expect(corpus.issues.map(({ kind, at, unit, skipped }) => [kind, at, unit, skipped])).toEqual([
      ['unknown-label', 2, 'line', true],
      ['duplicate-id', 3, 'line', true],
      ['empty-rule', 4, 'line', false],
      ['empty-scenario', 5, 'line', false],
      ['missing-field', 6, 'line', true],
      ['invalid-text', 7, 'line', true],
      ['missing-field', 8, 'line', true],
    ]);
    expect(corpus.issues[1]?.message).toBe(
      'issues.jsonl, line 3: id "a" was already used at issues.jsonl, line 1; skipped',
    );
    expect(corpus.cases.map(({ id }) => id)).toEqual(['a', 'c', 'd', 'd/issues.jsonl#8']);
  });

  test('a column map names columns and labels', async () => {
    const path = file('map.jsonl', line({ area: 'x', policy: 'P', facts: 'F', answer: true }));
    const corpus = await loadCorpus(`jsonl:${path}`, {
      columns: { domain: 'area', rule: 'policy', scenario: 'facts', label: 'answer' },
      labels: { true: 1, false: 0 },
    });
    expect(corpus.cases).toMatchObject([
      { id: 'x/map.jsonl#0', domain: 'x', rule: 'P', scenario: 'F', label: 1 },
    ]);
    const unnamed = await failure(`jsonl:${path}`, { columns: { id: 'key', domain: 'area' } });
    expect(unnamed.code).toBe('CORPUS_EMPTY');
  });

  test.each([
    ['{"id": 1,', 'not valid JSON'],
    ['[1]', 'expected a JSON object'],
    ['3', 'expected a JSON object'],
  ])('%s is a format error with file and line', async (bad, words) => {
    const path = file('broken.jsonl', `${line(good)}\n${bad}\n`);
    const error = await failure(`jsonl:${path}`);
    expect(error.code).toBe('CORPUS_FORMAT');
    expect(error.message).toContain(`${path}:2: `);
    expect(error.message).toContain(words);
  });

  test('text that is not UTF-8 is refused with its line', async () => {
    const path = file('latin1.jsonl', Buffer.from(`{}\n"caf\u00e9"\n`, 'latin1'));
    const error = await failure(`jsonl:${path}`);
    expect(error).toMatchObject({ code: 'CORPUS_FORMAT' });
    expect(error.message).toContain(`${path}:2: not valid UTF-8`);
  });

  test('missing files, empty files and unknown specs', async () => {
    expect((await failure(`jsonl:${join(folder, 'nowhere')}`)).code).toBe('CORPUS_NOT_FOUND');
    expect((await failure(`omnicompliance:${join(folder, 'nowhere')}`)).code).toBe('CORPUS_NOT_FOUND');
    expect((await failure(`jsonl:${file('empty.jsonl', '')}`)).code).toBe('CORPUS_EMPTY');
    expect((await failure('sqlite:x')).code).toBe('USAGE');
    expect((await failure('jsonl:')).code).toBe('USAGE');
    expect((await failure('demo', {})).code).toBe('USAGE');
  });
});

describe('csv', () => {
  const header = 'id,domain,rule,scenario,label\n';

  test('reads quotes, line breaks in fields and mixed line ends, and counts lines as an editor does', async () => {
    const path = file(
      'good.csv',
      `\ufeff${header}1,d," a\r\nb","say ""x""",compliant\r\n\n2,d,R,S,what\n3,d,R,T,non-compliant`,
    );
    const corpus = await loadCorpus(`csv:${path}`);
    expect(corpus.cases.map(({ id, rule, scenario, label }) => [id, rule, scenario, label])).toEqual([
      ['1', ' a\r\nb', 'say "x"', 1],
      ['3', 'R', 'T', 0],
    ]);
    expect(corpus.issues.map(({ kind, at }) => [kind, at])).toEqual([['unknown-label', 5]]);
  });

  test.each([
    [`${header}\n1,d,"R\r\n",S,compliant\r\n1,d,R,S\r\n`, ':5: 4 fields, expected 5'],
    [`${header}1,d,R,S,compliant\n2,d,"R,S,compliant\n`, 'at line 3'],
    ['id,domain,rule,label\n', 'no column "scenario"'],
    ['id,id,domain,rule,scenario,label\n', 'named twice'],
  ])('%j is a format error', async (content, words) => {
    const path = file('bad.csv', content);
    const error = await failure(`csv:${path}`);
    expect(error.code).toBe('CORPUS_FORMAT');
    expect(error.message).toContain(path);
    expect(error.message).toContain(words);
  });

  test('an id column that was named must be there', async () => {
    const path = file('noid.csv', 'domain,rule,scenario,label\nd,R,S,compliant\n');
    expect((await loadCorpus(`csv:${path}`)).cases[0]?.id).toBe('d/noid.csv#0');
    expect((await failure(`csv:${path}`, { columns: { id: 'key' } })).message).toContain('no column "key"');
  });
});

describe('omnicompliance', () => {
  test.each([
    ['privacy/ccpa/ccpa_clean_v2_20251219_201412.json', 'ccpa', 'ccpa_clean_v2_20251219_201412.json'],
    ['finance/crypto_20251219_230832.json', 'finance_crypto', 'crypto_20251219_230832.json'],
    ['finance/cross-border_payment_law_20251219_230512.json', 'finance_cross_border_payment_law', undefined],
    ['foundation_rights/eu_foundation_rights_20251220_002742.json', 'foundation_rights', undefined],
    ['cyber_security/mitre_attack/Audit_20251220_001502.json', 'cybersecurity_mitre_attack', undefined],
    ['edu/online_learning/a.json', 'edu_online_learning', undefined],
    ['policys/wechat/a.json', 'policy_wechat', undefined],
    ['privacy/chinese_law/a.json', 'chinese_law', undefined],
    ['medical/medical_device_20251220_000000.json', 'medical_device', undefined],
    ['Loose File.json', 'loose_file', 'Loose File.json'],
  ])('%s is of %s', (name, domain, idFile = name.slice(name.lastIndexOf('/') + 1)) => {
    expect(placeOf(name)).toEqual({ domain, idFile });
  });

  test('takes the repository, its data, its cases, a part of them, or a plain directory', async () => {
    const cases = JSON.stringify([
      { source_rule: 'R', example_background: 'S', relation_to_rule: 'None' },
      { source_rule: 'R', example_background: 'S', relation_to_rule: 'VIOLATES' },
    ]);
    file('omni/data/cases/privacy/ccpa/x.json', cases);
    file('omni/data/rules/privacy/ccpa.json', 'not a case file');
    for (const part of [
      'omni',
      'omni/data',
      'omni/data/cases',
      'omni/data/cases/privacy',
      'omni/data/cases/privacy/ccpa',
    ]) {
      const corpus = await loadCorpus(`omnicompliance:${join(folder, part)}`);
      expect(corpus.cases.map(({ id, label }) => [id, label])).toEqual([['ccpa/x.json#1', 0]]);
      expect(corpus.files.map(({ name }) => name)).toEqual(['privacy/ccpa/x.json']);
      expect(corpus.issues).toMatchObject([
        { kind: 'unknown-label', file: 'privacy/ccpa/x.json', at: 0, unit: 'index', skipped: true },
      ]);
    }
    file('plain/rules_of_x.json', cases);
    expect((await loadCorpus(`omnicompliance:${join(folder, 'plain')}`)).cases[0]?.id).toBe(
      'rules_of_x/rules_of_x.json#1',
    );
  });

  test.each([
    ['{}', 'expected a JSON array'],
    ['[1]', 'element 0'],
    ['[', 'not valid JSON'],
  ])('a case file of %s is a format error', async (content, words) => {
    const path = file('badomni/cases/privacy/ccpa/x.json', content);
    const error = await failure(`omnicompliance:${join(folder, 'badomni')}`);
    expect(error.code).toBe('CORPUS_FORMAT');
    expect(error.message).toContain(path);
    expect(error.message).toContain(words);
    mkdirSync(join(folder, 'none'), { recursive: true });
    expect((await failure(`omnicompliance:${join(folder, 'none')}`)).message).toContain('no case files');
  });
});

test.each(['confounded', 'crossed', 'demo'])(
  'the embedded corpus %s is read without an issue',
  async name => {
    const corpus = await loadCorpus(name);
    expect(corpus.format).toBe(name);
    expect(corpus.issues).toEqual([]);
    const sizes = new Map<string, number>();
    for (const { domain } of corpus.cases) sizes.set(domain, (sizes.get(domain) ?? 0) + 1);
    expect(sizes.size).toBeGreaterThanOrEqual(6);
    for (const size of sizes.values()) expect(size).toBeGreaterThanOrEqual(36);
  },
);
