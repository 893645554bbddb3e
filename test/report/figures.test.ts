import { describe, expect, test } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import type { FeaturesOcs } from '../../src/audit/features-ocs.js';
import { analyzeSweep } from '../../src/audit/sweep-analysis.js';
import { answerFigure } from '../../src/report/figures/answer.js';
import { figureCsv } from '../../src/report/figures/csv.js';
import { accuracyDomainsFigure, ocsDomainsFigure } from '../../src/report/figures/domains.js';
import { doseFigure } from '../../src/report/figures/dose.js';
import { featuresFigure } from '../../src/report/figures/features.js';
import { judgesFigure } from '../../src/report/figures/judges.js';
import { fitLayersFigure } from '../../src/report/figures/layers.js';
import { marginsFigure } from '../../src/report/figures/margins.js';
import { drawRows, type RowsPlot } from '../../src/report/figures/rows-plot.js';
import { linear, niceDomain } from '../../src/report/figures/scale.js';
import { CONDITION_SERIES } from '../../src/report/figures/series.js';
import { standalone } from '../../src/report/figures/svg.js';
import type { Figure } from '../../src/report/figures/types.js';
import { sweepPart } from '../../src/report/page/sweep-section.js';
import { hand } from '../audit/hand.js';
import { STEERING, sweepRows } from '../audit/sweep-rows.js';
import { attributes, requireBalanced } from './markup.js';

const summary = analyzeReadings(hand, {
  about: { subject: 'judge <&".gguf', corpus: 'hand-made', run: 'run' },
  exactness: { kind: 'exact', tile: 4, prompts: 6, floats: 100 },
  lexicalFloor: new Map([
    ['a', 0.75],
    ['b', 0.5],
  ]),
});
const named = { name: 'figure', subject: 'judge.gguf', source: 'from the rows' };

describe('scales', () => {
  test('put values where they belong, and those outside at the end', () => {
    const { at, ticks } = linear([0, 1], [100, 300], 5);
    expect([0, 0.25, 1, 7, -7].map(at)).toEqual([100, 150, 300, 300, 100]);
    expect(ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(linear([3, 3], [0, 10], 4).at(3)).toBe(5);
  });

  test('end on round numbers, with room around a single value', () => {
    expect(niceDomain([-0.83, 4.1], 5)).toEqual([-1, 5]);
    const [low, high] = niceDomain([2, 2], 4);
    expect(low < 2 && high > 2).toBe(true);
    expect(niceDomain([], 4)).toEqual([0, 1]);
  });
});

describe('rows', () => {
  const { baseline, delete: deletion } = CONDITION_SERIES;
  const plot: RowsPlot = {
    groups: [
      {
        title: null,
        references: [{ name: 'line', value: 0.5, role: 'quiet', dash: 'dashed' }],
        rows: [
          {
            label: 'ten characters',
            note: '',
            marks: [
              { series: baseline, value: 0.25, low: 0, high: 1 },
              { series: deletion, value: 0.75, low: null, high: null },
            ],
          },
        ],
      },
    ],
    domain: [0, 1],
    format: String,
    axis: 'axis',
  };

  test('have their marks at their values and their intervals from end to end', () => {
    const { marks, height } = drawRows(plot, 344, 'narrow');
    const svg = marks.toString();
    // The legend has one mark of each series before those of the row.
    const [, x] = attributes(svg, 'circle', 'cx');
    expect(x).toBe(20 + 0.25 * (344 - 40));
    expect(svg).toContain(`<line x1="20" y1="${attributes(svg, 'circle', 'cy')[1]}" x2="324"`);
    expect(svg).toContain(`M${20 + 0.75 * 304} `);
    expect(attributes(svg, 'line', 'x1')).toContain(20 + 0.5 * 304);
    const [, circle = 0] = attributes(svg, 'circle', 'cy');
    expect(circle).toBeGreaterThan(0);
    expect(circle).toBeLessThan(height);
  });

  test('name the series only where a row has several', () => {
    const one = {
      ...plot,
      groups: plot.groups.map(group => ({
        ...group,
        references: [],
        rows: group.rows.map(row => ({ ...row, marks: row.marks.slice(0, 1) })),
      })),
    };
    expect(drawRows(plot, 720, 'wide').marks.toString()).toContain(baseline.name);
    expect(drawRows(one, 720, 'wide').marks.toString()).not.toContain(baseline.name);
  });
});

const sweep = {
  planHash: '0'.repeat(64),
  coverage: { plannedRows: 200, missingRows: 3, errorRows: 0 },
  ...analyzeSweep(sweepRows(8, { shift: step => step.alpha * 0.3 }), {
    about: summary.about,
    reader: 'logit',
    seed: 1,
    exactness: null,
    direction: { name: 'd.gguf', sha256: '0'.repeat(64), layer: 3, norm: 1, modelSha256: null, source: '' },
    steering: { scale: 'unit', random: 3, nudge: 1e-4, layers: STEERING.layers },
  }),
};

const features = { ecd: 0.5, crc: 1, mmr: null, mdd3: 4, fkgl: 12 };
const found: FeaturesOcs = {
  source: { corpus: 'hand-made', methods: { mdd: null, fkgl: 'made up' } },
  reader: 'text',
  features: ['ecd', 'fkgl'],
  leftOut: [],
  domains: [
    { domain: 'a<', features: { ...features, sentenceLengthLog2: 4 }, ocs: 0.25, icsDelta: null },
    { domain: 'b', features: { ...features, ecd: 1, sentenceLengthLog2: 4 }, ocs: 0.75, icsDelta: null },
    { domain: 'c', features: { ...features, sentenceLengthLog2: 4 }, ocs: null, icsDelta: null },
  ],
  withoutFeatures: [],
  outcomes: [],
};

/** Every figure of made-up data. */
function figures(): readonly Figure[] {
  const [block] = sweep.blocks;
  if (block === undefined) throw new Error('expected a block');
  const { accuracy } = summary.readers.text.competence;
  return [
    answerFigure('answer', summary, 'rows'),
    ocsDomainsFigure('ocs', summary, 'rows'),
    accuracyDomainsFigure('accuracy', summary, 'rows'),
    judgesFigure('judges', [{ label: 'a, "b"', accuracy, ocs: accuracy, lexicalFloor: 0.5 }], 'rows'),
    doseFigure(named, block, 1e-4),
    marginsFigure(named, [
      {
        condition: 'delete',
        histogram: {
          width: 0.5,
          bins: [
            { middle: -0.5, count: 2 },
            { middle: 1, count: 1 },
          ],
        },
        n: 3,
        unmoved: 0,
        moments: { n: 3, mean: 0, median: -0.5, sd: 0.8 },
      },
    ]),
    featuresFigure(named, found),
    fitLayersFigure(named, {
      seed: 1,
      domains: [],
      rows: { TRAIN: 4, 'VAL-LAYER': 2, 'VAL-THRESH': 2, TEST: 2 },
      anchor: 1,
      threshold: 0,
      layers: [0, 1].map(layer => ({
        layer,
        distance: 1,
        valLayerAuroc: 0.5 + layer / 4,
        residualNorm: 1,
        icsSd: 1,
      })),
      test: { auroc: 0.8, interval: { low: 0.6, high: 0.9 }, accuracy: 0.7 },
      null: {
        draws: 20,
        mean: 0.55,
        upper: { q90: 0.6, q95: 0.7, q99: 0.8, max: 0.8 },
        quantile: 0.9,
        p: 0.1,
      },
    }),
  ];
}

describe('figures', () => {
  test('are whole markup with a name and a description, in both layouts and as files', () => {
    for (const figure of figures()) {
      const { wide, narrow } = figure.svg;
      for (const text of [wide.toString(), narrow.toString(), standalone(figure)]) {
        requireBalanced(text);
        expect(text).toMatch(/^<svg [^>]*role="img" aria-labelledby="[\w-]+-title [\w-]+-desc">/);
        expect(text).toMatch(/<title id="[\w-]+">[^<]+<\/title><desc id="[\w-]+">[^<]+<\/desc>/);
        expect(text).not.toMatch(/NaN|undefined|Infinity|style="/);
      }
      expect(standalone(figure)).toContain('<style>');
      expect(wide.toString()).not.toContain('<style>');
      expect(figure.rows.length).toBeGreaterThan(0);
      for (const row of figure.rows) expect(row.length).toBe(figure.columns.length);
    }
  });

  test('keep all marks inside the drawing', () => {
    for (const { svg } of figures()) {
      for (const drawing of Object.values(svg)) {
        const text = drawing.toString();
        const [, width = 0, height = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(text)?.map(Number) ?? [];
        for (const name of ['x', 'x1', 'x2', 'cx'])
          for (const element of ['text', 'line', 'circle', 'rect'])
            for (const x of attributes(text, element, name)) expect(x >= 0 && x <= width).toBe(true);
        for (const name of ['y', 'y1', 'y2', 'cy'])
          for (const element of ['text', 'line', 'circle', 'rect'])
            for (const y of attributes(text, element, name)) expect(y >= 0 && y <= height).toBe(true);
      }
    }
  });

  test('hold the rates of the analysis unrounded in their data', () => {
    const answer = answerFigure('answer', summary, 'rows');
    const deletion = summary.readers.text.ocs.find(({ measure }) => measure === 'delete')?.pooled.all;
    expect(answer.rows).toContainEqual([
      'changed verdicts',
      'rule deleted',
      deletion?.rate,
      deletion?.low,
      deletion?.high,
    ]);
    const csv = figureCsv(answer);
    expect(csv.split('\n')[0]).toBe('quantity,what,share,low,high');
    expect(csv).toContain(`changed verdicts,rule deleted,${deletion?.rate},`);
  });

  test('escape names, and quote them in CSV', () => {
    const [answer, , , judges] = figures();
    expect(answer?.svg.wide.toString()).toContain('judge &lt;&amp;&quot;.gguf');
    expect(judges && figureCsv(judges)).toContain('"a, ""b""",');
  });
});

test('text features have a dot for each domain with OCS, named where one points at it', () => {
  const svg = featuresFigure(named, found).svg.wide.toString();
  expect(attributes(svg, 'circle', 'cx').length).toBe(4);
  expect(svg).toContain('<title>a&lt;</title></circle>');
  const heights = attributes(svg, 'circle', 'cy');
  expect(heights[0]).toBeGreaterThan(heights[1] ?? Number.POSITIVE_INFINITY);
});

test('a sweep that is not complete says so, before its figure and the calls of its alphas', () => {
  const origin = {
    version: '0',
    model: null,
    ruleBlind: false,
    corpus: [],
    profile: { name: 'standard', sha256: '' },
    direction: null,
    seed: 1,
    planHash: '',
  };
  const part = sweepPart({ name: 'sweep', origin, summary: sweep, fit: null }, '');
  const text = part.html.toString();
  requireBalanced(text);
  expect(text).toContain('This sweep is not complete: 3 of 200 planned rows are missing');
  expect(part.figures.map(({ name }) => name)).toEqual(['dose-3-last']);
  // Random directions shift margins as much here.
  expect(text).toContain('Numeric, no more than random directions of the same norm give, at alpha −1, 1.');
});
