import { whole } from './format.js';
import { displayWidth, paint, printable, type Style, WIDTH, wrap } from './table.js';

/** A name and what is known under it; a value of several lines stands as it is, line by line. */
export type Fact = readonly [name: string, value: string];

/** Names in one column, values beside them, both made safe to print. Long values go on under their beginning. */
export function factLines(facts: readonly Fact[], style: Style): string {
  const column = Math.max(0, ...facts.map(([name]) => displayWidth(printable(name))));
  const indent = ' '.repeat(column + 4);
  return facts
    .map(([name, value]) => {
      const shown = printable(name);
      const lines = value.split('\n').flatMap(line => wrap(printable(line), WIDTH, indent).split('\n'));
      const head = `  ${paint(shown, 'dim', style)}${' '.repeat(column - displayWidth(shown))}  `;
      return [head + (lines[0] ?? '').slice(indent.length), ...lines.slice(1)]
        .map(line => line.trimEnd())
        .join('\n');
    })
    .join('\n');
}

/** `1 tensor`, `2 tensors`. */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** 98.9 MB, in the decimal units of file managers and download pages. */
export function fileSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor((String(bytes).length - 1) / 3)));
  return unit === 0 ? `${bytes} bytes` : `${(bytes / 1000 ** unit).toFixed(1)} ${units[unit]}`;
}
