import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { drawKey } from '../corpus/draw.js';
import { PlumblineError } from '../errors.js';

/** Anything that vectors are read from: float32 rows or float64 sums. */
export type Vector = Float32Array | Float64Array;

/** Inner product, summed in float64. */
export function dot(a: Vector, b: Vector): number {
  if (a.length !== b.length) {
    throw new PlumblineError(
      'USAGE',
      `vectors of ${a.length} and ${b.length} values: equal lengths expected`,
    );
  }
  // Four running sums: one alone waits for each addition before the next.
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const whole = a.length - (a.length % 4);
  for (let i = 0; i < whole; i += 4) {
    s0 += (a[i] as number) * (b[i] as number);
    s1 += (a[i + 1] as number) * (b[i + 1] as number);
    s2 += (a[i + 2] as number) * (b[i + 2] as number);
    s3 += (a[i + 3] as number) * (b[i + 3] as number);
  }
  for (let i = whole; i < a.length; i++) s0 += (a[i] as number) * (b[i] as number);
  return s0 + s1 + (s2 + s3);
}

/** Euclidean norm. */
export function norm(a: Vector): number {
  return Math.sqrt(dot(a, a));
}

/** ICS(x) = ⟨a, d⟩: the projection of the residual stream at the last prompt token on the direction of its layer. */
export const ics: (activation: Vector, direction: Vector) => number = dot;

/** The cosine of the two; null when either is zero. */
export function icsCosine(activation: Vector, direction: Vector): number | null {
  const length = norm(activation) * norm(direction);
  return length === 0 ? null : dot(activation, direction) / length;
}

/** ICS-delta of a condition: |ICS(baseline) − ICS(condition)|. */
export function icsDelta(baseline: number, altered: number): number {
  return Math.abs(baseline - altered);
}

export interface MeanDifference {
  /** Unit vector from the non-compliant to the compliant mean: a larger projection is a more compliant one. */
  readonly direction: Float32Array;
  /** Distance of the two means. */
  readonly distance: number;
}

/** Difference of the class means over its norm; null when a class is empty or the means are the same point. */
export function meanDifference(
  compliant: readonly Vector[],
  nonCompliant: readonly Vector[],
): MeanDifference | null {
  const [first] = compliant;
  if (first === undefined || nonCompliant.length === 0) return null;
  const difference = new Float64Array(first.length);
  accumulate(difference, compliant, 1 / compliant.length);
  accumulate(difference, nonCompliant, -1 / nonCompliant.length);
  const distance = norm(difference);
  if (distance === 0) return null;
  return { direction: Float32Array.from(difference, value => value / distance), distance };
}

function accumulate(sum: Float64Array, rows: readonly Vector[], weight: number): void {
  for (const row of rows) {
    if (row.length !== sum.length) {
      throw new PlumblineError('USAGE', `a row of ${row.length} values among rows of ${sum.length}`);
    }
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + weight * (row[i] as number);
  }
}

/**
 * A stream of vectors of length 1, uniform on the sphere (normalised Gaussians), from a seed and the purpose that it is
 * drawn for: two purposes never share their vectors.
 */
export function unitVectors(nEmbd: number, seed: number, purpose: string): () => Float32Array {
  if (!(Number.isSafeInteger(nEmbd) && nEmbd > 0)) {
    throw new PlumblineError('USAGE', `random directions of ${nEmbd} values: expected a positive integer`);
  }
  const random = xoroshiro128plus(Number.parseInt(drawKey(seed, purpose).slice(0, 8), 16) | 0);
  // In (0, 1): the logarithm below never sees a zero.
  const uniform = (): number => ((random.next() >>> 0) + 0.5) / 2 ** 32;
  return () => {
    const gaussian = new Float64Array(nEmbd + (nEmbd % 2));
    for (let i = 0; i < gaussian.length; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(uniform()));
      const angle = 2 * Math.PI * uniform();
      gaussian[i] = radius * Math.cos(angle);
      gaussian[i + 1] = radius * Math.sin(angle);
    }
    const vector = gaussian.subarray(0, nEmbd);
    const length = norm(vector);
    const unit = new Float32Array(nEmbd);
    for (let i = 0; i < nEmbd; i++) unit[i] = (vector[i] as number) / length;
    return unit;
  };
}

/** `k` control directions of length 1, row-major [k, nEmbd], a function of the arguments alone. */
export function randomDirections(k: number, nEmbd: number, seed: number): Float32Array {
  const next = unitVectors(nEmbd, seed, 'control-directions');
  const directions = new Float32Array(k * nEmbd);
  for (let i = 0; i < k; i++) directions.set(next(), i * nEmbd);
  return directions;
}
