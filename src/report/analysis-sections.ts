import type { GroupRow, IndependenceRow, ReaderSummary, Summary } from '../audit/analyze-types.js';
import type { Condition } from '../perturb/types.js';
import { interval, NONE, pValue, share, signed, whole } from './format.js';
import { type Cell, left, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** Margin shifts, and how far the two verdict readers agree. */
export function marginSection(summary: Summary, style: Style): string {
  const { baselineMargin, marginShifts, agreement } = summary;
  const real = (value: number | null): string => (value === null ? NONE : value.toFixed(3));
  const shifts = renderTable(
    {
      columns: ['condition', 'n', 'mean', 'median', 'sd', 'n visible', 'mean visible'].map((name, i) =>
        i === 0 ? left(name) : right(name),
      ),
      rows: marginShifts.map(({ condition, all, visible }) => [
        condition,
        whole(all.n),
        signed(all.mean),
        signed(all.median),
        real(all.sd),
        whole(visible.n),
        signed(visible.mean),
      ]),
    },
    style,
  );
  const spread =
    `Baseline margin: mean ${signed(baselineMargin.mean)}, median ${signed(baselineMargin.median)}, ` +
    `sd ${real(baselineMargin.sd)} (n ${whole(baselineMargin.n)}). Shifts are in nats, positive = towards compliant.`;
  const readers = renderTable(
    {
      columns: [
        left('text against logit'),
        right('same/both'),
        right('share'),
        right('95 % interval'),
        right('text 1, logit 0'),
        right('text 0, logit 1'),
        right('text null'),
        right('logit null'),
      ],
      rows: agreement.map(row => [
        row.condition,
        `${whole(row.same.count)}/${whole(row.same.n)}`,
        share(row.same.rate),
        interval(row.same),
        whole(row.textOnlyCompliant),
        whole(row.logitOnlyCompliant),
        whole(row.textNull + row.bothNull),
        whole(row.logitNull + row.bothNull),
      ]),
    },
    style,
  );
  return [
    ...(marginShifts.length === 0
      ? []
      : [title('How far the margin moved', style), shifts, wrap(spread), '']),
    title('Do the two readers agree?', style),
    readers,
    wrap('1 = compliant. Rows that apply and did not fail; nulls are outside the share.'),
  ].join('\n');
}

/** Flips against the independence null and against re-pairing. */
export function independenceSection(primary: ReaderSummary, style: Style): string {
  const { independence, reader } = primary;
  if (independence.length === 0) return '';
  const p = (row: IndependenceRow, value: number | null): Cell =>
    row.permutation.degenerate ? { text: 'degenerate', tone: 'dim' } : pValue(value);
  const table = renderTable(
    {
      columns: [
        left(`${reader} reader`),
        ...['pairs', 'p', 'q', 'null', 'observed', 're-paired', 'p fewer', 'p more', 'degenerate cells'].map(
          right,
        ),
      ],
      rows: independence.map(row => [
        row.condition,
        whole(row.n),
        share(row.p),
        share(row.q),
        share(row.expected),
        share(row.observed),
        row.permutation.expectedFlips === null
          ? NONE
          : share(row.permutation.expectedFlips / row.permutation.pairs),
        p(row, row.permutation.pFewer),
        p(row, row.permutation.pMore),
        `${row.permutation.degenerateCells.length}/${row.permutation.cells}`,
      ]),
    },
    style,
  );
  const repairings = independence[0]?.permutation.repairings ?? 0;
  const explained =
    'p, q: compliant rates at baseline and under change; null: p(1−q)+q(1−p), the flips of verdicts that have nothing to do ' +
    `with each other. p fewer, p more: one-sided, ${whole(repairings)} re-pairings within each domain and condition. A cell is ` +
    'degenerate when one side holds a single verdict only: no re-pairing can move it. Few flips show that verdicts are stable per ' +
    'sample, not that they are right.';
  return [title('Could it be chance?', style), table, wrap(explained)].join('\n');
}

/** LOW and HIGH: their sizes, the judge on its own groups, and on a partition made elsewhere. */
export function groupSection(summary: Summary, primary: ReaderSummary, style: Style): string {
  if (primary.ocs.length === 0) return '';
  const sizes = renderTable(
    {
      columns: [left('reader'), ...['LOW', 'HIGH', 'neither', 'open'].map(right)],
      rows: [summary.readers.text, summary.readers.logit].map(({ reader, groups: { pooled } }) => [
        reader,
        ...[pooled.LOW, pooled.HIGH, pooled.neither, pooled.open].map(whole),
      ]),
    },
    style,
  );
  const meaning = wrap(
    'LOW: unchanged under every applicable condition; HIGH: changed under at least two; neither: changed under one; open: a ' +
      'missing verdict leaves it undecided.',
  );
  const own = [
    title('Sensitivity groups', style),
    sizes,
    meaning,
    '',
    groupTable(primary.byGroup, `own groups, ${primary.reader} reader`, style),
    wrap('The groups were made from these flips, so the OCS columns show the selection, not a finding.'),
  ];
  const { partition } = summary;
  if (partition === null) return own.join('\n');
  const source = printable(partition.source);
  return [
    ...own,
    '',
    groupTable(partition.groups, `groups of ${source}`, style),
    wrap(
      `Groups fixed on ${source} (${partition.reader} reader). ${whole(partition.absent)} of its samples are not in this run; ` +
        `${whole(partition.outside)} samples of this run are in none of its groups.`,
    ),
  ].join('\n');
}

const SHORT: Readonly<Record<Condition, string>> = {
  baseline: 'base',
  placebo: 'placebo',
  delete: 'del',
  swap: 'swap',
  negate: 'neg',
};

function groupTable(groups: readonly GroupRow[], name: string, style: Style): string {
  const [first] = groups;
  if (!first) return '';
  return renderTable(
    {
      columns: [
        left(name),
        right('n'),
        ...first.accuracy.filter(a => a.condition !== 'placebo').map(a => right(`acc ${SHORT[a.condition]}`)),
        ...first.flips
          .filter(f => f.measure !== 'placebo')
          .map(f => right(f.measure === 'agg' ? 'OCS' : `OCS ${SHORT[f.measure]}`)),
      ],
      rows: groups.map(row => [
        row.group,
        whole(row.samples),
        ...row.accuracy.filter(a => a.condition !== 'placebo').map(a => share(a.rate.rate)),
        ...row.flips.filter(f => f.measure !== 'placebo').map(f => share(f.rate.rate)),
      ]),
    },
    style,
  );
}
