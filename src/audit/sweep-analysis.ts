import type { Manifest } from '../run/manifest.js';
import type { Reading } from '../run/types.js';
import { mcnemarExact } from '../stats/binomial.js';
import { moments } from '../stats/moments.js';
import { countIf, rateOf } from './analyze-samples.js';
import type { About, Rate } from './analyze-types.js';
import { type Reader, verdictOf } from './ocs.js';
import { type Call, callOf, type Floors, floorsOf, type Moved } from './sweep-floor.js';
import { FITTED, isRandom, type Scope, type SteeredLayer } from './sweep-plan.js';
import { difference } from './sweep-readings.js';

/** Name of the pooled random directions of one alpha. */
export const POOLED = 'random';

/** All samples at one alpha along one direction, at one layer and scope. */
export interface SweepCell {
  /** `fitted`, `random-1`, …, or `random`: all random directions of this alpha together, a row per direction. */
  readonly direction: string;
  readonly alpha: number;
  readonly stepNorm: number;
  /** stepNorm over the mean norm of the residual stream there. */
  readonly residualShare: number;
  /** Rows without an error, and with one. */
  readonly n: number;
  readonly errors: number;
  readonly compliant: number;
  readonly nonCompliant: number;
  readonly nulls: number;
  /** Over the rows with a verdict; the pooled random rows have no interval, since samples repeat in them. */
  readonly accuracy: Rate;
  /** Verdicts that differ from those at alpha 0, over the samples with both. */
  readonly flips: Rate;
  /** Wrong at alpha 0, right here; and the other way round. */
  readonly gained: number;
  readonly lost: number;
  /** Exact McNemar of gained against lost; null when nothing changed, and for the pooled rows. */
  readonly p: number | null;
  /** Margin here minus margin at alpha 0, nats. */
  readonly shift: { readonly n: number; readonly mean: number | null; readonly meanAbs: number | null };
  /** Mean probability on the labels' first tokens. */
  readonly labelMass: number | null;
  /** Mean divergence (nats) from the unsteered next-token distribution. */
  readonly kl: number | null;
  /** Of the fitted direction at a moving alpha; null elsewhere. */
  readonly call: Call | null;
  readonly floors: Floors | null;
}

/** The dose–response of one layer and scope. */
export interface SweepBlock extends SteeredLayer {
  readonly scope: Scope;
  /** By alpha; at one alpha the fitted direction, then the random ones together, then each. */
  readonly cells: readonly SweepCell[];
}

/** What a sweep shows, as plain JSON. The order of rows in the run changes nothing in it. */
export interface SweepAnalysis {
  readonly about: About;
  readonly profile: string;
  readonly reader: Reader;
  readonly seed: number;
  readonly exactness: NonNullable<Manifest['batchPlan']>['exactness'] | null;
  readonly direction: NonNullable<Manifest['direction']>;
  readonly steering: NonNullable<Manifest['steering']>;
  readonly samples: number;
  /** The samples as they are, unsteered. */
  readonly unsteered: { readonly n: number; readonly nulls: number; readonly accuracy: Rate };
  /** Rows at alpha 0, how many of them equal their unsteered row bit for bit, and the largest difference of margins. */
  readonly identity: { readonly rows: number; readonly equal: number; readonly largest: number };
  readonly blocks: readonly SweepBlock[];
}

export interface SweepAnalysisOptions {
  readonly about: About;
  readonly reader: Reader;
  readonly seed: number;
  readonly exactness: SweepAnalysis['exactness'];
  readonly direction: SweepAnalysis['direction'];
  readonly steering: SweepAnalysis['steering'];
}

/** A row with the row of its sample at alpha 0. */
interface Against {
  readonly row: Reading;
  readonly zero: Reading | undefined;
}

/** Analyzes the readings of a sweep; rows that are missing or failed are left aside and counted. */
export function analyzeSweep(readings: readonly Reading[], options: SweepAnalysisOptions): SweepAnalysis {
  const { reader, seed, steering } = options;
  const plain = new Map(readings.filter(row => row.alpha === null).map(row => [row.sampleId, row]));
  const steered = readings.filter(row => row.alpha !== null);
  const scopes = (['last', 'all'] as const).filter(scope => steered.some(row => row.positionScope === scope));
  const blocks = scopes.flatMap(scope =>
    steering.layers.map((layer): SweepBlock => {
      const rows = steered.filter(row => row.positionScope === scope && row.layer === layer.layer);
      return { ...layer, scope, cells: cellsOf(rows, layer, steering.nudge, reader, seed) };
    }),
  );
  const unsteered = [...plain.values()].filter(usable);
  return {
    about: options.about,
    profile: readings[0]?.profile ?? '',
    reader,
    seed,
    exactness: options.exactness,
    direction: options.direction,
    steering,
    samples: plain.size,
    unsteered: {
      n: unsteered.length,
      nulls: countIf(unsteered, row => verdictOf(row, reader) === null),
      accuracy: accuracyOf(unsteered, reader),
    },
    identity: identityOf(steered, plain),
    blocks,
  };
}

function identityOf(
  steered: readonly Reading[],
  plain: ReadonlyMap<string, Reading>,
): SweepAnalysis['identity'] {
  let [rows, equal, largest] = [0, 0, 0];
  for (const row of steered) {
    const base = plain.get(row.sampleId);
    if (row.alpha !== 0 || base === undefined || !usable(row) || !usable(base)) continue;
    rows++;
    if (difference(base, row) === null) equal++;
    largest = Math.max(largest, Math.abs((row.margin ?? 0) - (base.margin ?? 0)));
  }
  return { rows, equal, largest };
}

function cellsOf(
  rows: readonly Reading[],
  layer: SteeredLayer,
  nudge: number,
  reader: Reader,
  seed: number,
): readonly SweepCell[] {
  const zeros = new Map(
    rows.filter(row => row.alpha === 0 && row.direction === FITTED).map(row => [row.sampleId, row]),
  );
  const against = rows.map((row): Against => ({ row, zero: zeros.get(row.sampleId) }));
  const at = (alpha: number, holds: (direction: string) => boolean): readonly Against[] =>
    against.filter(({ row }) => row.alpha === alpha && holds(row.direction ?? ''));
  const nudged = at(nudge, direction => direction === FITTED);
  const zeroMass = meanOf([...zeros.values()].filter(usable), row => row.labelMass);
  const alphas = [...new Set(rows.map(row => row.alpha as number))].sort((a, b) => a - b);
  return alphas.flatMap(alpha => {
    const fitted = at(alpha, direction => direction === FITTED);
    const randoms = at(alpha, isRandom);
    const names = [...new Set(randoms.map(({ row }) => row.direction ?? ''))].sort(byNumber);
    const cell = (direction: string, of: readonly Against[]): SweepCell =>
      cellOf(direction, alpha, layer, of, reader);
    const own = cell(FITTED, fitted);
    const moving = alpha !== 0 && !(alpha === nudge && randoms.length === 0);
    const floors = moving
      ? floorsOf(movesOf(fitted, reader), movesOf(randoms, reader), movesOf(nudged, reader), seed)
      : null;
    const call = floors === null ? null : callOf(floors, { mass: own.labelMass, massAtZero: zeroMass });
    return [
      { ...own, call, floors },
      ...(names.length > 1 ? [cell(POOLED, randoms)] : []),
      ...names.map(name =>
        cell(
          name,
          randoms.filter(({ row }) => row.direction === name),
        ),
      ),
    ];
  });
}

function cellOf(
  direction: string,
  alpha: number,
  layer: SteeredLayer,
  all: readonly Against[],
  reader: Reader,
): SweepCell {
  const good = all.filter(({ row }) => usable(row));
  const verdicts = good.map(({ row }) => verdictOf(row, reader));
  const moves = movesOf(all, reader);
  const flips = moves.map(move => move.flip).filter(flip => flip !== null);
  const shifts = moves.map(move => move.shift).filter(shift => shift !== null);
  const right = good.filter(({ row, zero }) => bothVerdicts(row, zero, reader));
  const gained = countIf(right, ({ row, zero }) => isRight(row, reader) && !isRight(zero as Reading, reader));
  const lost = countIf(right, ({ row, zero }) => !isRight(row, reader) && isRight(zero as Reading, reader));
  const pooled = direction === POOLED;
  const stepNorm = Math.abs(alpha) * layer.step;
  const rate = (of: Rate): Rate => (pooled ? { ...of, low: null, high: null } : of);
  return {
    direction,
    alpha,
    stepNorm,
    residualShare: stepNorm / layer.residualNorm,
    n: good.length,
    errors: all.length - good.length,
    compliant: countIf(verdicts, verdict => verdict === 1),
    nonCompliant: countIf(verdicts, verdict => verdict === 0),
    nulls: countIf(verdicts, verdict => verdict === null),
    accuracy: rate(
      accuracyOf(
        good.map(({ row }) => row),
        reader,
      ),
    ),
    flips: rate(
      rateOf(
        countIf(flips, flip => flip === 1),
        flips.length,
      ),
    ),
    gained,
    lost,
    p: pooled ? null : mcnemarExact(gained, lost),
    shift: {
      n: shifts.length,
      mean: moments(shifts).mean,
      meanAbs: moments(shifts.map(Math.abs)).mean,
    },
    labelMass: meanOf(
      good.map(({ row }) => row),
      row => row.labelMass,
    ),
    kl: meanOf(
      good.map(({ row }) => row),
      row => row.kl,
    ),
    call: null,
    floors: null,
  };
}

/** How far each row moved from alpha 0, ordered by sample and direction, so that the order of rows changes nothing. */
function movesOf(rows: readonly Against[], reader: Reader): readonly Moved[] {
  return [...rows]
    .sort((a, b) => (a.row.key < b.row.key ? -1 : a.row.key > b.row.key ? 1 : 0))
    .flatMap(({ row, zero }) => {
      if (!usable(row) || zero === undefined || !usable(zero)) return [];
      const before = verdictOf(zero, reader);
      const after = verdictOf(row, reader);
      return {
        sampleId: row.sampleId,
        shift: row.margin === null || zero.margin === null ? null : row.margin - zero.margin,
        flip: before === null || after === null ? null : before === after ? 0 : 1,
      };
    });
}

function usable(row: Reading): boolean {
  return row.applicable && row.errorCode === null;
}

function bothVerdicts(row: Reading, zero: Reading | undefined, reader: Reader): boolean {
  return zero !== undefined && verdictOf(row, reader) !== null && verdictOf(zero, reader) !== null;
}

function isRight(row: Reading, reader: Reader): boolean {
  return verdictOf(row, reader) === row.label;
}

function accuracyOf(rows: readonly Reading[], reader: Reader): Rate {
  const judged = rows.filter(row => verdictOf(row, reader) !== null);
  return rateOf(
    countIf(judged, row => isRight(row, reader)),
    judged.length,
  );
}

function meanOf(rows: readonly Reading[], value: (row: Reading) => number | null): number | null {
  return moments(rows.map(value).filter(number => number !== null)).mean;
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(a.indexOf('-') + 1)) - Number(b.slice(b.indexOf('-') + 1));
}
