import type { IcsBlock } from '../../audit/ics-types.js';
import type { FitSummary } from '../../direction/provenance.js';
import { share } from '../format.js';
import type { Key } from './legend.js';
import { drawPanels, type Line, type Panel, type Point } from './panels.js';
import { drawn } from './svg.js';
import type { Figure, Value } from './types.js';

interface Named {
  readonly name: string;
  readonly subject: string;
  readonly source: string;
}

/** AUROC of every block on the rows that chose the block, the chosen one on TEST, and what random directions reach there. */
export function fitLayersFigure({ name, subject, source }: Named, fit: FitSummary): Figure {
  const title = `Where labels are told apart: ${subject}`;
  const { test, anchor } = fit;
  const searched: Line = {
    role: 'delete',
    dashed: false,
    points: fit.layers.map(({ layer, valLayerAuroc }) => plain(layer, valLayerAuroc)),
  };
  const held: Line = {
    role: 'swap',
    dashed: false,
    points: [
      { x: anchor, y: test.auroc, low: test.interval.low, high: test.interval.high, shape: 'diamond' },
    ],
  };
  const { mean, upper, draws } = fit.null;
  const alt =
    `Block ${anchor} was chosen. On TEST its AUROC is ${share(test.auroc)} (${share(test.interval.low)} to ${share(test.interval.high)}). ` +
    `${draws} random directions through the same search reach ${share(mean)} on average and ${share(upper.q95)} in one of twenty draws.`;
  return figureOf({ name, title, alt, source }, [searched, held], {
    band: { low: Math.min(mean, upper.q95), middle: mean, high: upper.q95 },
    keys: [
      { name: 'each block, where the block was chosen', role: 'delete', shape: 'circle' },
      { name: 'the chosen block on TEST', role: 'swap', shape: 'diamond' },
      { name: 'random directions: mean, and 95 % of draws', role: 'placebo', shape: 'line' },
    ],
    rows: [
      ...fit.layers.map(({ layer, valLayerAuroc }): readonly Value[] => [
        'VAL-LAYER',
        layer,
        valLayerAuroc,
        null,
        null,
      ]),
      ['TEST', anchor, test.auroc, test.interval.low, test.interval.high],
      ['null mean', anchor, mean, null, null],
      ['null q95', anchor, upper.q95, null, null],
    ],
  });
}

/** AUROC of baseline ICS against the label at every block of the direction file, over all samples of a run. */
export function runLayersFigure({ name, subject, source }: Named, blocks: readonly IcsBlock[]): Figure {
  const title = `Where labels are told apart, over all samples of the run: ${subject}`;
  const known = blocks.flatMap(({ layer, auroc, anchor }) =>
    auroc === null ? [] : [{ layer, auroc, anchor }],
  );
  const alt = known.map(({ layer, auroc }) => `block ${layer} ${share(auroc)}`).join(', ');
  const line: Line = {
    role: 'delete',
    dashed: false,
    points: known.map(({ layer, auroc, anchor }) => ({
      ...plain(layer, auroc),
      shape: anchor ? ('diamond' as const) : ('circle' as const),
    })),
  };
  return figureOf({ name, title, alt, source }, [line], {
    band: null,
    keys: [
      { name: 'block', role: 'delete', shape: 'circle' },
      { name: 'anchor', role: 'delete', shape: 'diamond' },
    ],
    rows: known.map(({ layer, auroc, anchor }) => [anchor ? 'anchor' : 'block', layer, auroc, null, null]),
  });
}

function plain(x: number, y: number): Point {
  return { x, y, low: null, high: null, shape: 'circle' };
}

function figureOf(
  of: { readonly name: string; readonly title: string; readonly alt: string; readonly source: string },
  lines: readonly Line[],
  more: {
    readonly band: Panel['band'];
    readonly keys: readonly Key[];
    readonly rows: Figure['rows'];
  },
): Figure {
  const lowest = Math.min(
    0.5,
    ...lines.flatMap(({ points }) => points.flatMap(({ y, low }) => [y, low ?? y])),
  );
  const panel: Panel = {
    title: 'AUROC against the label',
    domain: [Math.max(0, Math.floor(lowest * 10) / 10), 1],
    format: value => share(value, 1),
    lines,
    band: more.band,
    zero: 0.5,
  };
  return {
    ...of,
    svg: drawn(of, (width, layout) =>
      drawPanels(
        { panels: [panel], axis: 'block', format: String, whole: true, keys: more.keys },
        width,
        layout,
      ),
    ),
    columns: ['rows', 'block', 'auroc', 'low', 'high'],
    rows: more.rows,
  };
}
