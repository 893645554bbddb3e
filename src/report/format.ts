import type { Rate, Tally } from '../audit/analyze-types.js';

/** What stands for a value that does not exist. */
export const NONE = '–';

/** A number in [0, 1] without its leading zero: .439, 1.000. */
export function share(value: number | null, digits = 3): string {
  return value === null ? NONE : value.toFixed(digits).replace(/^0\./, '.');
}

/** A p-value to four places; one that would round to zero is said to be below .0001. */
export function pValue(value: number | null): string {
  if (value === null) return NONE;
  return value < 0.00005 ? '<.0001' : share(value, 4);
}

/** A whole number with its thousands set off. */
export function whole(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A real number with its sign. */
export function signed(value: number | null): string {
  if (value === null) return NONE;
  const text = Math.abs(value).toFixed(3);
  return Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`;
}

/** A magnitude to three decimals, a small one to three digits. */
export function figure(value: number | null): string {
  if (value === null) return NONE;
  return value === 0 || Math.abs(value) >= 0.1 ? value.toFixed(3) : value.toPrecision(3);
}

/** 7.5 %, of a share. */
export function percent(value: number | null): string {
  return value === null ? NONE : `${(100 * value).toFixed(1)} %`;
}

/** A length of time in the largest unit of which it has at least two. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 120 * 60) return `${Math.round(seconds / 60)} minutes`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} hours`;
  return `${whole(Math.round(seconds / 86400))} days`;
}

export function interval(
  of: { readonly low: number | null; readonly high: number | null },
  digits = 3,
): string {
  return of.low === null || of.high === null ? NONE : `[${share(of.low, digits)}, ${share(of.high, digits)}]`;
}

/** 3/40. */
export function fraction(rate: Rate): string {
  return `${whole(rate.count)}/${whole(rate.n)}`;
}

/** Codes with their counts: `no-label 9, empty 1`. */
export function tally(codes: Tally): string {
  return codes.map(([code, count]) => `${code} ${whole(count)}`).join(', ');
}
