import type { Label } from '../corpus/types.js';
import type { TextReader, TextVerdict } from './types.js';

/** Reads the verdict in generated text (never the prompt). */
export function readVerdict(reader: TextReader, generated: string): TextVerdict {
  if (generated.trim() === '') return { verdict: null, reason: 'empty' };
  if (reader.kind === 'first-line') return verdictOf(labelOfLine(reader, firstLine(generated).text));
  const text = reader.marker === null ? generated : afterMarker(generated, reader.marker);
  return text === null ? { verdict: null, reason: 'no-marker' } : verdictOf(labelInText(reader, text));
}

/**
 * Whether the verdict stays what it is however the text goes on, so that generating more is wasted. "Compliant" is not
 * final for the `words` reader: a "non-compliant" may follow. Nothing is final behind a marker: the line may come again.
 */
export function verdictIsFinal(reader: TextReader, generated: string): boolean {
  if (reader.kind === 'first-line') return firstLine(generated).complete;
  return reader.marker === null && labelInText(reader, generated) === 0;
}

function verdictOf(label: Label | null): TextVerdict {
  return { verdict: label, reason: label === null ? 'no-label' : null };
}

function labelInText(reader: TextReader, text: string): Label | null {
  const lower = text.toLowerCase();
  const holds = (word: string): boolean => lower.includes(word.toLowerCase());
  if (reader.nonCompliant.some(holds)) return 0;
  return reader.compliant.some(holds) ? 1 : null;
}

function labelOfLine(reader: TextReader, line: string): Label | null {
  const equals = (word: string): boolean => line.toLowerCase() === word.toLowerCase();
  if (reader.nonCompliant.some(equals)) return 0;
  return reader.compliant.some(equals) ? 1 : null;
}

/** The first line that is not blank, without white space at its ends, and whether a line end has been seen after it. */
function firstLine(generated: string): { readonly text: string; readonly complete: boolean } {
  const lines = generated.split('\n');
  const index = lines.findIndex(line => line.trim() !== '');
  return { text: lines[index]?.trim() ?? '', complete: index !== -1 && index < lines.length - 1 };
}

/** What follows the marker on the last line that begins with it (blanks before it allowed), to the end of the text. */
function afterMarker(generated: string, marker: string): string | null {
  let from: number | null = null;
  let start = 0;
  for (const line of generated.split('\n')) {
    const indent = line.length - line.trimStart().length;
    if (line.startsWith(marker, indent)) from = start + indent + marker.length;
    start += line.length + 1;
  }
  return from === null ? null : generated.slice(from);
}
