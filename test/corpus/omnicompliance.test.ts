import { describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import { domainsOf, sampleCases } from '../../src/corpus/sample.js';
import { shared, skipNote } from '../shared.js';

const root = shared('data', 'omnicompliance');
if (root === null) skipNote('reading the published corpus', 'data', 'omnicompliance');

describe.skipIf(root === null)('the published corpus', () => {
  test('is read whole, with its five bad labels reported', async () => {
    const corpus = await loadCorpus(`omnicompliance:${root}`);
    expect(corpus.files).toHaveLength(66);
    expect(corpus.cases).toHaveLength(35_582);
    expect(new Set(corpus.cases.map(({ id }) => id)).size).toBe(35_582);
    expect(domainsOf(corpus)).toEqual([
      'cybersecurity_mitre_attack',
      'edu_academic_integrity',
      'edu_discrimination_us_edu_dept',
      'edu_online_learning',
      'finance_cross_border_payment_law',
      'finance_crypto',
      'finance_eletric_momey',
      'foundation_rights',
      'policy_github',
      'policy_google',
      'policy_openai',
      'policy_reddit',
      'policy_wechat',
      'policy_x',
      'ccpa',
      'chinese_law',
      'data_act',
      'eu_ai_act',
      'gdpr',
      'sb35',
    ]);
    const counts = new Map<string, number>();
    for (const { kind, skipped } of corpus.issues) {
      counts.set(`${kind} ${skipped}`, (counts.get(`${kind} ${skipped}`) ?? 0) + 1);
    }
    expect(Object.fromEntries(counts)).toEqual({
      'unknown-label true': 5,
      'empty-rule false': 31,
      'duplicate-case false': 2,
    });
    expect(corpus.issues.filter(({ message }) => message.includes('"COMPLATES"'))).toHaveLength(1);

    const sampled = sampleCases(corpus, { domains: null, perDomain: 200, seed: 42 });
    for (const domain of domainsOf(corpus)) {
      const drawn = sampled.filter(item => item.domain === domain);
      const all = domain === 'edu_discrimination_us_edu_dept';
      expect(drawn).toHaveLength(all ? 146 : 200);
      expect(drawn.filter(({ label }) => label === 1)).toHaveLength(all ? 73 : 100);
    }
  });
});
