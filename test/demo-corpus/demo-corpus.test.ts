import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bagOfWordsAccuracy } from '../bag-of-words.js';

const file = new URL('../../models/demo-corpus.jsonl', import.meta.url);
const text = readFileSync(file, 'utf8');
const Row = z.strictObject({
  id: z.string(),
  domain: z.string(),
  rule: z.string().min(40),
  scenario: z.string().min(40),
  label: z.enum(['compliant', 'non-compliant']),
});
type Row = z.infer<typeof Row>;
const rows = text
  .trimEnd()
  .split('\n')
  .map(line => Row.parse(JSON.parse(line)));

const SHOWN = 300;
const MANDATORY = /\b(must|shall)\b(?!\s+not\b)/i;

function groupBy<K>(items: readonly Row[], key: (row: Row) => K): Map<K, Row[]> {
  const groups = new Map<K, Row[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

const rules = [...new Set(rows.map(row => row.rule))];
const byDomain = groupBy(rows, row => row.domain);
const byRule = groupBy(rows, row => row.rule);
const byScenario = groupBy(rows, row => row.scenario);

/** The four cases that share rules or scenarios, named by the first rule of the group in file order. */
function crossingGroup(row: Row): string {
  const scenarios = new Set((byRule.get(row.rule) ?? []).map(other => other.scenario));
  return rows.find(other => scenarios.has(other.scenario))?.rule ?? '';
}

/** Of naive Bayes on the words of `view`; no crossing group is split between training and test. */
function accuracy(view: (row: Row) => string): number {
  return bagOfWordsAccuracy([...groupBy(rows, crossingGroup).values()], view);
}

describe('demo corpus', () => {
  it('is what the generator prints', () => {
    const script = fileURLToPath(new URL('../../scripts/make-demo-corpus.mjs', import.meta.url));
    const made = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect(made.status).toBe(0);
    expect(made.stdout === text).toBe(true);
  });

  it('has at least 6 domains with at least 40 cases each, half of them compliant', () => {
    expect(byDomain.size).toBeGreaterThanOrEqual(6);
    for (const cases of byDomain.values()) {
      expect(cases.length).toBeGreaterThanOrEqual(40);
      expect(cases.filter(row => row.label === 'compliant').length * 2).toBe(cases.length);
    }
  });

  it('names each case domain/demo#index, by its place in the file', () => {
    expect(rows.map(row => row.id)).toEqual(rows.map((row, index) => `${row.domain}/demo#${index}`));
  });

  it('crosses 2 rules with 2 scenarios: every rule and every scenario has both labels', () => {
    expect(new Set(rows.map(row => `${row.rule}\n${row.scenario}`)).size).toBe(rows.length);
    for (const cases of [...byRule.values(), ...byScenario.values()]) {
      expect(cases.map(row => row.label).sort()).toEqual(['compliant', 'non-compliant']);
      expect(new Set(cases.map(row => row.domain)).size).toBe(1);
    }
    for (const cases of groupBy(rows, crossingGroup).values()) {
      expect(cases.length).toBe(4);
      expect(new Set(cases.map(row => row.rule)).size).toBe(2);
      expect(new Set(cases.map(row => row.scenario)).size).toBe(2);
    }
  });

  it('has rules with and without a mandatory modal in every domain', () => {
    for (const cases of byDomain.values()) {
      const texts = [...new Set(cases.map(row => row.rule))];
      const mandatory = texts.filter(rule => MANDATORY.test(rule)).length / texts.length;
      expect(mandatory).toBeGreaterThan(0.3);
      expect(mandatory).toBeLessThan(0.7);
    }
    const permissive = rules.filter(rule => /\b(may|should)\b/.test(rule) && !/\b(must|shall)\b/i.test(rule));
    expect(permissive.length).toBeGreaterThanOrEqual(20);
    const plain = rules.filter(rule => !/\b(must|shall|may|should|can)\b/i.test(rule));
    expect(plain.length).toBeGreaterThanOrEqual(40);
  });

  it('hides what some rules demand behind the 300 characters that the standard prompt shows', () => {
    const shown = (rule: string) => Array.from(rule).slice(0, SHOWN).join('');
    const long = rules.filter(rule => Array.from(rule).length > SHOWN);
    expect(long.length / rules.length).toBeGreaterThan(0.2);
    // Opposite rules that look the same up to the cut: what tells them apart is behind it.
    const looks = groupBy(
      rows.filter(row => long.includes(row.rule)),
      row => `${row.scenario}\n${shown(row.rule)}`,
    );
    for (const cases of looks.values()) {
      expect(cases.map(row => row.label).sort()).toEqual(['compliant', 'non-compliant']);
    }
    const invisible = long.filter(rule => MANDATORY.test(rule) && !MANDATORY.test(shown(rule)));
    expect(invisible.length).toBeGreaterThanOrEqual(24);
  });

  it('is not predicted by the words of the rule, of the scenario, or of both', () => {
    // Each word is balanced over the labels by the crossing, so one side alone gives exactly one half.
    expect(accuracy(row => row.scenario)).toBe(0.5);
    expect(accuracy(row => row.rule)).toBe(0.5);
    const both = accuracy(row => `${row.rule} ${row.scenario}`);
    expect(both).toBeGreaterThan(0.43);
    expect(both).toBeLessThan(0.57);
  });

  it('is not predicted by how many words the rule and the scenario share', () => {
    const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);
    const shared = (row: Row) => [...words(row.scenario)].filter(word => words(row.rule).has(word)).length;
    // Of the two rules of a scenario, take the one that shares more words with it for the one that it obeys.
    let right = 0;
    for (const cases of byScenario.values()) {
      const [first, second] = [...cases].sort((a, b) => shared(b) - shared(a));
      if (first === undefined || second === undefined) throw new Error('a scenario without two rules');
      right += shared(first) === shared(second) ? 0.5 : Number(first.label === 'compliant');
    }
    expect(right / byScenario.size).toBeGreaterThan(0.4);
    expect(right / byScenario.size).toBeLessThan(0.6);
  });

  it('has a classifier in this test that would find a cue if there were one', () => {
    const cue = (row: Row) => (row.label === 'compliant' ? ' fine' : ' wrong');
    expect(accuracy(row => row.scenario + cue(row))).toBe(1);
  });
});
