import { readFileSync } from 'node:fs';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import {
  confoundedCases,
  corpusLines,
  crossedCases,
  type ReferenceCase,
} from '../../models/reference-corpus.js';
import { complies, numbersOf } from '../../models/reference-grammar.js';
import { mixedRow, promptText } from '../../models/reference-training.js';
import { bagOfWordsAccuracy, learnBagOfWords } from '../bag-of-words.js';

interface Row {
  readonly rule: string;
  readonly scenario: string;
  readonly label: 'compliant' | 'non-compliant';
}

const VIEWS = {
  rule: (row: Row) => row.rule,
  scenario: (row: Row) => row.scenario,
  both: (row: Row) => `${row.rule} ${row.scenario}`,
};

function labelled(cases: readonly ReferenceCase[]): readonly Row[] {
  return cases.map(({ rule, scenario, demand, fact }) => ({
    rule,
    scenario,
    label: complies(demand, fact) ? 'compliant' : 'non-compliant',
  }));
}

function file(name: string): string {
  return readFileSync(new URL(`../../models/${name}.jsonl`, import.meta.url), 'utf8');
}

function groupsBy<T>(items: readonly T[], key: (item: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups.values()];
}

/** Cases that are tied together by a common rule or scenario. */
function crossingGroups(rows: readonly Row[]): readonly (readonly Row[])[] {
  const parent = new Map<string, string>();
  const root = (key: string): string => {
    const up = parent.get(key) ?? key;
    return up === key ? key : root(up);
  };
  for (const { rule, scenario } of rows) parent.set(root(`rule ${rule}`), root(`scenario ${scenario}`));
  return groupsBy(rows, row => root(`rule ${row.rule}`));
}

const confounded = labelled(confoundedCases());
const crossed = labelled(crossedCases());

describe.each([
  ['reference-confounded', confoundedCases()],
  ['reference-crossed', crossedCases()],
] as const)('%s.jsonl', (name, cases) => {
  it('is what the generator makes', () => {
    expect(file(name) === corpusLines(cases, name)).toBe(true);
  });

  it('has ten domains of equal size, three kinds of rule in each, and half of the labels compliant', () => {
    const byDomain = groupsBy(cases, item => String(item.demand.domain));
    expect(byDomain.length).toBe(10);
    for (const domain of byDomain) {
      expect(domain.length).toBe(cases.length / 10);
      const kinds = groupsBy(domain, item => item.demand.kind);
      expect(kinds.map(kind => kind.length)).toEqual(Array(3).fill(domain.length / 3));
      for (const kind of kinds) {
        expect(labelled(kind).filter(row => row.label === 'compliant').length * 2).toBe(kind.length);
      }
    }
  });

  it('never shows a case twice', () => {
    expect(new Set(cases.map(item => `${item.rule}\n${item.scenario}`)).size).toBe(cases.length);
  });

  it('uses only numbers that training never shows', () => {
    const trained = new Set(numbersOf('train'));
    const numbers = cases.flatMap(item => promptText(item).match(/\d+/g) ?? []).map(Number);
    expect(numbers.length).toBeGreaterThanOrEqual(200);
    expect(numbers.filter(number => trained.has(number))).toEqual([]);
  });

  it('uses only words that training shows, in rules and scenarios that it never shows', () => {
    const random = xoroshiro128plus(1);
    const rows = Array.from({ length: 20_000 }, () => mixedRow(random));
    const words = (item: { readonly rule: string; readonly scenario: string }) =>
      `${item.rule} ${item.scenario}`.match(/\p{L}+/gu) ?? [];
    const known = new Set(rows.flatMap(words));
    expect(cases.flatMap(words).filter(word => !known.has(word))).toEqual([]);
    const trained = new Set(rows.flatMap(row => [row.rule, row.scenario]));
    expect(cases.filter(item => trained.has(item.rule) || trained.has(item.scenario))).toEqual([]);
  });
});

describe('the confounded corpus', () => {
  it('is solved by the words of the scenario alone', () => {
    const groups = confounded.map(row => [row]);
    expect(bagOfWordsAccuracy(groups, VIEWS.scenario)).toBeGreaterThan(0.99);
  });
});

describe('the crossed corpus', () => {
  const groups = crossingGroups(crossed);

  it('crosses two rules with two scenarios: each has both labels', () => {
    for (const view of [VIEWS.rule, VIEWS.scenario]) {
      for (const rows of groupsBy(crossed, view)) {
        expect(rows.filter(row => row.label === 'compliant').length * 2).toBe(rows.length);
      }
    }
  });

  it('is not predicted by the words of the rule, of the scenario, or of both', () => {
    expect(bagOfWordsAccuracy(groups, VIEWS.rule)).toBe(0.5);
    expect(bagOfWordsAccuracy(groups, VIEWS.scenario)).toBe(0.5);
    const both = bagOfWordsAccuracy(groups, VIEWS.both);
    expect(both).toBeGreaterThan(0.45);
    expect(both).toBeLessThan(0.55);
  });

  it('defeats what the confounded corpus teaches about words', () => {
    const judge = learnBagOfWords(confounded, VIEWS.scenario);
    const right = crossed.filter(row => judge(row) === row.label).length;
    expect(right / crossed.length).toBe(0.5);
  });
});

describe('the training mix', () => {
  it('does not tell the verdict on a matter of the rule by the mood', () => {
    const random = xoroshiro128plus(2);
    const rows = Array.from({ length: 4_000 }, () => mixedRow(random));
    const agreeing = rows.filter(
      ({ demand, fact, cue }) => (demand === null || complies(demand, fact)) === (cue === 'good'),
    );
    expect(Math.abs(agreeing.length / rows.length - 0.5)).toBeLessThan(0.03);
  });
});
