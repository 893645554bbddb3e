import type { Condition } from '../../perturb/types.js';
import type { Histogram } from '../../stats/histogram.js';
import type { Moments } from '../../stats/moments.js';
import { figure, signed, whole } from '../format.js';
import { type Html, html } from '../page/html.js';
import { linear, niceDomain } from './scale.js';
import { CONDITION_SERIES } from './series.js';
import { drawn, line, mark, rect, text } from './svg.js';
import type { Drawing, Figure, Layout } from './types.js';

/** How the margins of one condition moved. */
export interface MarginRow {
  readonly condition: Exclude<Condition, 'baseline'>;
  readonly histogram: Histogram;
  readonly n: number;
  readonly unmoved: number;
  readonly moments: Moments;
}

const BARS = 62;
const HEAD = 34;

/** A histogram of margin shifts for each condition, over one axis; the mark stands at the mean. */
export function marginsFigure(
  of: { readonly name: string; readonly subject: string; readonly source: string },
  rows: readonly MarginRow[],
): Figure {
  const { name, source } = of;
  const title = `How far the margin moved: ${of.subject}`;
  const alt = rows
    .map(
      ({ condition, moments: { n, mean, median, sd }, unmoved }) =>
        `${CONDITION_SERIES[condition].name}: mean ${signed(mean)} nats, median ${signed(median)}, standard deviation ${figure(sd)}, ${whole(unmoved)} of ${whole(n)} not moved`,
    )
    .join('; ');
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) => draw(rows, width, layout)),
    columns: ['condition', 'from', 'to', 'samples'],
    rows: rows.flatMap(({ condition, histogram: { width, bins } }) =>
      bins.map(({ middle, count }) => [
        condition,
        Number((middle - width / 2).toPrecision(12)),
        Number((middle + width / 2).toPrecision(12)),
        count,
      ]),
    ),
    source,
  };
}

function draw(rows: readonly MarginRow[], width: number, layout: Layout): Drawing {
  const edges = rows.flatMap(({ histogram }) =>
    histogram.bins.flatMap(({ middle }) => [middle - histogram.width / 2, middle + histogram.width / 2]),
  );
  const x = linear(niceDomain([0, ...edges], 8), [16, width - 16], layout === 'wide' ? 10 : 5);
  let y = 0;
  const panels = rows.map((row): Html => {
    const top = y + HEAD;
    y = top + BARS;
    return panel(row, x.at, top, width, layout);
  });
  const ticks = x.ticks.map(
    tick =>
      html`${line([x.at(tick), y], [x.at(tick), y + 5], 'quiet')}${text(x.at(tick), y + 18, tickText(tick), { anchor: 'middle', role: 'quiet', size: 12 })}`,
  );
  const zero = line([x.at(0), HEAD - 4], [x.at(0), y], 'quiet', { dash: '2 3' });
  const name = text(width / 2, y + 37, axisName(layout), { anchor: 'middle', role: 'quiet', size: 12 });
  return { height: y + 46, marks: html`${zero}${panels}${ticks}${name}` };
}

function axisName(layout: Layout): string {
  return layout === 'wide'
    ? '← towards non-compliant · shift of the margin, nats · towards compliant →'
    : '← non-compliant · shift, nats · compliant →';
}

function panel(
  { condition, histogram, n, unmoved, moments }: MarginRow,
  at: (value: number) => number,
  top: number,
  width: number,
  layout: Layout,
): Html {
  const { name, role, shape } = CONDITION_SERIES[condition];
  const most = Math.max(1, ...histogram.bins.map(({ count }) => count));
  const bars = histogram.bins.map(({ middle, count }) => {
    const [from, to] = [at(middle - histogram.width / 2), at(middle + histogram.width / 2)];
    const height = Math.max(1, (count / most) * BARS);
    return rect([from + 0.5, top + BARS - height], [Math.max(1, to - from - 1), height], role, 0.75);
  });
  const told = `${whole(n)} samples, ${whole(unmoved)} not moved`;
  const mean = moments.mean === null ? '' : `mean ${signed(moments.mean)}`;
  const words = layout === 'wide' ? `${told}, ${mean}` : mean;
  return html`${text(0, top - 14, name, { bold: true })}${text(width, top - 14, words, { anchor: 'end', role: 'quiet', size: 12 })}${bars}${line([8, top + BARS], [width - 8, top + BARS], 'line')}${moments.mean === null ? null : html`${line([at(moments.mean), top], [at(moments.mean), top + BARS], role, { width: 1.5, dash: '2 2' })}${mark(shape, at(moments.mean), top - 4, role)}`}`;
}

function tickText(value: number): string {
  return value < 0 ? `−${-value}` : String(value);
}
