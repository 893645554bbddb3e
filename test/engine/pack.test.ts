import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largestPick, type Pick } from '../../src/engine/pack.js';

/** Area of the best legal pick, by trying every one. */
function bestArea(pending: readonly number[], capacity: number, tile: number, must: number): number {
  let best = 0;
  for (let first = 0; first < pending.length; first++) {
    for (let last = first; last < pending.length; last++) {
      for (let length = tile; length <= capacity; length += tile) {
        if (legal({ first, last, length }, pending, capacity, tile, must))
          best = Math.max(best, (last - first + 1) * length);
      }
    }
  }
  return best;
}

function legal(
  pick: Pick,
  pending: readonly number[],
  capacity: number,
  tile: number,
  must: number,
): boolean {
  const { first, last, length } = pick;
  return (
    first >= 0 &&
    first <= last &&
    last < pending.length &&
    length > 0 &&
    length % tile === 0 &&
    length * (last - first + 1) <= capacity &&
    pending.slice(first, last + 1).every(height => height >= length) &&
    (must < 0 || (first <= must && must <= last))
  );
}

describe('largestPick', () => {
  it('is the largest legal decode', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 4, 16),
        fc.array(fc.nat(6), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 1, max: 10 }),
        fc.nat(6),
        fc.boolean(),
        (tile, heights, tiles, stream, forced) => {
          const pending = heights.map(height => height * tile);
          const capacity = tiles * tile;
          const must = forced && (pending[stream] ?? 0) > 0 ? stream : -1;
          const pick = largestPick(pending, capacity, tile, must);
          const area = bestArea(pending, capacity, tile, must);
          if (pick === null) return area === 0;
          return (
            legal(pick, pending, capacity, tile, must) && pick.length * (pick.last - pick.first + 1) === area
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ['nothing to do', [0, 0], 512, null],
    ['one long stream, cut to the capacity', [600], 512, { first: 0, last: 0, length: 512 }],
    ['wide and flat over tall and thin', [40, 8, 8, 8, 8, 8, 8], 512, { first: 0, last: 6, length: 8 }],
    ['a gap', [8, 0, 8, 8], 512, { first: 2, last: 3, length: 8 }],
    ['three streams that share the capacity', [100, 100, 100], 128, { first: 0, last: 0, length: 100 }],
  ] as const)('%s', (_, pending, capacity, expected) => {
    const pick = largestPick(pending, capacity, 4, -1);
    if (expected === null || pick === null) expect(pick).toBe(expected);
    else if (pending.length === 3) expect(pick.length * (pick.last - pick.first + 1)).toBe(128);
    else expect(pick).toEqual(expected);
  });

  it('takes a stream that has waited, however little it has', () => {
    expect(largestPick([4, 0, 400, 400], 512, 4, 0)).toEqual({ first: 0, last: 0, length: 4 });
  });
});
