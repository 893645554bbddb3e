import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlumblineError } from '../../src/errors.js';
import { benjaminiHochberg, bonferroni } from '../../src/stats/multiple.js';
import { rankCorrelationP } from '../../src/stats/spearman.js';

const close = (values: readonly number[]) => values.map(value => expect.closeTo(value, 12));

// Oracle: SciPy 1.17.1, scipy.stats.false_discovery_control(p); statsmodels 0.15.0,
// multipletests(p, method='bonferroni')[1].
describe.each([
  [
    [0.01, 0.04, 0.03, 0.005],
    [0.02, 0.04, 0.04, 0.02],
    [0.04, 0.16, 0.12, 0.02],
  ],
  [
    [0.05, 0.05, 0.05],
    [0.05, 0.05, 0.05],
    [0.15, 0.15, 0.15],
  ],
  [
    [0, 1, 0.5],
    [0, 1, 0.75],
    [0, 1, 1],
  ],
  [[0.2], [0.2], [0.2]],
  [
    [0.9, 0.8, 0.7, 0.95],
    [0.95, 0.95, 0.95, 0.95],
    [1, 1, 1, 1],
  ],
  [
    [0.0087, 0.86, 0.31, 0.07, 0.047],
    [0.0435, 0.86, 0.3875, 0.11666666666666668, 0.11666666666666668],
    [0.0435, 1, 1, 0.35, 0.235],
  ],
  [[], [], []],
])('the family %j', (family, adjusted, multiplied) => {
  it('false discovery rate', () => expect(benjaminiHochberg(family)).toEqual(close(adjusted)));
  it('Bonferroni', () => expect(bonferroni(family)).toEqual(close(multiplied)));
});

describe('a family', () => {
  it('the published figure: rho .570 of 20 domains among five features has an adjusted p of .044', () => {
    const adjusted = (rho: number) =>
      benjaminiHochberg([0.041, 0.241, 0.405, rho, 0.448].map(one => rankCorrelationP(one, 20)));
    // SciPy, from the rounded rho: .0435. The published .044 lies within what rounds to .570.
    expect(adjusted(0.57)).toEqual(
      close([
        0.8637341256525847, 0.38254516125825255, 0.12749083870686878, 0.043464427084532256,
        0.11899651876282259,
      ]),
    );
    expect(adjusted(0.5695)[3]?.toFixed(3)).toBe('0.044');
  });

  it('a test that was not made does not count', () => {
    expect(benjaminiHochberg([null, 0.01, null, 0.5])).toEqual([
      null,
      ...close([0.02]),
      null,
      ...close([0.5]),
    ]);
    expect(bonferroni([null, 0.01, null])).toEqual([null, 0.01, null]);
    expect(bonferroni([null])).toEqual([null]);
  });

  it('refuses what is no p-value', () => {
    for (const p of [-0.1, 1.1, Number.NaN]) {
      expect(() => benjaminiHochberg([0.5, p])).toThrow(PlumblineError);
      expect(() => bonferroni([p])).toThrow(PlumblineError);
    }
  });

  it('the order of tests changes nothing; p <= adjusted <= Bonferroni, in the same order', () => {
    const family = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(family, ps => {
        const adjusted = benjaminiHochberg(ps);
        expect([...benjaminiHochberg([...ps].reverse())].reverse()).toEqual(adjusted);
        const most = bonferroni(ps);
        for (const [i, p] of ps.entries()) {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p);
          expect(adjusted[i]).toBeLessThanOrEqual(most[i] ?? 0);
          for (const [j, other] of ps.entries())
            if (p <= other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
        }
      }),
    );
  });
});
