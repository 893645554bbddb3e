import { readFileSync } from 'node:fs';
import { messageOf, PlumblineError } from '../errors.js';
import type { Parse, ParsedToken } from './depth.js';

/** Parses by the id of the rule that they are of. */
export type Parses = ReadonlyMap<string, Parse>;

/**
 * Reads parses that another program made: CoNLL-U in which `# newdoc id = RULE_ID` comes before the sentences of each
 * rule. Ranges (1-2) and empty nodes (1.1) are passed over.
 *
 * Errors: CORPUS_NOT_FOUND, CORPUS_FORMAT with file and line.
 */
export function readConllu(file: string): Parses {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlumblineError('CORPUS_NOT_FOUND', `cannot read the parses ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return parseConllu(text, file);
}

/** A token line: its own number, and that of its head (0: root). */
interface Word {
  readonly line: number;
  readonly text: string;
  readonly head: number;
  readonly label: string;
}

/** @param file what messages call it. */
export function parseConllu(text: string, file: string): Parses {
  const parses = new Map<string, ParsedToken[]>();
  let current: ParsedToken[] | null = null;
  let sentence: Word[] = [];
  const refuse = (line: number, why: string): never => {
    throw new PlumblineError('CORPUS_FORMAT', `${file}:${line}: ${why}`);
  };

  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, source] of [...lines, ''].entries()) {
    const line = index + 1;
    if (source.trim() === '') {
      if (sentence.length === 0) continue;
      const parse: ParsedToken[] = current ?? refuse(line, 'a sentence before any "# newdoc id = RULE_ID"');
      parse.push(...tokensOf(sentence, parse.length, refuse));
      sentence = [];
      continue;
    }
    if (source.startsWith('#')) {
      const id = /^#\s*newdoc\s+id\s*=\s*(\S+)\s*$/.exec(source)?.[1];
      if (id === undefined) continue;
      if (sentence.length > 0)
        refuse(line, 'a document that begins inside of a sentence; end sentences with a blank line');
      if (parses.has(id)) refuse(line, `the rule ${id} comes a second time`);
      current = [];
      parses.set(id, current);
      continue;
    }
    const fields = source.split('\t');
    const [id = '', form = '', , , , , head = '', label = ''] = fields;
    if (fields.length !== 10) refuse(line, `${fields.length} fields between tabs, expected 10`);
    if (/^\d+[-.]\d+$/.test(id)) continue;
    if (id !== String(sentence.length + 1))
      refuse(line, `token ${JSON.stringify(id)}, expected ${sentence.length + 1}`);
    if (!/^\d+$/.test(head))
      refuse(line, `head ${JSON.stringify(head)}, expected the number of a token or 0`);
    sentence.push({ line, text: form, head: Number(head), label });
  }
  return parses;
}

/** The tokens of one sentence, `offset` tokens into their rule, once every path is known to end at a root. */
function tokensOf(
  sentence: readonly Word[],
  offset: number,
  refuse: (line: number, why: string) => never,
): readonly ParsedToken[] {
  const rooted = new Set<number>([0]);
  for (const [index, word] of sentence.entries()) {
    const path: number[] = [];
    for (let at = index + 1; !rooted.has(at); at = sentence[at - 1]?.head ?? 0) {
      if (path.includes(at)) refuse(word.line, 'the heads go in a circle');
      if (at > sentence.length) refuse(word.line, `head ${at} in a sentence of ${sentence.length} tokens`);
      path.push(at);
    }
    for (const at of path) rooted.add(at);
  }
  return sentence.map(({ text, head, label }, index) => ({
    text,
    head: offset + (head === 0 ? index : head - 1),
    label,
    startsSentence: index === 0,
  }));
}
