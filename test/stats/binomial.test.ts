import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlumblineError } from '../../src/errors.js';
import {
  binomialLowerTail,
  binomialTest,
  binomialUpperTail,
  clopperPearson,
  mcnemarExact,
} from '../../src/stats/binomial.js';

// Oracle: SciPy 1.17.1, `binomtest(k, n).proportion_ci(method='exact')`.
describe('clopperPearson', () => {
  it.each([
    [0, 10, 0, 0.30849710781876294],
    [10, 10, 0.6915028921812371, 1],
    [3, 25, 0.02546539664773322, 0.3121903072857846],
    [1, 57, 0.0004440734401956053, 0.09391684189191084],
    [0, 57, 0, 0.06266748091448493],
    [100, 200, 0.4286584309068121, 0.5713415690931879],
    [17500, 35587, 0.4865452711238243, 0.4969612877368626],
  ])('%d of %d', (k, n, low, high) => {
    const interval = clopperPearson(k, n);
    expect(interval?.low).toBeCloseTo(low, 10);
    expect(interval?.high).toBeCloseTo(high, 10);
  });

  it('other confidence levels', () => {
    const interval = clopperPearson(3, 25, 0.9);
    expect(interval?.low).toBeCloseTo(0.03351959498955607, 10);
    expect(interval?.high).toBeCloseTo(0.2817225079777184, 10);
  });

  it('no trials: no interval; impossible counts are refused', () => {
    expect(clopperPearson(0, 0)).toBeNull();
    for (const [k, n] of [
      [-1, 3],
      [4, 3],
      [1, 2.5],
      [Number.NaN, 3],
    ] as const) {
      expect(() => clopperPearson(k, n)).toThrow(PlumblineError);
    }
  });

  it('holds the rate, mirrors, and a fractional count lies between its neighbours', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, share) => {
          const k = share * n;
          const at = clopperPearson(k, n);
          const mirrored = clopperPearson(n - k, n);
          const below = clopperPearson(Math.floor(k), n);
          const above = clopperPearson(Math.ceil(k), n);
          if (!at || !mirrored || !below || !above) throw new Error('an interval is missing');
          expect(at.low).toBeLessThanOrEqual(k / n);
          expect(at.high).toBeGreaterThanOrEqual(k / n);
          expect(at.low).toBeCloseTo(1 - mirrored.high, 9);
          expect(at.low).toBeGreaterThanOrEqual(below.low - 1e-12);
          expect(at.high).toBeLessThanOrEqual(above.high + 1e-12);
        },
      ),
      { numRuns: 200 },
    );
  });
});

// Oracle: SciPy 1.17.1, `binomtest(k, n, p, alternative=…).pvalue` for two-sided, greater, less.
describe('binomial tests', () => {
  it.each([
    [3, 10, 0.5, 0.34375, 0.9453125, 0.171875],
    [0, 10, 0.5, 0.001953125, 1, 0.0009765625],
    [10, 10, 0.5, 0.001953125, 0.0009765625, 1],
    [7, 20, 0.3, 0.6294979666766769, 0.3919901877990756, 0.7722717974181608],
    [2, 50, 0.1, 0.23387383994762567, 0.9662141403075681, 0.1117287563463473],
    [9, 9, 0.9, 1, 0.38742048900000003, 1],
    [5, 10, 0.5, 1, 0.623046875, 0.623046875],
    [140, 1000, 0.12, 0.057519383791816966, 0.030878850629922214, 0.9750669706908014],
  ])('%d of %d at %d', (k, n, p, two, greater, less) => {
    expect(binomialTest(k, n, p)).toBeCloseTo(two, 10);
    expect(binomialUpperTail(k, n, p)).toBeCloseTo(greater, 10);
    expect(binomialLowerTail(k, n, p)).toBeCloseTo(less, 10);
  });

  it('certain events', () => {
    expect(binomialTest(5, 5, 1)).toBe(1);
    expect(binomialTest(4, 5, 1)).toBe(0);
    expect(binomialTest(0, 5, 0)).toBe(1);
    expect(binomialTest(0, 0, 0.5)).toBeCloseTo(1, 12);
  });

  it('the tails of an outcome and its complement sum to one', () => {
    for (let k = 0; k <= 40; k++) {
      expect(binomialLowerTail(k, 40, 0.3) + binomialUpperTail(k + 1, 40, 0.3)).toBeCloseTo(1, 12);
    }
  });
});

// Oracle: statsmodels 0.15.0, `mcnemar([[5, b], [c, 5]], exact=True).pvalue`.
describe('mcnemarExact', () => {
  it.each([
    [1, 0, 1],
    [5, 1, 0.21875],
    [6, 6, 1],
    [10, 25, 0.016673847800120715],
    [0, 14, 0.0001220703125],
  ])('%d against %d', (b, c, p) => {
    expect(mcnemarExact(b, c)).toBeCloseTo(p, 12);
    expect(mcnemarExact(c, b)).toBeCloseTo(p, 12);
  });

  it('no discordant pair: nothing was tested', () => expect(mcnemarExact(0, 0)).toBeNull());
});
