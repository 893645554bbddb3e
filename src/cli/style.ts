import type { Style } from '../report/table.js';

/** Colour on a terminal, unless NO_COLOR is set (to anything but nothing). */
export function stdoutStyle(): Style {
  return { colour: process.stdout.isTTY === true && !process.env.NO_COLOR };
}
