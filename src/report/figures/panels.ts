import { type Html, html } from '../page/html.js';
import { DASHES, type Key, legend } from './legend.js';
import type { Role } from './palette.js';
import { linear, niceDomain, type Scale } from './scale.js';
import { CHARACTER, line, mark, path, rect, type Shape, text } from './svg.js';
import type { Drawing, Layout } from './types.js';

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly shape: Shape;
}

export interface Line {
  readonly role: Role;
  readonly dashed: boolean;
  readonly points: readonly Point[];
}

/** Lines over one x axis that all panels share. */
export interface Panel {
  readonly title: string;
  /** null: as the values need it. */
  readonly domain: readonly [number, number] | null;
  readonly format: (value: number) => string;
  readonly lines: readonly Line[];
  /** Values that random controls reach: a band, and a line at its middle. */
  readonly band: { readonly low: number; readonly middle: number; readonly high: number } | null;
  /** A horizontal line. */
  readonly zero: number | null;
}

export interface PanelsPlot {
  readonly panels: readonly Panel[];
  readonly axis: string;
  readonly format: (value: number) => string;
  /** Only whole numbers are marked on the x axis. */
  readonly whole: boolean;
  readonly keys: readonly Key[];
}

const HEIGHT = 120;
const TITLE = 42;

export function drawPanels(plot: PanelsPlot, width: number, layout: Layout): Drawing {
  const keys = legend(plot.keys, width);
  const points = plot.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points));
  const xs = points.map(point => point.x);
  const span: readonly [number, number] = xs.length === 0 ? [0, 1] : [Math.min(...xs), Math.max(...xs)];
  const [first, last] = span[0] === span[1] ? [span[0] - 1, span[1] + 1] : span;
  const scales = plot.panels.map(panel => domainOf(panel));
  const labels = plot.panels.flatMap((panel, i) =>
    linear(scales[i] ?? [0, 1], [0, 1], 4).ticks.map(tick => panel.format(tick).length),
  );
  const left = Math.max(...labels, 1) * CHARACTER + 10;
  const x = linear([first, last], [left + 8, width - 12], layout === 'wide' ? 10 : 6);
  let y = keys.height;
  const parts = plot.panels.map((panel, i) => {
    y += TITLE;
    const top = y;
    y += HEIGHT;
    const scale = linear(scales[i] ?? [0, 1], [y, top], 4);
    return html`${text(0, top - 16, panel.title, { bold: true })}${panelOf(panel, x, scale, [left, width])}`;
  });
  const ticks = x.ticks
    .filter(tick => !plot.whole || Number.isInteger(tick))
    .map(tick => text(x.at(tick), y + 17, plot.format(tick), { anchor: 'middle', role: 'quiet', size: 12 }));
  const name = text((left + width) / 2, y + 36, plot.axis, {
    anchor: 'middle',
    role: 'quiet',
    size: 12,
  });
  return { height: y + 44, marks: html`${keys.marks}${parts}${ticks}${name}` };
}

function domainOf({ domain, lines, band, zero }: Panel): readonly [number, number] {
  if (domain !== null) return domain;
  const values = lines.flatMap(({ points }) =>
    points.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]),
  );
  const extra = [...(band === null ? [] : [band.low, band.high]), ...(zero === null ? [] : [zero])];
  return niceDomain([...values, ...extra], 4);
}

function panelOf(
  { lines, band, zero, format }: Panel,
  x: Scale,
  y: Scale,
  [left, right]: readonly [number, number],
): Html {
  const grid = y.ticks.map(
    tick =>
      html`${line([left, y.at(tick)], [right, y.at(tick)], 'line')}${text(left - 6, y.at(tick) + 4, format(tick), { anchor: 'end', role: 'quiet', size: 12 })}`,
  );
  const shaded =
    band === null
      ? null
      : html`${rect([left, y.at(band.high)], [right - left, y.at(band.low) - y.at(band.high)], 'placebo', 0.25)}${line([left, y.at(band.middle)], [right, y.at(band.middle)], 'placebo', { width: 2, dash: DASHES.dashed })}`;
  const base = zero === null ? null : line([left, y.at(zero)], [right, y.at(zero)], 'quiet');
  const drawn = lines.map(({ role, dashed, points }) => {
    const joined = path(
      points.map(point => [x.at(point.x), y.at(point.y)]),
      role,
      { dash: dashed ? '5 4' : '' },
    );
    const marks = points.map(point => {
      const interval =
        point.low === null || point.high === null
          ? null
          : line([x.at(point.x), y.at(point.low)], [x.at(point.x), y.at(point.high)], role, { width: 1.5 });
      return html`${interval}${mark(point.shape, x.at(point.x), y.at(point.y), role)}`;
    });
    return html`${points.length > 1 ? joined : null}${marks}`;
  });
  return html`${grid}${shaded}${base}${drawn}`;
}
