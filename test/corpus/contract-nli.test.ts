import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import { domainsOf, sampleCases } from '../../src/corpus/sample.js';
import { shared, skipNote } from '../shared.js';

const root = shared('data', 'contract_nli');
if (root === null) skipNote('reading ContractNLI', 'data', 'contract_nli');

describe.skipIf(root === null)('the published development and test splits', () => {
  test('give every entailed and contradicted pair, and a balanced draw', async () => {
    const corpus = await loadCorpus(`contract-nli:${root}`);
    expect(corpus.files.map(({ name }) => name)).toEqual(['dev.json', 'test.json']);
    expect(domainsOf(corpus)).toEqual(['contract_nli']);
    expect(corpus.cases.filter(({ label }) => label === 1)).toHaveLength(519 + 968);
    expect(corpus.cases.filter(({ label }) => label === 0)).toHaveLength(95 + 220);
    // One contract is in the test split twice.
    expect(corpus.issues.map(({ kind, file, at }) => [kind, file, at])).toEqual([
      ['duplicate-case', 'test.json', 49],
      ['duplicate-case', 'test.json', 49],
    ]);
    expect(new Set(corpus.cases.map(({ rule }) => rule)).size).toBe(17);

    const drawn = sampleCases(corpus, { domains: null, perDomain: 400, seed: 42 });
    expect(drawn.filter(({ label }) => label === 1)).toHaveLength(200);
    expect(drawn.filter(({ label }) => label === 0)).toHaveLength(200);
  });
});

describe('a made split', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plumbline-nli-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const split = (choices: Readonly<Record<string, string>>, id: number | string = 7): string =>
    JSON.stringify({
      documents: [
        {
          id,
          file_name: 'a.pdf',
          text: ' The contract.\n',
          spans: [[0, 3]],
          annotation_sets: [
            {
              annotations: Object.fromEntries(
                Object.entries(choices).map(([key, choice]) => [key, { choice, spans: [] }]),
              ),
            },
          ],
        },
      ],
      labels: { 'nda-1': { short_description: 'x', hypothesis: 'Party shall not copy.' } },
    });

  test('is read from the folder or its dataset; the neutral choice is left out', async () => {
    mkdirSync(join(folder, 'dataset'));
    writeFileSync(join(folder, 'dataset', 'test.json'), split({ 'nda-1': 'Contradiction' }, 'b'));
    writeFileSync(join(folder, 'train.json'), split({ 'nda-1': 'Entailment', 'nda-2': 'NotMentioned' }));
    const corpus = await loadCorpus(`contract-nli:${folder}`);
    expect(corpus.format).toBe('contract-nli');
    expect(corpus.issues.map(({ kind, skipped }) => [kind, skipped])).toEqual([['duplicate-case', false]]);
    expect(corpus.cases).toMatchObject([
      {
        id: 'contract_nli/train.json#7/nda-1',
        domain: 'contract_nli',
        rule: 'Party shall not copy.',
        scenario: ' The contract.\n',
        label: 1,
      },
      { id: 'contract_nli/test.json#b/nda-1', label: 0 },
    ]);
  });

  test('reports another choice and a hypothesis that is not there', async () => {
    writeFileSync(join(folder, 'train.json'), split({ 'nda-1': 'Perhaps', 'nda-9': 'Entailment' }));
    const corpus = await loadCorpus(`contract-nli:${folder}`);
    expect(corpus.issues.map(({ kind, file, at }) => [kind, file, at])).toEqual([
      ['unknown-label', 'train.json', 0],
      ['missing-field', 'train.json', 0],
    ]);
  });

  test.each([
    ['[', 'JSON'],
    ['{"documents": [], "labels": 3}', 'labels'],
    ['{"documents": [{"id": 1, "text": 2, "annotation_sets": []}], "labels": {}}', 'documents[0].text'],
  ])('%s is a format error', async (content, words) => {
    writeFileSync(join(folder, 'dev.json'), content);
    await expect(loadCorpus(`contract-nli:${folder}`)).rejects.toMatchObject({
      code: 'CORPUS_FORMAT',
      message: expect.stringContaining(join(folder, 'dev.json')),
    });
    await expect(loadCorpus(`contract-nli:${folder}`)).rejects.toThrow(words);
  });

  test('a folder without splits is not found', async () => {
    await expect(loadCorpus(`contract-nli:${join(folder, 'none')}`)).rejects.toMatchObject({
      code: 'CORPUS_NOT_FOUND',
      message: expect.stringContaining('train.json, dev.json, test.json'),
    });
  });
});
