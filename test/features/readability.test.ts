import { expect, test } from 'vitest';
import { readability, sentenceLengthLog2 } from '../../src/features/readability.js';
import { collapse } from '../../src/features/text.js';
import { shared, skipNote } from '../shared.js';
import { goldRules, spearman } from './gold.js';

const root = shared('gold', 'features');
if (root === null) skipNote('reading grades against textstat', 'gold', 'features');

test.skipIf(root === null)(
  'words and sentences are those of textstat 0.7.13, grades rank as its grades',
  () => {
    const rules = goldRules().map(({ text, gold }) => ({ gold, found: readability(collapse(text)) }));
    expect(rules.filter(({ gold, found }) => found.words !== Number(gold.ts_words))).toEqual([]);
    expect(rules.filter(({ gold, found }) => found.sentences !== Number(gold.ts_sent))).toEqual([]);
    expect(rules.filter(({ gold, found }) => (found.grade === null) !== (gold.fkgl === ''))).toEqual([]);

    const graded = rules.filter(({ gold }) => gold.fkgl !== '');
    const rho = spearman(
      graded.map(({ found }) => found.grade ?? Number.NaN),
      graded.map(({ gold }) => Number(gold.fkgl)),
    );
    expect(rho).toBeGreaterThan(0.99);
  },
);

test('a grade from hand-counted parts', () => {
  // The cat sat on the mat. | It was a rainy afternoon. : 11 words, 15 syllables, 2 sentences.
  const found = readability('The cat sat on the mat. It was a rainy afternoon.');
  expect(found).toMatchObject({ words: 11, sentences: 2, syllables: 14, unpunctuated: false });
  expect(found.grade).toBeCloseTo(0.39 * (11 / 2) + 11.8 * (14 / 11) - 15.59, 12);
  expect(sentenceLengthLog2(found)).toBeCloseTo(Math.log2(5.5), 12);
});

test('stretches of two words are no sentences, a text has at least one', () => {
  expect(readability('Sec. 3. (a) Badges are worn by all.').sentences).toBe(1);
  expect(readability('Yes.').sentences).toBe(1);
  expect(readability('Badges are worn? Badges are worn!').sentences).toBe(2);
});

test('a text without a word has no grade', () => {
  for (const text of ['', '—', "' '"]) {
    const found = readability(text);
    expect(found.grade).toBeNull();
    expect(sentenceLengthLog2(found)).toBeNull();
  }
});

test('words that no dictionary has get an estimate, numbers one syllable', () => {
  expect(readability('12').syllables).toBe(1);
  expect(readability('pseudonymisation').syllables).toBeGreaterThanOrEqual(5);
  expect(readability('constructor').syllables).toBe(3);
  expect(readability('__proto__').syllables).toBeGreaterThanOrEqual(1);
});

test('a long list without a full stop is flagged', () => {
  expect(readability('word '.repeat(100).trim()).unpunctuated).toBe(false);
  expect(readability('word '.repeat(101).trim()).unpunctuated).toBe(true);
});
