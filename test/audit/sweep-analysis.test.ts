import { describe, expect, test } from 'vitest';
import { analyzeSweep, POOLED, type SweepCell } from '../../src/audit/sweep-analysis.js';
import { alphasOf, FITTED, isRandom, planSteps } from '../../src/audit/sweep-plan.js';
import type { Reading } from '../../src/run/types.js';
import { MARGIN, type Response, STEERING, sweepRows } from './sweep-rows.js';

const SAMPLES = 24;

function analyzed(rows: readonly Reading[]) {
  const { layers, random, nudge } = STEERING;
  return analyzeSweep(rows, {
    about: { subject: 'judge.gguf', corpus: 'made up', run: null },
    reader: 'logit',
    seed: 1,
    exactness: null,
    direction: {
      name: 'd.gguf',
      sha256: 'ab'.repeat(32),
      layer: 3,
      norm: 1,
      modelSha256: null,
      source: 'npy',
    },
    steering: { scale: 'unit', random, nudge, layers: [...layers] },
  });
}

function cellOf(response: Response, alpha: number, direction = FITTED, n = SAMPLES): SweepCell {
  const [block] = analyzed(sweepRows(n, response)).blocks;
  const cell = block?.cells.find(one => one.alpha === alpha && one.direction === direction);
  if (cell === undefined) throw new Error(`no cell ${direction} ${alpha}`);
  return cell;
}

/** A number in [-1, 1] that depends on everything but is no effect of the direction. */
function noise(step: { readonly direction: string; readonly alpha: number }, sample: number): number {
  let state = 2166136261;
  for (const letter of `${step.direction} ${step.alpha} ${sample}`)
    state = Math.imul(state ^ letter.charCodeAt(0), 16777619) >>> 0;
  state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) >>> 0;
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 31 - 1;
}

describe('the plan of steps', () => {
  test('has alpha 0 first, the nudge, and random directions at the same norms', () => {
    const steps = planSteps(STEERING);
    expect(steps.length).toBe(1 + 2 + 1 + 3 * 2);
    expect(steps[0]).toMatchObject({ alpha: 0, direction: FITTED });
    expect(steps.filter(step => step.alpha === 1e-4)).toMatchObject([{ direction: FITTED, stepNorm: 2e-4 }]);
    for (const step of steps.filter(({ alpha }) => Math.abs(alpha) === 1))
      expect(step).toMatchObject({ stepNorm: 2, residualShare: 0.25, factor: step.alpha * 2 });
    expect(new Set(steps.map(step => step.vector))).toEqual(new Set([0, 1, 2, 3]));
  });

  test('numbers the vectors layer by layer, and puts last before all', () => {
    const two = [5, 7].map(layer => ({ layer, step: 1, residualNorm: 1, measured: true }));
    const steps = planSteps({ ...STEERING, layers: two, scopes: ['all', 'last'], random: 1 });
    expect(steps.filter(step => step.layer === 7).map(step => step.vector)).toEqual(
      steps.filter(step => step.layer === 5).map(step => step.vector + 2),
    );
    const scopes = steps.map(step => step.scope);
    expect(scopes).toEqual([...scopes].sort((a, b) => (a === b ? 0 : a === 'last' ? -1 : 1)));
    const keys = steps.map(({ alpha, layer, scope, direction }) => [alpha, layer, scope, direction].join());
    expect(new Set(keys).size).toBe(steps.length);
  });

  test('alphas come once each, ascending, with 0; a listed nudge is not added again', () => {
    expect(alphasOf([1, -0, 1, -2])).toEqual([-2, 0, 1]);
    expect(Object.is(alphasOf([-0])[0], 0)).toBe(true);
    const listed = planSteps({ ...STEERING, alphas: alphasOf([1e-4]) });
    expect(listed.filter(step => step.direction === FITTED).map(step => step.alpha)).toEqual([0, 1e-4]);
  });
});

describe('figures', () => {
  // Along the fitted direction alpha 1 adds 1 nat: all of the odd samples turn compliant.
  const response: Response = { shift: step => (step.direction === FITTED ? step.alpha : 0) };

  test('of one cell, by hand', () => {
    const cell = cellOf(response, 1);
    expect(cell).toMatchObject({
      n: SAMPLES,
      errors: 0,
      compliant: SAMPLES,
      nonCompliant: 0,
      nulls: 0,
      gained: SAMPLES / 2,
      lost: 0,
      flips: { count: SAMPLES / 2, n: SAMPLES },
      accuracy: { count: SAMPLES, n: SAMPLES, high: 1 },
      stepNorm: 2,
      residualShare: 0.25,
    });
    expect(cell.p).toBeCloseTo(2 / 2 ** 12, 12);
    expect(cell.shift.mean).toBeCloseTo(1, 12);
    expect(cell.shift.meanAbs).toBeCloseTo(1, 12);
    expect(cellOf(response, -1)).toMatchObject({ compliant: 0, gained: 0, lost: SAMPLES / 2 });
    expect(cellOf(response, 0)).toMatchObject({
      flips: { count: 0 },
      p: null,
      call: null,
      shift: { meanAbs: 0 },
    });
  });

  test('of random directions together: three rows a sample, no interval, no p', () => {
    const cell = cellOf(response, 1, POOLED);
    expect(cell).toMatchObject({ n: 3 * SAMPLES, p: null, call: null, accuracy: { low: null, high: null } });
  });

  test('the order of rows changes nothing', () => {
    const rows = sweepRows(SAMPLES, { shift: noise });
    expect(analyzed([...rows].reverse())).toEqual(analyzed(rows));
  });

  test('alpha 0 is held against the unsteered rows', () => {
    const rows = sweepRows(SAMPLES, response);
    expect(analyzed(rows).identity).toEqual({ rows: SAMPLES, equal: SAMPLES, largest: 0 });
    const moved = rows.map((row, i) =>
      row.alpha === 0 && i < 20 ? { ...row, margin: 1, labelMass: 0.1 } : row,
    );
    expect(analyzed(moved).identity.equal).toBe(SAMPLES - 2);
    expect(analyzed(moved).identity.largest).toBeCloseTo(1 - MARGIN(1), 12);
  });

  test('rows that failed or are missing are left aside and counted', () => {
    const rows = sweepRows(SAMPLES, response)
      .filter(row => !(row.sampleId === 's001' && row.alpha === 0))
      .map(row =>
        row.sampleId === 's000' && row.alpha === 1 && row.direction === FITTED
          ? { ...row, errorCode: 'ENGINE_CRASH', margin: null, verdictLogit: null }
          : row,
      );
    const [block] = analyzed(rows).blocks;
    const cell = block?.cells.find(one => one.alpha === 1 && one.direction === FITTED);
    expect(cell).toMatchObject({ n: SAMPLES - 1, errors: 1, flips: { n: SAMPLES - 2 } });
  });
});

describe('the call', () => {
  test('noise of one size everywhere is numeric', () => {
    expect(cellOf({ shift: (step, sample) => 0.1 * noise(step, sample) }, 1).call).toBe('numeric');
  });

  test('an effect in one direction alone, above the nudge, is an effect, however small', () => {
    const shift: Response['shift'] = (step, sample) =>
      step.alpha * (isRandom(step.direction) ? 0.001 * noise(step, sample) : 0.01);
    const cell = cellOf({ shift }, 1);
    expect(cell.call).toBe('effect');
    expect(cell.flips.count).toBe(0);
    expect(cell.floors).toMatchObject({
      random: { shift: { exceeded: true } },
      nudge: { shift: { exceeded: true } },
    });
  });

  test('an effect that any direction of this norm has is numeric: it is not the direction that does it', () => {
    const shift: Response['shift'] = (step, sample) => step.alpha * (1 + 0.1 * noise(step, sample));
    expect(cellOf({ shift }, 1).call).toBe('numeric');
  });

  test('an effect inside what the nudge does is numeric, though random directions do less', () => {
    const shift: Response['shift'] = (step, sample) => {
      if (isRandom(step.direction)) return 0;
      return step.alpha === STEERING.nudge ? (sample % 4 === 0 ? 0.3 : 0) : 0.1;
    };
    const cell = cellOf({ shift }, 1);
    expect(cell.floors).toMatchObject({
      random: { shift: { exceeded: true } },
      nudge: { shift: { exceeded: false } },
    });
    expect(cell.call).toBe('numeric');
  });

  test('label mass below half of its value at alpha 0 is collapse, whatever moved', () => {
    const shift: Response['shift'] = step => (step.direction === FITTED ? step.alpha : 0);
    expect(cellOf({ shift, mass: step => (step.alpha === 1 ? 0.44 : 0.9) }, 1).call).toBe('collapse');
    expect(cellOf({ shift, mass: step => (step.alpha === 1 ? 0.46 : 0.9) }, 1).call).toBe('effect');
  });

  test('too few samples, or no control, leave it open', () => {
    const shift: Response['shift'] = step => (step.direction === FITTED ? step.alpha : 0);
    expect(cellOf({ shift }, 1, FITTED, 5).call).toBe('untested');
    expect(cellOf({ shift }, 1, FITTED, 6).call).toBe('effect');
    const bare = sweepRows(SAMPLES, { shift }, { ...STEERING, random: 0, nudge: 0 });
    const calls = analyzed(bare).blocks[0]?.cells.map(cell => cell.call);
    expect(calls).toEqual(['untested', null, 'untested']);
  });

  test('noise is called an effect in one of twenty sweeps at most, even without a nudge', () => {
    const plan = { ...STEERING, alphas: alphasOf([1]), nudge: 0 };
    const calls = Array.from({ length: 80 }, (_, run) => {
      const shift: Response['shift'] = (step, sample) => noise(step, sample + 1000 * run);
      const [block] = analyzed(sweepRows(SAMPLES, { shift }, plan)).blocks;
      return block?.cells.find(cell => cell.alpha === 1 && cell.direction === FITTED)?.call;
    });
    // Binomial(80, .05) has 99.9 % of its mass at 11 and below.
    expect(calls.filter(call => call === 'effect').length).toBeLessThanOrEqual(11);
    expect(calls.filter(call => call === 'numeric').length).toBeGreaterThanOrEqual(69);
  });
});
