import { type Html, html } from '../page/html.js';
import { printable, shorten } from '../table.js';
import { figureCss, LIGHT, type Role } from './palette.js';
import { round } from './scale.js';
import { DRAWN_WIDTH, type Drawing, type Figure, LAYOUTS, type Layout } from './types.js';

export type Shape = 'circle' | 'square' | 'diamond' | 'triangle' | 'down' | 'cross' | 'ring';

export type Anchor = 'start' | 'middle' | 'end';

/** Size of text in all drawings. */
export const TEXT = 13;
/** Mean width of a character at that size, over common sans-serif fonts. */
export const CHARACTER = 6.9;

interface Words {
  readonly role?: Role;
  readonly anchor?: Anchor;
  readonly bold?: boolean;
  readonly size?: number;
  /** An edge in the colour of the paper keeps it readable over lines. */
  readonly edge?: boolean;
}

/** Text at its baseline; invisible characters are shown as code points. */
export function text(x: number, y: number, words: string, of: Words = {}): Html {
  const { role = 'ink', anchor = 'start', bold = false, size = TEXT, edge = false } = of;
  const more = [
    ...(bold ? [html` font-weight="600"`] : []),
    ...(edge ? [html` stroke-width="4" stroke-linejoin="round" paint-order="stroke"`] : []),
  ];
  return html`<text x="${round(x)}" y="${round(y)}" class="f-${role}${edge ? ' halo' : ''}" font-size="${size}" text-anchor="${anchor}"${more}>${printable(words)}</text>`;
}

export function line(
  from: readonly [number, number],
  to: readonly [number, number],
  role: Role | 'line',
  { width = 1, dash = '' }: { readonly width?: number; readonly dash?: string } = {},
): Html {
  const dashed = dash === '' ? null : html` stroke-dasharray="${dash}"`;
  return html`<line x1="${round(from[0])}" y1="${round(from[1])}" x2="${round(to[0])}" y2="${round(to[1])}" class="s-${role}" stroke-width="${width}"${dashed}/>`;
}

export function rect(
  [x, y]: readonly [number, number],
  [width, height]: readonly [number, number],
  role: Role | 'line' | 'paper',
  opacity = 1,
): Html {
  const faint = opacity === 1 ? null : html` fill-opacity="${opacity}"`;
  return html`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" class="f-${role}"${faint}/>`;
}

/** Straight lines through points. */
export function path(
  points: readonly (readonly [number, number])[],
  role: Role,
  { width = 2, dash = '' }: { readonly width?: number; readonly dash?: string } = {},
): Html {
  const data = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`).join('');
  const dashed = dash === '' ? null : html` stroke-dasharray="${dash}"`;
  return html`<path d="${data}" fill="none" class="s-${role}" stroke-width="${width}"${dashed}/>`;
}

/** A mark of about eleven units across, with an edge in the colour of the paper. */
export function mark(shape: Shape, x: number, y: number, role: Role): Html {
  if (shape === 'ring')
    return html`<circle cx="${round(x)}" cy="${round(y)}" r="4.5" class="f-paper s-${role}" stroke-width="2"/>`;
  if (shape === 'cross')
    return html`<path d="M${round(x - 4)} ${round(y - 4)}l8 8m0 -8l-8 8" fill="none" class="s-${role}" stroke-width="2.4"/>`;
  if (shape === 'circle')
    return html`<circle cx="${round(x)}" cy="${round(y)}" r="5.5" class="f-${role} halo" stroke-width="1"/>`;
  return html`<path d="M${round(x)} ${round(y)}${OUTLINES[shape]}z" class="f-${role} halo" stroke-width="1"/>`;
}

const OUTLINES: Readonly<Record<Exclude<Shape, 'circle' | 'ring' | 'cross'>, string>> = {
  square: 'm-5 -5h10v10h-10',
  diamond: 'm0 -7l6.5 7l-6.5 7l-6.5 -7',
  triangle: 'm0 -6.5l6.5 11.5h-13',
  down: 'm0 6.5l6.5 -11.5h-13',
};

/** Both drawings of a figure, each with its title and description. */
export function drawn(
  of: { readonly name: string; readonly title: string; readonly alt: string },
  draw: (width: number, layout: Layout) => Drawing,
): Figure['svg'] {
  const one = (layout: Layout): Html => {
    const width = DRAWN_WIDTH[layout];
    const { height, marks } = draw(width, layout);
    const id = `${of.name}-${layout}`;
    return html`<svg xmlns="http://www.w3.org/2000/svg" class="${layout}" viewBox="0 0 ${width} ${Math.ceil(height)}" width="${width}" height="${Math.ceil(height)}" font-family="system-ui, sans-serif" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${printable(of.title)}</title><desc id="${id}-desc">${printable(of.alt)}</desc>${marks}</svg>`;
  };
  return Object.fromEntries(LAYOUTS.map(layout => [layout, one(layout)])) as Record<Layout, Html>;
}

/** Around a drawing that stands alone, and above it for its title. */
const MARGIN = 16;
const HEADING = 34;
const LONGEST_TITLE = 100;

/** The wide drawing as a file of its own, on white paper under its title. */
export function standalone({ svg, title }: Figure): string {
  const inline = svg.wide.toString();
  const opened = inline.indexOf('</desc>') + '</desc>'.length;
  const head = inline
    .slice(0, opened)
    .replace(/viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"/, (_, w, h) => {
      const [width, height] = [Number(w) + 2 * MARGIN, Number(h) + HEADING + MARGIN];
      return `viewBox="${-MARGIN} ${-HEADING} ${width} ${height}" width="${width}" height="${height}"`;
    });
  const paper = html`<rect x="${-MARGIN}" y="${-HEADING}" width="100%" height="100%" class="f-paper"/>`;
  const heading = text(0, -12, shorten(printable(title), LONGEST_TITLE), { bold: true });
  return `${head}<style>${figureCss(LIGHT)}</style>${paper}${heading}${inline.slice(opened)}\n`;
}
