import { describe, expect, it } from 'vitest';
import { betaQuantile, incompleteBeta, logGamma } from '../../src/stats/beta.js';

// Oracle: SciPy 1.17.1, `scipy.special.gammaln(x)`, `scipy.special.betainc(a, b, x)`, `scipy.stats.beta.ppf(q, a, b)`.
const near = (actual: number, expected: number, relative = 1e-10) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(relative * Math.abs(expected) + 1e-300);

describe('beta distribution', () => {
  it.each([
    [0.1, 2.252712651734206],
    [0.5, 0.5723649429247],
    [1.5, -0.12078223763524526],
    [2.5, 0.2846828704729192],
    [9.99, 12.779315214350195],
    [10, 12.801827480081469],
    [25.25, 55.58568604486943],
    [1000.5, 5908.674175848678],
    [34567, 326676.47631204006],
  ])('logGamma(%d)', (x, expected) => near(logGamma(x), expected, 1e-13));

  it('logGamma of 1 and 2 is 0, of nothing at or below 0 a number', () => {
    expect(Math.abs(logGamma(1))).toBeLessThan(1e-14);
    expect(Math.abs(logGamma(2))).toBeLessThan(1e-14);
    expect(logGamma(0)).toBeNaN();
    expect(logGamma(-1.5)).toBeNaN();
  });

  it.each([
    [0.5, 0.5, 0.3, 0.36901011956554536],
    [1, 1, 0.25, 0.25],
    [2, 3, 0.4, 0.5247999999999999],
    [10, 200, 0.03, 0.10050835237144835],
    [200, 10, 0.97, 0.8994916476285514],
    [17000, 18000, 0.487, 0.6848633932485884],
    [0.001, 3, 0.01, 0.9968791549379029],
    [3, 5, 1e-12, 3.4999999999895e-35],
  ])('incompleteBeta(%d, %d, %d)', (a, b, x, expected) => near(incompleteBeta(a, b, x), expected, 1e-9));

  it('incompleteBeta is 0 and 1 at the ends', () => {
    expect(incompleteBeta(2, 3, 0)).toBe(0);
    expect(incompleteBeta(2, 3, 1)).toBe(1);
  });

  it.each([
    [0.3, 0.5, 0.5, 0.2061073738537634],
    [0.025, 2, 3, 0.06758598648854294],
    [0.975, 2, 3, 0.8058795503167565],
    [0.5, 10, 200, 0.046187858491663604],
    [0.975, 17000, 18000, 0.4909510381854157],
    [0.025, 1, 50, 0.000506227983040829],
    [0.975, 50, 1, 0.9994937720169592],
    [0.025, 0.333, 3, 4.104793479092932e-6],
  ])('betaQuantile(%d; %d, %d)', (q, a, b, expected) => near(betaQuantile(q, a, b), expected));
});
