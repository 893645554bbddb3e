import type { SyllableCounter } from './syllables.js';
import { SPACE, splitOnSpace, WORD } from './text.js';

/*
 * Flesch–Kincaid grade, its words and sentences as the Python library textstat 0.7.13 counts them, its syllables those
 * of the CMU pronouncing dictionary, or the estimate of the npm package `syllable` for words that the dictionary does
 * not have (textstat hyphenates those). A grade is comparable only with one of the same method.
 */
export const READABILITY_METHOD =
  'Flesch-Kincaid grade; words and sentences as textstat 0.7.13; syllables of cmu-pronouncing-dictionary 3, else syllable 5';

/** A sentence longer than this is a list without full stops more often than a sentence; its grade is flagged. */
export const UNPUNCTUATED_WORDS_PER_SENTENCE = 100;

export interface Readability {
  readonly words: number;
  readonly sentences: number;
  readonly syllables: number;
  /** Grade; null without any word. */
  readonly grade: number | null;
  /** More than {@link UNPUNCTUATED_WORDS_PER_SENTENCE} words to a sentence: the grade says how long a list is. */
  readonly unpunctuated: boolean;
}

/** @param text with collapsed white space. */
export function readability(text: string, syllablesOf: SyllableCounter): Readability {
  const words = wordsOf(text);
  const sentences = countSentences(text);
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  if (words.length === 0) return { words: 0, sentences, syllables: 0, grade: null, unpunctuated: false };
  const wordsPerSentence = words.length / sentences;
  return {
    words: words.length,
    sentences,
    syllables,
    grade: 0.39 * wordsPerSentence + 11.8 * (syllables / words.length) - 15.59,
    unpunctuated: wordsPerSentence > UNPUNCTUATED_WORDS_PER_SENTENCE,
  };
}

/** Mean words per sentence on a log2 scale; a proxy for depth where there is no parser, and never called depth. */
export function sentenceLengthLog2({ words, sentences }: Readability): number | null {
  return words === 0 ? null : Math.log2(words / sentences);
}

/** An apostrophe stays where an English contraction may follow; all other punctuation goes and parts nothing. */
const LONE_APOSTROPHE = /'(?![tsd]|ve|ll|re)/g;
const PUNCTUATION = new RegExp(`[^${WORD}${SPACE}']`, 'gu');

function wordsOf(text: string): readonly string[] {
  return splitOnSpace(text.replace(LONE_APOSTROPHE, '').replace(PUNCTUATION, '').toLowerCase());
}

/** From the edge of a word to the next full stop, question or exclamation mark. */
const SENTENCE = new RegExp(`(?:(?<![${WORD}])(?=[${WORD}])|(?<=[${WORD}])(?![${WORD}]))[^.!?]+[.!?]*`, 'gu');

/** Stretches of two words or fewer are no sentences; a text has at least one. */
function countSentences(text: string): number {
  if (text === '') return 0;
  const stretches = text.match(SENTENCE) ?? [];
  return Math.max(1, stretches.filter(stretch => wordsOf(stretch).length > 2).length);
}
