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
  const width = widthOf(low, high, count);
  return groups.map(values => {
    const counts = new Map<number, number>();
    for (const value of values) {
      const bin = Math.round(value / width) + 0;
      counts.set(bin, (counts.get(bin) ?? 0) + 1);
    }
    const bins = [...counts]
      .sort(([a], [b]) => a - b)
      .map(([bin, count]) => ({ middle: Number((bin * width).toPrecision(14)), count }));
    return { width, bins };
  });
}

/** A bin is at least this many decimal places below the largest value: its number stays a small integer. */
const LEAST_SHARE = 6;
/** Below this numbers lose their digits. */
const LEAST_WIDTH = 1e-300;

function widthOf(low: number, high: number, count: number): number {
  if (!(low < high)) return 1;
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const width = Math.max(tickStep(low, high, count), 10 ** Math.ceil(Math.log10(largest) - LEAST_SHARE));
  return width > LEAST_WIDTH ? width : 1;
}
