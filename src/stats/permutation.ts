import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { PlumblineError } from '../errors.js';
import { logGamma } from './beta.js';

/** Verdict pairs within which baseline and altered verdicts may be re-paired: one domain under one condition. */
export interface Cell {
  readonly name: string;
  /** Baseline verdict and altered verdict of each sample. */
  readonly pairs: readonly (readonly [0 | 1, 0 | 1])[];
}

export interface PermutationCheck {
  readonly pairs: number;
  readonly observedFlips: number;
  /** Flips that re-pairing gives on average (exact, from the margins); null when there is no pair. */
  readonly expectedFlips: number | null;
  readonly repairings: number;
  /** One-sided: share of re-pairings with as few flips or fewer, the observed one counted in. null when degenerate. */
  readonly pFewer: number | null;
  /** One-sided: share of re-pairings with as many flips or more, the observed one counted in. null when degenerate. */
  readonly pMore: number | null;
  /** No cell can move: every re-pairing has the same flips, so there is no test and no p. */
  readonly degenerate: boolean;
  /** Cells in which all baseline or all altered verdicts are equal (or fewer than two pairs): they cannot move. */
  readonly degenerateCells: readonly string[];
  readonly cells: number;
}

/** Margins of a cell: pairs, compliant baseline verdicts, compliant altered verdicts, flips. */
interface Margins {
  readonly n: number;
  readonly before: number;
  readonly after: number;
  readonly flips: number;
}

function marginsOf(cell: Cell): Margins {
  let before = 0;
  let after = 0;
  let flips = 0;
  for (const [baseline, altered] of cell.pairs) {
    before += baseline;
    after += altered;
    if (baseline !== altered) flips++;
  }
  return { n: cell.pairs.length, before, after, flips };
}

const cannotMove = ({ n, before, after }: Margins): boolean =>
  before === 0 || before === n || after === 0 || after === n;

function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1);
}

/**
 * Distribution of the flips of a uniformly random re-pairing. The pairs that are compliant on both sides are
 * hypergeometric, and flips = before + after - 2 × those; so a draw from that distribution is a re-pairing, as far as
 * its flips go, and costs one binary search instead of a shuffle.
 */
export function flipDistribution(
  n: number,
  before: number,
  after: number,
): { flips: Int32Array; cumulative: Float64Array } {
  const least = Math.max(0, before + after - n);
  const most = Math.min(before, after);
  const flips = new Int32Array(most - least + 1);
  const cumulative = new Float64Array(most - least + 1);
  let sum = 0;
  for (let both = least; both <= most; both++) {
    const log = logChoose(before, both) + logChoose(n - before, after - both) - logChoose(n, after);
    sum += Math.exp(log);
    flips[both - least] = before + after - 2 * both;
    cumulative[both - least] = sum;
  }
  return { flips, cumulative };
}

function draw(cumulative: Float64Array, uniform: number): number {
  // The last entry is 1 up to rounding; scaling makes it the bound.
  const target = uniform * (cumulative[cumulative.length - 1] ?? 1);
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] ?? 1) > target) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Within-cell permutation check of the total number of flips: altered verdicts are re-paired at random with the
 * baseline verdicts of their own cell, seeded, and the observed pairing counts as one of the re-pairings, so that p is
 * never below 1 / (repairings + 1). Cells are taken in the order of their names: the order given changes nothing.
 *
 * Few flips show that verdicts are stable per sample, not that they are right.
 */
export function permutationCheck(
  cells: readonly Cell[],
  seed: number,
  repairings = 10_000,
): PermutationCheck {
  if (!(Number.isInteger(repairings) && repairings > 0)) {
    throw new PlumblineError('USAGE', `${repairings} re-pairings asked for: a whole number above 0 expected`);
  }
  const ordered = [...cells]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(cell => ({ name: cell.name, margins: marginsOf(cell) }))
    .filter(cell => cell.margins.n > 0);
  const sum = (of: (margins: Margins) => number): number =>
    ordered.reduce((total, cell) => total + of(cell.margins), 0);
  const pairs = sum(margins => margins.n);
  const observedFlips = sum(margins => margins.flips);
  const degenerateCells = ordered.filter(cell => cannotMove(cell.margins)).map(cell => cell.name);
  const common = {
    pairs,
    observedFlips,
    expectedFlips:
      pairs === 0 ? null : sum(({ n, before, after }) => before + after - (2 * before * after) / n),
    repairings,
    degenerateCells,
    cells: ordered.length,
  };
  const moving = ordered.filter(cell => !cannotMove(cell.margins));
  if (moving.length === 0) return { ...common, pFewer: null, pMore: null, degenerate: true };

  const random = xoroshiro128plus(seed);
  const totals = new Float64Array(repairings);
  for (const { margins } of moving) {
    const { flips, cumulative } = flipDistribution(margins.n, margins.before, margins.after);
    for (let b = 0; b < repairings; b++) {
      totals[b] = (totals[b] ?? 0) + (flips[draw(cumulative, uniformFloat64(random))] ?? 0);
    }
  }
  const observed = moving.reduce((total, cell) => total + cell.margins.flips, 0);
  let fewer = 1;
  let more = 1;
  for (const total of totals) {
    if (total <= observed) fewer++;
    if (total >= observed) more++;
  }
  return { ...common, pFewer: fewer / (repairings + 1), pMore: more / (repairings + 1), degenerate: false };
}
