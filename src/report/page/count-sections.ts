import type { GroupRow, IndependenceRow, NecessityRow, RuleNecessity } from '../../audit/analyze-types.js';
import { CONDITION_SERIES, measureSeries } from '../figures/series.js';
import { fraction, NONE, percent, pValue, share, tally, whole } from '../format.js';
import { type Cell, left, right } from '../table.js';
import { limit, sourceLine, tableBlock } from './blocks.js';
import { type Html, html } from './html.js';
import { NOTHING, type Part, type Place, rowsOf, section, traced, words } from './part.js';

/** Flips against the independence null and against re-pairing; rule-necessary samples. */
export function chanceSection(place: Place): Part {
  const { independence, ruleNecessity, reader } = place.audit.summary.readers[place.audit.summary.primary];
  if (independence.length === 0) return NOTHING;
  const p = (row: IndependenceRow, value: number | null): Cell =>
    row.permutation.degenerate ? { text: 'degenerate', tone: 'dim' } : pValue(value);
  const table = {
    columns: [
      left('what was done'),
      ...[
        'pairs',
        'compliant before',
        'compliant here',
        'if unrelated',
        'seen',
        're-paired',
        'p fewer',
        'p more',
      ].map(right),
      right('degenerate cells'),
    ],
    rows: independence.map(row => [
      row.condition === 'pooled' ? 'all changes' : CONDITION_SERIES[row.condition].name,
      whole(row.n),
      percent(row.p),
      percent(row.q),
      percent(row.expected),
      percent(row.observed),
      row.permutation.expectedFlips === null
        ? NONE
        : percent(row.permutation.expectedFlips / row.permutation.pairs),
      p(row, row.permutation.pFewer),
      p(row, row.permutation.pMore),
      `${row.permutation.degenerateCells.length}/${row.permutation.cells}`,
    ]),
  };
  const pooled = independence.find(({ condition }) => condition === 'pooled');
  const source = traced(
    place,
    `readers.${reader}.independence`,
    rowsOf(place, pooled?.n ?? 0, 'rows with a verdict here and at baseline'),
  );
  return section(place, 'chance', 'Could it be chance?', [
    words(
      html`${tableBlock(table, source)}${limit('Few changes against "if unrelated" show that verdicts are stable for each sample, not that they are right: a judge at chance passes this test too. A cell is degenerate when one side holds a single verdict only, so that no re-pairing can move it.')}${ruleNecessity === null ? null : necessityBlock(place, ruleNecessity)}`,
    ),
  ]);
}

function necessityBlock(place: Place, { n, necessary, reverse, conditions, tests }: RuleNecessity): Html {
  const { reader } = place.audit.summary.readers[place.audit.summary.primary];
  const source = traced(
    place,
    `readers.${reader}.ruleNecessity`,
    rowsOf(place, n, 'samples with a verdict at baseline and without the rule'),
  );
  const counts = `Right with the rule and wrong without it: ${whole(necessary)} of ${whole(n)}. The reverse, wrong with it and right without: ${whole(reverse)}.`;
  const table = {
    columns: [
      left('what was done'),
      ...[
        'changed/pairs',
        'share',
        're-paired',
        'p fewer',
        'p more',
        'p × tests',
        'changed among the reverse',
      ].map(right),
    ],
    rows: conditions.map(row => [
      CONDITION_SERIES[row.condition].name,
      fraction(row.inside),
      percent(row.inside.rate),
      ...testCells(row),
      row.reverse.n === 0 ? NONE : `${fraction(row.reverse)} ${percent(row.reverse.rate)}`,
    ]),
  };
  return html`<h4>Samples that need the rule</h4><p>${counts}</p>${necessary === 0 ? sourceLine(source) : tableBlock(table, source)}${limit(`These samples were selected by what deletion does to them, so every one of them flips under deletion: that is the selection, not a finding. Samples whose verdict moved once move again more easily, whatever moves it; the last column has samples that were selected alike, for no rule use. Only what goes beyond them says something. p × tests: the smaller p, Bonferroni over ${whole(tests)} tests.`)}`;
}

/** re-paired, p fewer, p more, p × tests. */
function testCells({ permutation, bySelection, adjusted }: NecessityRow): readonly Cell[] {
  if (permutation === null) return [NONE, NONE, NONE, NONE];
  const { expectedFlips, pairs, pFewer, pMore, degenerate } = permutation;
  const expected = expectedFlips === null ? NONE : percent(expectedFlips / pairs);
  if (bySelection) return [expected, { text: 'selected', tone: 'dim' }, NONE, NONE];
  if (degenerate) return [expected, { text: 'degenerate', tone: 'dim' }, NONE, NONE];
  const { pFewer: fewer, pMore: more } = adjusted;
  return [
    expected,
    pValue(pFewer),
    pValue(pMore),
    pValue(fewer === null || more === null ? null : Math.min(fewer, more)),
  ];
}

/** Sizes of LOW and HIGH, and the judge on them. */
export function groupSection(place: Place): Part {
  const { summary } = place.audit;
  const reader = summary.readers[summary.primary];
  if (reader.ocs.length === 0) return NOTHING;
  const { pooled } = reader.groups;
  const source = traced(
    place,
    `readers.${reader.reader}.groups and .byGroup`,
    `${whole(summary.samples)} samples of ${place.audit.name}/readings.arrows`,
  );
  return section(place, 'groups', 'Which samples are sensitive to the rule?', [
    words(
      html`<p>${`LOW, no verdict changed: ${whole(pooled.LOW)}. HIGH, changed under at least two changes of the rule: ${whole(pooled.HIGH)}. Neither, changed under one: ${whole(pooled.neither)}. Left open by missing verdicts: ${whole(pooled.open)}.`}</p>${groupTable(reader.byGroup, source)}${limit('LOW and HIGH are made from the verdicts that changed, so the changed columns show the selection, not a finding. Fix the groups on one judge and look at another (analyze --write-partition, --partition) to learn something of the samples.')}`,
    ),
  ]);
}

function groupTable(groups: readonly GroupRow[], source: string): Html | null {
  const [first] = groups;
  if (first === undefined) return null;
  const shown = first.flips.filter(({ measure }) => measure !== 'placebo');
  const conditions = first.accuracy.filter(({ condition }) => condition !== 'placebo');
  return tableBlock(
    {
      columns: [
        left('group'),
        right('samples'),
        ...conditions.map(({ condition }) => right(`right, ${CONDITION_SERIES[condition].name}`)),
        ...shown.map(({ measure }) =>
          right(measure === 'agg' ? 'changed, all' : `changed, ${measureSeries(measure).name}`),
        ),
      ],
      rows: groups.map(group => [
        group.group,
        whole(group.samples),
        ...conditions.map(({ condition }) =>
          percent(group.accuracy.find(row => row.condition === condition)?.rate.rate ?? null),
        ),
        ...shown.map(({ measure }) =>
          percent(group.flips.find(row => row.measure === measure)?.rate.rate ?? null),
        ),
      ]),
    },
    source,
  );
}

/** Where every row of the run went, with the reasons. */
export function rowsSection(place: Place): Part {
  const { summary } = place.audit;
  const reader = summary.readers[summary.primary];
  const total = reader.counts.reduce((sum, row) => sum + row.rows, 0);
  const table = {
    columns: [
      left('condition'),
      ...[
        'rows in',
        '= verdicts',
        '+ missing verdicts',
        '+ not applicable',
        '+ errors',
        'prompt unchanged',
        'not in the run',
      ].map(right),
    ],
    rows: reader.counts.map(row => [
      row.condition,
      ...[row.rows, row.verdicts, row.nulls, row.notApplicable, row.errors, row.invisible, row.missing].map(
        whole,
      ),
    ]),
  };
  const reasons = reader.counts.flatMap(row => {
    const told = [
      ['missing verdicts', row.nullReasons],
      ['not applicable', row.notApplicableReasons],
      ['errors', row.errorCodes],
    ] as const;
    return told.flatMap(([kind, codes]) =>
      codes.length === 0 ? [] : [[row.condition, kind, tally(codes)] as const],
    );
  });
  const why =
    reasons.length === 0
      ? null
      : tableBlock({ columns: [left('condition'), left('what'), left('why, and how often')], rows: reasons });
  const source = traced(place, `readers.${reader.reader}.counts`, rowsOf(place, total, 'rows'));
  const share_ = reader.competence.nullRate;
  return section(place, 'rows', 'Where every row went', [
    words(
      html`<p>${`Rates above are over the rows with a verdict. At baseline ${share(share_.rate)} of the rows have none.`}</p>${tableBlock(table)}${why}<p class="source">${source}</p>`,
    ),
  ]);
}
