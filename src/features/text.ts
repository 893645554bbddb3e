/*
 * What the reference programs take for white space, letters, digits and words. They are Python, whose character classes
 * follow Unicode; JavaScript's \s, \b, \w and \d do not agree with them.
 */

/** Inside of a character class: what Python's str.isspace() and \s accept. */
export const SPACE = String.raw`\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`;
/** Inside of a character class, for expressions with the u flag: Python's \w. */
export const WORD = String.raw`\p{L}\p{N}_`;

const SPACES = new RegExp(`[${SPACE}]+`);
const ALNUM = /[\p{L}\p{N}]/u;

/** The parts of a text between white space. */
export function splitOnSpace(text: string): readonly string[] {
  return text.split(SPACES).filter(part => part !== '');
}

/** White space at the edges removed, any inside made one space: the form of a text that every feature is of. */
export function collapse(text: string): string {
  return splitOnSpace(text).join(' ');
}

/** Whether a letter or a digit is in it. */
export function hasAlphanumeric(text: string): boolean {
  return ALNUM.test(text);
}
