import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Case, Corpus } from '../../src/corpus/types.js';
import { alterRule, negated, type PerturbContext } from '../../src/perturb/alter.js';
import { canonicalRules } from '../../src/perturb/canonical.js';
import { placeboSet } from '../../src/perturb/placebo.js';

const item = (domain: string, rule: string, id = `${domain}/f#0`): Case => {
  return { id, domain, ruleId: 'r', rule, scenario: 'S', label: 1 };
};
const corpusOf = (cases: readonly Case[]): Corpus => ({ format: 'jsonl', cases, issues: [], files: [] });
const context = (
  canonical: Readonly<Record<string, string>>,
  placebo: readonly string[] = [],
): PerturbContext => {
  return { seed: 42, canonical: new Map(Object.entries(canonical)), placebo: new Set(placebo) };
};

describe('negated', () => {
  test.each([
    ['You must act.', 'You must not act.'],
    ['It shall be so; it must be.', 'It shall not be so; it must not be.'],
    ['You must not act.', 'You must not act.'],
    ['You must\u00a0 not act, but shall pay.', 'You must\u00a0 not act, but shall not pay.'],
    ['Must I? Shall we?', 'Must not I? Shall not we?'],
    ['YOU MUST ACT AND SHALL NOT REST', 'YOU MUST NOT ACT AND SHALL NOT REST'],
    ['It must, notwithstanding this,', 'It must not, notwithstanding this,'],
    ['must notify', 'must not notify'],
    [
      'You may, can, should and will; mustard, shallow, trust',
      'You may, can, should and will; mustard, shallow, trust',
    ],
    ['must', 'must not'],
    ['', ''],
  ])('%j becomes %j', (rule, expected) => {
    expect(negated(rule)).toBe(expected);
    expect(alterRule(item('d', rule), 'negate', context({ d: '' }))).toEqual({
      condition: 'negate',
      applicable: rule !== expected,
      reason: rule === expected ? 'no-mandatory-modal' : null,
      rule: expected,
      swapDomain: null,
    });
  });

  test('never negates twice', () => {
    const words = fc.array(
      fc.constantFrom('must', 'Shall', 'NOT', 'not', 'MUST', ' ', '\n', ',', 'x', 'notary'),
    );
    fc.assert(
      fc.property(words, parts => {
        const once = negated(parts.join(' '));
        expect(negated(once)).toBe(once);
        expect(once).not.toMatch(/\b(?:must|shall)\b(?!\s+not\b)/i);
      }),
    );
  });
});

test('delete, baseline and placebo', () => {
  const rule = ' R ';
  const of = (condition: 'baseline' | 'delete' | 'placebo', ids: readonly string[] = []) =>
    alterRule(item('d', rule), condition, context({ d: rule }, ids));
  expect(of('baseline')).toMatchObject({ applicable: true, reason: null, rule });
  expect(of('delete')).toMatchObject({ applicable: true, reason: null, rule: '' });
  expect(of('placebo', ['d/f#0'])).toMatchObject({ applicable: true, rule });
  expect(of('placebo')).toMatchObject({ applicable: false, reason: 'not-drawn', rule });
});

describe('swap', () => {
  test('takes the most frequent rule, the earliest among equals', () => {
    const corpus = corpusOf([item('a', 'x'), item('a', 'y'), item('b', 'p'), item('b', 'q'), item('a', 'y')]);
    expect([...canonicalRules(corpus)]).toEqual([
      ['a', 'y'],
      ['b', 'p'],
    ]);
  });

  test('is not applicable in a corpus of one domain', () => {
    expect(alterRule(item('a', 'R'), 'swap', context({ a: 'R' }))).toMatchObject({
      applicable: false,
      reason: 'one-domain',
      rule: 'R',
      swapDomain: null,
    });
  });

  test('is uniform over the other domains and never its own', () => {
    const domains = { a: 'ra', b: 'rb', c: 'rc', d: 'rd' };
    const counts = new Map<string | null, number>();
    for (let index = 0; index < 3000; index++) {
      const { swapDomain, rule } = alterRule(item('a', 'R', `a/f#${index}`), 'swap', context(domains));
      expect(rule).toBe(`r${swapDomain}`);
      counts.set(swapDomain, (counts.get(swapDomain) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['b', 'c', 'd']);
    // Binomial(3000, 1/3): standard deviation 26.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(104);
  });

  test('depends on the seed and not on the order of domains; a new domain only takes what it wins', () => {
    const drawn = (canonical: Readonly<Record<string, string>>, seed = 42) =>
      Array.from({ length: 200 }, (_, index) => {
        return alterRule(item('a', 'R', `a/f#${index}`), 'swap', { ...context(canonical), seed }).swapDomain;
      });
    const three = drawn({ a: '', b: '', c: '', d: '' });
    expect(drawn({ d: '', c: '', b: '', a: '' })).toEqual(three);
    expect(drawn({ a: '', b: '', c: '', d: '' }, 43)).not.toEqual(three);
    const four = drawn({ a: '', b: '', c: '', d: '', e: '' });
    expect(four.map((domain, index) => (domain === 'e' ? three[index] : domain))).toEqual(three);
    expect(four.filter(domain => domain === 'e').length).toBeGreaterThan(20);
  });
});

describe('placeboSet', () => {
  const ids = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `d/f#${index}`);
  test.each([
    ['default' as const, 10, 10],
    ['default' as const, 100, 32],
    ['default' as const, 640, 32],
    ['default' as const, 641, 33],
    ['all' as const, 7, 7],
    ['off' as const, 7, 0],
    [3, 7, 3],
    [9, 7, 7],
  ])('%s of %i is %i', (share, samples, expected) => {
    expect(placeboSet(ids(samples), share, 42).size).toBe(expected);
  });

  test('is the same in any order, and another with another seed', () => {
    const sorted = (seed: number, list = ids(200)) => [...placeboSet(list, 'default', seed)].sort();
    expect(sorted(42, [...ids(200)].reverse())).toEqual(sorted(42));
    expect(sorted(43)).not.toEqual(sorted(42));
    expect(() => placeboSet(ids(2), -1, 42)).toThrowError(expect.objectContaining({ code: 'USAGE' }));
  });
});
