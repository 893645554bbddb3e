/**
 * The beta distribution, as far as exact binomial intervals and tests need it. Relative error against SciPy is below
 * 1e-10 for shapes up to 40,000 (test/stats/beta.test.ts).
 */

/** Stirling's series: B(2k) / (2k (2k - 1)) for k = 1 … 8, B being the Bernoulli numbers. */
const STIRLING = [
  1 / 12,
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
] as const;

/** ln Γ(x) for x > 0: Stirling's series, reached from small x by Γ(x + 1) = x Γ(x). */
export function logGamma(x: number): number {
  if (!(x > 0)) return Number.NaN;
  let shifted = x;
  let product = 1;
  while (shifted < 10) {
    product *= shifted;
    shifted += 1;
  }
  const inverseSquare = 1 / (shifted * shifted);
  let series = 0;
  for (let k = STIRLING.length - 1; k >= 0; k--) series = series * inverseSquare + (STIRLING[k] ?? 0);
  const stirling =
    (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series / shifted;
  return stirling - Math.log(product);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/**
 * Continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method as modified by Thompson and
 * Barnett. Converges fast for x < (a + 1) / (a + b + 2).
 */
function betaFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    value *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) < 1e-15) return value;
  }
  return value;
}

/** Regularised incomplete beta function I_x(a, b), for a, b > 0: the beta distribution's cumulative probability at x. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(a, b, x)) / a
    : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

/** The x with I_x(a, b) = probability: Newton steps on the distribution function, bisection where a step leaves the bracket. */
export function betaQuantile(probability: number, a: number, b: number): number {
  if (probability <= 0) return 0;
  if (probability >= 1) return 1;
  const logScale = logBeta(a, b);
  let low = 0;
  let high = 1;
  let x = a / (a + b);
  for (let step = 0; step < 2000; step++) {
    const error = incompleteBeta(a, b, x) - probability;
    if (error === 0) return x;
    if (error > 0) high = x;
    else low = x;
    const density = Math.exp((a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x) - logScale);
    const newton = x - error / density;
    const next = newton > low && newton < high ? newton : (low + high) / 2;
    if (Math.abs(next - x) <= 1e-15 * x) return next;
    x = next;
  }
  return x;
}
