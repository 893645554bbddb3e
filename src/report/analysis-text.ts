import type { FlipRates, Measure, OcsRow, Rate, ReaderSummary, Summary } from '../audit/analyze-types.js';
import type { Condition } from '../perturb/types.js';
import { icsSection, noVerdictsSection } from './analysis-ics.js';
import { competenceSection, exactnessSection, heading } from './analysis-opening.js';
import { groupSection, independenceSection, marginSection } from './analysis-sections.js';
import { fraction, interval, NONE, percent, pValue, share, tally, whole } from './format.js';
import { ruleNecessitySection } from './rule-necessity-text.js';
import { type Cell, left, printable, renderTable, right, type Style, title, wrap } from './table.js';

/**
 * What `analyze` prints: what was audited, whether it is exact, whether the judge does the task, OCS, where every row
 * went, accuracy, what chance gives, and the sensitivity groups; of a run without verdicts, its residual stream alone. At most {@link WIDTH} columns.
 */
export function analysisText(summary: Summary, style: Style): string {
  const other = summary.primary === 'text' ? summary.readers.logit : summary.readers.text;
  const primary = summary.readers[summary.primary];
  const opening = [heading(summary, style), exactnessSection(summary, primary, style)];
  const sections = summary.icsOnly
    ? [...opening, noVerdictsSection(style), icsSection(summary, style), countsSection(summary, style)]
    : [
        ...opening,
        competenceSection(summary, style),
        ocsSection(summary, primary, other, style),
        domainSection(summary, primary, style),
        countsSection(summary, style),
        accuracySection(summary, primary, style),
        marginSection(summary, style),
        icsSection(summary, style),
        independenceSection(primary, style),
        ruleNecessitySection(primary, style),
        groupSection(summary, primary, style),
      ];
  return `${sections.filter(section => section !== '').join('\n\n')}\n`;
}

const NAMES: Readonly<Record<Measure, string>> = {
  placebo: 'placebo',
  delete: 'delete',
  swap: 'swap',
  negate: 'negate',
  agg: 'aggregate',
};

/** Flips over pairs and the rate; an aggregate is a mean over samples, so it has no whole count of flips. */
function flips(rate: Rate | null, measure: Measure): string {
  if (rate === null || rate.n === 0) return NONE;
  return `${measure === 'agg' ? `n ${whole(rate.n)}` : fraction(rate)}  ${share(rate.rate)}`;
}

function ocsSection(summary: Summary, primary: ReaderSummary, other: ReaderSummary, style: Style): string {
  if (primary.ocs.length === 0) return '';
  const measured = primary.ocs.map(({ measure, pooled }): readonly Cell[] => [
    NAMES[measure],
    flips(pooled.all, measure),
    interval(pooled.all),
    ...(measure === 'placebo' ? ['', ''] : [whole(pooled.invisiblePairs), flips(pooled.visible, measure)]),
    flips(other.ocs.find(row => row.measure === measure)?.pooled.all ?? null, measure),
  ]);
  const absent = primary.ocs[0]?.measure === 'placebo' ? [] : [[NAMES.placebo, NONE, NONE, '', '', NONE]];
  const table = renderTable(
    {
      columns: [
        left(`${primary.reader} reader`),
        right('flips/pairs   OCS'),
        right('95 % interval'),
        right('invisible'),
        right('without them'),
        right(`${other.reader} reader`),
      ],
      rows: [...absent, ...measured],
    },
    style,
  );
  const fragile = summary.exactness?.kind === 'inexact' ? ['', fragileTable(primary, style)] : [];
  return [
    title('Does the verdict depend on the rule?', style),
    table,
    wrap(ocsWords(primary.ocs)),
    ...fragile,
  ].join('\n');
}

function fragileTable(primary: ReaderSummary, style: Style): string {
  return renderTable(
    {
      columns: [
        left(`${primary.reader} reader`),
        right('fragile flips/pairs'),
        right('without fragile pairs'),
        right('95 % interval'),
      ],
      rows: primary.ocs.map(({ measure, pooled }) => [
        NAMES[measure],
        `${whole(pooled.fragileFlips ?? 0)}/${whole(pooled.fragilePairs ?? 0)}`,
        flips(pooled.solid, measure),
        pooled.solid === null ? NONE : interval(pooled.solid),
      ]),
    },
    style,
  );
}

function ocsWords(rows: readonly OcsRow[]): string {
  const pooled = (measure: Measure): FlipRates | undefined =>
    rows.find(row => row.measure === measure)?.pooled;
  const deletion = pooled('delete')?.all;
  const placebo = pooled('placebo')?.all;
  const floor =
    placebo && placebo.n > 0
      ? ` The noise floor (placebo) is ${percent(placebo.rate)}.`
      : ' The noise floor was not measured.';
  const deleted =
    deletion && deletion.n > 0
      ? `Deleting the rule changed ${percent(deletion.rate)} of verdicts.${floor} `
      : '';
  return (
    `${deleted}Aggregate: mean over samples of OCS per sample; its interval is conservative. ` +
    'Invisible: the altered words lie behind the cut of the prompt, so the text that was shown did not change.'
  );
}

function domainSection(summary: Summary, primary: ReaderSummary, style: Style): string {
  if (primary.ocs.length === 0) return '';
  const cell = (rate: Rate | undefined): string =>
    rate === undefined || rate.n === 0
      ? NONE
      : `${share(rate.rate, 2)} ${interval(rate, 2).replace(', ', ' ')}`;
  const table = renderTable(
    {
      columns: [left('domain'), right('n'), ...primary.ocs.map(row => right(NAMES[row.measure]))],
      rows: summary.domains.map(({ domain, samples }) => [
        printable(domain),
        whole(samples),
        ...primary.ocs.map(row => cell(row.domains.find(d => d.domain === domain)?.all)),
      ]),
    },
    style,
  );
  return [title(`OCS per domain, 95 % intervals (${primary.reader} reader)`, style), table].join('\n');
}

function countsSection(summary: Summary, style: Style): string {
  const { text, logit } = summary.readers;
  const columns = [
    'rows',
    'n/a',
    'errors',
    'text verdicts',
    'text nulls',
    'logit verdicts',
    'logit nulls',
    'invisible',
    'missing',
  ];
  const logitOf = (condition: Condition) => logit.counts.find(row => row.condition === condition);
  const table = renderTable(
    {
      columns: [left('condition'), ...columns.map(right)],
      rows: text.counts.map(row => [
        row.condition,
        ...[row.rows, row.notApplicable, row.errors, row.verdicts, row.nulls].map(whole),
        whole(logitOf(row.condition)?.verdicts ?? 0),
        whole(logitOf(row.condition)?.nulls ?? 0),
        whole(row.invisible),
        whole(row.missing),
      ]),
    },
    style,
  );
  const reasons = text.counts.flatMap(row => {
    const parts = [
      ['text null', row.nullReasons],
      ['logit null', logitOf(row.condition)?.nullReasons ?? []],
      ['not applicable', row.notApplicableReasons],
      ['error', row.errorCodes],
    ] as const;
    const told = parts
      .filter(([, codes]) => codes.length > 0)
      .map(([kind, codes]) => `${kind}: ${printable(tally(codes))}`);
    return told.length === 0 ? [] : [wrap(`${row.condition}: ${told.join('; ')}`)];
  });
  const sum = wrap('Rows = not applicable + errors + verdicts + nulls, for each reader.');
  return [title('Where every row went', style), table, sum, ...reasons].join('\n');
}

function accuracySection(summary: Summary, primary: ReaderSummary, style: Style): string {
  const table = renderTable(
    {
      columns: [
        left(`${primary.reader} reader`),
        right('right/verdicts'),
        right('accuracy'),
        right('95 % interval'),
        right('baseline → here'),
        right('gained'),
        right('lost'),
        right('McNemar p'),
      ],
      rows: primary.accuracy.map(({ condition, all, paired }) => [
        condition,
        fraction(all),
        share(all.rate),
        interval(all),
        ...(paired === null
          ? []
          : [
              paired.n === 0
                ? NONE
                : `${share(paired.baselineRight / paired.n)} → ${share(paired.right / paired.n)}`,
              whole(paired.gained),
              whole(paired.lost),
              pValue(paired.p),
            ]),
      ]),
    },
    style,
  );
  const floors = summary.domains.some(domain => domain.lexicalFloor !== null);
  const perDomain = renderTable(
    {
      columns: [
        left('domain'),
        ...primary.accuracy.map(row => right(row.condition)),
        ...(floors ? [right('lexical floor')] : []),
      ],
      rows: summary.domains.map(({ domain, lexicalFloor }) => [
        printable(domain),
        ...primary.accuracy.map(row => share(row.domains.find(d => d.domain === domain)?.rate ?? null)),
        ...(floors ? [share(lexicalFloor)] : []),
      ]),
    },
    style,
  );
  const paired = wrap(
    'Baseline → here, gained, lost, exact McNemar: over the samples with a verdict both at baseline and here.',
  );
  const floor = floors
    ? [wrap('Lexical floor: naive Bayes on the words of the scenario alone; it never sees the rule.')]
    : [];
  return [title('Accuracy against the label', style), table, paired, '', perDomain, ...floor].join('\n');
}
