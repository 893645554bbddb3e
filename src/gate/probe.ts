import { approvesCosine, type Effective, effective, type Gate, METRIC, type Metric } from './gates.js';

/** One pair of vectors put before a gate. */
export interface ProbePoint {
  /** Cosine that the vectors were made for. */
  readonly cosine: number;
  readonly value: number;
  readonly approved: boolean;
  readonly expected: boolean;
}

export interface GateProbe {
  readonly effective: Effective;
  readonly points: readonly ProbePoint[];
  /** The gate's answer on every point is what the boundary says. */
  readonly proven: boolean;
  /** At the boundary itself: approved or not; null where no vectors lie on it. */
  readonly atBoundary: boolean | null;
}

/** How far from the boundary the nearest points lie: far above rounding, far below what any gate is tuned to. */
const NEAR = 1e-6;

/** A value whose cosine is this near to the boundary counts as equal to the threshold: the rest is rounding. */
const ROUNDING = 1e-11;

/**
 * Puts pairs of unit vectors of known cosine before the gate's own arithmetic, computed from the vectors and not from
 * the cosine: far and near on both sides of the boundary, and on it, where strictness shows.
 */
export function probeGate(gate: Gate): GateProbe {
  const bound = effective(gate);
  const inside = bound.vacuous === null;
  const cosines = [
    -0.9,
    -0.5,
    0,
    0.25,
    0.5,
    0.75,
    0.9,
    0.99,
    ...(inside ? [bound.cosine - NEAR, bound.cosine, bound.cosine + NEAR] : []),
  ]
    .filter(cosine => cosine >= -1 && cosine <= 1)
    .sort((a, b) => a - b);
  const points = [...new Set(cosines)].map(cosine => {
    const value = measureVectors(gate.metric, ...vectorsOf(cosine));
    return { cosine, value, approved: compare(gate, bound, value), expected: approvesCosine(bound, cosine) };
  });
  const on = points.find(({ cosine }) => cosine === bound.cosine);
  return {
    effective: bound,
    points,
    proven: points.every(({ approved, expected }) => approved === expected),
    atBoundary: on === undefined ? null : on.approved,
  };
}

function compare({ metric, comparison, threshold }: Gate, bound: Effective, raw: number): boolean {
  const onBoundary = Math.abs(METRIC[metric].toCosine(raw) - bound.cosine) <= ROUNDING;
  const value = onBoundary ? threshold : raw;
  switch (comparison) {
    case '>=':
      return value >= threshold;
    case '>':
      return value > threshold;
    case '<=':
      return value <= threshold;
    case '<':
      return value < threshold;
  }
}

type Vector = readonly [number, number, number];

/** Two unit vectors with the cosine, neither of them along an axis. */
function vectorsOf(cosine: number): readonly [Vector, Vector] {
  const a: Vector = [2 / 7, 3 / 7, 6 / 7];
  const across: Vector = [3 / 7, -6 / 7, 2 / 7];
  const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  return [a, [0, 1, 2].map(i => cosine * (a[i] ?? 0) + sine * (across[i] ?? 0)) as unknown as Vector];
}

/** A metric computed from the vectors, by its own definition. */
function measureVectors(metric: Metric, a: Vector, b: Vector): number {
  const dot = a.reduce((total, x, i) => total + x * (b[i] ?? 0), 0);
  const squared = a.reduce((total, x, i) => total + (x - (b[i] ?? 0)) ** 2, 0);
  const [ax, ay, az] = a;
  const [bx, by, bz] = b;
  // By the arctangent: the arccosine loses half of its digits near 0 and π.
  const angle = Math.atan2(Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), dot);
  switch (metric) {
    case 'l2':
      return Math.sqrt(squared);
    case 'squared-l2':
      return squared;
    case 'inverse-squared-l2':
      return 4 - squared;
    case 'angular-similarity':
      return 1 - Math.sqrt(squared) / 2;
    case 'angle':
      return angle;
    case 'arccos-similarity':
      return 1 - angle / Math.PI;
    default:
      return METRIC[metric].ofCosine(dot);
  }
}
