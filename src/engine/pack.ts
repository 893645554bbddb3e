/** What one decode takes from the streams: `length` tokens from each of the streams `first` … `last`. */
export interface Pick {
  readonly first: number;
  readonly last: number;
  readonly length: number;
}

/**
 * Chooses the next decode for streams with separate memories. llama.cpp keeps such a batch in one piece, in order, only
 * when the sequence numbers are consecutive and every sequence brings equally many tokens; so the best decode is the
 * largest rectangle under the histogram of pending lengths, at most `capacity` tokens large.
 *
 * `pending[i]` is a multiple of `tile`, 0 for a stream with nothing to do. `must` is a stream that has waited long and
 * has to be in, or -1. Returns null when nothing is pending.
 */
export function largestPick(
  pending: readonly number[],
  capacity: number,
  tile: number,
  must: number,
): Pick | null {
  let best: Pick | null = null;
  let bestArea = 0;
  for (let first = 0; first < pending.length; first++) {
    let height = Number.POSITIVE_INFINITY;
    for (let last = first; last < pending.length; last++) {
      height = Math.min(height, pending[last] as number);
      if (height === 0) break;
      if (must >= 0 && (must < first || must > last)) continue;
      const width = last - first + 1;
      const cap = Math.floor(capacity / width / tile) * tile;
      if (cap === 0) break;
      const length = Math.min(height, cap);
      if (length * width > bestArea) {
        bestArea = length * width;
        best = { first, last, length };
      }
    }
  }
  return best;
}
