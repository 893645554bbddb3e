import type { HyperbolicCheck } from '../gate/hyperbolic.js';
import type { Judgement, RepairResult } from '../gate/repair.js';
import { NONE, percent, share, signed } from './format.js';
import { type Cell, left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** What `gate repair` prints of one task. */
export function repairsText(
  task: string,
  encoder: string,
  results: readonly RepairResult[],
  style: Style,
): string {
  const columns = ['in sample', 'left out', 'held out', 'caught', 'false alarms', 'AUROC'].map(right);
  const accuracy = (judgement: Judgement | null): Cell =>
    judgement === null ? NONE : share(judgement.balancedAccuracy);
  return [
    title(`${task}, repairs of ${printable(encoder)}`, style),
    renderTable(
      {
        columns: [left('repair'), left('fitted'), ...columns],
        rows: results.map(({ repair, fitted, inSample, leaveOneAnchorOut, heldOut }) => [
          printable(repair),
          fittedText(fitted),
          accuracy(inSample),
          accuracy(leaveOneAnchorOut),
          accuracy(heldOut),
          percent(heldOut.caught),
          percent(heldOut.falseAlarms),
          share(heldOut.auroc),
        ]),
      },
      style,
    ),
    wrap(
      'Balanced accuracy in the first three: on the data of the fit (no evidence), with each anchor judged by a fit to the ' +
        'others, and on held-out data, as are the rest. .500 is chance.',
    ),
  ].join('\n');
}

function fittedText(fitted: RepairResult['fitted']): string {
  if (fitted === null) return 'as it is';
  if (fitted.kind === 'I1') return `score >= ${share(fitted.threshold)}`;
  const { bias, weights } = fitted.model;
  return `${signed(bias)} ${signed(weights[0])} cosine ${signed(weights[1])} Jaccard`;
}

/** What `gate hyperbolic` prints. */
export function hyperbolicText(check: HyperbolicCheck, style: Style): string {
  const verdict = check.noOp
    ? paint('no-op: distances rank pairs exactly as the cosine does', 'bad', style)
    : paint(
        'not a no-op: the points lie at different radii or rank pairs otherwise than the cosine',
        'good',
        style,
      );
  return [
    verdict,
    wrap(
      `${check.model}, curvature -${check.curvature}, ${check.points} points; radius ${check.meanRadius.toPrecision(6)} on average, ` +
        `${check.maxRadius.toPrecision(6)} at most, spread ${check.radiusSpread.toExponential(1)}; ` +
        `rank correlation of distance and cosine ${check.spearman === null ? NONE : check.spearman.toFixed(6)}`,
    ),
  ].join('\n');
}
