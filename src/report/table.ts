/** Columns that fit a terminal; every text of the reports keeps to it. */
export const WIDTH = 110;

export type Tone = 'plain' | 'bold' | 'dim' | 'good' | 'warn' | 'bad';

/** A cell: text, or text with a tone. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

export interface Column {
  readonly header: string;
  readonly align: 'left' | 'right';
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** colour: ANSI escapes, for a terminal; otherwise not a single one. */
export interface Style {
  readonly colour: boolean;
}

const SGR: Readonly<Record<Exclude<Tone, 'plain'>, number>> = {
  bold: 1,
  dim: 2,
  good: 32,
  warn: 33,
  bad: 31,
};

export function paint(text: string, tone: Tone, style: Style): string {
  return style.colour && tone !== 'plain' && text !== '' ? `\u001b[${SGR[tone]}m${text}\u001b[0m` : text;
}

/** The name of a section. */
export function title(text: string, style: Style): string {
  return paint(text, 'bold', style);
}

/**
 * Text from a corpus or a file name made safe to print: control, format and other invisible characters, which could move
 * the cursor or turn the direction of writing, become visible code points.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, character => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Terminal columns of a text without escapes: East Asian wide characters take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** Cuts the middle out of a text that is too wide: names differ at both ends. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  const head: string[] = [];
  const tail: string[] = [];
  let left = width - 1;
  for (let i = 0; left > 0 && i < characters.length; i++) {
    const fromHead = i % 2 === 0;
    const character = (fromHead ? characters.shift() : characters.pop()) ?? '';
    left -= displayWidth(character);
    if (left < 0) break;
    if (fromHead) head.push(character);
    else tail.unshift(character);
  }
  return `${head.join('')}…${tail.join('')}`;
}

/** Columns between two columns of a table, and before the first. */
const GAP = 2;
/** A first column is never cut below this. */
const NARROWEST = 12;

export const left = (header: string): Column => ({ header, align: 'left' });
export const right = (header: string): Column => ({ header, align: 'right' });

/**
 * Aligned columns, two spaces apart, under a rule. No line ends in white space. A table that would be wider than
 * `width` cuts the middle out of its first column, where names stand.
 */
export function renderTable(table: Table, style: Style, width = WIDTH): string {
  const textOf = (cell: Cell | undefined): string => (typeof cell === 'object' ? cell.text : (cell ?? ''));
  const widths = table.columns.map((column, i) =>
    Math.max(displayWidth(column.header), ...table.rows.map(row => displayWidth(textOf(row[i])))),
  );
  const excess = widths.reduce((sum, taken) => sum + taken + GAP, 0) - width;
  if (excess > 0) widths[0] = Math.max(NARROWEST, (widths[0] ?? 0) - excess);

  const line = (cells: readonly Cell[], tone: Tone): string => {
    const padded = table.columns.map(({ align }, i) => {
      const cell = cells[i];
      const room = widths[i] ?? 0;
      const text = shorten(textOf(cell), room);
      const space = ' '.repeat(room - displayWidth(text));
      const painted = paint(text, typeof cell === 'object' ? cell.tone : tone, style);
      return align === 'left' ? painted + space : space + painted;
    });
    return `  ${padded.join('  ')}`.trimEnd();
  };
  const rule = `  ${widths.map(taken => '─'.repeat(taken)).join('  ')}`;
  const header = line(
    table.columns.map(column => column.header),
    'bold',
  );
  return [header, paint(rule, 'dim', style), ...table.rows.map(row => line(row, 'plain'))].join('\n');
}

/** Words in lines of at most `width` columns, each indented. */
export function wrap(text: string, width = WIDTH, indent = '  '): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const joined = line === indent ? indent + word : `${line} ${word}`;
    if (displayWidth(joined) > width && line !== indent) {
      lines.push(line);
      line = indent + word;
    } else {
      line = joined;
    }
  }
  return [...lines, line].join('\n');
}
