import type { Html } from '../page/html.js';

/** A figure is drawn twice, for a desktop and for a phone; the page shows the one that fits. */
export const LAYOUTS = ['wide', 'narrow'] as const;
export type Layout = (typeof LAYOUTS)[number];

/** User units of a drawing; text has the same size in both. */
export const DRAWN_WIDTH: Readonly<Record<Layout, number>> = { wide: 720, narrow: 344 };

/** A value of a figure's data; null = there is none. */
export type Value = string | number | null;

/** A picture with its data and where they come from. */
export interface Figure {
  /** Of its files and its anchor: letters, digits and hyphens. */
  readonly name: string;
  readonly title: string;
  /** What a person who cannot see it should know. */
  readonly alt: string;
  readonly svg: Readonly<Record<Layout, Html>>;
  /** Of its CSV file. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** The command and the rows that the numbers come from. */
  readonly source: string;
}

/** What is drawn: marks inside a box that starts at 0, 0. */
export interface Drawing {
  readonly height: number;
  readonly marks: Html;
}
