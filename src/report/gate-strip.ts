import type { TaskAudit } from '../gate/audit.js';
import { OPERATING_POINTS } from '../gate/measures.js';
import type { Cell } from '../gate/types.js';
import { paint, type Style } from './table.js';

const COLUMNS = 80;
const ROWS: readonly Cell[] = ['A', 'C', 'B', 'D'];
const NAMES: Readonly<Record<Cell, string>> = {
  A: 'reversals,   close',
  C: 'paraphrases, close',
  B: 'reversals,   distant',
  D: 'paraphrases, distant',
};
const LABEL = 22;

/**
 * Where the scores of the four cells lie on 0 … 1 (lower ones at the left end), with the shipped thresholds drawn
 * through: what lies right of a bar is approved by it. Digits count the pairs in a column.
 */
export function gateStrip({ scores }: Pick<TaskAudit, 'scores'>, style: Style): string {
  const bars = new Set(OPERATING_POINTS.map(column));
  const lines = ROWS.map(cell => {
    const counts = new Map<number, number>();
    for (const score of scores[cell]) counts.set(column(score), (counts.get(column(score)) ?? 0) + 1);
    const marks = Array.from({ length: COLUMNS }, (_, at) => {
      const count = counts.get(at) ?? 0;
      if (count === 0) return bars.has(at) ? '│' : '·';
      return count > 9 ? '+' : String(count);
    });
    const tone = cell === 'A' || cell === 'B' ? 'bad' : 'good';
    return `  ${NAMES[cell].padEnd(LABEL)}${paint(marks.join(''), tone, style)}`;
  });
  const axis = Array.from({ length: COLUMNS + 4 }, () => ' ');
  for (const point of OPERATING_POINTS) {
    const text = point.toFixed(2).slice(1);
    for (const [i, character] of [...text].entries()) axis[column(point) + i] = character;
  }
  return [`  ${' '.repeat(LABEL)}${axis.join('').trimEnd()}`, ...lines].join('\n');
}

function column(score: number): number {
  return Math.max(0, Math.min(COLUMNS - 1, Math.floor(score * COLUMNS)));
}
