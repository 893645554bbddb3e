import { describe, expect, test } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import { type Sample, samplesOf } from '../../src/audit/analyze-samples.js';
import { labelRows, ruleRows, weightRows } from '../../src/audit/sanity.js';
import { chooseSamples, donorsOf, permuteLabels } from '../../src/audit/sanity-shuffle.js';
import type { SanityRow } from '../../src/audit/sanity-types.js';
import { drawKey } from '../../src/corpus/draw.js';
import type { Case, Label } from '../../src/corpus/types.js';
import type { Reading } from '../../src/run/types.js';
import { reading } from './rows.js';

const SEED = 42;
/** A number in [0, 1) that depends on its arguments alone. */
const draw = (...parts: readonly string[]): number =>
  Number.parseInt(drawKey(SEED, 'test', ...parts).slice(0, 8), 16) / 2 ** 32;

/** Readings of 60 samples in three domains, by a judge whose margin is `marginOf(label, id)`. */
function readings(marginOf: (label: Label, id: string) => number, name = ''): readonly Reading[] {
  return Array.from({ length: 60 }, (_, i) => i).flatMap(i => {
    const id = `d${i % 3}/${i}`;
    const label: Label = i % 2 === 0 ? 1 : 0;
    const margin = marginOf(label, id + name);
    const verdict: Label = margin >= 0 ? 1 : 0;
    return [
      reading(id, 'baseline', verdict, { label, margin, labelMass: 0.9, ics: margin / 3 }),
      reading(id, 'delete', 1, { label, margin: 1, labelMass: 0.9 }),
    ];
  });
}

const right = samplesOf(readings((label, id) => (label === 1 ? 1 : -1) * (1 + draw(id))));
const guessing = (name: string) => samplesOf(readings((_, id) => draw(id) - 0.5, name));
const outcomes = (rows: readonly SanityRow[]) =>
  Object.fromEntries(rows.map(row => [`${row.number}${row.reader ?? ''}`, row.outcome]));
const FOUR = ['accuracytext', 'accuracylogit', 'margin-auroc', 'ics-auroc'];
const all = (outcome: string) => Object.fromEntries(FOUR.map(name => [name, outcome]));

describe('shuffled weights', () => {
  const faint = (samples: readonly Sample[]) =>
    samples.map(sample => ({
      ...sample,
      rows: new Map([...sample.rows].map(([name, row]) => [name, { ...row, labelMass: 0.01 }])),
    }));
  const copies = ['a', 'b', 'c', 'd', 'e'].map(name => faint(guessing(name)));

  test('every number falls', () => {
    const rows = weightRows(right, copies, SEED);
    expect(outcomes(rows)).toEqual({ ...all('fell'), 'label-mass': 'fell' });
    for (const row of rows.filter(({ null: value }) => value !== null)) {
      expect(row.null).toBeCloseTo(0.5, 1);
      expect(row.p).toBeGreaterThan(0.01);
    }
  });

  test('a shuffle that was not applied is caught', () => {
    const rows = weightRows(right, [right, right, right, right, right], SEED);
    expect(outcomes(rows)).toEqual({ ...all('stayed'), 'label-mass': 'stayed' });
  });

  test('a label that leaks into a part of the margins is caught', () => {
    const leaking = ['a', 'b', 'c', 'd', 'e'].map(name =>
      samplesOf(readings((label, id) => draw(id) - 0.5 + (label === 1 ? 0.35 : -0.35), name)),
    );
    const { 'margin-auroc': margin, accuracylogit } = outcomes(weightRows(right, leaking, SEED));
    expect([margin, accuracylogit]).toEqual(['partly', 'partly']);
  });

  test('a margin turned round by every copy is no null either', () => {
    const turned = samplesOf(readings((label, id) => (label === 1 ? -1 : 1) * (1 + draw(id))));
    expect(outcomes(weightRows(right, [turned, turned, turned], SEED))['margin-auroc']).toBe('partly');
  });

  test('a judge at chance has nothing that could fall', () => {
    const rows = weightRows(guessing('judge'), copies, SEED);
    expect(outcomes(rows)).toMatchObject(all('unknown'));
  });

  test('copies that answer nothing have fallen; a reader without verdicts has no row', () => {
    const silent = (samples: readonly Sample[]) =>
      samples.map(sample => ({
        ...sample,
        rows: new Map([...sample.rows].map(([name, row]) => [name, { ...row, verdictText: null }])),
      }));
    const rows = weightRows(right, copies.map(silent), SEED);
    expect(rows.find(({ reader }) => reader === 'text')).toMatchObject({
      after: { value: 0 },
      null: 0,
      outcome: 'fell',
    });
    expect(weightRows(silent(right), copies.map(silent), SEED).filter(row => row.reader === 'text')).toEqual(
      [],
    );
  });
});

describe('shuffled labels', () => {
  const permuted = Array.from({ length: 100 }, (_, i) => permuteLabels(right, i));

  test('every number falls', () => {
    const rows = labelRows(right, permuted, SEED);
    expect(outcomes(rows)).toEqual(all('fell'));
    for (const row of rows) expect(row.p).toBeCloseTo(1 / 101, 10);
  });

  test('the unshuffled numbers are those of the tables', () => {
    const summary = analyzeReadings(
      [...right].flatMap(({ rows }) => [...rows.values()]),
      { about: { subject: '', corpus: '', run: null }, exactness: null, seed: SEED },
    );
    const { competence } = summary.readers.logit;
    const [, logit, margin, ics] = labelRows(right, permuted, SEED);
    const { rate, low, high } = competence.accuracyNullsWrong;
    expect(logit?.before).toEqual({ value: rate, low, high });
    expect(margin?.before).toEqual({
      value: competence.auroc.value,
      low: competence.auroc.low,
      high: competence.auroc.high,
    });
    expect(ics?.before.value).toBe(summary.ics?.auroc.label.value);
  });

  test('labels that stay where they were are caught', () => {
    expect(outcomes(labelRows(right, [right, right, right], SEED))).toEqual(all('stayed'));
  });

  test('a number that takes its labels from elsewhere is caught', () => {
    // As a statistic would that looks at the rows, were they left with their labels.
    const half = permuted.map(samples =>
      samples.map((sample, i) => ({ ...sample, rows: (right[i] as Sample).rows })),
    );
    expect(outcomes(labelRows(right, half, SEED))['margin-auroc']).toBe('stayed');
  });

  test('labels that follow from the domain cannot be dealt anew', () => {
    const byDomain = samplesOf(
      readings(label => (label === 1 ? 1 : -1)).map(row => {
        const domain = `domain ${row.label}`;
        return { ...row, domain };
      }),
    );
    const same = Array.from({ length: 20 }, (_, i) => permuteLabels(byDomain, i));
    expect(outcomes(labelRows(byDomain, same, SEED))).toEqual(all('unknown'));
  });

  test('are dealt within domains, in the rows too, and none is lost', () => {
    const [dealt] = permuted as [readonly Sample[]];
    const count = (samples: readonly Sample[], domain: string) =>
      samples.filter(sample => sample.domain === domain && sample.label === 1).length;
    for (const domain of ['d0', 'd1', 'd2']) expect(count(dealt, domain)).toBe(count(right, domain));
    expect(dealt.some((sample, i) => sample.label !== right[i]?.label)).toBe(true);
    for (const { label, rows } of dealt)
      expect([...rows.values()].map(row => row.label)).toEqual([label, label]);
  });
});

describe('shuffled rules', () => {
  test('a judge that needs its rule falls', () => {
    const rows = ruleRows(right, guessing('other'), SEED);
    expect(outcomes(rows)).toMatchObject(all('fell'));
    expect(rows.find(({ reader }) => reader === 'logit')?.pDrop).toBeLessThan(0.001);
  });

  test('a judge that does not read it stays, and its OCS of deletion is compared', () => {
    const rows = ruleRows(right, right, SEED);
    expect(outcomes(rows)).toMatchObject({ ...all('stayed'), 'ocs-deletetext': 'none' });
    const ocs = rows.find(({ number }) => number === 'ocs-delete');
    expect(ocs).toMatchObject({ before: { value: 0.5 }, after: { value: 0.5 } });
  });

  test('one that reads it in part falls in part', () => {
    const partly = samplesOf(readings((label, id) => (draw(id) < 0.75 === (label === 1) ? 1 : -1), 'x'));
    expect(outcomes(ruleRows(right, partly, SEED)).accuracylogit).toBe('partly');
  });

  test('without another rule there is nothing to tell', () => {
    expect(ruleRows(right, [], SEED)).toEqual([]);
  });
});

describe('the samples that are used', () => {
  test('are bounded, of both labels alike, the same for the same seed, and evaluated', () => {
    const chosen = chooseSamples(right, 20, SEED);
    expect(chosen).toHaveLength(20);
    expect(chosen.filter(({ label }) => label === 1)).toHaveLength(10);
    expect(chooseSamples([...right].reverse(), 20, SEED)).toEqual(chosen);
    expect(chooseSamples(right, 20, SEED + 1)).not.toEqual(chosen);
    expect(chooseSamples(right, 100, SEED)).toHaveLength(60);
    const few = right.filter(({ label }, i) => label === 1 || i < 10);
    expect(chooseSamples(few, 30, SEED).filter(({ label }) => label === 0)).toHaveLength(
      few.filter(({ label }) => label === 0).length,
    );
    const failed = samplesOf(
      readings(() => 1).map(row =>
        row.sampleId === 'd0/0' ? { ...row, errorCode: 'DECODE' as const } : row,
      ),
    );
    expect(chooseSamples(failed, 100, SEED).map(({ id }) => id)).not.toContain('d0/0');
  });
});

describe('rules of other samples', () => {
  const item = (domain: string, i: number, rule: string): Case => ({
    id: `${domain}/${i}`,
    domain,
    ruleId: rule,
    rule,
    scenario: `scenario ${i}`,
    label: 1,
  });
  const shown = ({ rule }: Case): string => rule.slice(0, 5);

  test('every case gets a rule that the prompt shows differently, each as often as before', () => {
    const cases = Array.from({ length: 24 }, (_, i) => item(`d${i % 2}`, i, `rule${Math.floor(i / 2) % 4}`));
    const donors = donorsOf(cases, shown, SEED);
    expect(donors).toHaveLength(24);
    for (const { item: one, donor } of donors) {
      expect(shown(donor)).not.toBe(shown(one));
      expect(donor.domain).toBe(one.domain);
    }
    const often = (rules: readonly string[]) => [...rules].sort();
    expect(often(donors.map(({ donor }) => donor.rule))).toEqual(often(cases.map(({ rule }) => rule)));
    expect(donorsOf([...cases].reverse(), shown, SEED)).toEqual([...donors].reverse());
  });

  test('a rule of more than half of a domain takes from other domains', () => {
    const cases = [...Array(6).keys()].map(i => item('a', i, i < 5 ? 'often' : 'seldom'));
    const donors = donorsOf([...cases, item('b', 0, 'other'), item('b', 1, 'other')], shown, SEED);
    expect(donors).toHaveLength(8);
    expect(donors.filter(({ item: one, donor }) => one.domain !== donor.domain).length).toBeGreaterThan(3);
  });

  test('a prompt that shows no rule, or a single one, has none to give', () => {
    const cases = [item('a', 0, 'one'), item('b', 1, 'two')];
    expect(donorsOf(cases, () => '', SEED)).toEqual([]);
    expect(donorsOf([item('a', 0, 'one'), item('b', 1, 'one')], shown, SEED)).toEqual([]);
  });
});
