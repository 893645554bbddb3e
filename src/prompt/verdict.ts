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
 * A regular expression (flags `iu`) that generated text matches as soon as its verdict stays what it is however the
 * text goes on, so that generating more is wasted. "Compliant" is not final for the `words` reader without a marker:
 * a "non-compliant" may follow.
 */
export function finalPattern(reader: TextReader): string {
  if (reader.kind === 'first-line') return String.raw`^\s*\S[^\n]*\n`;
  const nonCompliant = reader.nonCompliant.map(escapeRegExp).join('|');
  if (reader.marker === null) return nonCompliant;
  const marked = String.raw`${markerPattern(reader.marker)}\s*`;
  return String.raw`${marked}[^\n]*(?:${nonCompliant})|${marked}[^\s][^\n]*\n`;
}

/**
 * A regular expression (flags `iu`) that generated text matches when the label comes next: at the end of the marker.
 * null for readers without one: their label comes at the end of the prompt.
 */
export function labelPattern(reader: TextReader): string | null {
  if (reader.kind === 'first-line' || reader.marker === null) return null;
  return `${markerPattern(reader.marker)}$`;
}

function markerPattern(marker: string): string {
  return String.raw`(?:^|\n)[^\S\n]*${escapeRegExp(marker)}`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
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

/**
 * The answer behind the marker: the rest of the first line that begins with it (blanks before it allowed), or, when
 * nothing stands there, the next line that is not blank. A model that goes on and invents another case is not read there.
 */
function afterMarker(generated: string, marker: string): string | null {
  const lines = generated.split('\n');
  const at = lines.findIndex(line => line.trimStart().toLowerCase().startsWith(marker.toLowerCase()));
  if (at === -1) return null;
  const rest = (lines[at] as string).trimStart().slice(marker.length);
  return [rest, ...lines.slice(at + 1)].find(text => text.trim() !== '') ?? '';
}
