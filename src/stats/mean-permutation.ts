import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export interface PermutationP {
  /** Two-sided; null when there is nothing to permute. */
  readonly p: number | null;
  /** false: from seeded draws, the observed labelling counted in. */
  readonly exact: boolean;
}

/** Sums are compared in units of 2⁻⁴⁰, so that relabellings with equal sums are equal whatever the order of adding. */
const UNIT = 2 ** 40;
/** Of partial sums that one half of the exact distribution may hold. */
const MAX_STATES = 60_000;
const DRAWS = 20_000;

/**
 * Two-sided permutation test of a difference of means: the share of all ways to relabel the pooled values, group sizes
 * kept, whose difference is at least as large as the observed one. Exact by meeting in the middle: equal values are
 * taken together, the distinct ones are dealt into two halves, and the sums of the halves are matched. Where that would
 * take too many states, seeded draws instead.
 */
export function meanDifferenceP(
  first: readonly number[],
  second: readonly number[],
  seed: number,
): PermutationP {
  if (first.length === 0 || second.length === 0) return { p: null, exact: true };
  const pooled = [...first, ...second].map(value => Math.round(value * UNIT));
  const total = sum(pooled);
  const n = pooled.length;
  const k = first.length;
  const slack = n;
  // |mean₁ - mean₂| grows with |n · sum₁ - k · total|; half a unit of rounding each.
  const distance = Math.abs(sum(pooled.slice(0, k)) - (k * total) / n) - slack;
  const low = (k * total) / n - distance;
  const high = (k * total) / n + distance;
  if (distance <= 0) return { p: 1, exact: true };

  const values = [...countValues(pooled)].sort((a, b) => a[0] - b[0]);
  // Alternately, so that both halves have about as many states.
  const halves = [0, 1].map(side =>
    partialSums(
      values.filter((_, i) => i % 2 === side),
      k,
    ),
  );
  const [left, right] = halves;
  if (left === undefined || right === undefined || left === null || right === null)
    return { p: drawnP(pooled, k, low, high, seed), exact: false };
  let extreme = 0;
  let all = 0;
  for (let taken = 0; taken <= k; taken++) {
    const a = left[taken] ?? [];
    const b = right[k - taken] ?? [];
    const cumulative = new Float64Array(b.length + 1);
    b.forEach(([, ways], i) => {
      cumulative[i + 1] = (cumulative[i] ?? 0) + ways;
    });
    const waysOfB = cumulative[b.length] ?? 0;
    for (const [value, ways] of a) {
      const below = cumulative[firstAbove(b, low - value)] ?? 0;
      const above = waysOfB - (cumulative[firstFrom(b, high - value)] ?? 0);
      extreme += ways * (below + above);
      all += ways * waysOfB;
    }
  }
  return { p: extreme / all, exact: true };
}

/** For each count, the sums that so many items can have, ascending, and in how many ways. */
type PartialSums = readonly (readonly (readonly [number, number])[])[];

function partialSums(values: readonly (readonly [number, number])[], most: number): PartialSums | null {
  let states: ReadonlyMap<number, number>[] = [new Map([[0, 1]])];
  for (const [value, copies] of values) {
    const next: Map<number, number>[] = [];
    let size = 0;
    for (const [taken, sums] of states.entries()) {
      for (let more = 0; more <= copies && taken + more <= most; more++) {
        const ways = choose(copies, more);
        const into = next[taken + more] ?? new Map<number, number>();
        next[taken + more] = into;
        for (const [at, count] of sums) {
          const reached = at + more * value;
          const before = into.get(reached) ?? 0;
          if (before === 0 && ++size > MAX_STATES) return null;
          into.set(reached, before + count * ways);
        }
      }
    }
    states = next;
  }
  return states.map(sums => [...sums].sort((a, b) => a[0] - b[0]));
}

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}

/** How many sums are at most `bound`. */
function firstAbove(sums: readonly (readonly [number, number])[], bound: number): number {
  return search(sums, value => value > bound);
}

/** How many sums are below `bound`. */
function firstFrom(sums: readonly (readonly [number, number])[], bound: number): number {
  return search(sums, value => value >= bound);
}

function search(sums: readonly (readonly [number, number])[], beyond: (value: number) => boolean): number {
  let low = 0;
  let high = sums.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (beyond(sums[middle]?.[0] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function drawnP(pooled: readonly number[], k: number, low: number, high: number, seed: number): number {
  const random = xoroshiro128plus(seed);
  const items = Float64Array.from(pooled).sort();
  let extreme = 1;
  for (let draw = 0; draw < DRAWS; draw++) {
    let taken = 0;
    for (let i = 0; i < k; i++) {
      const j = i + Math.floor(((random.next() >>> 0) / 2 ** 32) * (items.length - i));
      const value = items[j] ?? 0;
      items[j] = items[i] ?? 0;
      items[i] = value;
      taken += value;
    }
    if (taken <= low || taken >= high) extreme++;
  }
  return extreme / (DRAWS + 1);
}

/** Up to so many pairs, every pattern of signs is tried. */
const MAX_EXACT_PAIRS = 20;

/**
 * Two-sided sign-flip test of paired differences: the share of the 2ⁿ patterns of signs whose sum is at least as far
 * from zero as the observed one. Seeded draws beyond {@link MAX_EXACT_PAIRS} pairs.
 */
export function signFlipP(differences: readonly number[], seed: number): PermutationP {
  const n = differences.length;
  if (n === 0) return { p: null, exact: true };
  const steps = differences.map(value => Math.round(value * UNIT));
  const observed = Math.abs(sum(steps)) - n;
  if (observed <= 0) return { p: 1, exact: true };
  if (n <= MAX_EXACT_PAIRS) {
    // A Gray code: each pattern differs from the one before in one sign.
    let total = sum(steps);
    let extreme = 1;
    const signs = new Int8Array(n).fill(1);
    for (let pattern = 1; pattern < 2 ** n; pattern++) {
      const flipped = 31 - Math.clz32(pattern & -pattern);
      total -= 2 * (signs[flipped] ?? 0) * (steps[flipped] ?? 0);
      signs[flipped] = -(signs[flipped] ?? 0);
      if (Math.abs(total) >= observed) extreme++;
    }
    return { p: extreme / 2 ** n, exact: true };
  }
  const random = xoroshiro128plus(seed);
  const ordered = [...steps].sort((a, b) => a - b);
  let extreme = 1;
  for (let draw = 0; draw < DRAWS; draw++) {
    let total = 0;
    for (const step of ordered) total += random.next() < 0 ? step : -step;
    if (Math.abs(total) >= observed) extreme++;
  }
  return { p: extreme / (DRAWS + 1), exact: false };
}

function countValues(values: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
