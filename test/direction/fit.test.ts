import { describe, expect, it } from 'vitest';
import type { Activations } from '../../src/direction/activations.js';
import { fitDirections, fitPerDomain, probeAuroc } from '../../src/direction/fit.js';
import { ics } from '../../src/direction/vector.js';
import { PlumblineError } from '../../src/errors.js';
import { axis, world } from './synthetic.js';

const OPTIONS = { seed: 42, pairs: 400, nullDraws: 20 };
/** Φ(δ/√2), the AUROC of two normal clouds δ standard deviations apart: erf by its table values. */
const AUROC_AT = { 1: 0.7602, 2: 0.9214 } as const;

function layerOf(fit: ReturnType<typeof fitDirections>, layer: number) {
  const found = fit.layers.find(item => item.layer === layer);
  if (found === undefined) throw new Error(`no layer ${layer}`);
  return found;
}

const planted = world({
  seed: 1,
  perClass: 1500,
  nEmbd: 12,
  layers: [3, 4, 7, 9],
  delta: new Map([
    [4, 1],
    [7, 2],
  ]),
  middle: 5,
});
const fit = fitDirections(planted, OPTIONS);

function mapped(activations: Activations, change: (values: Float32Array) => Float32Array): Activations {
  return {
    ...activations,
    rows: activations.rows.map(row => ({ ...row, activation: row.activation.map(change) })),
  };
}

function flipped(activations: Activations): Activations {
  return { ...activations, rows: activations.rows.map(row => ({ ...row, label: row.label === 1 ? 0 : 1 })) };
}

describe('fitDirections finds what was planted', () => {
  it('the layer', () => expect(fit.anchor).toBe(7));

  it('the direction, compliant on the positive side', () => {
    expect(ics(layerOf(fit, 7).direction, axis(12, 7))).toBeGreaterThan(0.98);
    expect(ics(layerOf(fit, 7).direction, layerOf(fit, 7).direction)).toBeCloseTo(1, 6);
    expect(layerOf(fit, 7).distance).toBeCloseTo(2, 0);
  });

  it('the AUROC of every layer, Φ(δ/√2)', () => {
    expect(Math.abs(fit.test.auroc - AUROC_AT[2])).toBeLessThan(0.03);
    expect(Math.abs(layerOf(fit, 7).valLayerAuroc - AUROC_AT[2])).toBeLessThan(0.03);
    expect(Math.abs(layerOf(fit, 4).valLayerAuroc - AUROC_AT[1])).toBeLessThan(0.05);
    expect(Math.abs(layerOf(fit, 3).valLayerAuroc - 0.5)).toBeLessThan(0.07);
    expect(fit.test.interval.low).toBeLessThan(AUROC_AT[2]);
    expect(fit.test.interval.high).toBeGreaterThan(AUROC_AT[2]);
  });

  it('the threshold: the planted middle, where accuracy is Φ(δ/2) = .8413', () => {
    expect(Math.abs(fit.threshold - 5 * ics(axis(12, 7), layerOf(fit, 7).direction))).toBeLessThan(0.1);
    expect(Math.abs(fit.test.accuracy - 0.8413)).toBeLessThan(0.035);
  });

  it('the scales: sd of ICS √(1 + δ²/4), mean residual norm', () => {
    expect(layerOf(fit, 7).icsSd).toBeCloseTo(Math.SQRT2, 1);
    expect(layerOf(fit, 3).icsSd).toBeCloseTo(1, 1);
    // E|x|² = nEmbd + middle² = 37 at layer 3.
    expect(Math.abs(layerOf(fit, 3).residualNorm - Math.sqrt(37))).toBeLessThan(0.2);
  });

  it('counts and pairs', () => {
    expect(fit.counts).toEqual({ TRAIN: 1200, 'VAL-LAYER': 600, 'VAL-THRESH': 600, TEST: 600 });
    expect(fit.pairs.map(({ compliant }) => compliant.length)).toEqual([400]);
  });

  it('a place above every random direction', () => {
    expect(fit.null.p).toBe(1 / 21);
    expect(fit.null.quantile).toBe(1);
    expect(fit.null.upper.max).toBeLessThan(fit.test.auroc);
  });
});

describe('what must not matter, and what must', () => {
  const small = world({
    seed: 2,
    perClass: 60,
    nEmbd: 8,
    layers: [0, 1],
    delta: new Map([[1, 1.5]]),
    domains: ['a', 'b'],
  });
  const options = { seed: 7, pairs: 10, nullDraws: 30 };
  const base = fitDirections(small, options);

  it('the order of the rows changes no bit', () => {
    expect(fitDirections({ ...small, rows: small.rows.toReversed() }, options)).toEqual({
      ...base,
      splits: base.splits,
    });
  });

  it('flipped labels flip the direction and leave the AUROC', () => {
    const turned = fitDirections(flipped(small), options);
    for (const layer of [0, 1]) {
      expect(layerOf(turned, layer).direction).toEqual(layerOf(base, layer).direction.map(value => -value));
      expect(layerOf(turned, layer).valLayerAuroc).toBeCloseTo(layerOf(base, layer).valLayerAuroc, 12);
    }
    expect(turned.test.auroc).toBeCloseTo(base.test.auroc, 12);
    expect(turned.threshold).toBeCloseTo(-base.threshold, 10);
  });

  it('scaling by 4 scales threshold and scales, and nothing else', () => {
    const scaled = fitDirections(
      mapped(small, values => values.map(value => 4 * value)),
      options,
    );
    expect(scaled.test).toEqual(base.test);
    expect(scaled.null).toEqual(base.null);
    expect(scaled.threshold).toBe(4 * base.threshold);
    expect(layerOf(scaled, 1).direction).toEqual(layerOf(base, 1).direction);
    expect(layerOf(scaled, 1).icsSd).toBeCloseTo(4 * layerOf(base, 1).icsSd, 10);
    expect(layerOf(scaled, 1).residualNorm).toBeCloseTo(4 * layerOf(base, 1).residualNorm, 10);
  });

  it('a rotation rotates the direction and leaves every projection', () => {
    // A Householder reflection: orthogonal, and mixes all coordinates.
    const mirror = axis(8, 99);
    const reflect = (values: Float32Array) => {
      const twice = 2 * ics(values, mirror);
      return values.map((value, i) => value - twice * (mirror[i] ?? 0));
    };
    const turned = fitDirections(mapped(small, reflect), options);
    expect(turned.anchor).toBe(base.anchor);
    expect(turned.test.auroc).toBeCloseTo(base.test.auroc, 3);
    expect(turned.threshold).toBeCloseTo(base.threshold, 4);
    expect(ics(layerOf(turned, 1).direction, reflect(layerOf(base, 1).direction))).toBeCloseTo(1, 5);
  });

  it('a shift of all rows moves the threshold alone', () => {
    const shift = axis(8, 5);
    const moved = fitDirections(
      mapped(small, values => values.map((value, i) => value + 3 * (shift[i] ?? 0))),
      options,
    );
    expect(moved.test.auroc).toBeCloseTo(base.test.auroc, 3);
    expect(moved.threshold).toBeCloseTo(base.threshold + 3 * ics(shift, layerOf(base, 1).direction), 4);
  });

  it('TEST rows have no say in direction, layer and threshold; TRAIN and VAL rows none in the TEST rows', () => {
    const junk = mapped(small, values => values.map(value => -3 * value + 1));
    const mixed = {
      ...small,
      rows: small.rows.map((row, i) => (base.splits.get(row.id) === 'TEST' ? (junk.rows[i] ?? row) : row)),
    };
    const other = fitDirections(mixed, options);
    expect(other.layers).toEqual(base.layers);
    expect([other.anchor, other.threshold]).toEqual([base.anchor, base.threshold]);
    expect(other.test.auroc).not.toBe(base.test.auroc);
  });

  it('the anchor comes from VAL-LAYER, the threshold from VAL-THRESH', () => {
    const changed = (split: string, change: (values: Float32Array) => Float32Array) => {
      const junk = mapped(small, change);
      return fitDirections(
        {
          ...small,
          rows: small.rows.map((row, i) => (base.splits.get(row.id) === split ? (junk.rows[i] ?? row) : row)),
        },
        options,
      );
    };
    const negated = changed('VAL-LAYER', values => values.map(value => -value));
    expect(negated.anchor).toBe(0);
    expect(negated.layers.map(({ direction }) => direction)).toEqual(
      base.layers.map(({ direction }) => direction),
    );
    const lifted = changed('VAL-THRESH', values => values.map(value => 2 * value));
    expect(lifted.threshold).toBeCloseTo(2 * base.threshold, 10);
    expect(lifted.layers).toEqual(base.layers);
  });

  it('of equal layers the lowest is the anchor', () => {
    const twice = {
      ...small,
      layers: [1, 5],
      rows: small.rows.map(row => ({
        ...row,
        activation: [row.activation[1], row.activation[1]].flatMap(a => a ?? []),
      })),
    };
    expect(fitDirections(twice, options).anchor).toBe(1);
  });

  it('per domain: each domain as if it were alone', () => {
    const fits = fitPerDomain(small, options);
    expect([...fits.keys()]).toEqual(['a', 'b']);
    const alone = fitDirections({ ...small, rows: small.rows.filter(row => row.domain === 'b') }, options);
    expect(fits.get('b')).toEqual(alone);
    for (const [id, split] of alone.splits) expect(base.splits.get(id)).toBe(split);
  });

  it('probe on other prompts: equal to TEST on TEST rows, .5 where the axis is gone', () => {
    const at = layerOf(base, 1);
    const test = { ...small, rows: small.rows.filter(row => base.splits.get(row.id) === 'TEST') };
    const probe = probeAuroc(at, test, 7);
    expect(probe).toEqual({ auroc: base.test.auroc, interval: base.test.interval, rows: base.counts.TEST });
    const bare = mapped(test, values => {
      const along = ics(values, at.direction);
      return values.map((value, i) => value - along * (at.direction[i] ?? 0));
    });
    // Only rounding is left along the direction, which knows little of the label.
    expect(probeAuroc(at, bare, 7).auroc).toBeLessThan(0.75);
    expect(() => probeAuroc({ ...at, layer: 2 }, test, 7)).toThrow(/layer 2 was not captured .*0, 1/);
  });
});

describe('what cannot be fitted', () => {
  const tiny = world({ seed: 3, perClass: 4, nEmbd: 4, layers: [0] });
  const options = { seed: 42, pairs: 10, nullDraws: 5 };
  const code = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      if (error instanceof PlumblineError) return `${error.code}: ${error.message}`;
    }
    return 'no typed error';
  };

  it('too few rows of a class: the split and the counts are named', () => {
    const rows = tiny.rows.slice(0, 7);
    expect(code(() => fitDirections({ ...tiny, rows }, options))).toMatch(
      /^DIRECTION_FIT: d: (TRAIN|VAL-LAYER|VAL-THRESH|TEST) has \d+ compliant and \d+ non-compliant rows.*4 and 3 rows/,
    );
    expect(code(() => fitDirections({ ...tiny, rows: [] }, options))).toMatch(/^DIRECTION_FIT: no domain/);
  });

  it('rows without a difference', () => {
    const flat = mapped(world({ seed: 3, perClass: 20, nEmbd: 4, layers: [6] }), values => values.fill(1));
    expect(code(() => fitDirections(flat, options))).toMatch(/^DIRECTION_FIT: layer 6: .* same mean/);
  });

  it('values that are not finite, wrong widths, layers out of order', () => {
    const enough = world({ seed: 3, perClass: 20, nEmbd: 4, layers: [2, 6] });
    const broken = mapped(enough, values => values.map(() => Number.POSITIVE_INFINITY));
    expect(code(() => fitDirections(broken, options))).toMatch(
      /^DIRECTION_FIT: row "d\/0", layer 2: value 0 is Infinity/,
    );
    expect(code(() => fitDirections({ ...enough, nEmbd: 5 }, options))).toMatch(
      /^USAGE: .*4 values, expected 5/,
    );
    expect(code(() => fitDirections({ ...enough, layers: [6, 2] }, options))).toMatch(/^USAGE: layers 6, 2/);
    expect(code(() => fitDirections({ ...enough, layers: [2] }, options))).toMatch(
      /^USAGE: .*2 layers, expected 1/,
    );
    expect(code(() => fitDirections({ ...enough, layers: [] }, options))).toMatch(/^USAGE: no layer/);
  });
});
