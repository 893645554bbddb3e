import type { AcrossRun } from '../audit/across-types.js';
import type { FlipRates, Measure } from '../audit/analyze-types.js';
import type { IcsShift } from '../audit/ics-types.js';
import type { Condition } from '../perturb/types.js';
import { figure, fraction, interval, NONE, percent, pValue, share, whole } from './format.js';
import { type Cell, left, printable, renderTable, right, type Style, shorten, wrap } from './table.js';

/** Tables of several runs keep to this many columns, so that two terminals fit side by side. */
export const ACROSS_WIDTH = 100;

/** Further lines of one run stand below its first one, indented and dim. */
export const below = (name: string, cells: readonly string[]): readonly Cell[] =>
  [`  ${name}`, ...cells].map(text => ({ text, tone: 'dim' as const }));

/** A table with right-aligned columns behind its first one. */
export const acrossTable = (
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  style: Style,
  first = 'run',
): string => renderTable({ columns: [left(first), ...columns.map(right)], rows }, style, ACROSS_WIDTH);

export const acrossWords = (words: string): string => wrap(words, ACROSS_WIDTH);

const LONGEST_NAME = 30;

export function runsTable(runs: readonly AcrossRun[], style: Style): string {
  const EXACT = { exact: 'yes', inexact: 'no' } as const;
  const rows = runs.map(({ run, subject, profiles, samples, domains, exactness }): readonly Cell[] => [
    printable(run),
    shorten(printable(subject), LONGEST_NAME),
    shorten(profiles.map(printable).join(', '), 20),
    whole(samples),
    whole(domains.length),
    exactness === null ? 'not measured' : EXACT[exactness],
  ]);
  return acrossTable(['judge', 'prompt', 'samples', 'domains', 'exact'], rows, style);
}

/** Whether each judge does the task. Runs without verdicts have no row. */
export function competenceTable(runs: readonly AcrossRun[], style: Style): string {
  const doesTask = (value: boolean | null): Cell =>
    value === null
      ? { text: 'cannot be told', tone: 'warn' }
      : value
        ? { text: 'yes', tone: 'good' }
        : { text: 'no', tone: 'bad' };
  const rows = runs.flatMap(({ run, competence, lexicalFloor }): readonly (readonly Cell[])[] => {
    if (competence === null) return [];
    const { accuracy, chance, saysCompliant, labelCompliant, nullRate, auroc } = competence;
    return [
      [
        printable(run),
        share(accuracy.rate),
        interval(accuracy),
        share(chance),
        share(lexicalFloor),
        `${share(saysCompliant.rate)}/${share(labelCompliant)}`,
        percent(nullRate.rate),
        share(auroc.value),
        doesTask(competence.doesTask),
      ],
    ];
  });
  const columns = [
    'accuracy',
    '95 % interval',
    'chance',
    'floor',
    'says/label',
    'nulls',
    'AUROC',
    'does it?',
  ];
  return acrossTable(columns, rows, style);
}

const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  placebo: 'placebo',
  delete: 'delete',
  swap: 'swap',
  negate: 'negate',
  agg: 'aggregate',
};

/** OCS of every run with verdicts, with what stands behind it. */
export function ocsTable(runs: readonly AcrossRun[], style: Style): string {
  const rows = runs.flatMap(({ run, ocs, exactness }): readonly (readonly Cell[])[] => {
    if (ocs.length === 0) return [];
    const cells = (of: (rates: FlipRates, measure: Measure) => string): readonly string[] =>
      ocs.map(({ measure, pooled }) => (pooled === null || pooled.all.n === 0 ? NONE : of(pooled, measure)));
    const invisible = ocs.some(({ pooled }) => (pooled?.invisiblePairs ?? 0) > 0);
    return [
      [printable(run), ...cells(({ all }) => share(all.rate))],
      below(
        '95 % interval',
        cells(({ all }) => interval(all)),
      ),
      below(
        'flips/pairs',
        cells(({ all }, measure) => (measure === 'agg' ? `n ${whole(all.n)}` : fraction(all))),
      ),
      ...(invisible
        ? [
            below(
              'without invisible',
              cells(({ visible }, measure) => (measure === 'placebo' ? '' : share(visible.rate))),
            ),
          ]
        : []),
      ...(exactness === 'inexact'
        ? [
            below(
              'without fragile',
              cells(({ solid }) => share(solid?.rate ?? null)),
            ),
          ]
        : []),
    ];
  });
  const columns = runs.find(({ ocs }) => ocs.length > 0)?.ocs ?? [];
  return acrossTable(
    columns.map(({ measure }) => MEASURE_NAMES[measure]),
    rows,
    style,
  );
}

/** The order of the columns, and of the rows of all tables. */
const ACCURACY: readonly Condition[] = ['baseline', 'placebo', 'delete', 'swap', 'negate'];

export function accuracyTable(runs: readonly AcrossRun[], style: Style): string {
  const rows = runs.flatMap(({ run, accuracy }): readonly (readonly Cell[])[] => {
    if (accuracy.length === 0) return [];
    const cells = (of: (row: AcrossRun['accuracy'][number]) => string): readonly string[] =>
      ACCURACY.map(condition => {
        const row = accuracy.find(known => known.condition === condition);
        return row === undefined || row.all.n === 0 ? NONE : of(row);
      });
    return [
      [printable(run), ...cells(({ all }) => share(all.rate))],
      below(
        '95 % interval',
        cells(({ all }) => interval(all)),
      ),
      below(
        'right/verdicts',
        cells(({ all }) => fraction(all)),
      ),
      below(
        'p of change',
        cells(({ condition, paired }) => (condition === 'baseline' ? '' : pValue(paired?.p ?? null))),
      ),
    ];
  });
  return acrossTable(ACCURACY, rows, style);
}

/** Shifts along the direction over the mean baseline |ICS|; only runs that were projected on one have rows. */
export function icsTable(runs: readonly AcrossRun[], style: Style): string {
  const order = ['placebo', 'delete', 'swap', 'negate'] as const;
  const rows = runs.flatMap(({ run, ics }): readonly (readonly Cell[])[] => {
    if (ics === null) return [];
    const cells = (of: (row: IcsShift) => string): readonly string[] =>
      order.map(condition => {
        const row = ics.conditions.find(known => known.condition === condition);
        return row === undefined || row.all.n === 0 ? NONE : of(row);
      });
    const hidden = ics.conditions.some(({ condition, all, visible }) => {
      return condition !== 'placebo' && visible.n < all.n;
    });
    return [
      [
        printable(run),
        ics.anchor === null ? NONE : String(ics.anchor),
        figure(ics.meanAbs),
        ...cells(({ all }) => percent(all.ratio)),
        percent(ics.altering.ratio),
      ],
      ...((ics.controls ?? 0) > 0
        ? [below('random directions', ['', '', ...cells(({ all }) => percent(all.controlRatio))])]
        : []),
      ...(hidden
        ? [
            below('without invisible', [
              '',
              '',
              ...cells(({ condition, visible }) => (condition === 'placebo' ? '' : percent(visible.ratio))),
            ]),
          ]
        : []),
    ];
  });
  return rows.length === 0 ? '' : acrossTable(['block', 'mean |ICS|', ...order, 'all'], rows, style);
}

/** Within each run, over its domains: what goes with OCS. */
export function domainRanksTable(runs: readonly AcrossRun[], style: Style): string {
  const projected = runs.some(({ ics }) => ics !== null);
  const rows = runs.flatMap(({ run, domains, ocsWithAccuracy, ics }): readonly (readonly Cell[])[] => {
    if (ocsWithAccuracy === null) return [];
    const withIcs = projected ? ranks(ics?.ocs ?? null) : [];
    return [[printable(run), whole(domains.length), ...ranks(ocsWithAccuracy), ...withIcs]];
  });
  const columns = ['domains', 'OCS, accuracy', 'p', ...(projected ? ['OCS, ICS-delta', 'p'] : [])];
  return rows.length === 0 ? '' : acrossTable(columns, rows, style);
}

function ranks(of: AcrossRun['ocsWithAccuracy']): readonly string[] {
  if (of === null || of.rho === null) return [NONE, NONE];
  const sign = of.rho < 0 ? '−' : '+';
  return [`${sign}${share(Math.abs(of.rho))}`, pValue(of.p)];
}
