import { describe, expect, it } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import { analysisText } from '../../src/report/analysis-text.js';
import { shared, skipNote } from '../shared.js';
import { goldReadings } from './gold.js';

const path = shared('gold', 'llm', 'readings.jsonl');
if (path === null) skipNote('analysis of real readings', 'gold', 'llm', 'readings.jsonl');

/*
 * 50 real samples read by SmolLM2-135M-Instruct Q4_1, by an independent program. The figures below were counted from
 * the file with a few lines of Python, AUROC with sklearn.metrics.roc_auc_score.
 */
describe.skipIf(path === null)('analyzeReadings on real readings', () => {
  const rows = path === null ? [] : goldReadings(path);
  const summary =
    path === null
      ? null
      : analyzeReadings(rows, {
          about: { subject: 'SmolLM2-135M-Instruct-Q4_1.gguf', corpus: 'omnicompliance', run: null },
          exactness: null,
        });

  it('a judge near chance, with nulls, that mostly says non-compliant', () => {
    const { text, logit } = summary?.readers ?? {};
    expect(text?.competence).toMatchObject({
      accuracy: { count: 18, n: 41 },
      nullRate: { count: 9, n: 50 },
      saysCompliant: { count: 3 },
      doesTask: false,
    });
    expect(logit?.competence).toMatchObject({
      accuracy: { count: 25, n: 50 },
      nullRate: { count: 0 },
      saysCompliant: { count: 4 },
      chance: 0.58,
      doesTask: false,
    });
    expect(text?.competence.auroc.value).toBeCloseTo(0.2348111658456486, 12);
    const verdicts = text?.accuracy.reduce(
      (sum, row) => ({ right: sum.right + row.all.count, n: sum.n + row.all.n }),
      { right: 0, n: 0 },
    );
    expect(verdicts).toEqual({ right: 68, n: 148 });
    expect(
      text?.counts.map(row => [row.rows, row.verdicts, row.nulls, row.notApplicable, row.invisible]),
    ).toEqual([
      [50, 41, 9, 0, 0],
      [50, 48, 2, 0, 0],
      [50, 43, 7, 0, 0],
      [50, 16, 6, 28, 8],
    ]);
  });

  it('flips, aggregates and groups of both readers', () => {
    const flips = (reader: 'text' | 'logit') =>
      summary?.readers[reader].ocs.map(row => [
        row.measure,
        row.pooled.all.count,
        row.pooled.all.n,
        row.pooled.visible.n,
      ]);
    expect(flips('text')).toEqual([
      ['delete', 3, 40, 40],
      ['swap', 2, 37, 37],
      ['negate', 1, 16, 12],
      ['agg', expect.closeTo(17 / 6, 10), 41, 41],
    ]);
    expect(flips('logit')).toEqual([
      ['delete', 8, 50, 50],
      ['swap', 5, 50, 50],
      ['negate', 0, 22, 14],
      ['agg', expect.closeTo(31 / 6, 10), 50, 50],
    ]);
    expect(summary?.readers.text.groups.pooled).toEqual({ LOW: 32, HIGH: 1, neither: 3, open: 14 });
    expect(summary?.readers.logit.groups.pooled).toEqual({ LOW: 38, HIGH: 1, neither: 11, open: 0 });
    expect(summary?.readers.text.ruleNecessity).toMatchObject({ n: 40, necessary: 2, reverse: 1 });
    expect(summary?.readers.logit.ruleNecessity).toMatchObject({ n: 50, necessary: 5, reverse: 3 });
  });

  it('margin shifts and agreement of the readers', () => {
    expect(
      summary?.marginShifts.map(({ condition, all }) => [condition, all.n, all.mean, all.median, all.sd]),
    ).toEqual([
      [
        'delete',
        50,
        expect.closeTo(0.8455426, 9),
        expect.closeTo(0.92088, 9),
        expect.closeTo(0.8583981914573118, 9),
      ],
      [
        'swap',
        50,
        expect.closeTo(-0.0913976, 9),
        expect.closeTo(0.03598, 9),
        expect.closeTo(0.9805105931897868, 9),
      ],
      ['negate', 22, expect.closeTo(-0.02597499999999992, 9), 0, expect.closeTo(0.31099141145314446, 9)],
    ]);
    expect(summary?.agreement.find(row => row.condition === 'pooled')).toMatchObject({
      rows: 172,
      same: { count: 146, n: 148 },
      textOnlyCompliant: 2,
      logitOnlyCompliant: 0,
      textNull: 24,
    });
  });

  it('the report says that OCS describes habits', () => {
    const text = summary === null ? '' : analysisText(summary, { colour: false });
    expect(text.replace(/\s+/g, ' ')).toContain('OCS describes its habits, not its rule use');
    expect(text).toContain('Its margin even runs against the labels.');
  });
});
