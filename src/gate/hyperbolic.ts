import { PlumblineError } from '../errors.js';
import { spearman } from '../stats/spearman.js';

/** Models of hyperbolic space of curvature -c. Poincaré and Klein: points in a ball of radius 1/√c. Lorentz: (x₀, x) with x₀² = 1/c + |x|². */
export const HYPERBOLIC_MODELS = ['poincare', 'lorentz', 'klein'] as const;
export type HyperbolicModel = (typeof HYPERBOLIC_MODELS)[number];

type Vector = ArrayLike<number>;

export interface HyperbolicCheck {
  readonly model: HyperbolicModel;
  readonly curvature: number;
  readonly points: number;
  /** Length of the points' (spatial) coordinates. */
  readonly meanRadius: number;
  readonly maxRadius: number;
  /** (max - min) / max; 0 = one sphere around the origin. */
  readonly radiusSpread: number;
  /** Rank correlation of hyperbolic distance and cosine over pairs; null when one of them does not vary. */
  readonly spearman: number | null;
  /** The projection ranks pairs exactly as the cosine does. */
  readonly noOp: boolean;
}

/** Room for vectors that were stored in single precision. */
const SPREAD_OF_ONE_SPHERE = 1e-3;
const SPEARMAN_OF_NO_OP = -0.9999;

/** Of the points, evenly spaced, that are paired with each other. */
const MAX_POINTS = 400;

/**
 * Are points of hyperbolic space a mere relabelling of the cosine? On one sphere around the origin the distance is a
 * strictly falling function of the cosine, so every ranking is the same. Errors: VECTORS_INVALID for fewer than three
 * points, two widths, a number that is none, or a point outside of its model.
 */
export function checkHyperbolic(
  points: readonly Vector[],
  model: HyperbolicModel,
  curvature: number,
): HyperbolicCheck {
  const [first] = points;
  if (first === undefined || points.length < 3)
    throw new PlumblineError('VECTORS_INVALID', `${points.length} points: at least three expected`);
  points.forEach((point, i) => {
    const fault = faultOf(point, first.length, model, curvature);
    if (fault !== null) throw new PlumblineError('VECTORS_INVALID', `point ${i}: ${fault}`);
  });
  const spatial = points.map(point => spatialOf(point, model));
  const radii = spatial.map(length);
  const maxRadius = radii.reduce((most, radius) => Math.max(most, radius), 0);
  const minRadius = radii.reduce((least, radius) => Math.min(least, radius), Number.POSITIVE_INFINITY);

  const step = Math.max(1, points.length / MAX_POINTS);
  const chosen = Array.from({ length: Math.min(points.length, MAX_POINTS) }, (_, i) => Math.floor(i * step));
  const cosines: number[] = [];
  const distances: number[] = [];
  chosen.forEach((i, at) => {
    for (const j of chosen.slice(at + 1)) {
      const [p, q] = [points[i], points[j]];
      const [x, y] = [spatial[i], spatial[j]];
      if (p === undefined || q === undefined || x === undefined || y === undefined) continue;
      const norm = length(x) * length(y);
      if (norm === 0) continue;
      cosines.push(dot(x, y) / norm);
      distances.push(distance(p, q, model, curvature));
    }
  });
  const correlation = rankCorrelation(cosines, distances);
  const radiusSpread = maxRadius === 0 ? 0 : (maxRadius - minRadius) / maxRadius;
  return {
    model,
    curvature,
    points: points.length,
    meanRadius: radii.reduce((total, radius) => total + radius, 0) / radii.length,
    maxRadius,
    radiusSpread,
    spearman: correlation,
    noOp: radiusSpread <= SPREAD_OF_ONE_SPHERE && correlation !== null && correlation <= SPEARMAN_OF_NO_OP,
  };
}

/** Cosines of float32 vectors that are equal but for rounding lie this near to each other. */
const ROUNDING = 1e-6;

/**
 * Spearman's correlation where cosines within {@link ROUNDING} count as equal, with the mean of their distances: else
 * rounding alone would order them, in one way by cosine and in another by distance.
 */
function rankCorrelation(cosines: readonly number[], distances: readonly number[]): number | null {
  const pairs = cosines.map((cosine, i) => ({ cosine, distance: distances[i] ?? 0 }));
  const groups: { readonly cosine: number; readonly distances: number[] }[] = [];
  for (const { cosine, distance } of pairs.sort((a, b) => a.cosine - b.cosine)) {
    const last = groups.at(-1);
    if (last !== undefined && cosine - last.cosine <= ROUNDING) last.distances.push(distance);
    else groups.push({ cosine, distances: [distance] });
  }
  const tied = groups.flatMap(({ cosine, distances: of }) => {
    const mean = of.reduce((total, value) => total + value, 0) / of.length;
    return of.map(() => ({ cosine, mean }));
  });
  return spearman(
    tied.map(({ mean }) => mean),
    tied.map(({ cosine }) => cosine),
  );
}

/** The exponential map at the origin: a Euclidean vector as a point of the model. */
export function exponentialMap(vector: Vector, model: HyperbolicModel, curvature: number): Float64Array {
  const root = Math.sqrt(curvature);
  const norm = length(vector);
  const scale = (radius: number): Float64Array =>
    Float64Array.from(vector, value => (norm === 0 ? 0 : (value * radius) / norm));
  if (model !== 'lorentz') return scale(Math.tanh(root * norm) / root);
  return Float64Array.of(Math.cosh(root * norm) / root, ...scale(Math.sinh(root * norm) / root));
}

/** Geodesic distance of two points of a model. */
export function distance(p: Vector, q: Vector, model: HyperbolicModel, curvature: number): number {
  const root = Math.sqrt(curvature);
  if (model === 'lorentz') {
    // cosh d = -c⟨p, q⟩; written as 1 + c/2 ⟨p - q, p - q⟩, it keeps its digits for points that are near.
    const apart = minkowskiSquare(p, q);
    return arcosh1p((curvature * apart) / 2) / root;
  }
  const [pp, qq] = [1 - curvature * dot(p, p), 1 - curvature * dot(q, q)];
  const apart = squaredDistance(p, q);
  if (model === 'poincare') return arcosh1p((2 * curvature * apart) / (pp * qq)) / root;
  // cosh d = k / √(pp qq) with k = 1 - c⟨p, q⟩, so sinh² d = (k² - pp qq) / (pp qq), and the difference is
  // c |p - q|² - c² (|p|²|q|² - ⟨p, q⟩²): no large terms that cancel.
  const area = dot(p, p) * dot(q, q) - dot(p, q) ** 2;
  const square = curvature * apart - curvature * curvature * area;
  return Math.asinh(Math.sqrt(Math.max(0, square) / (pp * qq))) / root;
}

/** arcosh(1 + x) without losing small x. */
function arcosh1p(x: number): number {
  const positive = Math.max(0, x);
  return Math.log1p(positive + Math.sqrt(positive * (positive + 2)));
}

function faultOf(point: Vector, width: number, model: HyperbolicModel, curvature: number): string | null {
  if (point.length !== width) return `${point.length} numbers, ${width} in the first`;
  if (!Array.from(point).every(Number.isFinite)) return 'not all of it are finite numbers';
  if (model !== 'lorentz') {
    const square = curvature * dot(point, point);
    return square < 1 ? null : `outside of the ball of radius ${(1 / Math.sqrt(curvature)).toPrecision(6)}`;
  }
  const time = point[0] ?? 0;
  const expected = Math.sqrt(1 / curvature + dot(spatialOf(point, model), spatialOf(point, model)));
  return Math.abs(time - expected) <= 1e-3 * expected
    ? null
    : `not on the hyperboloid: its first coordinate is ${time}, ${expected.toPrecision(6)} expected`;
}

function spatialOf(point: Vector, model: HyperbolicModel): Vector {
  return model === 'lorentz' ? Array.from(point).slice(1) : point;
}

function minkowskiSquare(p: Vector, q: Vector): number {
  const time = (p[0] ?? 0) - (q[0] ?? 0);
  return squaredDistance(p, q) - 2 * time * time;
}

function squaredDistance(a: Vector, b: Vector): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += ((a[i] ?? 0) - (b[i] ?? 0)) ** 2;
  return total;
}

function dot(a: Vector, b: Vector): number {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += (a[i] ?? 0) * (b[i] ?? 0);
  return total;
}

function length(vector: Vector): number {
  return Math.sqrt(dot(vector, vector));
}
