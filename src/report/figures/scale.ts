import { nice, ticks } from 'd3-array';

/** From values to places on a drawing. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

/** A linear scale; values outside the domain stand at its end. `count`: about how many ticks. */
export function linear(
  domain: readonly [number, number],
  range: readonly [number, number],
  count: number,
): Scale {
  const [low, high] = domain;
  const at = (value: number): number => {
    const inside = Math.min(high, Math.max(low, value));
    const share = high === low ? 0.5 : (inside - low) / (high - low);
    return round(range[0] + share * (range[1] - range[0]));
  };
  return { at, domain, ticks: ticks(low, high, count) };
}

/** The domain that holds all values and ends on round numbers; one value gets room on both sides. */
export function niceDomain(values: readonly number[], count: number): readonly [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = low === high ? Math.max(1e-6, Math.abs(low) * 0.5) : 0;
  return nice(low - room, high + room, count);
}

/** Tenths of a unit: drawings stay small and the same on every machine. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
