import { type Html, html } from '../page/html.js';
import type { Role } from './palette.js';
import { CHARACTER, line, mark, type Shape, text } from './svg.js';

/** One entry of a legend: a mark, or a dashed line. */
export interface Key {
  readonly name: string;
  readonly role: Role;
  readonly shape: Shape | Dash | 'line';
}

/** Two kinds of dashed lines, told apart without their colours. */
export const DASHES = { dashed: '6 4', dotted: '2 3' } as const;
export type Dash = keyof typeof DASHES;

const ROW = 22;
const SYMBOL = 20;
const GAP = 18;

/** Keys beside each other, in as many rows as they need. */
export function legend(
  keys: readonly Key[],
  width: number,
): { readonly height: number; readonly marks: Html } {
  let [x, row] = [0, 0];
  const marks = keys.map(key => {
    const needed = SYMBOL + key.name.length * CHARACTER;
    if (x > 0 && x + needed > width) [x, row] = [0, row + 1];
    const [left, y] = [x, row * ROW + 14];
    x += needed + GAP;
    return html`${symbol(key, left + 7, y - 4.5)}${text(left + SYMBOL, y, key.name, { role: 'quiet' })}`;
  });
  return { height: keys.length === 0 ? 0 : (row + 1) * ROW + 8, marks: html`${marks}` };
}

function symbol({ shape, role }: Key, x: number, y: number): Html {
  if (shape === 'dashed' || shape === 'dotted')
    return line([x, y - 9], [x, y + 9], role, { width: 2, dash: DASHES[shape] });
  if (shape === 'line') return line([x - 7, y], [x + 7, y], role, { width: 2 });
  return mark(shape, x, y, role);
}
