/** Quantile of ascending values, linear between neighbours; NaN without a value. */
export function sortedQuantile(sorted: ArrayLike<number>, probability: number): number {
  const at = probability * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (at - below);
}
