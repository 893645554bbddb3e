import { describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import { alterRule } from '../../src/perturb/alter.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { shownRule } from '../../src/prompt/render.js';
import { shared, skipNote } from '../shared.js';

/** Published share of cases to which `negate` applies (%), for the domains whose files are all at hand. */
const COVERAGE = {
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
} as const;

const root = shared('data', 'omnicompliance');
if (root === null) skipNote('coverage of negate on the published corpus', 'data', 'omnicompliance');

describe.skipIf(root === null)('negate on the published corpus', () => {
  test('applies and shows as often as published', async () => {
    const { standard } = PROFILES;
    const { cases } = await loadCorpus(`omnicompliance:${root}`);
    const context = { seed: 42, canonical: new Map<string, string>(), placebo: new Set<string>() };
    let applicable = 0;
    let invisible = 0;
    for (const [domain, published] of Object.entries(COVERAGE)) {
      const ofDomain = cases.filter(item => item.domain === domain);
      const changed = ofDomain
        .map(item => ({ item, altered: alterRule(item, 'negate', context) }))
        .filter(({ altered }) => altered.applicable);
      const hidden = changed.filter(
        ({ item, altered }) => shownRule(standard, altered.rule) === shownRule(standard, item.rule),
      );
      // The published column is rounded to one decimal.
      expect(Math.abs((100 * changed.length) / ofDomain.length - published), domain).toBeLessThanOrEqual(
        0.0501,
      );
      if (domain === 'policy_x') expect((100 * hidden.length) / changed.length).toBeCloseTo(57.8, 1);
      applicable += changed.length;
      invisible += hidden.length;
    }
    expect(applicable).toBe(4128);
    expect(invisible).toBe(564);
  });
});
