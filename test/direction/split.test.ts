import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { choosePairs, type Labelled, SPLITS, type Split, splitRows } from '../../src/direction/split.js';
import { PlumblineError } from '../../src/errors.js';

function rowsOf(domain: string, compliant: number, nonCompliant: number): Labelled[] {
  return Array.from({ length: compliant + nonCompliant }, (_, i) => ({
    id: `${domain}#${i}`,
    domain,
    label: i < compliant ? 1 : 0,
  }));
}

function sizes(rows: readonly Labelled[], splits: ReadonlyMap<string, Split>, label?: 0 | 1): number[] {
  return SPLITS.map(
    split =>
      rows.filter(row => splits.get(row.id) === split && (label === undefined || row.label === label)).length,
  );
}

const strata = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })), {
  minLength: 1,
  maxLength: 4,
});

describe('splitRows', () => {
  it('cuts 40/20/20/20 within every label and domain', () => {
    const rows = [...rowsOf('a', 100, 50), ...rowsOf('b', 10, 5)];
    const splits = splitRows(rows, 42);
    const of = (domain: string) => rows.filter(row => row.domain === domain);
    expect(sizes(of('a'), splits, 1)).toEqual([40, 20, 20, 20]);
    expect(sizes(of('a'), splits, 0)).toEqual([20, 10, 10, 10]);
    expect(sizes(of('b'), splits, 1)).toEqual([4, 2, 2, 2]);
    expect(sizes(of('b'), splits, 0)).toEqual([2, 1, 1, 1]);
  });

  it('is off by less than one row per stratum and split, and gives every row exactly one split', () => {
    fc.assert(
      fc.property(strata, fc.integer(), (counts, seed) => {
        const rows = counts.flatMap(([c, n], i) => rowsOf(`d${i}`, c, n));
        const splits = splitRows(rows, seed);
        expect(splits.size).toBe(rows.length);
        counts.forEach(([c, n], i) => {
          const own = rows.filter(row => row.domain === `d${i}`);
          for (const [label, count] of [
            [1, c],
            [0, n],
          ] as const) {
            const got = sizes(own, splits, label);
            for (const [at, share] of [0.4, 0.2, 0.2, 0.2].entries()) {
              expect(Math.abs((got[at] ?? 0) - share * count)).toBeLessThan(1);
            }
          }
        });
      }),
      { numRuns: 50 },
    );
  });

  it('sees neither the order of the rows nor the other domains, but the seed', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(rowsOf('a', 23, 31), { minLength: 54 }), fc.integer(), (rows, seed) => {
        const straight = splitRows(rowsOf('a', 23, 31), seed);
        const pooled = splitRows([...rowsOf('b', 9, 9), ...rows], seed);
        for (const { id } of rows) expect(pooled.get(id)).toBe(straight.get(id));
      }),
      { numRuns: 20 },
    );
    const rows = rowsOf('a', 50, 50);
    const [one, other] = [splitRows(rows, 42), splitRows(rows, 43)];
    expect(rows.some(({ id }) => one.get(id) !== other.get(id))).toBe(true);
  });

  it('tiny strata reach every split when many are pooled', () => {
    const rows = Array.from({ length: 60 }, (_, i) => rowsOf(`d${i}`, 1, 1)).flat();
    const got = sizes(rows, splitRows(rows, 42));
    for (const [at, share] of [0.4, 0.2, 0.2, 0.2].entries()) {
      expect(got[at]).toBeGreaterThan(120 * share - 18);
      expect(got[at]).toBeLessThan(120 * share + 18);
    }
  });

  it('keeps the two rows of one id together', () => {
    const rows = Array.from({ length: 30 }, (_, i): Labelled[] =>
      ([0, 1] as const).map(label => ({ id: `s${i}`, domain: 'a', label })),
    ).flat();
    const splits = splitRows(rows, 42);
    expect(sizes(rows, splits, 1)).toEqual([12, 6, 6, 6]);
    expect(sizes(rows, splits, 0)).toEqual([12, 6, 6, 6]);
    const [pairs] = choosePairs(rows, splits, 42, 5);
    expect(pairs?.compliant).toEqual(pairs?.nonCompliant);
  });

  it('refuses a row twice and an id in two domains', () => {
    const row: Labelled = { id: 'x', domain: 'a', label: 1 };
    expect(() => splitRows([row, row], 1)).toThrow(/"x" with label 1 occurs twice/);
    expect(() => splitRows([row, { ...row, domain: 'b', label: 0 }], 1)).toThrow(/two domains \(a, b\)/);
  });
});

describe('choosePairs', () => {
  const rows = [...rowsOf('b', 100, 60), ...rowsOf('a', 50, 5)];
  const splits = splitRows(rows, 42);

  it('draws as many of either label per domain, from TRAIN alone', () => {
    const chosen = choosePairs(rows, splits, 42, 10);
    expect(
      chosen.map(({ domain, compliant, nonCompliant }) => [domain, compliant.length, nonCompliant.length]),
    ).toEqual([
      ['a', 2, 2],
      ['b', 10, 10],
    ]);
    const labels = new Map(rows.map(({ id, label }) => [id, label]));
    for (const { domain, compliant, nonCompliant } of chosen) {
      expect(new Set([...compliant, ...nonCompliant]).size).toBe(compliant.length * 2);
      for (const id of [...compliant, ...nonCompliant]) {
        expect(id.startsWith(domain)).toBe(true);
        expect(splits.get(id)).toBe('TRAIN');
      }
      expect(compliant.every(id => labels.get(id) === 1)).toBe(true);
      expect(nonCompliant.every(id => labels.get(id) === 0)).toBe(true);
    }
  });

  it('fewer pairs are the first of more, and order changes nothing', () => {
    const [, ten] = choosePairs(rows, splits, 42, 10);
    const [, four] = choosePairs(rows.toReversed(), splits, 42, 4);
    expect(four?.compliant).toEqual(ten?.compliant.slice(0, 4));
  });

  it('refuses no pairs', () => expect(() => choosePairs(rows, splits, 42, 0)).toThrow(PlumblineError));
});
