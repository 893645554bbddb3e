import { describe, expect, test } from 'vitest';
import { checkHyperbolic, distance, exponentialMap, HYPERBOLIC_MODELS } from '../../src/gate/hyperbolic.js';

/** Directions that are not evenly spread, of length one. */
const units = Array.from({ length: 60 }, (_, i) => {
  const raw = [Math.sin(3 * i + 1), Math.cos(5 * i), Math.sin(i * i), 0.3];
  const norm = Math.hypot(...raw);
  return raw.map(value => value / norm);
});
const cosine = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((total, x, i) => total + x * (b[i] ?? 0), 0);

describe.each(HYPERBOLIC_MODELS)('%s', model => {
  test.each([0.3, 1, 2.5])('unit vectors are a no-op at curvature %f', c => {
    const points = units.map(unit => Float32Array.from(exponentialMap(unit, model, c)));
    const check = checkHyperbolic(points, model, c);
    expect(check).toMatchObject({ noOp: true, points: 60 });
    expect(check.spearman).toBeLessThan(-0.9999);
    const root = Math.sqrt(c);
    const radius = model === 'lorentz' ? Math.sinh(root) / root : Math.tanh(root) / root;
    expect(check.meanRadius).toBeCloseTo(radius, 5);
    expect(check.maxRadius).toBeCloseTo(radius, 5);
  });

  test('pairs whose cosines are equal but for rounding are tied', () => {
    const even = Array.from({ length: 20 }, (_, i) => [Math.cos(i), Math.sin(i)]);
    const points = even.map(point => Float32Array.from(exponentialMap(point, model, 1)));
    expect(checkHyperbolic(points, model, 1)).toMatchObject({ noOp: true });
  });

  test('vectors of different lengths are not', () => {
    const points = units.map((unit, i) =>
      exponentialMap(
        unit.map(value => value * (0.2 + (i % 7) / 5)),
        model,
        1,
      ),
    );
    const check = checkHyperbolic(points, model, 1);
    expect(check.noOp).toBe(false);
    expect(check.radiusSpread).toBeGreaterThan(0.5);
    expect(check.spearman).toBeGreaterThan(-0.99);
  });

  test('points that are none are refused', () => {
    const good = units.map(unit => exponentialMap(unit, model, 1));
    const three = good.slice(0, 3);
    expect(() => checkHyperbolic(good.slice(0, 2), model, 1)).toThrow(/at least three/);
    expect(() => checkHyperbolic([...three, [9, 9, 9, 9, 9].slice(0, three[0]?.length)], model, 1)).toThrow(
      /outside|not on the hyperboloid/,
    );
    expect(() => checkHyperbolic([...three, [0.1]], model, 1)).toThrow(/1 numbers/);
    expect(() =>
      checkHyperbolic([...three, Float64Array.from(three[0] ?? [], () => Number.NaN)], model, 1),
    ).toThrow(/finite/);
  });
});

test('the distance is the closed form in the cosine', () => {
  for (const c of [0.5, 1, 2]) {
    const root = Math.sqrt(c);
    for (const [a, b] of [
      [units[0], units[1]],
      [units[3], units[9]],
    ] as [number[], number[]][]) {
      const t2 = 2 - 2 * cosine(a, b);
      const expected = Math.acosh(1 + (Math.sinh(2 * root) ** 2 / 2) * t2) / root;
      expect(
        distance(exponentialMap(a, 'poincare', c), exponentialMap(b, 'poincare', c), 'poincare', c),
      ).toBeCloseTo(expected, 9);
    }
  }
});

test('the three models measure one space', () => {
  const [u, v] = [units[2] as number[], units[5] as number[]];
  const c = 1.7;
  const [p, q] = [exponentialMap(u, 'lorentz', c), exponentialMap(v, 'lorentz', c)];
  const ball = (x: Float64Array, over: (time: number) => number) =>
    Array.from(x.slice(1), value => value / over((x[0] ?? 0) * Math.sqrt(c)));
  const klein = distance(
    ball(p, time => time),
    ball(q, time => time),
    'klein',
    c,
  );
  const poincare = distance(
    ball(p, time => 1 + time),
    ball(q, time => 1 + time),
    'poincare',
    c,
  );
  expect(klein).toBeCloseTo(distance(p, q, 'lorentz', c), 9);
  expect(poincare).toBeCloseTo(distance(p, q, 'lorentz', c), 9);
});
