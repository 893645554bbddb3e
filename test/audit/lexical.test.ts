import { describe, expect, test } from 'vitest';
import { lexicalAccuracy, lexicalFloor } from '../../src/audit/lexical.js';
import { loadCorpus } from '../../src/corpus/load.js';
import type { Case, Label } from '../../src/corpus/types.js';
import { shared, skipNote } from '../shared.js';

function item(index: number, ruleId: string, scenario: string, label: Label, domain = 'd'): Case {
  return { id: `${domain}/f#${index}`, domain, ruleId, rule: ruleId, scenario, label };
}

/** `rules` rules of `perRule` cases each, labels alternating; no two scenarios are the same text. */
function cases(
  rules: number,
  perRule: number,
  textOf: (rule: number, label: Label) => string,
): readonly Case[] {
  return Array.from({ length: rules * perRule }, (_, index) => {
    const rule = Math.floor(index / perRule);
    const label = (index % 2) as Label;
    return item(index, `r${rule}`, `${index}: ${textOf(rule, label)}`, label);
  });
}

describe('lexicalFloor', () => {
  test('reads a label that the words of scenarios give away', () => {
    const readings = lexicalFloor(
      cases(12, 4, (_, label) => (label === 1 ? 'They asked, and got CONSENT.' : 'They were fined.')),
      { seed: 42 },
    );
    expect(lexicalAccuracy(readings)).toEqual(new Map([['d', 1]]));
  });

  test('cannot use what only holds within one rule', () => {
    // Each rule has its own pair of words; knowing other rules' pairs is worth nothing.
    const readings = lexicalFloor(
      cases(12, 10, (rule, label) => `${'abcdefghijkl'[rule]}${label === 1 ? 'yes' : 'no'}`),
      { seed: 42 },
    );
    const margins = new Map(readings.map(({ id, margin }) => [id, margin]));
    for (let index = 0; index < 120; index += 2) {
      expect(margins.get(`d/f#${index}`)).toBe(margins.get(`d/f#${index + 1}`));
    }
  });

  test('gives the log-odds of Bernoulli naive Bayes', () => {
    // Two rules, two folds: each rule is judged from the other one's cases.
    const other = [
      item(0, 'x', '1 red blue', 1),
      item(1, 'x', '2 red', 1),
      item(2, 'x', '3 blue rare', 0),
      item(3, 'x', '4 blue', 0),
    ];
    const probe = [item(4, 'y', 'Red, red rare!', 1), item(5, 'y', 'blue', 0)];
    const probeOnly = [item(6, 'y', '5 other', 1), item(7, 'y', '6 other', 0)];
    const readings = lexicalFloor([...other, ...probe, ...probeOnly], { seed: 42, folds: 2 });
    const of = (id: number) => readings.find(reading => reading.id === `d/f#${id}`);
    // Smoothed shares of (red, blue) are (3/4, 2/4) among compliant and (1/4, 3/4) among non-compliant cases.
    expect(of(4)?.margin).toBeCloseTo(Math.log(((3 / 4) * (1 / 2)) / ((1 / 4) * (1 / 4))), 12);
    expect(of(5)?.margin).toBeCloseTo(Math.log(((1 / 4) * (1 / 2)) / ((3 / 4) * (3 / 4))), 12);
    expect([of(4)?.verdict, of(5)?.verdict]).toEqual([1, 0]);
  });

  test('has no verdict without other rules to learn from, and no margin without evidence', () => {
    const oneRule = lexicalFloor(
      cases(1, 10, (_, label) => `word${label}`),
      { seed: 42 },
    );
    expect(lexicalAccuracy(oneRule)).toEqual(new Map([['d', null]]));
    expect(oneRule.every(({ verdict, margin }) => verdict === null && margin === null)).toBe(true);
    const mute = lexicalFloor(
      [0, 1, 2, 3].map(index => item(index, `r${index >> 1}`, `${index}`, (index % 2) as Label)),
      {
        seed: 42,
      },
    );
    expect(mute.every(({ verdict, margin }) => verdict === 1 && margin === 0)).toBe(true);
  });

  test('is at chance, not below, where rules are crossed with scenarios', () => {
    // 60 blocks of two rules and two scenarios: neither alone says anything about the label.
    const crossed = Array.from({ length: 240 }, (_, index) => {
      const [block, rule, scenario] = [index >> 2, (index >> 1) & 1, index & 1];
      const text = `${block}: ${block % 7 < 3 ? 'early' : 'late'} ${scenario ? 'agreed' : 'refused'}`;
      return item(index, `r${block}-${rule}`, text, (rule ^ scenario) as Label);
    });
    expect(lexicalAccuracy(lexicalFloor(crossed, { seed: 42 }))).toEqual(new Map([['d', 0.5]]));
  });

  test('domains do not mix, order does not matter', () => {
    const a = cases(8, 4, (rule, label) => `w${label} x${'abcdefgh'[rule]} y`);
    const b = a.map((one, index) => item(index, one.ruleId, one.scenario, (1 - one.label) as Label, 'other'));
    const alone = lexicalFloor(a, { seed: 42 });
    expect(lexicalFloor([...b, ...a], { seed: 42 }).slice(b.length)).toEqual(alone);
    const reversed = lexicalFloor([...a].reverse(), { seed: 42 });
    expect(reversed.map(({ id, verdict }) => [id, verdict]).reverse()).toEqual(
      alone.map(({ id, verdict }) => [id, verdict]),
    );
  });
});

const root = shared('data', 'omnicompliance');
if (root === null) skipNote('the rule-blind floor on the published corpus', 'data', 'omnicompliance');

test.skipIf(root === null)(
  'the floor of the published corpus is .85',
  async () => {
    const { cases: all } = await loadCorpus(`omnicompliance:${root}`);
    const accuracy = lexicalAccuracy(lexicalFloor(all, { seed: 42 }));
    const mean = [...accuracy.values()].reduce<number>((sum, value) => sum + (value ?? 0), 0) / accuracy.size;
    expect(accuracy.size).toBe(20);
    expect(Math.abs(mean - 0.85)).toBeLessThanOrEqual(0.02);
    // The highest and the lowest of the reference: .965 of 513 cases, .726 of 146 (standard error .037).
    expect(Math.abs((accuracy.get('cybersecurity_mitre_attack') ?? 0) - 0.965)).toBeLessThanOrEqual(0.02);
    expect(Math.abs((accuracy.get('edu_discrimination_us_edu_dept') ?? 0) - 0.726)).toBeLessThanOrEqual(
      0.074,
    );
  },
  60_000,
);
