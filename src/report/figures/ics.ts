import type { IcsSummary } from '../../audit/ics-types.js';
import { figure } from '../format.js';
import { drawRows, type RowMark, type Series } from './rows-plot.js';
import { niceDomain } from './scale.js';
import { CONDITION_SERIES } from './series.js';
import { drawn } from './svg.js';
import type { Figure } from './types.js';

const ALONG: Series = { name: 'along the direction', role: 'delete', shape: 'diamond' };
const RANDOM: Series = { name: 'along random directions', role: 'placebo', shape: 'ring' };

/** Mean |ICS-delta| of each condition beside the mean shift along random directions of the same length. */
export function icsFigure(
  of: { readonly name: string; readonly subject: string; readonly source: string },
  { conditions }: IcsSummary,
): Figure {
  const { name, source } = of;
  const title = `How far the residual stream moved: ${of.subject}`;
  const alt = conditions
    .map(
      ({ condition, all }) =>
        `${CONDITION_SERIES[condition].name}: ${figure(all.meanDelta)} along the direction, ${figure(all.controlDelta)} along random ones`,
    )
    .join('; ');
  const marks = (series: Series, value: number | null): readonly RowMark[] =>
    value === null ? [] : [{ series, value, low: null, high: null }];
  const values = conditions.flatMap(({ all }) => [all.meanDelta ?? 0, all.controlDelta ?? 0]);
  const plot = {
    groups: [
      {
        title: null,
        references: [],
        rows: conditions.map(({ condition, all }) => ({
          label: CONDITION_SERIES[condition].name,
          note: all.quotient === null ? '' : `${all.quotient.value.toFixed(1)} times`,
          marks: [...marks(ALONG, all.meanDelta), ...marks(RANDOM, all.controlDelta)],
        })),
      },
    ],
    domain: niceDomain([0, Math.max(1e-6, ...values)], 5),
    format: String,
    axis: 'mean size of the shift; at the right: along the direction over along random ones',
  };
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) => drawRows(plot, width, layout)),
    columns: [
      'condition',
      'n',
      'moved',
      'mean_delta',
      'control_delta',
      'along_over_random',
      'low',
      'high',
      'ratio',
      'control_ratio',
    ],
    rows: conditions.map(({ condition, all }) => [
      condition,
      all.n,
      all.moved,
      all.meanDelta,
      all.controlDelta,
      all.quotient?.value ?? null,
      all.quotient?.low ?? null,
      all.quotient?.high ?? null,
      all.ratio,
      all.controlRatio,
    ]),
    source,
  };
}
