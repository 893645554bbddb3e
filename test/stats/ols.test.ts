import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlumblineError } from '../../src/errors.js';
import { type OlsRow, ols, regressionTest } from '../../src/stats/ols.js';

const rowsOf = (x: readonly (readonly (number | null)[])[], y: readonly number[]): OlsRow[] =>
  x.map((predictors, i) => ({ outcome: y[i] ?? 0, predictors }));

function fitOf(rows: readonly OlsRow[]) {
  const { fit, why } = ols(rows);
  if (fit === null) throw new Error(`no fit: ${why}`);
  return fit;
}
const relative = (value: number | null | undefined, expected: number): number =>
  Math.abs((value ?? Number.NaN) / expected - 1);

/** Longley (1967), columns of statsmodels.datasets.longley: TOTEMP, then GNPDEFL, GNP, UNEMP, ARMED, POP, YEAR. */
const LONGLEY = [
  [60323, 83.0, 234289, 2356, 1590, 107608, 1947],
  [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
  [60171, 88.2, 258054, 3682, 1616, 109773, 1949],
  [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
  [63221, 96.2, 328975, 2099, 3099, 112075, 1951],
  [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
  [64989, 99.0, 365385, 1870, 3547, 115094, 1953],
  [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
  [66019, 101.2, 397469, 2904, 3048, 117388, 1955],
  [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
  [68169, 108.4, 442769, 2936, 2798, 120445, 1957],
  [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
  [68655, 112.6, 482704, 3813, 2552, 123366, 1959],
  [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
  [69331, 115.7, 518173, 4806, 2572, 127852, 1961],
  [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
].map(([outcome = 0, ...predictors]): OlsRow => ({ outcome, predictors }));

describe('ols', () => {
  // Oracle: statsmodels 0.15.0, d = longley.load_pandas(); Z = (d.exog - d.exog.mean()) / d.exog.std(ddof=1);
  // m = sm.OLS(d.endog, sm.add_constant(Z)).fit(); m.params, m.bse, m.tvalues, m.pvalues.
  it('Longley, whose predictors are nearly dependent', () => {
    const fit = fitOf(LONGLEY);
    const expected = [
      [162.54099907043565, 916.363956801127, 0.17737602822991755, 0.8631408328092764],
      [-3560.2450976652326, 3328.8366342236736, -1.069516317220994, 0.31268106109273397],
      [-1887.8325226559136, 456.39204081382934, -4.136427355940668, 0.002535091734111446],
      [-719.0428326923661, 149.11759086755694, -4.821985310445396, 0.0009443667641618788],
      [-355.485349133829, 1572.5881400066214, -0.22605114466419174, 0.826211795763656],
      [8708.502846334799, 2168.5114015761874, 4.015889812709771, 0.0030368033416303545],
    ];
    expect(fit.coefficients).toHaveLength(6);
    fit.coefficients.forEach(({ estimate, standardError, t, p }, j) => {
      const [e = 0, se = 0, tValue = 0, pValue = 0] = expected[j] ?? [];
      expect(relative(estimate, e)).toBeLessThan(1e-8);
      expect(relative(standardError, se)).toBeLessThan(1e-8);
      expect(relative(t, tValue)).toBeLessThan(1e-8);
      expect(relative(p, pValue)).toBeLessThan(1e-8);
    });
    expect(fit.intercept).toBeCloseTo(65317, 9);
    expect(fit.r2).toBeCloseTo(0.9954790045772954, 12);
    expect(fit.adjustedR2).toBeCloseTo(0.9924650076288257, 12);
    expect(relative(fit.f, 330.2853392345769)).toBeLessThan(1e-9);
    expect(relative(fit.p, 4.98403052872556e-10)).toBeLessThan(1e-8);
  });

  it('one predictor: R² is the squared correlation, and F is t²', () => {
    const fit = fitOf(rowsOf([[1], [2], [3], [4], [5]], [2, 1, 4, 3, 5]));
    expect(fit.r2).toBeCloseTo(0.64, 12);
    expect(fit.f).toBeCloseTo((fit.coefficients[0]?.t ?? 0) ** 2, 10);
    expect(fit.p).toBeCloseTo(fit.coefficients[0]?.p ?? -1, 12);
  });

  it('the published figures: R² .484 of 5 predictors over 19 domains', () => {
    const { adjustedR2, f, p } = regressionTest(0.484, 19, 5);
    expect([adjustedR2.toFixed(4), f?.toFixed(2), p?.toFixed(3)]).toEqual(['0.2855', '2.44', '0.091']);
  });

  const base: readonly (readonly [number, number])[] = [
    [1, 2],
    [2, 1],
    [3, 5],
    [4, 3],
    [5, 9],
    [6, 4],
  ];
  const outcome = [1, 3, 2, 5, 4, 8];

  it('a row with an undefined predictor is dropped and counted', () => {
    const whole = ols(rowsOf(base, outcome));
    expect(whole).toMatchObject({ n: 6, dropped: 0, why: null, culprits: [] });
    const more = [
      { outcome: 100, predictors: [null, 1] },
      ...rowsOf(base, outcome),
      { outcome: -7, predictors: [3, null] },
    ];
    expect(ols(more)).toEqual({ ...whole, dropped: 2 });
  });

  it('what cannot be fitted says why, and which predictors are to blame', () => {
    expect(ols([])).toEqual({ n: 0, dropped: 0, fit: null, why: 'too-few-rows', culprits: [] });
    expect(ols(rowsOf(base.slice(0, 3), outcome))).toMatchObject({ n: 3, fit: null, why: 'too-few-rows' });
    expect(ols(rowsOf(base, [2, 2, 2, 2, 2, 2]))).toMatchObject({ fit: null, why: 'constant-outcome' });
    const third = (of: (x: number, z: number, i: number) => number) =>
      ols(
        rowsOf(
          base.map(([x, z], i) => [x, of(x, z, i), z]),
          outcome,
        ),
      );
    expect(third(() => 0.1)).toMatchObject({ fit: null, why: 'constant-predictor', culprits: [1] });
    expect(third(x => 2 * x - 7)).toMatchObject({ fit: null, why: 'collinear', culprits: [0, 1] });
    expect(third((x, z) => x / 3 - z)).toMatchObject({ fit: null, why: 'collinear', culprits: [0, 1, 2] });
    expect(third((_x, _z, i) => i % 2).why).toBeNull();
  });

  it('a perfect fit has no F, no t and no p', () => {
    const fit = fitOf(
      rowsOf(
        base,
        base.map(([x, z]) => 0.1 * x - 0.3 * z + 1e3),
      ),
    );
    expect(fit).toMatchObject({ r2: 1, adjustedR2: 1, f: null, p: null });
    for (const coefficient of fit.coefficients)
      expect(coefficient).toMatchObject({ standardError: 0, t: null, p: null });
  });

  it('refuses rows of unequal width, without predictors, or with no number', () => {
    for (const rows of [
      [
        { outcome: 1, predictors: [1] },
        { outcome: 1, predictors: [1, 2] },
      ],
      [{ outcome: 1, predictors: [] }],
      [{ outcome: Number.NaN, predictors: [1] }],
      [{ outcome: 1, predictors: [Number.POSITIVE_INFINITY] }],
    ])
      expect(() => ols(rows)).toThrow(PlumblineError);
    expect(() => regressionTest(0.5, 6, 5)).toThrow(PlumblineError);
    expect(() => regressionTest(1.5, 20, 5)).toThrow(PlumblineError);
  });

  const value = fc.integer({ min: -50, max: 50 });
  const table = fc.array(fc.tuple(value, value, value), { minLength: 6, maxLength: 20 });
  const split = (rows: readonly (readonly [number, number, number])[]): OlsRow[] =>
    rows.map(([y, a, b]) => ({ outcome: y, predictors: [a, b] }));

  it('neither the order of rows, nor units, nor the order of predictors matters; no NaN comes out', () => {
    fc.assert(
      fc.property(table, rows => {
        const found = ols(split(rows));
        expect(JSON.stringify(found)).not.toMatch(/NaN|Infinity/);
        const turned = ols(split([...rows].reverse()));
        const scaled = ols(split(rows.map(([y, a, b]) => [y, 3 * a + 11, b] as const)));
        const swapped = ols(split(rows.map(([y, a, b]) => [y, b, a] as const)));
        for (const other of [turned, scaled, swapped]) {
          expect(other.why).toBe(found.why);
          expect(other.fit?.r2 ?? -1).toBeCloseTo(found.fit?.r2 ?? -1, 8);
          expect(other.fit?.p ?? -1).toBeCloseTo(found.fit?.p ?? -1, 6);
        }
        const estimate = (of: typeof found, j: number) => of.fit?.coefficients[j]?.estimate ?? 0;
        expect(estimate(turned, 0)).toBeCloseTo(estimate(found, 0), 6);
        expect(estimate(scaled, 0)).toBeCloseTo(estimate(found, 0), 6);
        expect(estimate(swapped, 1)).toBeCloseTo(estimate(found, 0), 6);
      }),
    );
  });

  it('a constant column, or one that others determine, is found wherever it stands', () => {
    const place = fc.integer({ min: 0, max: 2 });
    const insert = (row: readonly number[], at: number, one: number): number[] => [
      ...row.slice(0, at),
      one,
      ...row.slice(at),
    ];
    fc.assert(
      fc.property(table, place, fc.double({ min: -1e6, max: 1e6, noNaN: true }), (rows, at, constant) => {
        fc.pre(ols(split(rows)).fit !== null);
        const flat = ols(rows.map(([y, a, b]) => ({ outcome: y, predictors: insert([a, b], at, constant) })));
        const sum = ols(
          rows.map(([y, a, b]) => ({ outcome: y, predictors: insert([a, b], at, a - b + constant) })),
        );
        expect([flat.fit, sum.fit]).toEqual([null, null]);
        expect([flat.why, flat.culprits]).toEqual(['constant-predictor', [at]]);
        expect([sum.why, sum.culprits]).toEqual(['collinear', [0, 1, 2]]);
      }),
    );
  });

  it('residuals are orthogonal to the predictors: a second way to the same estimates', () => {
    fc.assert(
      fc.property(table, rows => {
        const { fit } = ols(split(rows));
        fc.pre(fit !== null);
        if (fit === null) return;
        const [a = [], b = []] = [1, 2].map(j => {
          const column = rows.map(row => row[j as 1 | 2]);
          const mean = column.reduce((sum, x) => sum + x, 0) / column.length;
          const sd = Math.sqrt(column.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (column.length - 1));
          return column.map(x => (x - mean) / sd);
        });
        const [first, second] = fit.coefficients.map(({ estimate }) => estimate);
        const residual = rows.map(
          ([y], i) => y - fit.intercept - (first ?? 0) * (a[i] ?? 0) - (second ?? 0) * (b[i] ?? 0),
        );
        for (const column of [a, b])
          expect(residual.reduce((sum, r, i) => sum + r * (column[i] ?? 0), 0)).toBeCloseTo(0, 6);
      }),
    );
  });
});
