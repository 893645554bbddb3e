import type { NecessityRow, ReaderSummary, RuleNecessity } from '../audit/analyze-types.js';
import { fraction, interval, NONE, pValue, share, whole } from './format.js';
import { type Cell, left, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** Flips of the samples that need the rule, against re-pairing, with what the selection does to them. */
export function ruleNecessitySection({ ruleNecessity, reader }: ReaderSummary, style: Style): string {
  if (ruleNecessity === null) return '';
  const { n, necessary, reverse, conditions } = ruleNecessity;
  const heading = title('Where the rule was needed', style);
  const counts = wrap(
    `Rule-necessary (right with the rule, wrong without): ${whole(necessary)} of ${whole(n)}; the reverse (wrong with, right ` +
      `without): ${whole(reverse)}. The first is only as good as its distance to the second.`,
  );
  if (necessary === 0) return [heading, counts].join('\n');
  const columns = [
    'flips/pairs',
    'rate',
    '95 % interval',
    're-paired',
    'p fewer',
    'p more',
    'p × tests',
    'of the reverse',
  ];
  const table = renderTable(
    {
      columns: [left(`${reader} reader`), ...columns.map(right)],
      rows: conditions.map(row => [
        row.condition,
        fraction(row.inside),
        share(row.inside.rate),
        interval(row.inside),
        ...testCells(row),
        row.reverse.n === 0 ? NONE : `${fraction(row.reverse)}  ${share(row.reverse.rate)}`,
      ]),
    },
    style,
  );
  return [
    heading,
    counts,
    table,
    wrap(
      'The selection is part of these figures. Baseline is right and deletion wrong by choice, so every sample flips under ' +
        'delete; and samples whose verdict moved once move again more easily, whatever moves it. The last column has the ' +
        'flips of the reverse samples, which were selected alike: only what goes beyond them speaks for the rule.',
    ),
    wrap(testWords(ruleNecessity)),
    ...degenerateWords(conditions),
  ].join('\n');
}

/** re-paired, p fewer, p more, p × tests. */
function testCells({ permutation, bySelection, adjusted }: NecessityRow): readonly Cell[] {
  if (permutation === null) return [NONE, NONE, NONE, NONE];
  const { expectedFlips, pairs, pFewer, pMore, degenerate } = permutation;
  const expected = expectedFlips === null ? NONE : share(expectedFlips / pairs);
  const said = (text: string): readonly Cell[] => [expected, { text, tone: 'dim' }, '', ''];
  if (bySelection) return said('selected');
  if (degenerate) return said('degenerate');
  const smaller =
    adjusted.pFewer === null || adjusted.pMore === null ? null : Math.min(adjusted.pFewer, adjusted.pMore);
  return [expected, pValue(pFewer), pValue(pMore), pValue(smaller)];
}

function testWords({ conditions, tests }: RuleNecessity): string {
  if (tests === 0)
    return 'No test could be made: no re-pairing within a domain of the subset moves anything.';
  const repairings = conditions.find(({ permutation }) => permutation)?.permutation?.repairings ?? 0;
  return (
    `p: one-sided, sampled: ${whole(repairings)} re-pairings of altered and baseline verdicts within each domain of the subset. ` +
    `p × tests: the smaller p, Bonferroni over the ${whole(tests)} tests of this table (conditions but delete, both tails).`
  );
}

/** The domains that no re-pairing moves, by condition. */
function degenerateWords(conditions: readonly NecessityRow[]): readonly string[] {
  const named = conditions.flatMap(({ condition, permutation, bySelection }) => {
    if (bySelection || permutation === null || permutation.degenerateCells.length === 0) return [];
    const { cells, degenerateCells } = permutation;
    return [
      `${condition} ${degenerateCells.length} of ${cells} (${degenerateCells.map(printable).join(', ')})`,
    ];
  });
  if (named.length === 0) return [];
  return [wrap(`Degenerate domains, in which one side holds a single verdict only: ${named.join('; ')}.`)];
}
