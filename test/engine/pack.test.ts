import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Grain } from '../../src/engine/chunk.js';
import { bestPick, type Pick, type Waiting } from '../../src/engine/pack.js';
import { FLASH, PLAIN } from '../../src/engine/recipe.js';

function legal(
  pick: Pick,
  streams: readonly Waiting[],
  capacity: number,
  grain: Grain,
  must: number,
): boolean {
  const { first, last, length } = pick;
  const chosen = streams.slice(first, last + 1);
  const padding = grain.least > grain.tile;
  return (
    first >= 0 &&
    first <= last &&
    last < streams.length &&
    length >= grain.least &&
    length <= grain.most &&
    length % grain.tile === 0 &&
    length * chosen.length <= capacity &&
    chosen.every(
      ({ pending, room }) =>
        pending > 0 &&
        length <= room &&
        (pending - length === 0 || pending - length >= grain.least || (padding && pending < length)),
    ) &&
    (must < 0 || (first <= must && must <= last))
  );
}

/** Pending tokens per cost, as the function under test counts it. */
function rate({ first, last, length }: Pick, streams: readonly Waiting[]): number {
  const chosen = streams.slice(first, last + 1);
  const useful = chosen.reduce((sum, { pending }) => sum + Math.min(pending, length), 0);
  return useful / (16 + length * chosen.length);
}

/** The rate of the best legal pick, by trying every one. */
function bestRate(streams: readonly Waiting[], capacity: number, grain: Grain, must: number): number {
  let best = 0;
  for (let first = 0; first < streams.length; first++) {
    for (let last = first; last < streams.length; last++) {
      for (let length = grain.tile; length <= capacity; length += grain.tile) {
        const pick = { first, last, length };
        if (legal(pick, streams, capacity, grain, must)) best = Math.max(best, rate(pick, streams));
      }
    }
  }
  return best;
}

const roomy = (pending: readonly number[]): Waiting[] =>
  pending.map(tokens => ({ pending: tokens, room: Number.POSITIVE_INFINITY }));

describe('bestPick', () => {
  it('is the best of all legal decodes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          { tile: 1, least: 1, most: Number.POSITIVE_INFINITY },
          { tile: 4, least: 4, most: Number.POSITIVE_INFINITY },
          { tile: 16, least: 16, most: Number.POSITIVE_INFINITY },
          { tile: 4, least: 16, most: Number.POSITIVE_INFINITY },
          { tile: 4, least: 4, most: 12 },
        ),
        fc.array(fc.tuple(fc.nat(14), fc.nat(8)), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 8, max: 24 }),
        fc.nat(6),
        fc.boolean(),
        (grain, heights, tiles, stream, forced) => {
          const { tile, least } = grain;
          const streams = heights.map(([height, more]) => {
            const pending = height === 0 ? 0 : Math.max(least, height * tile);
            return { pending, room: pending + more * tile };
          });
          const capacity = tiles * tile;
          const must = forced && (streams[stream]?.pending ?? 0) > 0 ? stream : -1;
          const pick = bestPick(streams, capacity, grain, must);
          const best = bestRate(streams, capacity, grain, must);
          if (pick === null) return best === 0;
          return legal(pick, streams, capacity, grain, must) && rate(pick, streams) === best;
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds a decode wherever something is pending', () => {
    const lengths = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 16, max: 500 }).map(n => n * 4),
    );
    fc.assert(
      fc.property(fc.array(lengths, { minLength: 1, maxLength: 8 }), pending => {
        const streams = pending.map(tokens => ({ pending: tokens, room: tokens }));
        return (bestPick(streams, 512, FLASH, -1) !== null) === pending.some(tokens => tokens > 0);
      }),
    );
  });

  it.each([
    ['nothing to do', [0, 0], 512, null],
    ['one long stream, cut to the capacity', [600], 512, { first: 0, last: 0, length: 512 }],
    ['wide and flat over tall and thin', [40, 8, 8, 8, 8, 8, 8], 512, { first: 0, last: 6, length: 8 }],
    ['a gap', [8, 0, 8, 8], 512, { first: 2, last: 3, length: 8 }],
    ['three streams that share the capacity', [100, 100, 100], 128, { first: 0, last: 0, length: 100 }],
  ] as const)('%s', (_, pending, capacity, expected) => {
    const pick = bestPick(roomy(pending), capacity, PLAIN, -1);
    if (expected === null || pick === null) expect(pick).toBe(expected);
    else if (pending.length === 3) expect(pick.length * (pick.last - pick.first + 1)).toBe(128);
    else expect(pick).toEqual(expected);
  });

  it.each([
    ['a rest that would be too short stays with its chunk', [540], { first: 0, last: 0, length: 476 }],
    ['a shorter chunk is padded up to a longer one', [96, 100], { first: 0, last: 1, length: 100 }],
    ['but not to one that is much longer', [64, 400], { first: 1, last: 1, length: 400 }],
  ] as const)('with a least piece: %s', (_, pending, expected) => {
    expect(bestPick(roomy(pending), 512, FLASH, -1)).toEqual(expected);
  });

  it('takes a stream that has waited, however little it has', () => {
    expect(bestPick(roomy([4, 0, 400, 400]), 512, PLAIN, 0)).toEqual({ first: 0, last: 0, length: 4 });
  });
});
