import { type Exchangeable, largerThanOthersP } from '../stats/exchangeable.js';
import { moments } from '../stats/moments.js';

/**
 * What the fitted direction does at one alpha. `numeric`: no more than random directions of the same norm do, or no more
 * than the vanishing nudge does. `collapse`: the labels have lost half of their probability, so that verdicts say little.
 * `untested`: no control was run, or there are too few samples for any outcome to pass.
 */
export const CALLS = ['effect', 'numeric', 'collapse', 'untested'] as const;
export type Call = (typeof CALLS)[number];

/** How far one row moved from the row of its sample at alpha 0; null where a side has no margin or no verdict. */
export interface Moved {
  readonly sampleId: string;
  readonly shift: number | null;
  readonly flip: 0 | 1 | null;
}

/** What the fitted direction is held against, over the samples that both sides have. */
export interface Floors {
  readonly samples: number;
  /** null without random directions. */
  readonly random: {
    /** Of |margin shift|. */
    readonly shift: Compared;
    readonly flips: Compared;
  } | null;
  /** null without a nudge. */
  readonly nudge: {
    readonly shift: {
      /** Mean over samples of |margin shift| under the nudge, and its 95th percentile. */
      readonly mean: number | null;
      readonly q95: number | null;
      /** true: the mean |margin shift| along the fitted direction is above the percentile. */
      readonly exceeded: boolean;
    };
    readonly flips: Compared;
  } | null;
}

/** A control, sample by sample. */
export interface Compared {
  /** Mean under the control. */
  readonly mean: number | null;
  /** That the fitted direction's values are no larger: any value of a sample could as well be the fitted one's. */
  readonly p: number | null;
  /** true: p is at most .025. */
  readonly exceeded: boolean;
}

/** One-sided, for each of two ways to be an effect: .05 together. */
const LEVEL = 0.025;
/** With fewer samples no outcome passes against one control: 2⁻⁵ = .031. */
const FEWEST = 6;
const NUDGE_QUANTILE = 0.95;
const COLLAPSE = 0.5;

export function floorsOf(
  fitted: readonly Moved[],
  randoms: readonly Moved[],
  nudged: readonly Moved[],
  seed: number,
): Floors {
  const size = (move: Moved): number | null => (move.shift === null ? null : Math.abs(move.shift));
  const flip = (move: Moved): number | null => move.flip;
  const versus = (control: readonly Moved[], value: (move: Moved) => number | null): Compared => {
    const units = unitsOf(fitted, control, value);
    const p = largerThanOthersP(units, seed);
    return {
      mean: moments(units.flatMap(({ others }) => others)).mean,
      p,
      exceeded: p !== null && p <= LEVEL,
    };
  };
  const shifts = fitted.map(size).filter(value => value !== null);
  const nudges = nudged.map(size).filter(value => value !== null);
  const q95 = quantile(nudges, NUDGE_QUANTILE);
  const mean = moments(shifts).mean;
  return {
    samples: Math.max(shifts.length, fitted.filter(move => move.flip !== null).length),
    random: randoms.length === 0 ? null : { shift: versus(randoms, size), flips: versus(randoms, flip) },
    nudge:
      nudged.length === 0
        ? null
        : {
            shift: {
              mean: moments(nudges).mean,
              q95,
              exceeded: mean !== null && q95 !== null && mean > q95,
            },
            flips: versus(nudged, flip),
          },
  };
}

/** `effect` when the mean |margin shift|, or the flips, exceed every floor that was run. */
export function callOf(
  floors: Floors,
  labels: { readonly mass: number | null; readonly massAtZero: number | null },
): Call {
  const { mass, massAtZero } = labels;
  if (mass !== null && massAtZero !== null && mass < COLLAPSE * massAtZero) return 'collapse';
  const run = [floors.random, floors.nudge].filter(floor => floor !== null);
  if (run.length === 0 || floors.samples < FEWEST) return 'untested';
  const shift = run.every(floor => floor.shift.exceeded);
  const flips = run.every(floor => floor.flips.exceeded);
  return shift || flips ? 'effect' : 'numeric';
}

/** Whether neither the shifts nor the flips exceed this control. */
export function isWithin(floor: Floors['random'] | Floors['nudge']): boolean {
  return floor !== null && !floor.shift.exceeded && !floor.flips.exceeded;
}

/** Of each sample its own value, and its controls' values. */
function unitsOf(
  fitted: readonly Moved[],
  control: readonly Moved[],
  value: (move: Moved) => number | null,
): readonly Exchangeable[] {
  const controls = new Map<string, number[]>();
  for (const move of control) {
    const number = value(move);
    if (number === null) continue;
    const list = controls.get(move.sampleId);
    if (list === undefined) controls.set(move.sampleId, [number]);
    else list.push(number);
  }
  return fitted.flatMap(move => {
    const own = value(move);
    const others = controls.get(move.sampleId);
    return own === null || others === undefined ? [] : [{ own, others }];
  });
}

/** The smallest value that at least this share of the values does not exceed; null of none. */
function quantile(values: readonly number[], share: number): number | null {
  const ascending = Float64Array.from(values).sort();
  return ascending[Math.ceil(share * ascending.length) - 1] ?? null;
}
