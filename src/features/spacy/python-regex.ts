import { SPACE, WORD } from '../text.js';

/** In an expression with the u flag only these may be escaped as themselves. */
const SYNTAX = '^$\\.*+?()[]{}|/';

/** What the escapes of Python's character classes mean, as the inside of a character class. */
const CLASSES: Readonly<Record<string, string>> = { d: String.raw`\p{Nd}`, w: WORD, s: SPACE };

/**
 * A Python regular expression as the source of a JavaScript one with the u flag. Only what tokenisers of spaCy use is
 * known.
 *
 * @throws Error in words for anything else.
 */
export function fromPython(source: string): string {
  let out = '';
  let inClass = false;
  const text = source.replace(/^\(\?u\)/, '');
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (character === '\\') {
      const sequence = /^(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|[\s\S])/u.exec(
        text.slice(i + 1),
      )?.[0];
      if (sequence === undefined) throw new Error('an expression that ends in a backslash');
      out += escaped(sequence, inClass);
      i += sequence.length;
      continue;
    }
    if (/^\(\?(?![:=!]|<[=!])/.test(text.slice(i, i + 4)) && !inClass)
      throw new Error(`a group that begins with ${text.slice(i, i + 4)}`);
    if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    out += character;
  }
  return out;
}

function escaped(sequence: string, inClass: boolean): string {
  const kind = sequence[0] ?? '';
  if (sequence.length > 1)
    return kind === 'U' ? `\\u{${sequence.slice(1).replace(/^0+(?=.)/, '')}}` : `\\${sequence}`;
  const inside = CLASSES[kind.toLowerCase()];
  if (inside !== undefined) {
    if (kind === kind.toLowerCase()) return inClass ? inside : `[${inside}]`;
    if (!inClass) return `[^${inside}]`;
  }
  if (/[A-Za-z0-9]/.test(kind))
    throw new Error(`the escape \\${kind}${inClass ? ' in a character class' : ''}`);
  return SYNTAX.includes(kind) || (kind === '-' && inClass) ? `\\${kind}` : kind;
}
