import type { Rate, Summary } from '../../audit/analyze-types.js';
import { percent } from '../format.js';
import { drawRows, type PlotRow, type Reference, type RowMark, type Series } from './rows-plot.js';
import { CONDITION_SERIES, FLOOR, percentTick } from './series.js';
import { drawn } from './svg.js';
import type { Figure, Value } from './types.js';

/**
 * The first picture of one judge: how often it is right with its rule, without it, and how often something that never
 * sees the rule is right; and below, how many verdicts each change of the rule moves.
 */
export function answerFigure(name: string, summary: Summary, source: string): Figure {
  const reader = summary.readers[summary.primary];
  const right = [
    ...reader.accuracy
      .filter(({ condition, all }) => (condition === 'baseline' || condition === 'delete') && all.n > 0)
      .map(({ condition, all }) => rowOf(CONDITION_SERIES[condition], all)),
    ...(summary.lexicalFloor === null ? [] : [floorRow(summary.lexicalFloor)]),
  ];
  const changed = reader.ocs.flatMap(({ measure, pooled }) =>
    measure === 'agg' || pooled.all.n === 0 ? [] : [rowOf(CONDITION_SERIES[measure], pooled.all)],
  );
  const { chance } = reader.competence;
  const independent = reader.independence.find(({ condition }) => condition === 'pooled')?.expected ?? null;
  const title = `Right verdicts, and verdicts that changed: ${summary.about.subject}`;
  const alt = [
    `Right: ${wordsOf(right)}.`,
    chance === null ? '' : `A constant answer would be right in ${percent(chance)}.`,
    `Changed: ${wordsOf(changed)}.`,
    independent === null ? '' : `Unrelated verdicts would differ in ${percent(independent)}.`,
  ]
    .filter(words => words !== '')
    .join(' ');
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) =>
      drawRows(
        {
          groups: [
            { title: 'Right verdicts', rows: right, references: reference('always the same answer', chance) },
            {
              title: 'Changed verdicts',
              rows: changed,
              references: reference('unrelated verdicts', independent),
            },
          ].filter(({ rows }) => rows.length > 0),
          domain: [0, 1],
          format: percentTick,
          axis: 'share of verdicts, with 95 % intervals',
        },
        width,
        layout,
      ),
    ),
    columns: ['quantity', 'what', 'share', 'low', 'high'],
    rows: [
      ...right.map(row => valuesOf('right verdicts', row)),
      ['right verdicts', 'always the same answer', chance, null, null],
      ...changed.map(row => valuesOf('changed verdicts', row)),
      ['changed verdicts', 'unrelated verdicts', independent, null, null],
    ],
    source,
  };
}

function rowOf(series: Series, { rate, low, high }: Rate): PlotRow {
  const marks: readonly RowMark[] = rate === null ? [] : [{ series, value: rate, low, high }];
  return { label: series.name, note: percent(rate), marks };
}

function floorRow(value: number): PlotRow {
  return {
    label: FLOOR.name,
    note: percent(value),
    marks: [{ series: FLOOR, value, low: null, high: null }],
  };
}

function reference(name: string, value: number | null): readonly Reference[] {
  return value === null ? [] : [{ name, value, role: 'quiet' }];
}

function valuesOf(quantity: string, { label, marks: [first] }: PlotRow): readonly Value[] {
  return [quantity, label, first?.value ?? null, first?.low ?? null, first?.high ?? null];
}

function wordsOf(rows: readonly PlotRow[]): string {
  return rows.length === 0 ? 'none' : rows.map(({ label, note }) => `${label} ${note}`).join(', ');
}
