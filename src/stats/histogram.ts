import { tickStep } from 'd3-array';

/** Bins of one width, a round number, around whole multiples of it: values of exactly 0 stand in the bin around 0. */
export interface Histogram {
  readonly width: number;
  /** Without empty bins, ascending. */
  readonly bins: readonly { readonly middle: number; readonly count: number }[];
}

/**
 * Histograms of several groups of finite values over the same bins.
 * @param count about how many bins the range of all values is cut into.
 */
export function histograms(groups: readonly (readonly number[])[], count: number): readonly Histogram[] {
  const all = groups.flat();
  const low = all.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = all.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const width = low < high ? tickStep(low, high, count) : 1;
  return groups.map(values => {
    const counts = new Map<number, number>();
    for (const value of values) {
      const bin = Math.round(value / width) + 0;
      counts.set(bin, (counts.get(bin) ?? 0) + 1);
    }
    const bins = [...counts]
      .sort(([a], [b]) => a - b)
      .map(([bin, count]) => ({ middle: Number((bin * width).toPrecision(12)), count }));
    return { width, bins };
  });
}
