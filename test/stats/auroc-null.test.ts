import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auroc } from '../../src/stats/auroc.js';
import { expectedAuroc } from '../../src/stats/auroc-null.js';

/** All ways of dealing the labels of each cell anew, and the mean AUROC over them. */
function byEnumeration(
  scores: readonly number[],
  labels: readonly (0 | 1)[],
  cells: readonly string[],
): number {
  const names = [...new Set(cells)];
  const wanted = names.map(name => labels.filter((label, i) => label === 1 && cells[i] === name).length);
  let sum = 0;
  let ways = 0;
  for (let mask = 0; mask < 2 ** scores.length; mask++) {
    const dealt = scores.map((_, i): 0 | 1 => (((mask >> i) & 1) === 1 ? 1 : 0));
    const fits = names.every(
      (name, k) => dealt.filter((label, i) => label === 1 && cells[i] === name).length === wanted[k],
    );
    if (!fits) continue;
    sum += auroc(scores, dealt) as number;
    ways++;
  }
  return sum / ways;
}

describe('mean AUROC over re-pairings within cells', () => {
  test('is that of the enumeration, ties and cells of one included', () => {
    const item = fc.tuple(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(0, 1),
      fc.constantFrom('a', 'b', 'c'),
    );
    fc.assert(
      fc.property(fc.array(item, { minLength: 2, maxLength: 8 }), items => {
        const scores = items.map(([score]) => score);
        const labels = items.map(([, label]) => label as 0 | 1);
        fc.pre(new Set(labels).size === 2);
        const cells = items.map(([, , cell]) => cell);
        expect(expectedAuroc(scores, labels, cells)).toBeCloseTo(byEnumeration(scores, labels, cells), 10);
      }),
      { numRuns: 60 },
    );
  });

  test('is one half in one cell, and above where cells give the labels away', () => {
    expect(expectedAuroc([3, 1, 2, 7], [0, 1, 1, 0], ['a', 'a', 'a', 'a'])).toBeCloseTo(0.5, 12);
    expect(expectedAuroc([3, 1, 2, 0], [1, 0, 1, 0], ['a', 'b', 'a', 'b'])).toBe(1);
    expect(expectedAuroc([1, 2], [1, 1], ['a', 'a'])).toBeNull();
  });
});
