import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';

/**
 * What a gate compares with its constant, as a function of the cosine c of unit vectors:
 * cosine c · half-cosine (1 + c) / 2 · distance 1 - c · half-distance (1 - c) / 2 · l2 √(2 - 2c) · squared-l2 2 - 2c ·
 * inverse-squared-l2 4 - (2 - 2c) · angular-similarity 1 - √(2 - 2c) / 2 · angle arccos c, radians ·
 * arccos-similarity 1 - arccos(c) / π · dot c.
 */
export const METRICS = [
  'cosine',
  'dot',
  'half-cosine',
  'distance',
  'half-distance',
  'l2',
  'squared-l2',
  'inverse-squared-l2',
  'angular-similarity',
  'angle',
  'arccos-similarity',
] as const;
export type Metric = (typeof METRICS)[number];

interface MetricRule {
  /** Rises with the cosine (a similarity), or falls (a distance). */
  readonly rises: boolean;
  readonly ofCosine: (cosine: number) => number;
  readonly toCosine: (value: number) => number;
}

export const METRIC: Readonly<Record<Metric, MetricRule>> = {
  cosine: { rises: true, ofCosine: c => c, toCosine: v => v },
  dot: { rises: true, ofCosine: c => c, toCosine: v => v },
  'half-cosine': { rises: true, ofCosine: c => (1 + c) / 2, toCosine: v => 2 * v - 1 },
  distance: { rises: false, ofCosine: c => 1 - c, toCosine: v => 1 - v },
  'half-distance': { rises: false, ofCosine: c => (1 - c) / 2, toCosine: v => 1 - 2 * v },
  l2: { rises: false, ofCosine: c => Math.sqrt(2 - 2 * c), toCosine: v => 1 - (v * v) / 2 },
  'squared-l2': { rises: false, ofCosine: c => 2 - 2 * c, toCosine: v => 1 - v / 2 },
  'inverse-squared-l2': { rises: true, ofCosine: c => 4 - (2 - 2 * c), toCosine: v => (v - 2) / 2 },
  'angular-similarity': {
    rises: true,
    ofCosine: c => 1 - Math.sqrt(2 - 2 * c) / 2,
    toCosine: v => 1 - 2 * (1 - v) ** 2,
  },
  angle: { rises: false, ofCosine: Math.acos, toCosine: Math.cos },
  'arccos-similarity': {
    rises: true,
    ofCosine: c => 1 - Math.acos(c) / Math.PI,
    toCosine: v => Math.cos(Math.PI * (1 - v)),
  },
};

/** How the compared value must stand to the threshold for the gate to take two texts as the same. */
export const COMPARISONS = ['>=', '>', '<=', '<'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A gate: it takes two texts as the same when `metric comparison threshold` holds. */
export interface Gate {
  readonly name: string;
  readonly metric: Metric;
  readonly comparison: Comparison;
  readonly threshold: number;
  /** What happens to texts that are taken as the same. */
  readonly action: string;
}

/** The boundary of a gate on the cosine: the same when cosine >= boundary, or > where strict. */
export interface Effective {
  readonly cosine: number;
  readonly strict: boolean;
  /** No cosine, or every cosine, is on the approving side. */
  readonly vacuous: 'never' | 'always' | null;
}

/** Errors: GATE_INVALID for a comparison that runs against its metric: such a gate takes unlike texts as the same. */
export function effective(gate: Pick<Gate, 'name' | 'metric' | 'comparison' | 'threshold'>): Effective {
  const { rises, toCosine } = METRIC[gate.metric];
  const upward = gate.comparison.startsWith('>');
  if (upward !== rises) {
    throw new PlumblineError(
      'GATE_INVALID',
      `${gate.name}: ${gate.metric} ${gate.comparison} ${gate.threshold} takes unlike texts as the same: ${gate.metric} ` +
        `${rises ? 'rises' : 'falls'} with likeness, so "same" is ${rises ? '>= or >' : '<= or <'}`,
    );
  }
  const strict = gate.comparison.length === 1;
  const cosine = withoutNoise(boundary(gate.metric, gate.threshold, toCosine));
  return { cosine, strict, vacuous: vacuousness(cosine, strict) };
}

/** Thresholds outside of a metric's range are beyond every cosine; metrics that are not monotonic there need care. */
function boundary(metric: Metric, threshold: number, toCosine: (value: number) => number): number {
  if (metric === 'l2' && threshold < 0) return Number.POSITIVE_INFINITY;
  if (metric === 'angle' && threshold < 0) return Number.POSITIVE_INFINITY;
  if (metric === 'angle' && threshold > Math.PI) return Number.NEGATIVE_INFINITY;
  if (metric === 'angular-similarity' && threshold > 1) return Number.POSITIVE_INFINITY;
  if (metric === 'arccos-similarity' && threshold > 1) return Number.POSITIVE_INFINITY;
  if (metric === 'arccos-similarity' && threshold < 0) return Number.NEGATIVE_INFINITY;
  return toCosine(threshold);
}

/** 1 - .1 is .9, not .90000000000000002: the conversion's rounding is no part of a constant. */
function withoutNoise(value: number): number {
  return Number.isFinite(value) ? Number(value.toFixed(12)) : value;
}

function vacuousness(cosine: number, strict: boolean): Effective['vacuous'] {
  if (cosine > 1 || (cosine === 1 && strict)) return 'never';
  return cosine < -1 || (cosine === -1 && !strict) ? 'always' : null;
}

/** Does the gate take two unit vectors with this cosine as the same? By its boundary. */
export function approvesCosine({ cosine: boundary, strict }: Effective, cosine: number): boolean {
  return strict ? cosine > boundary : cosine >= boundary;
}

/** The shape of a gate in a JSON file. */
export const GATE = z.strictObject({
  name: z.string().min(1),
  metric: z.enum(METRICS),
  comparison: z.enum(COMPARISONS),
  threshold: z.number(),
  action: z.string().min(1),
});

/** Reads a user's gate, a JSON object as docs/gates.md describes. Errors: GATE_INVALID. */
export function readGate(file: string): Gate {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PlumblineError('GATE_INVALID', `cannot read the gate ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const checked = GATE.safeParse(value);
  if (!checked.success) {
    throw new PlumblineError(
      'GATE_INVALID',
      `${file}: ${faultsOf(checked.error)}. Expected {"name": "cache", "metric": "distance", "comparison": "<=", "threshold": 0.1, "action": "answer from the cache"}`,
    );
  }
  effective(checked.data);
  return checked.data;
}
