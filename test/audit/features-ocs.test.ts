import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeReadings } from '../../src/audit/analyze.js';
import type { Summary } from '../../src/audit/analyze-types.js';
import {
  type FeatureRank,
  type FeaturesOcs,
  featuresAgainstOcs,
  type OutcomeFeatures,
  type TextFeatures,
} from '../../src/audit/features-ocs.js';
import { FEATURES } from '../../src/features/rules.js';
import { featuresOcsText } from '../../src/report/features-ocs-text.js';
import { displayWidth, WIDTH } from '../../src/report/table.js';
import { reading } from './rows.js';

/** ECD, CRC, MMR, mdd3, FKGL, log2 of the sentence length, and how many of 20 verdicts deletion flips. */
type Row = readonly [number, number, number | null, number | null, number, number, number];
const ROWS: readonly Row[] = [
  [0.44, 0.99, 0.69, 8.9, 18.7, 4.9, 1],
  [0.22, 0.57, 0.61, 9.2, 19.1, 5.0, 4],
  [0.32, 1.37, 0.65, 9.3, 22.8, 5.3, 2],
  [0.41, 0.72, 0.65, 8.2, 18.5, 4.8, 7],
  [0.1, 2.1, 0.9, 7.1, 15.2, 4.2, 0],
  [0.55, 0.31, 0.4, 8.0, 16.9, 4.6, 9],
  [0.27, 1.8, 0.72, 9.9, 24.0, 5.4, 3],
  [0.38, 0.05, null, 5.5, 10.1, 3.8, 5],
  [0.61, 0.44, 0.35, 6.8, 13.3, 4.1, 11],
  [0.19, 1.11, 0.8, 8.4, 20.2, 5.1, 2],
  [0.48, 0.9, 0.51, 7.7, 17.4, 4.7, 6],
  [0.3, 0.6, 0.55, 9.0, 21.5, 5.2, 8],
  [0.05, 1.5, 0.95, 6.2, 12.8, 4.0, 1],
];
const name = (i: number): string => `d${String(i).padStart(2, '0')}`;

function textOf(rows: readonly Row[], mddMissing: string | null = null): TextFeatures {
  return {
    corpus: 'jsonl:rules.jsonl',
    methods: { mdd: mddMissing === null ? 'spaCy' : null, fkgl: 'counted' },
    mddMissing,
    domains: rows.map(([ecd, crc, mmr, mdd3, fkgl, sentenceLengthLog2], i) => {
      const means = { ecd, crc, mmr, mdd3, mdd: mdd3, fkgl, sentenceLengthLog2 };
      return {
        domain: name(i),
        features: Object.fromEntries(
          FEATURES.map(feature => [feature, { mean: means[feature] }]),
        ) as TextFeatures['domains'][number]['features'],
      };
    }),
  };
}

function summaryOf(flips: readonly number[], n = 20): Summary {
  const readings = flips.flatMap((count, d) =>
    Array.from({ length: n }, (_, i) => [
      reading(`${name(d)}/${i}`, 'baseline', 1),
      reading(`${name(d)}/${i}`, 'delete', i < count ? 0 : 1),
    ]).flat(),
  );
  return analyzeReadings(readings, { about: { subject: 'j', corpus: 'c', run: null }, exactness: null });
}

const flipsOf = (rows: readonly Row[]): readonly number[] => rows.map(row => row[6]);
const found = featuresAgainstOcs(textOf(ROWS), summaryOf(flipsOf(ROWS)));

function testedOf({ outcomes }: FeaturesOcs): NonNullable<OutcomeFeatures['tested']> {
  const tested = outcomes[0]?.tested;
  if (!tested) throw new Error('expected correlations');
  return tested;
}

describe('featuresAgainstOcs', () => {
  // Oracle: SciPy 1.17.1, spearmanr and false_discovery_control over the five p-values.
  it('rank correlations, corrected over the five features', () => {
    const tested = testedOf(found);
    expect(found.features).toEqual(['ecd', 'crc', 'mmr', 'mdd3', 'fkgl']);
    const expected: readonly (readonly [number, number, number, number])[] = [
      [13, 0.7024820044294836, 0.00741680089450079, 0.012361334824167984],
      [13, -0.7823721147371502, 0.0015724478236704695, 0.0039311195591761735],
      [12, -0.8875233390124573, 0.00011704717962278082, 0.0005852358981139041],
      [13, -0.09090943586734493, 0.7677166575397277, 0.7745896271486585],
      [13, -0.08815460447742537, 0.7745896271486585, 0.7745896271486585],
    ];
    tested.correlations.forEach(({ n, rho, p, adjusted }, i) => {
      const [count, rank, chance, corrected] = expected[i] ?? [0, 0, 0, 0];
      expect([n, rho, p, adjusted]).toEqual([
        count,
        expect.closeTo(rank, 12),
        expect.closeTo(chance, 12),
        expect.closeTo(corrected, 12),
      ]);
    });
    expect(tested.rhoNeeded).toBeCloseTo(0.6835276328874659, 10);
  });

  // Oracle: statsmodels 0.15.0, OLS on the twelve rows with MMR, columns standardised with ddof=1.
  it('the regression drops the domain without MMR', () => {
    const { regression } = testedOf(found);
    expect(regression).toMatchObject({ n: 12, dropped: ['d07'], why: null, culprits: [] });
    expect(regression.fit?.r2).toBeCloseTo(0.8883597400400627, 10);
    expect(regression.fit?.adjustedR2).toBeCloseTo(0.7953261900734483, 10);
    expect(regression.fit?.f).toBeCloseTo(9.54881051361423, 8);
    expect(regression.fit?.p).toBeCloseTo(0.008010456287735784, 10);
    expect(
      regression.fit?.coefficients.map(({ feature, estimate, standardError, t, p }) => [
        feature,
        estimate,
        standardError,
        t,
        p,
      ]),
    ).toEqual(
      [
        ['ecd', -0.033442910496069886, 0.05804400254788955, -0.5761647892644484, 0.5854516038091487],
        ['crc', -0.05135044224675703, 0.04532542616947343, -1.1329279520672535, 0.3004769940131843],
        ['mmr', -0.1646829252910142, 0.07229308347171336, -2.2779900563440605, 0.06297320475284035],
        ['mdd3', -0.14348258225223495, 0.08538542945820946, -1.6804106176272173, 0.14387688886066718],
        ['fkgl', 0.1095093349036992, 0.08644351225364695, 1.2668311600108442, 0.252168247009391],
      ].map(row => row.map(value => (typeof value === 'number' ? expect.closeTo(value, 9) : value))),
    );
  });

  it('without depth the proxy stands in its place, under its own name', () => {
    const rows = ROWS.map((row): Row => [row[0], row[1], row[2], null, row[4], row[5], row[6]]);
    const none = featuresAgainstOcs(textOf(rows, 'no parser'), summaryOf(flipsOf(rows)));
    expect(none.features).toEqual(['ecd', 'crc', 'mmr', 'sentenceLengthLog2', 'fkgl']);
    expect(none.leftOut).toEqual([{ feature: 'mdd3', why: 'no parser' }]);
    const proxy = testedOf(none).correlations.find(({ feature }) => feature === 'sentenceLengthLog2');
    expect(proxy?.rho).toBeCloseTo(-0.08815460447742537, 12);
    expect(testedOf(none).correlations).toHaveLength(5);
    const text = featuresOcsText(none, { colour: false });
    expect(text).toContain('MDD left out: no parser.');
    expect(text).not.toMatch(/^ *MDD +1/m);
    expect(text).toMatch(/^ *sentence_length_log2 +13 +−0\.088/m);
  });

  it('a feature that no domain has is left out', () => {
    const rows = ROWS.map((row): Row => [row[0], row[1], null, row[3], row[4], row[5], row[6]]);
    const none = featuresAgainstOcs(textOf(rows), summaryOf(flipsOf(rows)));
    expect(none.features).toEqual(['ecd', 'crc', 'mdd3', 'fkgl']);
    expect(none.leftOut).toEqual([{ feature: 'mmr', why: 'no domain has it' }]);
    expect(testedOf(none).regression.n).toBe(13);
  });

  it('fewer than five domains: it cannot be told', () => {
    const rows = ROWS.slice(0, 4);
    const few = featuresAgainstOcs(textOf(ROWS), summaryOf(flipsOf(rows)));
    expect(few.outcomes).toEqual([{ outcome: 'ocs', domains: 4, tested: null }]);
    expect(featuresOcsText(few, { colour: false })).toContain('it cannot be told');
  });

  it('few domains: an exact p, no regression, and the bound that no order reaches', () => {
    const five = testedOf(featuresAgainstOcs(textOf(ROWS), summaryOf([1, 2, 3, 4, 5])));
    expect(five.correlations[0]).toMatchObject({ n: 5, method: 'exact', smallestP: 2 / 120 });
    expect(five.rhoNeeded).toBeNull();
    expect(five.regression).toMatchObject({ n: 5, fit: null, why: 'too-few-rows' });
  });

  it('an outcome or a feature that does not vary has no correlation', () => {
    const still = featuresAgainstOcs(textOf(ROWS), summaryOf(ROWS.map(() => 0)));
    for (const { rho, p, adjusted } of testedOf(still).correlations)
      expect({ rho, p, adjusted }).toEqual({ rho: null, p: null, adjusted: null });
    expect(testedOf(still).regression).toMatchObject({ fit: null, why: 'constant-outcome' });
    const flat = ROWS.map((row): Row => [row[0], 0.5, row[2], row[3], row[4], row[5], row[6]]);
    const even = testedOf(featuresAgainstOcs(textOf(flat), summaryOf(flipsOf(flat))));
    expect(even.correlations[1]).toMatchObject({ feature: 'crc', rho: null, adjusted: null });
    expect(even.correlations[0]?.adjusted).not.toBeNull();
    expect(even.regression).toMatchObject({ fit: null, why: 'constant-predictor', culprits: ['crc'] });
    const text = featuresOcsText(featuresAgainstOcs(textOf(flat), summaryOf(flipsOf(flat))), {
      colour: false,
    });
    expect(text).toContain('none, CRC: the same in every domain');
  });

  it('names the domains of the run that have no features, and takes no others', () => {
    const partial = featuresAgainstOcs(textOf(ROWS.slice(2)), summaryOf(flipsOf(ROWS)));
    expect(partial.withoutFeatures).toEqual(['d11', 'd12']);
    expect(partial.domains).toHaveLength(11);
    expect(found.withoutFeatures).toEqual([]);
  });

  it('the order of the file and the scale of a feature change no correlation', () => {
    const orders = fc.shuffledSubarray([...ROWS.keys()], { minLength: ROWS.length });
    const text = textOf(ROWS);
    fc.assert(
      fc.property(orders, order => {
        const shuffled = { ...text, domains: order.flatMap(i => text.domains[i] ?? []) };
        expect(featuresAgainstOcs(shuffled, summaryOf(flipsOf(ROWS)))).toEqual(found);
      }),
      { numRuns: 10 },
    );
    const scaled = ROWS.map((row): Row => [row[0] * 100, row[1], row[2], row[3], row[4], row[5], row[6]]);
    const ranks = (of: FeaturesOcs): readonly (number | null)[] =>
      testedOf(of).correlations.map((rank: FeatureRank) => rank.rho);
    expect(ranks(featuresAgainstOcs(textOf(scaled), summaryOf(flipsOf(ROWS))))).toEqual(ranks(found));
  });
});

describe('featuresOcsText', () => {
  it('holds the figures, keeps to the width, and says how little so few domains show', () => {
    const text = featuresOcsText(found, { colour: false });
    expect(text).toMatch(/^ *MMR +12 +−0\.888 +\.0001 +\.0006 +−0\.165 +0\.0723 +−2\.278 +\.0630$/m);
    expect(text).toContain('R² .888, adjusted +0.795, F(5, 6) 9.55, p .0080.');
    expect(text.replace(/\s+/g, ' ')).toContain('Left out, for want of a feature: d07.');
    expect(text.replace(/\s+/g, ' ')).toContain('needs |rho| of about .68');
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(WIDTH);
    expect(text).not.toMatch(/NaN|undefined|null/);
  });
});
