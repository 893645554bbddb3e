import { expect, test } from 'vitest';
import { type Readability, readability, sentenceLengthLog2 } from '../../src/features/readability.js';
import { loadSyllables } from '../../src/features/syllables.js';
import { collapse } from '../../src/features/text.js';
import { shared, skipNote } from '../shared.js';
import { goldRules, spearman } from './gold.js';

const syllables = await loadSyllables();
const grade = (text: string): Readability => readability(text, syllables);

const root = shared('gold', 'features');
if (root === null) skipNote('reading grades against textstat', 'gold', 'features');

test.skipIf(root === null)(
  'words and sentences are those of textstat 0.7.13, grades rank as its grades',
  () => {
    const rules = goldRules().map(({ text, gold }) => ({ gold, found: grade(collapse(text)) }));
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
  // The cat sat on the mat. | It was a rainy afternoon. : 11 words, 14 syllables, 2 sentences.
  const found = grade('The cat sat on the mat. It was a rainy afternoon.');
  expect(found).toMatchObject({ words: 11, sentences: 2, syllables: 14, unpunctuated: false });
  expect(found.grade).toBeCloseTo(0.39 * (11 / 2) + 11.8 * (14 / 11) - 15.59, 12);
  expect(sentenceLengthLog2(found)).toBeCloseTo(Math.log2(5.5), 12);
});

test('stretches of two words are no sentences, a text has at least one', () => {
  expect(grade('Sec. 3. (a) Badges are worn by all.').sentences).toBe(1);
  expect(grade('Yes.').sentences).toBe(1);
  expect(grade('Badges are worn? Badges are worn!').sentences).toBe(2);
});

test('a text without a word has no grade', () => {
  for (const text of ['', '—', "' '"]) {
    const found = grade(text);
    expect(found.grade).toBeNull();
    expect(sentenceLengthLog2(found)).toBeNull();
  }
});

test('words that no dictionary has get an estimate, numbers one syllable', () => {
  expect(grade('12').syllables).toBe(1);
  expect(grade('pseudonymisation').syllables).toBeGreaterThanOrEqual(5);
  expect(grade('constructor').syllables).toBe(3);
  expect(grade('__proto__').syllables).toBeGreaterThanOrEqual(1);
});

test('a long list without a full stop is flagged', () => {
  expect(grade('word '.repeat(100).trim()).unpunctuated).toBe(false);
  expect(grade('word '.repeat(101).trim()).unpunctuated).toBe(true);
});
