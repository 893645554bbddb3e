import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import { domainsOf } from '../../src/corpus/sample.js';
import { shared, skipNote } from '../shared.js';

const root = shared('data', 'sara_v1');
if (root === null) skipNote('reading SARA', 'data', 'sara_v1');

describe.skipIf(root === null)('the 276 entailment cases', () => {
  test('are read by section, half of each label', async () => {
    const corpus = await loadCorpus(`sara:${root}`);
    expect(corpus.cases).toHaveLength(276);
    expect(corpus.cases.filter(({ label }) => label === 1)).toHaveLength(138);
    expect(corpus.issues).toEqual([]);
    expect([...domainsOf(corpus)].sort()).toEqual(
      ['1', '151', '152', '2', '3301', '3306', '63', '68', '7703'].map(section => `sara_${section}`),
    );
  });
});

describe('made cases', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plumbline-sara-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const good = {
    case_id: 's1_a_pos',
    section: '1',
    provision_path: ['a'],
    rule_text: '(a) A tax is imposed.',
    fact_text: 'Alice was paid.',
    claim_text: 'Alice owes tax.',
    label: 'Entailment',
  };

  test('the scenario is the facts and the claim, each on a line', async () => {
    const lines = [
      good,
      { ...good, case_id: 's1_a_neg', label: 'Contradiction', claim_text: 'No.' },
      { ...good, case_id: undefined },
      { ...good, case_id: 'x', claim_text: null },
      { ...good, case_id: 'y', section: undefined },
      { ...good, case_id: 'z', label: '$100' },
    ];
    writeFileSync(join(folder, 'sara_entailment.jsonl'), lines.map(line => JSON.stringify(line)).join('\n'));
    const corpus = await loadCorpus(`sara:${folder}`);
    expect(corpus.cases).toMatchObject([
      {
        id: 's1_a_pos',
        domain: 'sara_1',
        rule: '(a) A tax is imposed.',
        scenario: 'Alice was paid.\nAlice owes tax.',
        label: 1,
      },
      { id: 's1_a_neg', label: 0 },
    ]);
    expect(corpus.issues.map(({ kind, at, unit }) => [kind, at, unit])).toEqual([
      ['missing-field', 3, 'line'],
      ['missing-field', 4, 'line'],
      ['missing-field', 5, 'line'],
      ['unknown-label', 6, 'line'],
    ]);
  });

  test('a line that is no object, and a folder without the file', async () => {
    writeFileSync(join(folder, 'sara_entailment.jsonl'), '3\n');
    await expect(loadCorpus(`sara:${folder}`)).rejects.toMatchObject({ code: 'CORPUS_FORMAT' });
    await expect(loadCorpus(`sara:${join(folder, 'none')}`)).rejects.toMatchObject({
      code: 'CORPUS_NOT_FOUND',
    });
  });
});
