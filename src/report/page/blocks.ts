import type { Figure, Value } from '../figures/types.js';
import { NONE, whole } from '../format.js';
import { type Cell, type Column, left, printable, right, type Table, type Tone } from '../table.js';
import { type Html, html } from './html.js';

/** Words with what they mean for the reader. */
export interface Told {
  readonly text: string;
  readonly tone: Tone;
}

/** Text as the page shows it: invisible characters by name, and no line break before a unit. */
export function prose(text: string): string {
  return printable(text).replaceAll(' %', '\u00a0%');
}

/** A sentence that stands out. */
export function callout({ text, tone }: Told): Html {
  return html`<p class="call ${tone}">${prose(text)}</p>`;
}

/** What the numbers beside it do not say. */
export function limit(words: string): Html {
  return html`<p class="limit">${words}</p>`;
}

/** Where numbers come from. */
export function sourceLine(words: string): Html {
  return html`<p class="source">${printable(words)}</p>`;
}

/** A table under which its source stands; wide ones scroll on their own. */
export function tableBlock(table: Table, source: string | null = null): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="table">${tableHtml(table)}</div>${source === null ? null : sourceLine(source)}`;
}

function tableHtml({ columns, rows }: Table): Html {
  const head = columns.map(
    column =>
      html`<th scope="col"${column.align === 'left' ? html` class="left"` : null}>${column.header}</th>`,
  );
  const body = rows.map(
    row => html`<tr>${columns.map((column, i) => cellHtml(row[i] ?? '', column, i === 0))}</tr>`,
  );
  return html`<table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`;
}

function cellHtml(cell: Cell, { align }: Column, first: boolean): Html {
  const { text, tone } = typeof cell === 'string' ? { text: cell, tone: 'plain' } : cell;
  const classes = [align === 'left' ? 'left' : '', tone === 'plain' ? '' : tone].filter(name => name !== '');
  const named = classes.length === 0 ? null : html` class="${classes.join(' ')}"`;
  return first
    ? html`<th scope="row"${named}>${printable(text)}</th>`
    : html`<td${named}>${printable(text)}</td>`;
}

/** A figure with its data as a table and its source. */
export function figureBlock(figure: Figure): Html {
  const { name, title, svg, source } = figure;
  return html`<figure id="${name}"><figcaption>${printable(title)}</figcaption>${svg.wide}${svg.narrow}<details><summary>The data of this figure</summary>${tableBlock(dataTable(figure))}</details>${sourceLine(source)}</figure>`;
}

function dataTable({ columns, rows }: Figure): Table {
  const numeric = columns.map((_, i) => (rows.every(row => typeof row[i] !== 'string') ? right : left));
  return {
    columns: columns.map((column, i) => (numeric[i] ?? left)(column)),
    rows: rows.map(row => row.map(shown)),
  };
}

/** At most four significant figures; the file of the figure has all of them. */
function shown(value: Value): string {
  if (value === null) return NONE;
  if (typeof value === 'string') return value;
  const text = Number.isInteger(value)
    ? whole(Math.abs(value))
    : String(Number(Math.abs(value).toPrecision(4)));
  return value < 0 ? `−${text}` : text;
}
