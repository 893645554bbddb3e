/** Logistic regression on two standardised features. */
export interface Logistic {
  readonly mean: readonly [number, number];
  /** Of the population (n); 1 where a feature does not vary. */
  readonly sd: readonly [number, number];
  readonly bias: number;
  readonly weights: readonly [number, number];
}

export interface Example {
  readonly features: readonly [number, number];
  readonly label: 0 | 1;
}

/**
 * Maximum likelihood by Newton's method, a step halved while it makes things worse. The squares of all three parameters
 * cost {@link RIDGE} each: too little to show, enough to keep separable data, or data of one class, finite.
 */
export function fitLogistic(examples: readonly Example[]): Logistic {
  const column = (i: 0 | 1): readonly number[] => examples.map(({ features }) => features[i]);
  const mean = [average(column(0)), average(column(1))] as const;
  const sd = [spread(column(0), mean[0]), spread(column(1), mean[1])] as const;
  const rows = examples.map(({ features: [a, b], label }): Row => {
    return { x: [1, (a - mean[0]) / sd[0], (b - mean[1]) / sd[1]], label };
  });
  let parameters: Triple = [0, 0, 0];
  for (let step = 0; step < MAX_STEPS; step++) {
    const change = newtonStep(rows, parameters);
    const before = loss(rows, parameters);
    let share = 1;
    while (share > 1e-6 && loss(rows, add(parameters, change, -share)) > before) share /= 2;
    parameters = add(parameters, change, -share);
    if (Math.max(...change.map(Math.abs)) < 1e-10) break;
  }
  const [bias, first, second] = parameters;
  return { mean, sd, bias, weights: [first, second] };
}

interface Row {
  readonly x: Triple;
  readonly label: 0 | 1;
}

function newtonStep(rows: readonly Row[], parameters: Triple): Triple {
  let gradient = add([0, 0, 0], parameters, 2 * RIDGE);
  const curvature: [Triple, Triple, Triple] = [
    [2 * RIDGE, 0, 0],
    [0, 2 * RIDGE, 0],
    [0, 0, 2 * RIDGE],
  ];
  for (const { x, label } of rows) {
    const p = sigmoid(dot(parameters, x));
    gradient = add(gradient, x, p - label);
    for (const i of [0, 1, 2] as const) curvature[i] = add(curvature[i], x, p * (1 - p) * x[i]);
  }
  return solve(curvature, gradient);
}

/** Summed log loss in nats, penalty included. */
function loss(rows: readonly Row[], parameters: Triple): number {
  let total = RIDGE * dot(parameters, parameters);
  for (const { x, label } of rows) {
    const z = dot(parameters, x) * (label === 1 ? 1 : -1);
    total += Math.max(0, -z) + Math.log1p(Math.exp(-Math.abs(z)));
  }
  return total;
}

/** Probability of label 1. */
export function predict({ mean, sd, bias, weights }: Logistic, [a, b]: readonly [number, number]): number {
  return sigmoid(bias + (weights[0] * (a - mean[0])) / sd[0] + (weights[1] * (b - mean[1])) / sd[1]);
}

type Triple = readonly [number, number, number];

const MAX_STEPS = 200;
const RIDGE = 1e-8;

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function dot(a: Triple, b: Triple): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function add(a: Triple, b: Triple, times: number): Triple {
  return [a[0] + times * b[0], a[1] + times * b[1], a[2] + times * b[2]];
}

/** Solves a symmetric positive definite system of three by Cramer's rule. */
function solve([a, b, c]: readonly [Triple, Triple, Triple], right: Triple): Triple {
  const determinant = dot(a, cross(b, c));
  return [
    dot(right, cross(b, c)) / determinant,
    dot(a, cross(right, c)) / determinant,
    dot(a, cross(b, right)) / determinant,
  ];
}

function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function average(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

function spread(values: readonly number[], mean: number): number {
  const variance = average(values.map(value => (value - mean) ** 2));
  return variance > 0 ? Math.sqrt(variance) : 1;
}
