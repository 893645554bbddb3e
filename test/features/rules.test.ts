import { describe, expect, test } from 'vitest';
import { ruleFeatures } from '../../src/api/features.js';
import type { Case } from '../../src/corpus/types.js';
import { featuresOfDomains } from '../../src/features/domains.js';
import { FEATURES, featuresOfRules, ODDITIES } from '../../src/features/rules.js';
import { loadSyllables } from '../../src/features/syllables.js';
import { shared, skipNote } from '../shared.js';
import { goldRows, spearman } from './gold.js';

const unparsed = { syllables: await loadSyllables(), depth: () => null };

let serial = 0;
const caseOf = (domain: string, rule: string): Case => ({
  id: String(serial++),
  domain,
  ruleId: rule,
  rule,
  scenario: 's',
  label: 1,
});
const rulesOf = (...rules: readonly string[]) =>
  featuresOfRules(
    rules.map(rule => caseOf('d', rule)),
    unparsed,
  );

describe('rules', () => {
  test('come once a domain, with the cases that use them', () => {
    const cases = [caseOf('a', 'R'), caseOf('b', 'R'), caseOf('a', 'S'), caseOf('a', 'R')];
    const found = featuresOfRules(cases, unparsed);
    expect(found.map(({ domain, ruleId, cases: count }) => [domain, ruleId, count])).toEqual([
      ['a', 'R', 2],
      ['b', 'R', 1],
      ['a', 'S', 1],
    ]);
  });

  test('a blank rule has no feature, and is not parsed', () => {
    const [blank] = featuresOfRules([caseOf('d', ' \u00a0\n')], {
      ...unparsed,
      depth: () => {
        throw new Error('parsed');
      },
    });
    expect(blank?.blank).toBe(true);
    for (const feature of FEATURES) expect(blank?.[feature], feature).toBeNull();
  });

  test('oddities are told apart', () => {
    const odd = (rule: string): readonly string[] => {
      const [found] = rulesOf(rule);
      return ODDITIES.filter(oddity => found?.[oddity]);
    };
    expect(odd('Badges are worn.')).toEqual([]);
    expect(odd('\t')).toEqual(['blank']);
    expect(odd('a | b')).toEqual(['tablePipes']);
    expect(odd('YOU MUST NOT do')).toEqual(['mostlyCapitals']);
    expect(odd('YOUR dogs')).toEqual([]);
    expect(odd('Article 67Professional secrecy')).toEqual(['gluedHeading']);
    expect(odd('Article 67 Professional secrecy')).toEqual([]);
    expect(odd('item, '.repeat(101))).toEqual(['unpunctuated']);
    expect(rulesOf('a b', 'a  b ', 'a c').map(({ duplicate }) => duplicate)).toEqual([false, true, false]);
  });

  test('are parsed with collapsed white space', () => {
    const texts: string[] = [];
    const [found] = featuresOfRules([caseOf('d', ' a\n\n b\u00a0')], {
      ...unparsed,
      depth: (id, text) => {
        texts.push(id, text);
        return { sentences: 1, mdd: 2, mdd3: 3 };
      },
    });
    expect(texts).toEqual([' a\n\n b\u00a0', 'a b']);
    expect(found).toMatchObject({ mdd: 2, mdd3: 3 });
  });
});

test('means leave out rules without the feature, and weigh by cases', () => {
  const cases = [
    caseOf('d', 'It must.'),
    caseOf('d', 'It may.'),
    caseOf('d', 'It may.'),
    caseOf('d', 'It is.'),
    caseOf('e', 'Nothing.'),
  ];
  const [d, e] = featuresOfDomains(featuresOfRules(cases, unparsed));
  expect(d).toMatchObject({ domain: 'd', rules: 3, cases: 4 });
  expect(d?.features.mmr).toEqual({ mean: 1 / 2, caseWeighted: 1 / 3, rules: 2 });
  expect(d?.features.crc).toEqual({ mean: 0, caseWeighted: 0, rules: 3 });
  expect(d?.features.mdd3).toEqual({ mean: null, caseWeighted: null, rules: 0 });
  expect(e?.features.mmr).toEqual({ mean: null, caseWeighted: null, rules: 0 });
});

const corpus = shared('data', 'omnicompliance');
const gold = goldRows('gold_domains.csv');
if (corpus === null || gold.length === 0)
  skipNote('features of domains against the oracle', 'gold', 'features');

test.skipIf(corpus === null || gold.length === 0)('the domain table equals the oracle', async () => {
  const { domains } = await ruleFeatures({
    corpus: `omnicompliance:${corpus}`,
    columnMap: null,
    domains: gold.map(({ domain }) => domain ?? ''),
    parses: null,
  });
  for (const row of gold) {
    const found = domains.find(({ domain }) => domain === row.domain);
    expect(found?.rules, row.domain).toBe(Number(row.n_unique_rules));
    // Three cases of policy_reddit have no usable label: the oracle counts them, we do not.
    const skipped = row.domain === 'policy_reddit' ? 3 : 0;
    expect(found?.cases, row.domain).toBe(Number(row.n_cases) - skipped);
    for (const feature of ['ecd', 'crc', 'mmr'] as const) {
      const { mean = null, caseWeighted = null } = found?.features[feature] ?? {};
      close(mean, row[feature], 5.1e-5);
      close(caseWeighted, row[`${feature}_caseweighted`], skipped === 0 ? 5.1e-5 : 2e-4);
    }
  }
  const grades = (values: (row: (typeof gold)[number]) => number): readonly number[] => gold.map(values);
  const rho = spearman(
    grades(row => domains.find(({ domain }) => domain === row.domain)?.features.fkgl.mean ?? Number.NaN),
    grades(row => Number(row.fkgl)),
  );
  expect(rho).toBeGreaterThanOrEqual(0.99);
});

function close(found: number | null, expected: string | undefined, tolerance: number): void {
  if (expected === '') expect(found).toBeNull();
  else expect(Math.abs((found ?? Number.NaN) - Number(expected))).toBeLessThanOrEqual(tolerance);
}

const model = shared('models', 'spacy_en_core_web_sm');
// Two domains whose rules are few.
const PARSED_DOMAINS = ['edu_discrimination_us_edu_dept', 'edu_academic_integrity'];
test.skipIf(corpus === null || gold.length === 0 || model === null)(
  'depth by domain equals the oracle',
  async () => {
    const { domains, methods, mddMissing } = await ruleFeatures({
      corpus: `omnicompliance:${corpus}`,
      columnMap: null,
      domains: PARSED_DOMAINS,
      parses: { kind: 'spacy', path: model ?? '' },
    });
    expect(methods.mdd).toContain('en_core_web_sm');
    expect(mddMissing).toBeNull();
    for (const name of PARSED_DOMAINS) {
      const row = gold.find(({ domain }) => domain === name);
      const found = domains.find(({ domain }) => domain === name)?.features;
      for (const feature of ['mdd3', 'mdd'] as const) {
        close(found?.[feature].mean ?? null, row?.[feature], 5.1e-5);
        close(found?.[feature].caseWeighted ?? null, row?.[`${feature}_caseweighted`], 5.1e-5);
      }
    }
  },
);
