import type { Piece } from '../perturb/word-diff.js';
import { displayWidth, paint, printable, type Style, type Tone, WIDTH } from './table.js';

/** Stands before every line of a text that is not ours, so that no text can pass for a part of the report. */
const GUTTER = '  │ ';

const MARKS: Readonly<
  Record<Piece['kind'], { readonly open: string; readonly close: string; readonly tone: Tone }>
> = {
  same: { open: '', close: '', tone: 'plain' },
  deleted: { open: '[-', close: '-]', tone: 'bad' },
  inserted: { open: '{+', close: '+}', tone: 'good' },
};

/** A stretch without a break: a word with the blanks after it, or a line break. */
interface Atom {
  readonly text: string;
  readonly tone: Tone;
}

/**
 * A text with what was deleted and inserted marked, `[-so-]` and `{+so+}`, in colour too on a terminal. It keeps its line
 * breaks; long lines are broken between words; everything in it is made safe to print.
 */
export function passage(pieces: readonly Piece[], style: Style): string {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  const flush = (): void => {
    lines.push(`${GUTTER}${line}`.trimEnd());
    line = '';
    width = 0;
  };
  for (const { text, tone } of pieces.flatMap(atomsOf)) {
    if (text === '\n') {
      flush();
      continue;
    }
    const wide = displayWidth(text.trimEnd());
    if (width > 0 && GUTTER.length + width + wide > WIDTH) flush();
    line += paint(text, tone, style);
    width += displayWidth(text);
  }
  flush();
  return lines.join('\n');
}

/** A text as it is. */
export function plainPassage(text: string, style: Style): string {
  return passage([{ kind: 'same', text }], style);
}

/** Of a word, so that it fits into a line with both marks. */
const LONGEST = WIDTH - GUTTER.length - 4;

function atomsOf({ kind, text }: Piece): readonly Atom[] {
  const { open, close, tone } = MARKS[kind];
  const atoms = (text.match(/\n| +|[^ \n]+ */g) ?? []).flatMap(atom =>
    atom === '\n' ? [atom] : cut(printable(atom)),
  );
  const [first, last] = [atoms.findIndex(isWord), atoms.findLastIndex(isWord)];
  // Line breaks alone would leave nothing to mark.
  if (first === -1 && kind !== 'same') return [{ text: `${open}${printable(text)}${close}`, tone }];
  // The marks stand beside words, never alone on a line.
  return atoms.map((atom, i) => ({
    text: `${i === first ? open : ''}${atom}${i === last ? close : ''}`,
    tone,
  }));
}

function isWord(atom: string): boolean {
  return atom !== '\n';
}

/** A word that is longer than a line, in pieces that fit: a character takes two columns at most. */
function cut(word: string): readonly string[] {
  if (displayWidth(word) <= LONGEST) return [word];
  return word.match(new RegExp(`.{1,${Math.floor(LONGEST / 2)}}`, 'gu')) ?? [];
}
