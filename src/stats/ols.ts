import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { PlumblineError } from '../errors.js';
import { moments } from './moments.js';
import { fisherUpperTail, studentTwoSided } from './tails.js';

export interface OlsRow {
  readonly outcome: number;
  /** null = undefined here, which drops the row. */
  readonly predictors: readonly (number | null)[];
}

export interface Coefficient {
  /** Change of the outcome, in its own unit, for one standard deviation (n - 1) of the predictor. */
  readonly estimate: number;
  readonly standardError: number;
  /** null after a perfect fit, which leaves no residual to compare with. */
  readonly t: number | null;
  /** Two-sided, Student's t with n - k - 1 degrees of freedom. */
  readonly p: number | null;
}

/** How much of the outcome k predictors take up, against none. */
export interface RegressionTest {
  readonly adjustedR2: number;
  /** With k and n - k - 1 degrees of freedom; null after a perfect fit. */
  readonly f: number | null;
  readonly p: number | null;
}

export interface OlsFit extends RegressionTest {
  /** The mean of the outcome, since the predictors are centred. */
  readonly intercept: number;
  /** In the order of the predictors. */
  readonly coefficients: readonly Coefficient[];
  readonly r2: number;
}

/** Why there is no fit: n <= k + 1; the outcome does not vary; a predictor does not; some predictors determine another. */
export type NoFit = 'too-few-rows' | 'constant-outcome' | 'constant-predictor' | 'collinear';

export interface Ols {
  /** Rows with every predictor, and those without. */
  readonly n: number;
  readonly dropped: number;
  readonly fit: OlsFit | null;
  /** null when there is a fit. */
  readonly why: NoFit | null;
  /** The predictors (by index) that do not vary, or that are linearly dependent; empty otherwise. */
  readonly culprits: readonly number[];
}

/** Singular values of the standardised predictors below this share of the largest one are zero, as in R's `lm`. */
const RANK_TOLERANCE = 1e-7;
/** Spreads and residuals below this share are rounding. */
const ROUNDING = 1e-12;

/**
 * Ordinary least squares with an intercept on standardised predictors, by singular value decomposition. Whether the
 * outcome is standardised too changes no t, F, p or R². Never NaN: what cannot be fitted is null with the reason.
 *
 * Errors: USAGE for rows of unequal width, without a predictor, or with a number that is not finite.
 */
export function ols(rows: readonly OlsRow[]): Ols {
  const k = rows[0]?.predictors.length ?? 0;
  for (const [i, { outcome, predictors }] of rows.entries()) {
    if (predictors.length !== k || k === 0)
      throw new PlumblineError(
        'USAGE',
        `row ${i} of a regression has ${predictors.length} predictors: ${Math.max(k, 1)} expected, as in every row`,
      );
    if (![outcome, ...predictors].every(value => value === null || Number.isFinite(value)))
      throw new PlumblineError('USAGE', `row ${i} of a regression holds a number that is not finite`);
  }
  const whole = rows.flatMap(({ outcome, predictors }) => {
    const values = predictors.filter(value => value !== null);
    return values.length === k ? [{ outcome, values }] : [];
  });
  const n = whole.length;
  const counts = { n, dropped: rows.length - n };
  const none = (why: NoFit, culprits: readonly number[] = []): Ols => ({
    ...counts,
    fit: null,
    why,
    culprits,
  });
  if (n <= k + 1) return none('too-few-rows');
  const outcome = whole.map(row => row.outcome);
  if (isConstant(outcome)) return none('constant-outcome');
  const columns = Array.from({ length: k }, (_, j) => whole.map(({ values }) => values[j] ?? 0));
  const constant = columns.flatMap((column, j) => (isConstant(column) ? [j] : []));
  if (constant.length > 0) return none('constant-predictor', constant);

  const predictors = new Matrix(columns.map(standardised)).transpose();
  const decomposition = new SingularValueDecomposition(predictors, { autoTranspose: true });
  const singular = decomposition.diagonal;
  const V = decomposition.rightSingularVectors;
  const smallest = RANK_TOLERANCE * Math.max(...singular);
  const vanishing = singular.flatMap((value, i) => (value <= smallest ? [i] : []));
  if (vanishing.length > 0) {
    const involved = columns.flatMap((_, j) =>
      vanishing.some(i => Math.abs(V.get(j, i)) > Math.sqrt(RANK_TOLERANCE)) ? [j] : [],
    );
    return none('collinear', involved);
  }
  return { ...counts, fit: fitted(outcome, predictors, decomposition), why: null, culprits: [] };
}

function fitted(
  outcome: readonly number[],
  predictors: Matrix,
  decomposition: SingularValueDecomposition,
): OlsFit {
  const [n, k] = [predictors.rows, predictors.columns];
  const intercept = moments(outcome).mean ?? 0;
  const centred = Matrix.columnVector(outcome.map(value => value - intercept));
  const estimates = decomposition.solve(centred);
  const residual = Matrix.sub(centred, predictors.mmul(estimates));
  const squares = (values: Matrix): number => values.to1DArray().reduce((sum, value) => sum + value ** 2, 0);
  const left = squares(residual) / squares(centred);
  // The root of a sum of squares is as precise as the numbers themselves.
  const unexplained = Math.sqrt(left) < ROUNDING ? 0 : left;
  const perfect = unexplained === 0;
  const df = n - k - 1;
  const variance = perfect ? 0 : squares(residual) / df;
  const V = decomposition.rightSingularVectors;
  const coefficients = Array.from({ length: k }, (_, j): Coefficient => {
    const estimate = estimates.get(j, 0);
    const inverse = decomposition.diagonal.reduce((sum, s, i) => sum + (V.get(j, i) / s) ** 2, 0);
    const standardError = Math.sqrt(variance * inverse);
    const t = perfect ? null : estimate / standardError;
    return { estimate, standardError, t, p: t === null ? null : studentTwoSided(t, df) };
  });
  const r2 = 1 - unexplained;
  return { intercept, coefficients, r2, ...regressionTest(r2, n, k) };
}

/**
 * Adjusted R², F and its p from R² over n rows with k predictors and an intercept. Errors: USAGE unless n > k + 1,
 * k >= 1 and R² in [0, 1].
 */
export function regressionTest(r2: number, n: number, k: number): RegressionTest {
  const df = n - k - 1;
  if (!(k >= 1 && df >= 1 && r2 >= 0 && r2 <= 1)) {
    throw new PlumblineError(
      'USAGE',
      `R² ${r2} of ${k} predictors over ${n} rows: R² in [0, 1] and more than k + 1 rows expected`,
    );
  }
  const adjustedR2 = 1 - ((1 - r2) * (n - 1)) / df;
  if (r2 === 1) return { adjustedR2, f: null, p: null };
  const f = r2 / k / ((1 - r2) / df);
  return { adjustedR2, f, p: fisherUpperTail(f, k, df) };
}

function isConstant(values: readonly number[]): boolean {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high - low <= ROUNDING * Math.max(Math.abs(low), Math.abs(high));
}

function standardised(values: readonly number[]): number[] {
  const { mean, sd } = moments(values);
  return values.map(value => (value - (mean ?? 0)) / (sd ?? 1));
}
