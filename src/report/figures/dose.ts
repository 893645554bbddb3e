import { POOLED, type SweepBlock, type SweepCell } from '../../audit/sweep-analysis.js';
import { type Call, isWithin } from '../../audit/sweep-floor.js';
import { FITTED, isRandom } from '../../audit/sweep-plan.js';
import { percent, share, signed } from '../format.js';
import type { Key } from './legend.js';
import { drawPanels, type Line, type Panel } from './panels.js';
import { percentTick } from './series.js';
import { drawn, type Shape } from './svg.js';
import type { Figure } from './types.js';

const SHAPES: Readonly<Record<Call, Shape>> = {
  effect: 'circle',
  numeric: 'ring',
  collapse: 'cross',
  untested: 'square',
};

const CALL_NAMES: Readonly<Record<Call, string>> = {
  effect: 'effect',
  numeric: 'numeric: no more than a control',
  collapse: 'collapse of the labels',
  untested: 'not tested',
};

/** Accuracy, margin and label mass over alpha, along the direction and along random ones of the same length. */
export function doseFigure(
  of: { readonly name: string; readonly subject: string; readonly source: string },
  { cells, layer, scope }: SweepBlock,
  nudge: number,
): Figure {
  const { name, source } = of;
  const title = `Steering ${of.subject} at block ${layer}, ${scope === 'last' ? 'last token' : 'all tokens'}`;
  const fitted = cells.filter(cell => cell.direction === FITTED && cell.alpha !== nudge);
  const pooled = cells.filter(cell => cell.direction === POOLED);
  const random = pooled.length > 0 ? pooled : cells.filter(cell => isRandom(cell.direction));
  const lines = (value: (cell: SweepCell) => number | null, intervals: boolean): readonly Line[] => [
    lineOf(random, value, { role: 'placebo', dashed: true, intervals: false, shape: () => 'ring' }),
    lineOf(fitted, value, {
      role: 'swap',
      dashed: false,
      intervals,
      shape: cell => (cell.call === null ? 'diamond' : SHAPES[cell.call]),
    }),
  ];
  const panel = (title: string, more: Partial<Panel> & Pick<Panel, 'format' | 'lines'>): Panel => ({
    title,
    domain: null,
    band: null,
    zero: null,
    ...more,
  });
  const panels = [
    panel('Right verdicts', {
      domain: [0, 1],
      format: percentTick,
      lines: lines(cell => cell.accuracy.rate, true),
    }),
    panel('Mean shift of the margin, nats', {
      format: value => String(value).replace('-', '−'),
      lines: lines(cell => cell.shift.mean, false),
      zero: 0,
    }),
    panel('Probability of the labels', {
      domain: [0, 1],
      format: value => share(value, 1),
      lines: lines(cell => cell.labelMass, false),
    }),
  ];
  const calls = (Object.keys(SHAPES) as Call[]).filter(call => fitted.some(cell => cell.call === call));
  const keys: readonly Key[] = [
    ...calls.map((call): Key => ({ name: CALL_NAMES[call], role: 'swap', shape: SHAPES[call] })),
    { name: 'alpha 0', role: 'swap', shape: 'diamond' },
    ...(random.length === 0
      ? []
      : [{ name: 'random directions', role: 'placebo', shape: 'ring' } satisfies Key]),
  ];
  const alt = fitted
    .map(
      cell =>
        `alpha ${cell.alpha}: right ${percent(cell.accuracy.rate)}, margin ${signed(cell.shift.mean)}, label mass ${share(cell.labelMass)}${cell.call === null ? '' : `, ${cell.call}`}`,
    )
    .join('; ');
  return {
    name,
    title,
    alt,
    svg: drawn({ name, title, alt }, (width, layout) =>
      drawPanels(
        { panels, axis: 'alpha', format: value => String(value).replace('-', '−'), whole: false, keys },
        width,
        layout,
      ),
    ),
    columns: [
      'direction',
      'alpha',
      'share_of_residual',
      'n',
      'accuracy',
      'low',
      'high',
      'flips',
      'p',
      'margin_shift',
      'label_mass',
      'kl',
      'call',
      'within_nudge',
    ],
    rows: cells.map(cell => [
      cell.direction,
      cell.alpha,
      cell.residualShare,
      cell.n,
      cell.accuracy.rate,
      cell.accuracy.low,
      cell.accuracy.high,
      cell.flips.count,
      cell.p,
      cell.shift.mean,
      cell.labelMass,
      cell.kl,
      cell.call,
      cell.floors?.nudge == null ? null : isWithin(cell.floors.nudge) ? 'yes' : 'no',
    ]),
    source,
  };
}

function lineOf(
  cells: readonly SweepCell[],
  value: (cell: SweepCell) => number | null,
  of: {
    readonly role: Line['role'];
    readonly dashed: boolean;
    readonly intervals: boolean;
    readonly shape: (cell: SweepCell) => Shape;
  },
): Line {
  return {
    role: of.role,
    dashed: of.dashed,
    points: cells.flatMap(cell => {
      const y = value(cell);
      const { low, high } = of.intervals ? cell.accuracy : { low: null, high: null };
      return y === null ? [] : [{ x: cell.alpha, y, low, high, shape: of.shape(cell) }];
    }),
  };
}
