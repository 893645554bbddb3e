import { POOLED, type SweepCell } from '../../audit/sweep-analysis.js';
import { FITTED, isRandom } from '../../audit/sweep-plan.js';
import { quoted } from '../audit-text.js';
import { doseFigure } from '../figures/dose.js';
import { interval, percent, pValue, share, signed, whole } from '../format.js';
import { gapsText } from '../gaps.js';
import { callSentences, identityText } from '../sweep-text.js';
import { left, right } from '../table.js';
import { callout, limit, tableBlock } from './blocks.js';
import type { SweepData } from './data.js';
import { html } from './html.js';
import { figurePart, joined, type Part, words } from './part.js';

/** The dose-response of a sweep, block by block. */
export function sweepPart({ name, summary }: SweepData, prefix: string): Part {
  const { about, unsteered, identity, exactness, steering, coverage } = summary;
  const gaps = gapsText(coverage, 'This sweep is not complete');
  const source = `From: npx plumbline analyze ${quoted(name)} --reader ${summary.reader} --json, at blocks. Made of the steered rows of ${name}/readings.arrows, ${whole(summary.samples)} samples at each alpha.`;
  const blocks = summary.blocks.map(block => {
    const id = `${prefix}dose-${block.layer}-${block.scope}`;
    const sentences = callSentences(block);
    return joined([
      words(html`<p class="answer">${sentences.join(' ')}</p>`),
      figurePart(doseFigure({ name: id, subject: about.subject, source }, block, steering.nudge)),
      words(tableBlock(cellTable(block.cells.filter(isShown)), source)),
    ]);
  });
  return joined([
    ...(gaps === null ? [] : [words(callout({ text: gaps, tone: 'warn' }))]),
    words(
      html`<p>${`Along ${summary.direction.name}, ${steering.random} random directions of the same length beside it. Unsteered, ${percent(unsteered.accuracy.rate)} of verdicts are right ${interval(unsteered.accuracy)}; ${whole(unsteered.nulls)} of ${whole(unsteered.n)} samples have none. ${identityText(identity, exactness?.kind === 'exact')}`}</p>`,
    ),
    ...blocks,
    words(limit(SWEEP_LIMIT)),
  ]);
}

const SWEEP_LIMIT =
  'A quantised model rounds its activations, so that any nudge moves margins by chance: an effect is only what exceeds every ' +
  'control that was run, random directions of the same length and a vanishing nudge. Where the labels lose their probability, ' +
  'verdicts say little. An effect shows that the verdict can be moved along this direction, not that the judge reads its rule ' +
  'there.';

/** Single random directions stand in the data of the figure. */
function isShown({ direction }: SweepCell, _: number, cells: readonly SweepCell[]): boolean {
  return !isRandom(direction) || !cells.some(cell => cell.direction === POOLED);
}

function cellTable(cells: readonly SweepCell[]) {
  return {
    columns: [
      left('along'),
      ...[
        'alpha',
        'of the residual',
        'right',
        '95 % interval',
        'changed',
        'McNemar p',
        'margin',
        'label mass',
        'call',
      ].map(right),
    ],
    rows: cells.map(cell => [
      cell.direction === FITTED
        ? 'the direction'
        : cell.direction === POOLED
          ? 'random directions'
          : cell.direction,
      String(cell.alpha).replace('-', '−'),
      percent(cell.residualShare),
      percent(cell.accuracy.rate),
      interval(cell.accuracy),
      whole(cell.flips.count),
      pValue(cell.p),
      signed(cell.shift.mean),
      share(cell.labelMass),
      cell.call ?? '',
    ]),
  };
}
