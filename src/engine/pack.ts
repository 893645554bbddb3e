import type { Grain } from './chunk.js';

/** What one decode takes from the streams: `length` tokens from each of the streams `first` … `last`. */
export interface Pick {
  readonly first: number;
  readonly last: number;
  readonly length: number;
}

/** A stream that could take part in the next decode. */
export interface Waiting {
  /** Tokens of its chunk that are still to be decoded, in whole tiles and no fewer than the grain's least; 0 = nothing to do. */
  readonly pending: number;
  /** Cells that are free behind what it holds. */
  readonly room: number;
}

/** What a decode costs beyond its tokens, in tokens: weights have to be read once whatever its size. */
const DECODE_COST = 16;

/**
 * Chooses the next decode for streams with separate memories. llama.cpp keeps such a batch in one piece, in order, only
 * when the sequence numbers are consecutive and every sequence brings equally many tokens; so a decode is a rectangle
 * over the histogram of pending lengths, at most `capacity` tokens large. What is left of a chunk must again be long enough
 * for the grain, and where the least piece is longer than a tile, a shorter chunk may be padded up to the length of the others.
 * Of all rectangles, that with the most pending tokens per cost is taken.
 *
 * `must` is a stream that has waited long and has to be in, or -1. Returns null when nothing is pending.
 */
export function bestPick(
  streams: readonly Waiting[],
  capacity: number,
  grain: Grain,
  must: number,
): Pick | null {
  let best: Pick | null = null;
  let bestRate = 0;
  for (let first = 0; first < streams.length; first++) {
    for (let last = first; last < streams.length; last++) {
      if ((streams[last] as Waiting).pending === 0) break;
      if (must >= 0 && (must < first || must > last)) continue;
      const chosen = streams.slice(first, last + 1);
      const cap = Math.min(grain.most, Math.floor(capacity / chosen.length / grain.tile) * grain.tile);
      if (cap < grain.least) break;
      for (const length of lengthsFor(chosen, cap, grain)) {
        const useful = chosen.reduce((sum, { pending }) => sum + Math.min(pending, length), 0);
        const rate = useful / (DECODE_COST + length * chosen.length);
        if (rate > bestRate) {
          bestRate = rate;
          best = { first, last, length };
        }
      }
    }
  }
  return best;
}

/** Lengths worth trying: those that end a chunk, those that leave the least of one, and the most that fits. */
function lengthsFor(chosen: readonly Waiting[], cap: number, { tile, least }: Grain): readonly number[] {
  const shortest = Math.min(...chosen.map(({ pending }) => pending));
  if (least === tile) return [Math.min(cap, shortest)];
  const ends = chosen.flatMap(({ pending }) => [pending, pending - least]);
  return [...new Set([cap, ...ends])].filter(
    length =>
      length >= least &&
      length <= cap &&
      chosen.every(({ pending, room }) => (pending <= length || pending - length >= least) && room >= length),
  );
}
