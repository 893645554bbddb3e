import { quoted } from '../audit-text.js';
import type { Figure } from '../figures/types.js';
import { whole } from '../format.js';
import { figureBlock } from './blocks.js';
import type { AuditData } from './data.js';
import { type Html, html } from './html.js';

/** A piece of the page and the figures in it. */
export interface Part {
  readonly html: Html;
  readonly figures: readonly Figure[];
}

export const NOTHING: Part = { html: html``, figures: [] };

/** A piece without a figure. */
export function words(of: Html): Part {
  return { html: of, figures: [] };
}

export function figurePart(figure: Figure): Part {
  return { html: figureBlock(figure), figures: [figure] };
}

export function joined(parts: readonly Part[]): Part {
  return { html: html`${parts.map(part => part.html)}`, figures: parts.flatMap(part => part.figures) };
}

/** A run within the page. */
export interface Place {
  readonly audit: AuditData;
  /** What the names of its figures and anchors begin with: empty, or `1-name-`. */
  readonly prefix: string;
}

/** A section of a run under its heading; nothing when there is nothing to say. */
export function section({ prefix }: Place, id: string, title: string, parts: readonly Part[]): Part {
  if (parts.length === 0) return NOTHING;
  const inside = joined(parts);
  return {
    ...inside,
    html: html`<section id="${prefix}${id}-section"><h3>${title}</h3>${inside.html}</section>`,
  };
}

/** The command that prints numbers, their place in its answer, and the rows they are made of. */
export function traced({ audit: { name, summary } }: Place, place: string, rows: string): string {
  return `From: npx plumbline analyze ${quoted(name)} --reader ${summary.primary} --json, at ${place}. Made of ${rows}.`;
}

/** `1,904 verdict pairs of run/readings.arrows`. */
export function rowsOf({ audit: { name } }: Place, count: number, what: string): string {
  return `${whole(count)} ${what} of ${name}/readings.arrows`;
}
