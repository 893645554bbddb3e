import type { Exactness, Reading } from '../run/types.js';
import { moments } from '../stats/moments.js';
import { analyzeReadings } from './analyze.js';
import type { DirectionRows } from './analyze-ics.js';
import { countIf } from './analyze-samples.js';
import type { Summary } from './analyze-types.js';
import { fittedNorm, type Known, knownTokens, offLogits, offStreams } from './calibrate-known.js';
import { FITTED, isRandom } from './sweep-plan.js';

/** What the instrument recorded about one reference model: rows as a run keeps them. */
export interface Evidence {
  /** Rows on the confounded and on the crossed corpus, under every condition. */
  readonly confounded: readonly Reading[];
  readonly crossed: readonly Reading[];
  /** What the crossed rows were projected on. */
  readonly direction: DirectionRows;
  /** What the fit says of its blocks: unit directions, and mean norms of the residual stream. */
  readonly fit: readonly {
    readonly layer: number;
    readonly direction: Float32Array;
    readonly residualNorm: number;
  }[];
  /** Crossed rows steered at one alpha, to either side; null when the model is not steered. */
  readonly steered: readonly Reading[] | null;
  /** What comparing the schedule with one prompt per decode showed, for each of the runs above. */
  readonly exactness: readonly (Exactness | null)[];
  /** SHA-256 of the model file. */
  readonly sha256: string;
  readonly seed: number;
}

/** Closed intervals by figure; a figure without one is not judged. */
export type Intervals = Readonly<Record<string, readonly [low: number, high: number]>>;

export interface CalibrationCheck {
  readonly figure: string;
  /** null: there was nothing to read it from, which fails. */
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  readonly pass: boolean;
}

/** What every figure means; `.block` figures stand for one block each. */
export const FIGURES = {
  file: 'model file is that of its card (1 = yes)',
  tokens: 'prompts with the known token ids',
  'oracle.logits': 'furthest from the known logits and log-probabilities',
  'oracle.ics': 'furthest from the known residual streams along the fit, over their norm',
  exact: 'runs that were not proved exact',
  errors: 'rows that failed',
  nulls: 'rows without a text verdict',
  agreement: 'text and logit verdict agree',
  projections: 'rows whose ICS is not their projection at the anchor',
  'placebo.flips': 'placebo: verdicts that changed',
  'placebo.moved': 'placebo: margins or projections that changed',
  'placebo.together': 'placebo: evaluated in the job of another row',
  'accuracy.confounded': 'accuracy, confounded corpus',
  'accuracy.crossed': 'accuracy, crossed corpus',
  'compliant.crossed': 'compliant verdicts, crossed corpus',
  'compliant.delete': 'compliant verdicts without a rule',
  'compliant.swap': 'compliant verdicts under a swapped rule',
  'ocs.delete': 'OCS delete',
  'ocs.swap': 'OCS swap',
  'ocs.negate': 'OCS negate',
  'margin.delete': 'margin shift, delete (nats)',
  'margin.away': 'margin shift away from the label, negate (nats)',
  anchor: 'block that the fit chose',
  'fit.norm': 'residual norm of the fit over the known one, first block',
  'auroc.block': 'ICS AUROC',
  'delta.block': 'ICS-delta ratio, negate',
  'quotient.block': 'ICS-delta over that of random directions, negate',
  'steer.up': 'steered up: compliant',
  'steer.down': 'steered down: non-compliant',
  'steer.margin': 'steered: margin up over margin down (nats)',
  'steer.flips': 'steered: verdicts that changed',
  'steer.random': 'steered along random directions: verdicts that changed',
} as const;

/** A figure in words; a name that stands for nothing is returned as it is. */
export function figureText(figure: string): string {
  const [, name = figure, block] = /^(.*\.block)(\d+)$/.exec(figure) ?? [];
  const text = Object.hasOwn(FIGURES, name) ? FIGURES[name as keyof typeof FIGURES] : figure;
  return block === undefined ? text : `block ${block}: ${text}`;
}

/** Every figure that the evidence gives. Throws what the analysis of rows throws. */
export function calibrationFigures(evidence: Evidence, known: Known): ReadonlyMap<string, number | null> {
  const { crossed, confounded, direction, steered, seed } = evidence;
  const about = { subject: 'reference model', corpus: 'crossed', run: null };
  const summary = analyzeReadings(crossed, { about, exactness: null, seed, direction });
  const other = analyzeReadings(confounded, { about, exactness: null, seed });
  const rows = [...confounded, ...crossed];
  const judged = rows.filter(row => row.applicable && row.errorCode === null);
  return new Map<string, number | null>([
    ['file', evidence.sha256 === known.sha256 ? 1 : 0],
    ['tokens', knownTokens(rows, known)],
    ['oracle.logits', offLogits(rows, known)],
    ['oracle.ics', offStreams(evidence, known)],
    ['exact', countIf(evidence.exactness, one => one?.kind !== 'exact')],
    ['errors', countIf([...rows, ...(steered ?? [])], row => row.errorCode !== null)],
    ['nulls', countIf(judged, row => row.verdictText === null)],
    ['agreement', agreementOf(summary)],
    ['projections', otherProjections(evidence)],
    ['placebo.flips', flipsOf(summary, 'placebo')],
    ['placebo.moved', placeboMoved(summary)],
    ['placebo.together', placeboTogether(crossed)],
    ['accuracy.confounded', other.readers.text.competence.accuracy.rate],
    ['accuracy.crossed', summary.readers.text.competence.accuracy.rate],
    ['compliant.crossed', summary.readers.text.competence.saysCompliant.rate],
    ['compliant.delete', compliantUnder(crossed, 'delete')],
    ['compliant.swap', compliantUnder(crossed, 'swap')],
    ['ocs.delete', rateOf(summary, 'delete')],
    ['ocs.swap', rateOf(summary, 'swap')],
    ['ocs.negate', rateOf(summary, 'negate')],
    ['margin.delete', summary.marginShifts.find(row => row.condition === 'delete')?.visible.mean ?? null],
    ['margin.away', awayFromLabel(crossed)],
    ['anchor', direction.anchor],
    ['fit.norm', fittedNorm(evidence, known)],
    ...blockFigures(summary),
    ...(steered === null ? [] : steeredFigures(steered)),
  ]);
}

/** Each figure with an interval against it; one that is missing fails. */
export function judgeFigures(
  figures: ReadonlyMap<string, number | null>,
  intervals: Intervals,
): readonly CalibrationCheck[] {
  return Object.entries(intervals).map(([figure, [low, high]]) => {
    const value = figures.get(figure) ?? null;
    return { figure, value, low, high, pass: value !== null && value >= low && value <= high };
  });
}

const shareOf = (rows: readonly Reading[], is: (row: Reading) => boolean): number | null =>
  rows.length === 0 ? null : countIf(rows, is) / rows.length;

/** ICS stands in two files: in the rows, and first in the vectors of its block, there in single precision. */
function otherProjections({ crossed, direction }: Evidence): number {
  const along = new Map<string, number | undefined>();
  for (const { key, layer, values } of direction.vectors)
    if (layer === direction.anchor) along.set(key, values[0]);
  return countIf(
    crossed,
    row =>
      row.applicable && row.errorCode === null && Math.fround(row.ics ?? Number.NaN) !== along.get(row.key),
  );
}

function agreementOf(summary: Summary): number | null {
  return summary.agreement.find(row => row.condition === 'pooled')?.same.rate ?? null;
}

function pooledOf(summary: Summary, measure: 'placebo' | 'delete' | 'swap' | 'negate') {
  return summary.readers.text.ocs.find(row => row.measure === measure)?.pooled;
}

function flipsOf(summary: Summary, measure: 'placebo'): number | null {
  const flips = pooledOf(summary, measure)?.all;
  return flips === undefined || flips.n === 0 ? null : flips.count;
}

function rateOf(summary: Summary, measure: 'delete' | 'swap' | 'negate'): number | null {
  return pooledOf(summary, measure)?.visible.rate ?? null;
}

/** Placebo margins that differ by anything, and placebo rows with any other projection. */
function placeboMoved(summary: Summary): number | null {
  const margins = summary.marginShifts.find(row => row.condition === 'placebo')?.all;
  if (margins === undefined || margins.n === 0 || summary.ics === null || summary.ics.placebo.pairs === 0)
    return null;
  const still = margins.mean === 0 && (margins.sd ?? 0) === 0;
  return summary.ics.placebo.moved + (still ? 0 : 1);
}

/** Placebo rows whose job had another row too: the second evaluation has to begin from nothing. */
function placeboTogether(rows: readonly Reading[]): number | null {
  const placebo = rows.filter(row => row.condition === 'placebo' && row.applicable);
  if (placebo.length === 0) return null;
  return countIf(placebo, ({ key, batchId }) =>
    rows.some(row => row.applicable && row.batchId === batchId && row.key !== key),
  );
}

function compliantUnder(rows: readonly Reading[], condition: Reading['condition']): number | null {
  const judged = rows.filter(row => row.condition === condition && row.visible && row.verdictText !== null);
  return shareOf(judged, row => row.verdictText === 1);
}

/** Mean over negated samples of how far the margin went from the label's side to the other. */
function awayFromLabel(rows: readonly Reading[]): number | null {
  const baseline = new Map(
    rows.filter(row => row.condition === 'baseline').map(row => [row.sampleId, row.margin]),
  );
  const shifts = rows
    .filter(row => row.condition === 'negate' && row.visible)
    .flatMap(row => {
      const before = baseline.get(row.sampleId) ?? null;
      if (before === null || row.margin === null) return [];
      return row.label === 1 ? before - row.margin : row.margin - before;
    });
  return moments(shifts).mean;
}

function blockFigures(summary: Summary): (readonly [string, number | null])[] {
  return (summary.ics?.blocks ?? []).flatMap(({ layer, auroc, conditions }) => {
    const negate = conditions.find(row => row.condition === 'negate');
    const { meanDelta = null, controlDelta = null } = negate ?? {};
    const quotient = meanDelta === null || !controlDelta ? null : meanDelta / controlDelta;
    return [
      [`auroc.block${layer}`, auroc],
      [`delta.block${layer}`, negate?.ratio ?? null],
      [`quotient.block${layer}`, quotient],
    ] as const;
  });
}

/** Read from margins: a strongly steered model may say neither label, and its margin still tells. */
function steeredFigures(rows: readonly Reading[]): (readonly [string, number | null])[] {
  const zero = new Map(
    rows
      .filter(row => row.direction === FITTED && row.alpha === 0)
      .map(row => [row.sampleId, row.verdictLogit]),
  );
  const moving = rows.filter(row => row.alpha !== null && row.alpha !== 0 && row.verdictLogit !== null);
  const fitted = moving.filter(row => row.direction === FITTED);
  const up = fitted.filter(row => (row.alpha ?? 0) > 0);
  const down = fitted.filter(row => (row.alpha ?? 0) < 0);
  const random = moving.filter(row => isRandom(row.direction ?? ''));
  const flipped = (row: Reading) => row.verdictLogit !== zero.get(row.sampleId);
  const margin = (some: readonly Reading[]) => moments(some.flatMap(row => row.margin ?? [])).mean;
  const [above, below] = [margin(up), margin(down)];
  return [
    ['steer.up', shareOf(up, row => row.verdictLogit === 1)],
    ['steer.down', shareOf(down, row => row.verdictLogit === 0)],
    ['steer.margin', above === null || below === null ? null : above - below],
    ['steer.flips', shareOf(fitted, flipped)],
    ['steer.random', shareOf(random, flipped)],
  ];
}
