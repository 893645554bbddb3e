import type { Drafts } from './drafts.js';
import type { Counters, Steer, TapOutcome } from './types.js';

/**
 * How the tokens of a stream may be cut, so that no sum depends on the cut: every decoded piece is a multiple of `tile`
 * tokens long, at least `least` of them and at most `most` (see docs/exactness.md). `most` is a multiple of `tile` or
 * infinite, and no less than `least`.
 */
export interface Grain {
  readonly tile: number;
  readonly least: number;
  readonly most: number;
}

/** A proof doubles the tile up to this; no recipe asks for longer pieces. */
export const LARGEST_TILE = 64;

/** Consecutive tokens for one stream, as long as the grain allows. */
export interface Chunk {
  readonly tokens: Int32Array;
  /** Rows whose logits are computed. */
  readonly outputs: RowRange;
  /** Logits to be read, ascending by row. */
  readonly wants: readonly { readonly row: number; readonly token: number }[];
  /** true: the whole logit row of the first want comes back. */
  readonly keepFirst: boolean;
  /** Row whose residual stream is read, or null. */
  readonly tapRow: number | null;
  /** What is added to the residual stream, and to which row; row null = to every row. */
  readonly steer: { readonly spec: Steer; readonly row: number | null } | null;
}

export interface RowRange {
  readonly from: number;
  readonly count: number;
}

export interface ChunkResult {
  /** One entry per want. */
  readonly logit: Float32Array;
  readonly logSumExp: Float64Array;
  readonly argMax: Int32Array;
  readonly taps: readonly TapOutcome[];
  /** The whole row of the first want when the chunk keeps it. */
  readonly row: Float32Array;
}

/** What a stream's memory holds, and how to shorten it. */
export interface Stream {
  /** Tokens in memory, oldest first. */
  resident(): Int32Array;
  /** Forget everything from this position on; nothing happens when less is there. */
  truncate(length: number): void;
}

export interface EvaluateOptions extends Grain {
  readonly tapped: boolean;
  readonly keepLogits: boolean;
  /** true: nothing behind the deepest tap is computed, so there are no labels and no text. */
  readonly stopAtTaps: boolean;
  /** false: start from an empty stream. */
  readonly share: boolean;
  readonly counters: Counters;
  readonly drafts: Drafts;
}

export type Steps<T> = Generator<Chunk, T, ChunkResult>;

/**
 * Output rows come in whole tiles of this many, on tile boundaries, wherever the schedule cuts the chunk: the output
 * matrix product then takes the same path for all.
 */
const OUTPUT_TILE = 4;

/** Output rows that cover `count` rows from `from` on. */
export function outputRows(from: number, count: number, tile: number): RowRange {
  const step = Math.min(tile, OUTPUT_TILE);
  const start = Math.floor(from / step) * step;
  return { from: start, count: tileUp(from + count, step) - start };
}

export const NO_OUTPUTS: RowRange = { from: 0, count: 0 };

/** Most output rows that one chunk asks for when the longest label has this many tokens. */
export function mostOutputs(longestLabel: number): number {
  return tileUp(longestLabel + 1, OUTPUT_TILE) + OUTPUT_TILE;
}

/** Places for drafts behind `length` tokens: as many as share the output tile of the last one. */
export function draftRoom(length: number, tile: number): number {
  return tileUp(length, Math.min(tile, OUTPUT_TILE)) - length;
}

/** The grain with another tile: no piece is shorter than a tile. */
export function withTile({ least, most }: Grain, tile: number): Grain {
  return { tile, least: Math.max(least, tile), most: Math.max(tile, Math.floor(most / tile) * tile) };
}

/** The tokens with token 0 behind them, up to a length that the grain allows. */
export function padded(tokens: Int32Array, { tile, least }: Grain): Int32Array {
  const whole = new Int32Array(Math.max(least, tileUp(tokens.length, tile)));
  whole.set(tokens);
  return whole;
}

export function tileUp(n: number, tile: number): number {
  return Math.ceil(n / tile) * tile;
}

export function commonPrefix(a: Int32Array, b: Int32Array): number {
  const n = Math.min(a.length, b.length);
  let i = 0;
  while (i < n && a[i] === b[i]) i++;
  return i;
}

export function concat(a: Int32Array, b: Int32Array): Int32Array {
  const whole = new Int32Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
