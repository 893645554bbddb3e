import { type Html, html } from '../page/html.js';
import { printable, shorten } from '../table.js';
import { DASHES, type Dash, type Key, legend } from './legend.js';
import type { Role } from './palette.js';
import { linear, type Scale } from './scale.js';
import { CHARACTER, line, mark, type Shape, text } from './svg.js';
import type { Drawing, Layout } from './types.js';

export interface Series {
  readonly name: string;
  readonly role: Role;
  readonly shape: Shape;
}

/** A value of a series with its interval. */
export interface RowMark {
  readonly series: Series;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

export interface PlotRow {
  readonly label: string;
  /** What is written at its end. */
  readonly note: string;
  readonly marks: readonly RowMark[];
}

/** A vertical line through the rows of a group. */
export interface Reference {
  readonly name: string;
  readonly value: number;
  readonly role: Role;
  readonly dash: Dash;
}

export interface PlotGroup {
  readonly title: string | null;
  readonly rows: readonly PlotRow[];
  readonly references: readonly Reference[];
}

/** Names at the left, marks on one axis; each mark of a row in a lane of its own. */
export interface RowsPlot {
  readonly groups: readonly PlotGroup[];
  readonly domain: readonly [number, number];
  readonly format: (value: number) => string;
  readonly axis: string;
}

const LANE = 14;
const PAD = 12;
const TITLE = 30;
/** Of the name above a row on a narrow drawing. */
const NAME = 17;
const LONGEST_NAME = 40;
/** Room for half a number under the axis. */
const EDGE = 20;

export function drawRows(plot: RowsPlot, width: number, layout: Layout): Drawing {
  const rows = plot.groups.flatMap(group => group.rows);
  const widest = (texts: readonly string[]): number =>
    Math.max(0, ...texts.map(words => printable(words).length)) * CHARACTER;
  const wide = layout === 'wide';
  const names = widest(rows.map(row => shorten(printable(row.label), LONGEST_NAME)));
  const left = wide ? names + 20 : EDGE;
  const notes = widest(rows.map(row => row.note));
  const right = width - (wide && notes > 0 ? notes + EDGE : EDGE);
  const keys = legend(keysOf(plot, rows), width);
  const x = linear(plot.domain, [left, right], wide ? 6 : 4);

  let y = keys.height;
  const top = y;
  const parts: Html[] = [];
  const lines: Html[] = [];
  for (const { title, rows, references } of plot.groups) {
    if (title !== null) {
      y += TITLE;
      parts.push(text(0, y - 9, title, { bold: true }));
    }
    const groupTop = y;
    for (const row of rows) {
      const lanes = Math.max(1, row.marks.length);
      if (!wide) y += NAME;
      const height = lanes * LANE + PAD;
      const middle = y + height / 2;
      parts.push(
        text(0, wide ? middle + 4.5 : y - 1, shorten(printable(row.label), LONGEST_NAME), { edge: true }),
        text(width, wide ? middle + 4.5 : y - 1, row.note, { anchor: 'end', role: 'quiet', edge: true }),
        ...marksOf(row, x, y + PAD / 2 + LANE / 2),
      );
      y += height;
      if (!wide) y += 4;
    }
    for (const { value, role, dash } of references)
      lines.push(line([x.at(value), groupTop], [x.at(value), y], role, { width: 2, dash: DASHES[dash] }));
  }
  const marks = html`${keys.marks}${gridOf(plot, x, [top, y], layout)}${lines}${parts}`;
  return { height: y + 42, marks };
}

function marksOf(row: PlotRow, x: Scale, first: number): readonly Html[] {
  return row.marks.map(({ series, value, low, high }, i) => {
    const y = first + i * LANE;
    const interval =
      low === null || high === null ? null : line([x.at(low), y], [x.at(high), y], series.role, { width: 2 });
    return html`${interval}${mark(series.shape, x.at(value), y, series.role)}`;
  });
}

function gridOf(
  { axis, format }: RowsPlot,
  x: Scale,
  [top, bottom]: readonly [number, number],
  layout: Layout,
): Html {
  const [from, to] = x.domain;
  const grid = x.ticks.map(
    value =>
      html`${line([x.at(value), top], [x.at(value), bottom], 'line')}${text(x.at(value), bottom + 16, format(value), { anchor: 'middle', role: 'quiet', size: 12 })}`,
  );
  const middle = (x.at(from) + x.at(to)) / 2;
  const name = text(layout === 'wide' ? middle : x.at(from), bottom + 35, axis, {
    anchor: layout === 'wide' ? 'middle' : 'start',
    role: 'quiet',
    size: 12,
  });
  return html`${grid}${name}`;
}

/** A legend only where a row has several marks, or a line needs a name. */
function keysOf({ groups }: RowsPlot, rows: readonly PlotRow[]): readonly Key[] {
  const several = rows.some(row => row.marks.length > 1);
  const series = new Map(
    // Of rows that lack a mark, the full ones give the order.
    [...rows]
      .sort((a, b) => b.marks.length - a.marks.length)
      .flatMap(row => row.marks.map(({ series }): [string, Key] => [series.name, series])),
  );
  return [
    ...(several ? series.values() : []),
    ...groups.flatMap(({ references }) =>
      references.map(({ name, role, dash }): Key => ({ name, role, shape: dash })),
    ),
  ];
}
