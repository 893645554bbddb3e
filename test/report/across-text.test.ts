import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { acrossRuns } from '../../src/audit/across-runs.js';
import type { AcrossSummary, RunOfMany } from '../../src/audit/across-types.js';
import { PUBLISHED } from '../../src/audit/published.js';
import { ICS_ONLY } from '../../src/audit/readings.js';
import { ACROSS_WIDTH } from '../../src/report/across-tables.js';
import { acrossText } from '../../src/report/across-text.js';
import { publishedText } from '../../src/report/published-text.js';
import { displayWidth } from '../../src/report/table.js';
import type { Reading } from '../../src/run/types.js';
import { otherHand, runOf } from '../audit/across-rows.js';
import { hand } from '../audit/hand.js';
import { controls } from '../cli/command.js';

const plain = { colour: false };
const STUDY = PUBLISHED['verdict-without-the-rule'];
const snapshot = (name: string): string => fileURLToPath(new URL(`snapshots/${name}.txt`, import.meta.url));
const flat = (text: string): string => text.replace(/\s+/g, ' ');
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are what is looked for
const ESCAPES = /\u001b\[\d+m/g;
const exactness = { kind: 'inexact', tile: 1, prompts: 12, band: 1.5, why: 'schedule unified' } as const;
const floor = new Map([
  ['a', 0.8],
  ['b', 0.5],
]);

const projected = (rows: readonly Reading[]): readonly Reading[] =>
  rows.map((row, i) => ({ ...row, ics: 2 + (i % 3) / 4 }));
const unjudged = (rows: readonly Reading[]): readonly Reading[] =>
  rows.map(row => ({ ...row, verdictText: null, verdictLogit: null, nullReason: ICS_ONLY }));

/** The same verdict whatever the rule. */
const blind = otherHand.map(row =>
  row.applicable ? { ...row, verdictText: row.sampleId.startsWith('a') ? (1 as const) : (0 as const) } : row,
);

const three = (names: readonly [string, string, string] = ['first', 'second', 'floor']): AcrossSummary => {
  const [x, y, z] = names;
  const runs: readonly RunOfMany[] = [
    runOf(x, projected(hand), { options: { exactness, lexicalFloor: floor } }),
    runOf(y, otherHand, { options: { exactness: { kind: 'exact', tile: 4, prompts: 3, floats: 99 } } }),
    runOf(z, blind, { ruleBlind: true }),
  ];
  return acrossRuns(runs, 'text');
};

describe('the tables of several runs', () => {
  it('an inexact one with a direction, an exact one, a floor', async () => {
    const across = three();
    const text = `${acrossText(across, plain)}\n${publishedText(STUDY, across.runs, plain)}`;
    await expect(text).toMatchFileSnapshot(snapshot('across'));
  });

  it('colour changes no character', () => {
    const across = three();
    const text = `${acrossText(across, plain)}${publishedText(STUDY, across.runs, plain)}`;
    const coloured = `${acrossText(across, { colour: true })}${publishedText(STUDY, across.runs, { colour: true })}`;
    expect(coloured).not.toBe(text);
    expect(coloured.replace(ESCAPES, '')).toBe(text);
    expect(controls(text)).toEqual([]);
  });

  it('keep to their width, and make names safe', () => {
    const long = 'a_very_long_name_of_a_run_that_nobody_would_want_to_type_twice_'.repeat(2);
    const across = three([`${long}1`, `規則${long}2`, `\u001b[2J\u202e${long}3`]);
    const text = `${acrossText(across, plain)}${publishedText(STUDY, across.runs, plain)}`;
    // A sentence cannot break a name; tables can.
    const tables = text.split('\n').filter(line => !line.includes(long));
    for (const line of tables) expect(displayWidth(line), line).toBeLessThanOrEqual(ACROSS_WIDTH);
    expect(tables.filter(line => line.includes('…')).length).toBeGreaterThan(10);
    expect(controls(text)).toEqual([]);
  });

  it('runs without verdicts show their stream alone', () => {
    const stream = unjudged(projected(hand));
    const across = acrossRuns([runOf('x', stream), runOf('y', stream)], 'text');
    const text = acrossText(across, plain);
    expect(text).toContain('Does the residual stream move along the direction?');
    expect(flat(text)).toContain('x, y: no verdicts were read');
    for (const absent of ['Does the judge do the task?', 'Are they the same samples?', 'OCS, accuracy'])
      expect(text).not.toContain(absent);
    expect(publishedText(STUDY, across.runs, plain)).toContain('published: Qwen2.5-7B');
  });

  it('name degenerate cells by condition', () => {
    const always = otherHand.map(row =>
      row.condition === 'swap' && row.domain === 'a' ? { ...row, verdictText: 1 as const } : row,
    );
    const text = acrossText(acrossRuns([runOf('x', always), runOf('y', otherHand)], 'text'), plain);
    expect(flat(text)).toContain('x: degenerate under negate in a; under swap in a, b; under delete in b.');
  });

  it('say that runs share no sample', () => {
    const elsewhere = hand.map(row => ({ ...row, sampleId: `x${row.sampleId}`, key: `x${row.key}` }));
    const text = acrossText(acrossRuns([runOf('x', hand), runOf('y', elsewhere)], 'text'), plain);
    expect(flat(text)).toContain('No sample is in all runs, so no table is over the same samples.');
    expect(text).not.toContain('samples that all runs have');
  });
});

describe('the published numbers', () => {
  it('are shares, with observed flips equal to the aggregate and ratios to their parts', () => {
    expect(STUDY.subjects).toHaveLength(5);
    for (const { subject, ocs, accuracy, independence, ics } of STUDY.subjects) {
      for (const share of [...Object.values(ocs), ...Object.values(accuracy), ...Object.values(independence)])
        expect(share > 0 && share < 1, `${subject} ${share}`).toBe(true);
      expect(independence.observed, subject).toBe(ocs.agg);
      if (ics !== null) expect(ics.meanDelta / ics.meanAbs).toBeCloseTo(ics.ratio, 2);
    }
  });

  it('stand below ours, and are called what they are', () => {
    const lines = publishedText(STUDY, three().runs, plain).split('\n');
    const at = (text: string): number => lines.findIndex(line => line.trim().startsWith(text));
    expect(at('first')).toBeLessThan(at('published: Qwen2.5-7B'));
    expect(lines[at('published: Qwen2.5-7B')]?.split(/\s+/).slice(1)).toEqual([
      'published:',
      'Qwen2.5-7B',
      '–',
      '.052',
      '.118',
      '.135',
      '.094',
    ]);
    expect(flat(lines.join(' '))).toContain('other models on other samples');
  });
});
