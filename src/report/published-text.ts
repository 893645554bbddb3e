import type { AcrossRun } from '../audit/across-types.js';
import type { PublishedStudy, PublishedSubject } from '../audit/published.js';
import { acrossTable, acrossWords } from './across-tables.js';
import { figure, NONE, percent, share } from './format.js';
import { type Cell, paint, printable, type Style, title } from './table.js';

/**
 * A published study beside one's own runs, ours first. It is another model on other samples, and says so.
 */
export function publishedText(study: PublishedStudy, runs: readonly AcrossRun[], style: Style): string {
  const judged = runs.filter(({ verdicts }) => verdicts);
  const projected = runs.filter(({ ics }) => ics !== null);
  const block = (heading: string, columns: readonly string[], ...groups: readonly Rows[]): string =>
    acrossTable(columns, groups.flat(), style, heading);
  const theirs = (of: (subject: PublishedSubject) => readonly string[]): Rows =>
    study.subjects.map(subject => published(subject.subject, of(subject)));
  const tables = [
    ...(judged.length === 0
      ? []
      : [
          block(
            'OCS',
            ['placebo', 'delete', 'swap', 'negate', 'aggregate'],
            judged.map(row => [printable(row.run), ...ocsCells(row)]),
            theirs(({ ocs }) => [NONE, ...[ocs.delete, ocs.swap, ocs.negate, ocs.agg].map(cell)]),
          ),
          block(
            'accuracy',
            [...ACCURACY],
            judged.map(row => [printable(row.run), ...accuracyCells(row)]),
            theirs(({ accuracy }) => ACCURACY.map(condition => cell(accuracy[condition]))),
          ),
          block(
            'flips',
            ['null', 'observed'],
            judged.map(row => [printable(row.run), ...chanceCells(row)]),
            theirs(({ independence }) => [cell(independence.expected), cell(independence.observed)]),
          ),
        ]),
    ...(projected.length === 0
      ? []
      : [
          block(
            'ICS',
            ['mean |ICS|', 'mean |Δ|', 'ratio'],
            projected.map(row => [printable(row.run), ...icsCells(row)]),
            study.subjects.flatMap(({ subject, ics }) =>
              ics === null
                ? []
                : [
                    published(subject, [
                      ics.meanAbs.toFixed(2),
                      ics.meanDelta.toFixed(2),
                      percent(ics.ratio),
                    ]),
                  ],
            ),
          ),
        ]),
    ...(judged.length === 0
      ? []
      : [
          block(
            'aggregate OCS on a corpus',
            ['OCS'],
            judged.map(row => [`${printable(row.run)}: ${printable(row.corpus)}`, aggregate(row)]),
            study.corpora.map(({ corpus, ocs }) => published(corpus, [cell(ocs)])),
          ),
        ]),
  ];
  const warning =
    `Beside ${study.source}, "${study.title}". Rows marked "published" are other models on other samples: they show ` +
    'what has been seen elsewhere. A difference from them is no finding about yours. They come without intervals and ' +
    'without a placebo.';
  return `${[title(`Beside published numbers: ${study.name}`, style), paint(acrossWords(warning), 'warn', style)].join('\n')}\n\n${tables.join('\n\n')}\n`;
}

type Rows = readonly (readonly Cell[])[];

const ACCURACY = ['baseline', 'delete', 'swap', 'negate'] as const;

const cell = (value: number): string => share(value);

const published = (name: string, cells: readonly string[]): readonly Cell[] =>
  [`published: ${name}`, ...cells].map(text => ({ text, tone: 'dim' as const }));

const ocsCells = ({ ocs }: AcrossRun): readonly string[] =>
  ocs.map(({ pooled }) => share(pooled?.all.rate ?? null));

const aggregate = ({ ocs }: AcrossRun): string =>
  share(ocs.find(({ measure }) => measure === 'agg')?.pooled?.all.rate ?? null);

const accuracyCells = ({ accuracy }: AcrossRun): readonly string[] =>
  ACCURACY.map(condition => share(accuracy.find(row => row.condition === condition)?.all.rate ?? null));

function chanceCells({ independence }: AcrossRun): readonly string[] {
  const pooled = independence.find(({ condition }) => condition === 'pooled');
  return [share(pooled?.expected ?? null), share(pooled?.observed ?? null)];
}

const icsCells = ({ ics }: AcrossRun): readonly string[] => [
  figure(ics?.meanAbs ?? null),
  figure(ics?.altering.meanDelta ?? null),
  percent(ics?.altering.ratio ?? null),
];
