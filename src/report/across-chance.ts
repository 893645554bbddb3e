import type { AcrossRun } from '../audit/across-types.js';
import type { NecessityRow, Rate } from '../audit/analyze-types.js';
import { acrossTable, acrossWords, below } from './across-tables.js';
import { fraction, interval, NONE, pValue, share, whole } from './format.js';
import { type Cell, printable, type Style } from './table.js';

/** Flips of all altering conditions together against chance; degenerate cells by name below. */
export function chanceTable(runs: readonly AcrossRun[], style: Style): string {
  const found = runs.flatMap(({ run, independence }) => {
    const pooled = independence.find(({ condition }) => condition === 'pooled');
    return pooled === undefined ? [] : [{ run, pooled }];
  });
  const rows = found.map(({ run, pooled }): readonly Cell[] => {
    const { n, p, q, expected, observed, permutation } = pooled;
    const { degenerate, pFewer, pMore, expectedFlips, pairs, degenerateCells, cells } = permutation;
    const tail = (value: number | null): Cell =>
      degenerate ? { text: 'degenerate', tone: 'dim' } : pValue(value);
    return [
      printable(run),
      whole(n),
      `${share(p)}/${share(q)}`,
      share(expected),
      share(observed),
      expectedFlips === null ? NONE : share(expectedFlips / pairs),
      tail(pFewer),
      tail(pMore),
      `${whole(degenerateCells.length)}/${whole(cells)}`,
    ];
  });
  const columns = ['pairs', 'p/q', 'null', 'observed', 're-paired', 'p fewer', 'p more', 'degenerate'];
  const named = found.flatMap(({ run, pooled: { permutation } }) => {
    const words = degenerateWords(permutation.degenerateCells, permutation.cells);
    return words === '' ? [] : [acrossWords(`${printable(run)}: degenerate ${words}`)];
  });
  return [acrossTable(columns, rows, style), ...named].join('\n');
}

/** Cells are called `domain, condition`; they are told by condition. */
function degenerateWords(names: readonly string[], cells: number): string {
  if (names.length === 0) return '';
  if (names.length === cells) return `in all ${whole(cells)} cells.`;
  const domains = new Map<string, string[]>();
  for (const name of names) {
    const comma = name.lastIndexOf(', ');
    const condition = name.slice(comma + 2);
    domains.set(condition, [...(domains.get(condition) ?? []), printable(name.slice(0, comma))]);
  }
  return `${[...domains].map(([condition, of]) => `under ${condition} in ${of.join(', ')}`).join('; ')}.`;
}

export function groupsTable(runs: readonly AcrossRun[], style: Style): string {
  const rows = runs.flatMap(({ run, ruleNecessity, groups }): readonly (readonly Cell[])[] => {
    if (ruleNecessity === null && groups === null) return [];
    const counts = groups === null ? [] : [groups.LOW, groups.HIGH, groups.neither, groups.open];
    return [
      [
        printable(run),
        ...(ruleNecessity === null
          ? [NONE, NONE, NONE]
          : [ruleNecessity.n, ruleNecessity.necessary, ruleNecessity.reverse].map(whole)),
        ...counts.map(whole),
      ],
    ];
  });
  const columns = ['deletions', 'rule-necessary', 'reverse', 'LOW', 'HIGH', 'neither', 'open'];
  return rows.length === 0 ? '' : acrossTable(columns, rows, style);
}

/** Flips inside the rule-necessary subset; only runs that have one have rows. Empty when none has. */
export function necessityTable(runs: readonly AcrossRun[], style: Style): string {
  const order = ['placebo', 'swap', 'negate'] as const;
  const rows = runs.flatMap(({ run, ruleNecessity }): readonly (readonly Cell[])[] => {
    if (ruleNecessity === null || ruleNecessity.necessary === 0) return [];
    const cells = (of: (row: NecessityRow) => string): readonly string[] =>
      order.map(condition => {
        const row = ruleNecessity.conditions.find(known => known.condition === condition);
        return row === undefined ? NONE : of(row);
      });
    const counted = (rate: Rate): string => (rate.n === 0 ? NONE : `${fraction(rate)}  ${share(rate.rate)}`);
    return [
      [printable(run), ...cells(({ inside }) => counted(inside))],
      below(
        '95 % interval',
        cells(({ inside }) => interval(inside)),
      ),
      below(
        'of the reverse',
        cells(({ reverse }) => counted(reverse)),
      ),
      below('p × tests', cells(smallerP)),
    ];
  });
  return rows.length === 0 ? '' : acrossTable(order, rows, style);
}

function smallerP({ inside, permutation, adjusted: { pFewer, pMore } }: NecessityRow): string {
  if (permutation === null) return '';
  if (inside.n === 0) return NONE;
  if (permutation.degenerate) return 'degenerate';
  return pValue(pFewer === null || pMore === null ? null : Math.min(pFewer, pMore));
}
