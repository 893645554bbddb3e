import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlumblineError } from '../../src/errors.js';
import { independenceNull } from '../../src/stats/independence.js';
import { moments } from '../../src/stats/moments.js';
import { type Cell, flipDistribution, permutationCheck } from '../../src/stats/permutation.js';

type Pair = readonly [0 | 1, 0 | 1];
const repeat = (pair: Pair, times: number): Pair[] => Array.from({ length: times }, () => pair);

/** Shares of flips over all n! pairings. */
function enumerate(before: readonly (0 | 1)[], after: readonly (0 | 1)[]): Map<number, number> {
  const counts = new Map<number, number>();
  let total = 0;
  const visit = (done: number, left: readonly (0 | 1)[], flips: number): void => {
    if (left.length === 0) {
      counts.set(flips, (counts.get(flips) ?? 0) + 1);
      total++;
      return;
    }
    left.forEach((verdict, i) => {
      visit(
        done + 1,
        left.filter((_, j) => j !== i),
        flips + (verdict === before[done] ? 0 : 1),
      );
    });
  };
  visit(0, after, 0);
  return new Map([...counts].map(([flips, count]) => [flips, count / total]));
}

describe('independenceNull', () => {
  it('the published guard figure: p .985, q .996', () =>
    expect(independenceNull(0.985, 0.996)).toBeCloseTo(0.019, 3));
  it('coins and constants', () => {
    expect(independenceNull(0.5, 0.2)).toBeCloseTo(0.5, 15);
    expect(independenceNull(1, 1)).toBe(0);
    expect(independenceNull(1, 0)).toBe(1);
  });
});

describe('flipDistribution', () => {
  it('equals the enumeration of all pairings', () => {
    for (const before of [
      [1, 0, 0, 1, 0, 0],
      [1, 1, 1, 1, 1, 0],
    ] as const) {
      for (const after of [
        [0, 0, 0, 0, 0, 1],
        [1, 1, 0, 1, 0, 0],
        [1, 1, 1, 1, 1, 1],
      ] as const) {
        const ones = (verdicts: readonly (0 | 1)[]) => verdicts.filter(v => v === 1).length;
        const { flips, cumulative } = flipDistribution(6, ones(before), ones(after));
        const expected = enumerate(before, after);
        expect([...flips].sort()).toEqual([...expected.keys()].sort());
        flips.forEach((f, i) => {
          expect((cumulative[i] ?? 0) - (cumulative[i - 1] ?? 0)).toBeCloseTo(expected.get(f) ?? -1, 10);
        });
      }
    }
  });

  it('equals SciPy: hypergeom.cdf(49, 200, 90, 110)', () => {
    const { cumulative } = flipDistribution(200, 90, 110);
    expect(cumulative[49]).toBeCloseTo(0.4998084575414187, 10);
    expect(cumulative[cumulative.length - 1]).toBeCloseTo(1, 10);
  });
});

describe('permutationCheck', () => {
  it('p equals the exact tail of a small cell', () => {
    const pairs: Pair[] = [
      [1, 1],
      [1, 1],
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ];
    const exact = enumerate(
      pairs.map(([b]) => b),
      pairs.map(([, a]) => a),
    );
    const tail = (keep: (flips: number) => boolean) =>
      [...exact].filter(([flips]) => keep(flips)).reduce((sum, [, share]) => sum + share, 0);
    const check = permutationCheck([{ name: 'a', pairs }], 7, 40_000);
    expect(check.observedFlips).toBe(1);
    expect(check.pFewer).toBeCloseTo(
      tail(flips => flips <= 1),
      2,
    );
    expect(check.pMore).toBeCloseTo(
      tail(flips => flips >= 1),
      2,
    );
    expect(check.expectedFlips).toBeCloseTo(
      [...exact].reduce((sum, [f, share]) => sum + f * share, 0),
      10,
    );
  });

  it('p equals real shuffles of two cells', () => {
    const cells: Cell[] = [
      {
        name: 'a',
        pairs: [...repeat([1, 1], 8), ...repeat([1, 0], 5), ...repeat([0, 1], 3), ...repeat([0, 0], 9)],
      },
      {
        name: 'b',
        pairs: [...repeat([1, 1], 12), ...repeat([1, 0], 6), ...repeat([0, 1], 4), ...repeat([0, 0], 3)],
      },
    ];
    let state = 99;
    const below = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    let fewer = 0;
    const trials = 20_000;
    for (let t = 0; t < trials; t++) {
      let flips = 0;
      for (const { pairs } of cells) {
        const after = pairs.map(([, a]) => a);
        for (let i = after.length - 1; i > 0; i--) {
          const j = below(i + 1);
          const kept = after[i] ?? 0;
          after[i] = after[j] ?? 0;
          after[j] = kept;
        }
        pairs.forEach(([b], i) => {
          if (b !== after[i]) flips++;
        });
      }
      if (flips <= 18) fewer++;
    }
    const check = permutationCheck(cells, 42, 20_000);
    expect(check.observedFlips).toBe(18);
    expect(Math.abs((check.pFewer ?? -1) - fewer / trials)).toBeLessThan(0.015);
  });

  it('a cell that cannot move is named; when none can, there is no p', () => {
    const constant: Cell = { name: 'constant', pairs: [...repeat([1, 1], 20), ...repeat([1, 0], 3)] };
    const single: Cell = { name: 'single', pairs: [[1, 0]] };
    const moving: Cell = { name: 'moving', pairs: [...repeat([1, 1], 30), ...repeat([0, 0], 30)] };
    const none = permutationCheck([constant, single, { name: 'empty', pairs: [] }], 1);
    expect(none).toMatchObject({ degenerate: true, pFewer: null, pMore: null, observedFlips: 4, cells: 2 });
    expect(none.degenerateCells).toEqual(['constant', 'single']);
    const some = permutationCheck([constant, moving], 1);
    expect(some).toMatchObject({ degenerate: false, degenerateCells: ['constant'], observedFlips: 3 });
    expect(some.pFewer).toBeCloseTo(1 / 10_001, 12);
    expect(some.pMore).toBe(1);
    expect(permutationCheck([], 1)).toMatchObject({ degenerate: true, expectedFlips: null, pairs: 0 });
  });

  it('is seeded, does not see the order of cells or rows, and is symmetric in the two sides', () => {
    const verdict = fc.constantFrom<0 | 1>(0, 1);
    const cells = fc.array(fc.array(fc.tuple(verdict, verdict), { maxLength: 30 }), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(cells, rows => {
        const named = rows.map((pairs, i) => ({ name: `c${i}`, pairs }));
        const check = permutationCheck(named, 42, 200);
        expect(permutationCheck([...named].reverse(), 42, 200)).toEqual(check);
        expect(
          permutationCheck(
            named.map(c => ({ ...c, pairs: [...c.pairs].reverse() })),
            42,
            200,
          ),
        ).toEqual(check);
        const turned = named.map(c => ({ ...c, pairs: c.pairs.map(([b, a]): Pair => [a, b]) }));
        expect(permutationCheck(turned, 42, 200)).toEqual(check);
        // Compliant and non-compliant changed round on both sides.
        const other = (v: 0 | 1): 0 | 1 => (v === 1 ? 0 : 1);
        const swapped = named.map(c => ({
          ...c,
          pairs: c.pairs.map(([b, a]): Pair => [other(b), other(a)]),
        }));
        const { expectedFlips, ...rest } = permutationCheck(swapped, 42, 200);
        const { expectedFlips: expected, ...same } = check;
        expect(rest).toEqual(same);
        expect(expectedFlips ?? -1).toBeCloseTo(expected ?? -1, 9);
        // A cell that cannot move adds its flips and no chance.
        const more = permutationCheck([...named, { name: 'b', pairs: repeat([1, 0], 5) }], 42, 200);
        expect([more.pFewer, more.pMore]).toEqual([check.pFewer, check.pMore]);
        expect(more.observedFlips).toBe(check.observedFlips + 5);
      }),
      { numRuns: 50 },
    );
  });

  it('10,000 re-pairings of 20 domains × 3 conditions × 200 take well under a second', () => {
    const cells = Array.from(
      { length: 60 },
      (_, i): Cell => ({
        name: `cell ${i}`,
        pairs: [
          ...repeat([1, 1], 90),
          ...repeat([0, 0], 90 - i),
          ...repeat([1, 0], 10),
          ...repeat([0, 1], 10 + i),
        ],
      }),
    );
    const start = performance.now();
    permutationCheck(cells, 42);
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('refuses no re-pairings', () => expect(() => permutationCheck([], 1, 0)).toThrow(PlumblineError));
});

describe('moments', () => {
  it('mean, median, standard deviation (numpy: mean, median, std(ddof=1))', () => {
    expect(moments([3, 1, 2, 10])).toEqual({ n: 4, mean: 4, median: 2.5, sd: Math.sqrt(50 / 3) });
    expect(moments([5])).toEqual({ n: 1, mean: 5, median: 5, sd: null });
    expect(moments([])).toEqual({ n: 0, mean: null, median: null, sd: null });
  });
});
