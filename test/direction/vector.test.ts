import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dot,
  ics,
  icsCosine,
  icsDelta,
  meanDifference,
  norm,
  randomDirections,
} from '../../src/direction/vector.js';
import { PlumblineError } from '../../src/errors.js';

const vector = fc.float32Array({ minLength: 3, maxLength: 3, noNaN: true, min: -100, max: 100 });

describe('projections', () => {
  it('by hand', () => {
    const a = Float32Array.of(3, 4);
    expect(ics(a, Float32Array.of(1, 0))).toBe(3);
    expect(icsCosine(a, Float32Array.of(2, 0))).toBe(0.6);
    expect(icsCosine(a, Float32Array.of(0, 0))).toBeNull();
    expect(icsDelta(1, 3)).toBe(2);
    expect(norm(a)).toBe(5);
    expect(() => dot(a, Float32Array.of(1))).toThrow(PlumblineError);
  });

  it('the cosine sees no scale and stays within [-1, 1]', () => {
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const cosine = icsCosine(a, b);
        if (cosine === null) return;
        expect(Math.abs(cosine)).toBeLessThanOrEqual(1 + 1e-12);
        expect(
          icsCosine(
            a.map(value => 2 * value),
            b,
          ),
        ).toBeCloseTo(cosine, 12);
      }),
    );
  });
});

describe('meanDifference', () => {
  it('by hand: the means (2, 1) and (2, -2)', () => {
    const result = meanDifference([Float32Array.of(1, 0), Float32Array.of(3, 2)], [Float32Array.of(2, -2)]);
    expect(result).toEqual({ direction: Float32Array.of(0, 1), distance: 3 });
  });

  it('null without a class or a difference', () => {
    const row = Float32Array.of(1, 2);
    expect(meanDifference([], [row])).toBeNull();
    expect(meanDifference([row], [])).toBeNull();
    expect(meanDifference([row], [row])).toBeNull();
  });
});

describe('randomDirections', () => {
  it('are unit vectors, a function of the seed, the first ones whatever k', () => {
    const [k, nEmbd] = [50, 7];
    const rows = randomDirections(k, nEmbd, 42);
    for (let i = 0; i < k; i++) expect(norm(rows.subarray(i * nEmbd, (i + 1) * nEmbd))).toBeCloseTo(1, 6);
    expect(randomDirections(3, nEmbd, 42)).toEqual(rows.subarray(0, 3 * nEmbd));
    expect(randomDirections(k, nEmbd, 43)).not.toEqual(rows);
    expect(() => randomDirections(1, 0, 1)).toThrow(PlumblineError);
  });

  it('point everywhere alike: mean 0, variance 1/n, kurtosis 3n/(n+2) per coordinate', () => {
    const [k, nEmbd] = [20_000, 6];
    const rows = randomDirections(k, nEmbd, 1);
    for (let c = 0; c < nEmbd; c++) {
      let [sum, squares, fourths] = [0, 0, 0];
      for (let i = 0; i < k; i++) {
        const value = rows[i * nEmbd + c] ?? Number.NaN;
        sum += value;
        squares += value ** 2;
        fourths += value ** 4;
      }
      expect(Math.abs(sum / k)).toBeLessThan(4 * Math.sqrt(1 / nEmbd / k));
      expect(squares / k).toBeCloseTo(1 / nEmbd, 2);
      expect(Math.abs(fourths / k / (squares / k) ** 2 - (3 * nEmbd) / (nEmbd + 2))).toBeLessThan(0.1);
    }
  });
});
