import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { jsonLines } from './json-lines.js';
import { tokenJaccard, tokens } from './overlap.js';
import { type Cell, type Decision, LABELS, type Stratum, TASKS, type Task } from './types.js';

const sentence = z
  .string()
  .refine(text => text.trim() === text && text !== '', 'expected a text without blanks around it');

const candidates = z.strictObject({
  task: z.enum(TASKS),
  group: z.string().min(1),
  register: z.string().min(1).optional(),
  subclass: z.string().min(1),
  anchor: sentence,
  opposite_close: sentence,
  opposite_distant: sentence,
  same_close: z.array(sentence).min(1),
  same_distant: z.array(sentence).min(1),
});

/** An anchor with its two reversals and all the paraphrases that were written for it. */
export type Candidates = z.infer<typeof candidates>;

/** A line of a factorial corpus, in the order of its fields. */
export interface BuiltPair {
  readonly id: string;
  readonly task: Task;
  readonly decision: string;
  readonly lexical: 'CLOSE' | 'DISTANT';
  readonly cell: Cell;
  readonly anchor_group: string;
  readonly subclass: string;
  readonly register?: string;
  readonly text_a: string;
  readonly text_b: string;
  readonly token_jaccard: number;
  /** Of a same-side pair: the overlap that was aimed at and how many candidates stood for choice. */
  readonly target?: number;
  readonly candidates?: number;
}

/**
 * Reads a file of candidates, one anchor a line. Errors: CORPUS_NOT_FOUND; CORPUS_FORMAT, also for a group that a task
 * has twice and for a sentence that an anchor has twice; CORPUS_EMPTY.
 */
export function readCandidates(file: string): readonly Candidates[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlumblineError('CORPUS_NOT_FOUND', `cannot read the candidates ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const groups = new Set<string>();
  const lines = jsonLines(text, file, 'CORPUS_FORMAT', candidates);
  for (const { line, value } of lines) {
    const key = `${value.task} ${value.group}`;
    if (groups.has(key))
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${file}:${line}: group ${value.group} is twice in the task ${value.task}`,
      );
    groups.add(key);
    const texts = [
      value.anchor,
      value.opposite_close,
      value.opposite_distant,
      ...value.same_close,
      ...value.same_distant,
    ];
    const twice = texts.find((sentence, i) => texts.indexOf(sentence) !== i);
    if (twice !== undefined)
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${file}:${line}: ${JSON.stringify(twice)} stands twice in one anchor`,
      );
  }
  if (lines.length === 0) throw new PlumblineError('CORPUS_EMPTY', `${file}: no anchor in it`);
  return lines.map(({ value }) => value);
}

/**
 * The matching rule: of the paraphrases written for a same-side cell, the one whose token Jaccard with the anchor is
 * nearest to that of the reversal in the same stratum. Of equally near ones, as they are where no word is shared, the one
 * whose number of different words is nearest to the reversal's; then the first. No encoder takes part.
 */
export function buildPairs(anchors: readonly Candidates[]): readonly BuiltPair[] {
  const numbers = new Map<Task, number>();
  return anchors.flatMap(anchor => {
    const number = (numbers.get(anchor.task) ?? 0) + 1;
    numbers.set(anchor.task, number);
    const pair = (
      cell: Cell,
      decision: Decision,
      stratum: Stratum,
      text: string,
      overlap: number,
      match?: { readonly target: number; readonly candidates: number },
    ): BuiltPair => ({
      id: `${anchor.task === 'distinctness' ? 'D' : 'C'}-${cell}-${String(number).padStart(2, '0')}`,
      task: anchor.task,
      decision: LABELS[anchor.task][decision],
      lexical: stratum === 'close' ? 'CLOSE' : 'DISTANT',
      cell,
      anchor_group: anchor.group,
      subclass: anchor.subclass,
      ...(anchor.register !== undefined && { register: anchor.register }),
      text_a: anchor.anchor,
      text_b: text,
      token_jaccard: sixPlaces(overlap),
      ...(match !== undefined && { target: sixPlaces(match.target), candidates: match.candidates }),
    });
    const stratumPairs = (
      stratum: Stratum,
      [reversalCell, sameCell]: readonly [Cell, Cell],
      reversal: string,
      written: readonly string[],
    ): readonly BuiltPair[] => {
      const target = tokenJaccard(anchor.anchor, reversal);
      const chosen = nearest(anchor.anchor, reversal, written);
      return [
        pair(reversalCell, 'opposite', stratum, reversal, target),
        pair(sameCell, 'same', stratum, chosen.text, chosen.overlap, { target, candidates: written.length }),
      ];
    };
    return [
      ...stratumPairs('close', ['A', 'C'], anchor.opposite_close, anchor.same_close),
      ...stratumPairs('distant', ['B', 'D'], anchor.opposite_distant, anchor.same_distant),
    ];
  });
}

function nearest(
  anchor: string,
  reversal: string,
  written: readonly string[],
): { readonly text: string; readonly overlap: number } {
  const target = tokenJaccard(anchor, reversal);
  const words = tokens(reversal).size;
  const [best] = written
    .map(text => ({ text, overlap: tokenJaccard(anchor, text) }))
    .map(of => ({
      ...of,
      miss: Math.abs(of.overlap - target),
      excess: Math.abs(tokens(of.text).size - words),
    }))
    // Sorting is stable, so the first of equal ones stays first.
    .sort((a, b) => a.miss - b.miss || a.excess - b.excess);
  if (best === undefined)
    throw new PlumblineError('CORPUS_FORMAT', `${JSON.stringify(anchor)}: no candidate`);
  return best;
}

/** A factorial corpus as text, one pair a line. */
export function pairLines(pairs: readonly BuiltPair[]): string {
  return pairs.map(pair => `${JSON.stringify(pair)}\n`).join('');
}

function sixPlaces(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
