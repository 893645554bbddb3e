import { levenshtein } from '../corpus/closeness.js';

/** The measures of wording overlap, the primary one first. All lie in [0, 1]; 1 = as alike as the measure can tell. */
export const OVERLAPS = ['tokenJaccard', 'charJaccard', 'levenshtein'] as const;
export type OverlapName = (typeof OVERLAPS)[number];

export const OVERLAP: Readonly<Record<OverlapName, (a: string, b: string) => number>> = {
  tokenJaccard,
  charJaccard,
  levenshtein: levenshteinSimilarity,
};

/** Jaccard index of the sets of lower-case `[a-z0-9]+` tokens. Blind to order. Two texts without a token: 1. */
export function tokenJaccard(a: string, b: string): number {
  return jaccard(tokens(a), tokens(b));
}

/** Jaccard index of the sets of 4-character stretches of the lower-case texts; texts shorter than that are one stretch. */
export function charJaccard(a: string, b: string): number {
  return jaccard(stretches(a), stretches(b));
}

/** 1 - edit distance over the length of the longer text, in UTF-16 units, case included. Two empty texts: 1. */
export function levenshteinSimilarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - levenshtein(a, b) / longest;
}

export function tokens(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z0-9]+/g));
}

const STRETCH = 4;

function stretches(text: string): ReadonlySet<string> {
  const lower = text.toLowerCase();
  const found = new Set<string>();
  for (let i = 0; i + STRETCH <= lower.length; i++) found.add(lower.slice(i, i + STRETCH));
  return found.size > 0 || lower === '' ? found : new Set([lower]);
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const item of a) if (b.has(item)) both++;
  const either = a.size + b.size - both;
  return either === 0 ? 1 : both / either;
}
