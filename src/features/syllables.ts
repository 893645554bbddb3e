import { syllable } from 'syllable';

/** Syllables of a word in lower case. */
export type SyllableCounter = (word: string) => number;

/**
 * Counts the syllables that the CMU pronouncing dictionary gives, first pronunciation first, and estimates those of
 * other words. The dictionary takes the better part of a second to load: only here, so that no other command waits.
 */
export async function loadSyllables(): Promise<SyllableCounter> {
  const { dictionary } = await import('cmu-pronouncing-dictionary');
  const known = new Map<string, number>();
  return word => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const phones = Object.hasOwn(dictionary, word) ? dictionary[word] : undefined;
    // A vowel is the phone that carries a stress mark. What has no letter (a number) is spoken too: one at least.
    const syllables = phones === undefined ? Math.max(1, syllable(word)) : (phones.match(/\d/g)?.length ?? 0);
    known.set(word, syllables);
    return syllables;
  };
}
