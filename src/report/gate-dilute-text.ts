import {
  DILUTION_POINTS,
  type DilutionRow,
  type EncoderDilution,
  type GateDilution,
} from '../gate/dilute.js';
import type { OperatingPoint } from '../gate/measures.js';
import { TASKS, type Task } from '../gate/types.js';
import { interval, NONE, percent, share, signed } from './format.js';
import { boundaryText } from './gate-presets-text.js';
import { type Cell, left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** What `gate dilute` prints. */
export function gateDiluteText(dilution: GateDilution, style: Style): string {
  const { corpus, forced, gate, floor, encoders } = dilution;
  const tasks = TASKS.filter(task => floor.tasks[task] !== undefined);
  return [
    title(`Similarity gate on diluted texts of ${printable(corpus.name)}`, style),
    ...(forced
      ? [paint(wrap('NOT INTERPRETABLE: the corpus failed its check and was forced.'), 'bad', style)]
      : []),
    wrap(
      'Each sentence stands in the middle of so many words of neutral text, the same on both sides of a pair. Pairs ' +
        'that have no score are left out of their row and counted.',
    ),
    ...(gate === null
      ? []
      : [
          wrap(
            `Gate ${printable(gate.name)}: ${gate.metric} ${gate.comparison} ${gate.threshold}, ` +
              `${printable(gate.action)} when ${boundaryText(gate.effective)}`,
          ),
        ]),
    ...tasks.flatMap(task =>
      [...encoders, { ...floor, encoder: 'floor' }].map(encoder => `\n${encoderText(encoder, task, style)}`),
    ),
  ].join('\n');
}

function encoderText({ encoder, tasks }: EncoderDilution, task: Task, style: Style): string {
  const rows = tasks[task] ?? [];
  const flags = rows.flatMap(({ length, flagged }) => {
    const counts = Object.entries(flagged).map(([flag, count]) => `${flag} ${count}`);
    return counts.length === 0 ? [] : [`${lengthText(length)}: ${counts.join(', ')}`];
  });
  const points = DILUTION_POINTS.map(threshold => share(threshold, 2));
  const gated = rows.some(({ gate }) => gate !== null);
  return [
    title(`${task}, ${printable(encoder)}`, style),
    renderTable(
      {
        columns: [
          left('words around'),
          ...['scored', 'close', 'distant', 'stratified', '95 %', 'over floor', '95 %'].map(right),
        ],
        rows: rows.map(aurocCells),
      },
      style,
    ),
    ...(flags.length === 0 ? [] : [paint(wrap(`Left out: ${flags.join('; ')}`), 'warn', style)]),
    wrap('Approved, reversals / paraphrases, when the score is at least'),
    renderTable(
      {
        columns: [
          left('words around'),
          ...points.map(point => right(point)),
          ...(gated ? [right('your gate')] : []),
        ],
        rows: rows.map(({ length, operatingPoints, gate }) => [
          lengthText(length),
          ...operatingPoints.map(approved),
          ...(gate === null ? [] : [approved(gate)]),
        ]),
      },
      style,
    ),
  ].join('\n');
}

function aurocCells({
  length,
  pairs,
  flagged,
  auroc,
  interval: own,
  overFloor,
}: DilutionRow): readonly Cell[] {
  const leftOut = Object.values(flagged).reduce((total, count) => total + count, 0);
  return [
    lengthText(length),
    `${pairs - leftOut}/${pairs}`,
    share(auroc.close),
    share(auroc.distant),
    share(auroc.stratified),
    own === null ? NONE : interval(own),
    signed(overFloor.difference),
    overFloor.interval === null
      ? NONE
      : `${signed(overFloor.interval.low)} … ${signed(overFloor.interval.high)}`,
  ];
}

function approved({ approveReversals, approveParaphrases }: OperatingPoint): Cell {
  return `${percent(approveReversals)} / ${percent(approveParaphrases)}`;
}

function lengthText(length: number): string {
  return length === 0 ? 'none' : String(length);
}
