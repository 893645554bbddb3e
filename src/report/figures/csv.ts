import { csvField } from '../../csv.js';
import type { Figure } from './types.js';

/** The data of a figure, unrounded, a header first. */
export function figureCsv({ columns, rows }: Figure): string {
  return `${[columns, ...rows].map(row => row.map(csvField).join(',')).join('\n')}\n`;
}
