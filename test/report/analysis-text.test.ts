import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type AnalyzeOptions, analyzeReadings } from '../../src/audit/analyze.js';
import { partitionOf } from '../../src/audit/partition.js';
import { analysisText } from '../../src/report/analysis-text.js';
import { displayWidth, WIDTH } from '../../src/report/table.js';
import type { Exactness, Reading } from '../../src/run/types.js';
import { hand } from '../audit/hand.js';
import { notApplicable, reading } from '../audit/rows.js';

const exact: Exactness = { kind: 'exact', tile: 32, prompts: 12, floats: 4096 };
const inexact: Exactness = { kind: 'inexact', tile: 1, prompts: 12, band: 0.5, why: 'schedule unified' };
const options: AnalyzeOptions = {
  about: { subject: 'judge.gguf', corpus: 'hand-made', run: 'run/' },
  exactness: exact,
  lexicalFloor: new Map([
    ['a', 0.8],
    ['b', 0.5],
  ]),
};
const plain = { colour: false };
const snapshot = (name: string): string => fileURLToPath(new URL(`snapshots/${name}.txt`, import.meta.url));
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes are what is looked for
const ESCAPES = /\u001b\[\d+m/g;

/** A judge that is right on the whole and needs the rule now and then, over domains with long names. */
function large(samples: number): readonly Reading[] {
  const domains = ['finance_anti_laundering_and_terrorist_financing_of_everything', 'b', '個人情報保護'];
  return Array.from({ length: samples }, (_, i): readonly Reading[] => {
    const id = `${domains[i % 3] ?? ''}/f#${i}`;
    const label = i % 2 === 0 ? 1 : 0;
    const turned = label === 1 ? 0 : 1;
    const more = { label, margin: label === 1 ? 2 : -2, labelMass: 0.9 } as const;
    return [
      reading(id, 'baseline', i % 11 === 0 ? turned : label, more),
      reading(id, 'delete', i % 7 === 0 ? turned : label, { ...more, margin: 0.25 }),
      reading(id, 'swap', i % 13 === 0 ? null : label, more),
      i % 3 === 0
        ? reading(id, 'negate', turned, { ...more, visible: i % 2 === 0 })
        : notApplicable(id, 'negate', 'no-mandatory-modal', { label }),
      reading(id, 'placebo', i % 11 === 0 ? turned : label, more),
    ];
  }).flat();
}

describe('analysisText', () => {
  it('an exact run', async () => {
    await expect(analysisText(analyzeReadings(hand, options), plain)).toMatchFileSnapshot(snapshot('exact'));
  });

  it('an inexact run, logit first, with a partition from elsewhere', async () => {
    const partition = partitionOf(hand, 'text', { planHash: 'ab12', subject: 'other.gguf' });
    const summary = analyzeReadings(hand, { ...options, exactness: inexact, reader: 'logit', partition });
    await expect(analysisText(summary, plain)).toMatchFileSnapshot(snapshot('inexact'));
  });

  it('a run of the baseline alone', async () => {
    const bare = hand.filter(row => row.condition === 'baseline');
    const summary = analyzeReadings(bare, { about: { ...options.about, run: null }, exactness: null });
    await expect(analysisText(summary, plain)).toMatchFileSnapshot(snapshot('baseline'));
  });

  it('a large run of a judge that does the task keeps to the width, in every variant', () => {
    const variants = [
      { exactness: exact, rows: large(1_200) },
      { exactness: inexact, rows: large(12_000) },
    ];
    for (const { exactness, rows } of variants) {
      const partition = partitionOf(rows, 'text', {
        planHash: 'ab12',
        subject: `${'long-'.repeat(30)}.gguf`,
      });
      const text = analysisText(analyzeReadings(rows, { ...options, exactness, partition }), plain);
      const widest = Math.max(
        ...text
          .split('\n')
          .filter(line => !line.includes('long-long'))
          .map(displayWidth),
      );
      expect(widest).toBeLessThanOrEqual(WIDTH);
      expect(text).toContain('the judge does better than chance');
      expect(text).not.toContain('NaN');
      expect(text).not.toMatch(/ $/m);
    }
  });

  it('too few verdicts, or one label only, are said to be so', () => {
    const text = analysisText(analyzeReadings(hand, options), plain).replace(/\s+/g, ' ');
    expect(text).toContain('text: 5 baseline verdicts cannot tell whether the judge does the task');
    expect(text).toContain(
      'logit: 6 baseline verdicts cannot tell whether the judge does the task: the interval of its accuracy',
    );
    const compliant = hand.map(row => ({ ...row, label: 1 as const }));
    expect(analysisText(analyzeReadings(compliant, options), plain)).toContain(
      'logit: 6 baseline verdicts cannot tell',
    );
  });

  it('colour adds escapes and nothing else', () => {
    const summary = analyzeReadings(hand, options);
    const painted = analysisText(summary, { colour: true });
    expect(painted.replace(ESCAPES, '')).toBe(analysisText(summary, plain));
    expect(painted).toMatch(ESCAPES);
    expect(analysisText(summary, plain)).not.toMatch(ESCAPES);
  });

  it('a run that was proven exact and has a placebo flip, or a placebo shift, is not to be trusted', () => {
    const flipped = hand.map(row =>
      row.condition === 'placebo' && row.applicable ? { ...row, verdictText: 0 as const } : row,
    );
    expect(analysisText(analyzeReadings(flipped, options), plain)).toContain(
      'placebo flips 1 of 1: the proof does not hold',
    );
    const moved = hand.map(row =>
      row.condition === 'placebo' && row.applicable ? { ...row, margin: 1.0001 } : row,
    );
    expect(analysisText(analyzeReadings(moved, options), plain)).toContain(
      'placebo margins moved: the proof does not hold',
    );
    expect(analysisText(analyzeReadings(hand, options), plain)).not.toContain('the proof does not hold');
  });

  it('names from outside cannot reach the terminal', () => {
    const evil = 'x\u001b[2J\u202e\n';
    const rows = hand.map(row => ({
      ...row,
      domain: evil,
      profile: evil,
      reason: row.reason && evil,
      nullReason: row.nullReason && evil,
    }));
    const about = { subject: evil, corpus: evil, run: evil };
    const partition = partitionOf(rows, 'text', { planHash: evil, subject: evil });
    const text = analysisText(
      analyzeReadings(rows, { ...options, about, partition, exactness: { ...inexact, why: evil } }),
      plain,
    );
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\u202e');
    expect(text).toContain('x<U+001B>[2J<U+202E><U+000A>');
  });
});
