/** Location and spread of a sample; every figure is null when the sample is too small for it. */
export interface Moments {
  readonly n: number;
  readonly mean: number | null;
  readonly median: number | null;
  /** Standard deviation of the sample (n - 1). */
  readonly sd: number | null;
}

/** Mean, median and standard deviation. Values are summed in ascending order: the order of rows changes no bit. */
export function moments(values: readonly number[]): Moments {
  const sorted = Float64Array.from(values).sort();
  const n = sorted.length;
  if (n === 0) return { n, mean: null, median: null, sd: null };
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n;
  const middle = Math.floor(n / 2);
  const upper = sorted[middle] ?? Number.NaN;
  const median = n % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n, mean, median, sd: n < 2 ? null : Math.sqrt(squares / (n - 1)) };
}
