import type { IcsSummary } from '../../audit/ics-types.js';
import { percent } from '../format.js';
import { drawRows, type RowMark, type Series } from './rows-plot.js';
import { niceDomain } from './scale.js';
import { CONDITION_SERIES, percentTick } from './series.js';
import { drawn } from './svg.js';
import type { Figure } from './types.js';

const ALONG: Series = { name: 'along the direction', role: 'delete', shape: 'diamond' };
const RANDOM: Series = { name: 'along random directions', role: 'placebo', shape: 'ring' };

/** Mean ICS-delta of each condition over mean |ICS|, beside the same along random directions. */
export function icsFigure(
  of: { readonly name: string; readonly subject: string; readonly source: string },
  { conditions }: IcsSummary,
): Figure {
  const { name, source } = of;
  const title = `How far the residual stream moved: ${of.subject}`;
  const alt = conditions
    .map(
      ({ condition, all }) =>
        `${CONDITION_SERIES[condition].name}: ${percent(all.ratio)} along the direction, ${percent(all.controlRatio)} along random ones`,
    )
    .join('; ');
  const marks = (series: Series, value: number | null): readonly RowMark[] =>
    value === null ? [] : [{ series, value, low: null, high: null }];
  const values = conditions.flatMap(({ all }) => [all.ratio ?? 0, all.controlRatio ?? 0]);
  const plot = {
    groups: [
      {
        title: null,
        references: [],
        rows: conditions.map(({ condition, all }) => ({
          label: CONDITION_SERIES[condition].name,
          note: '',
          marks: [...marks(ALONG, all.ratio), ...marks(RANDOM, all.controlRatio)],
        })),
      },
    ],
    domain: niceDomain([0, Math.max(0.01, ...values)], 5),
    format: percentTick,
    axis: 'mean shift over the mean projection at baseline',
  };
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) => drawRows(plot, width, layout)),
    columns: ['condition', 'n', 'moved', 'ratio', 'control_ratio', 'along_over_random', 'low', 'high'],
    rows: conditions.map(({ condition, all }) => [
      condition,
      all.n,
      all.moved,
      all.ratio,
      all.controlRatio,
      all.quotient?.value ?? null,
      all.quotient?.low ?? null,
      all.quotient?.high ?? null,
    ]),
    source,
  };
}
