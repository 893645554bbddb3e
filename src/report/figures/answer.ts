import type { Rate, Summary } from '../../audit/analyze-types.js';
import { percent } from '../format.js';
import { drawRows, type PlotRow, type RowMark, type Series } from './rows-plot.js';
import { CONDITION_SERIES, FLOOR, percentTick } from './series.js';
import { drawn } from './svg.js';
import type { Figure, Value } from './types.js';

const CONSTANT: Series = { name: 'always the same answer', role: 'quiet', shape: 'ring' };
const UNRELATED: Series = { name: 'if verdicts were unrelated', role: 'quiet', shape: 'ring' };

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
    ...bareRow(FLOOR, summary.lexicalFloor),
    ...bareRow(CONSTANT, reader.competence.chance),
  ];
  const independent = reader.independence.find(({ condition }) => condition === 'pooled')?.expected ?? null;
  const changed = [
    ...reader.ocs.flatMap(({ measure, pooled }) =>
      measure === 'agg' || pooled.all.n === 0 ? [] : [rowOf(CONDITION_SERIES[measure], pooled.all)],
    ),
    ...bareRow(UNRELATED, independent),
  ];
  const title = `Right verdicts, and verdicts that changed: ${summary.about.subject}`;
  const alt = `Right: ${wordsOf(right)}. Changed: ${wordsOf(changed)}.`;
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) =>
      drawRows(
        {
          groups: [
            { title: 'Right verdicts', rows: right, references: [] },
            { title: 'Changed verdicts', rows: changed, references: [] },
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
      ...changed.map(row => valuesOf('changed verdicts', row)),
    ],
    source,
  };
}

function rowOf(series: Series, { rate, low, high }: Rate): PlotRow {
  const marks: readonly RowMark[] = rate === null ? [] : [{ series, value: rate, low, high }];
  return { label: series.name, note: percent(rate), marks };
}

/** A value without an interval. */
function bareRow(series: Series, value: number | null): readonly PlotRow[] {
  if (value === null) return [];
  return [{ label: series.name, note: percent(value), marks: [{ series, value, low: null, high: null }] }];
}

function valuesOf(quantity: string, { label, marks: [first] }: PlotRow): readonly Value[] {
  return [quantity, label, first?.value ?? null, first?.low ?? null, first?.high ?? null];
}

function wordsOf(rows: readonly PlotRow[]): string {
  return rows.length === 0 ? 'none' : rows.map(({ label, note }) => `${label} ${note}`).join(', ');
}
