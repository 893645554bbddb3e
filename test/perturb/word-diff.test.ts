import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Piece, wordDiff } from '../../src/perturb/word-diff.js';

const without = (kind: Piece['kind'], pieces: readonly Piece[]): string =>
  pieces
    .filter(piece => piece.kind !== kind)
    .map(({ text }) => text)
    .join('');

describe('wordDiff', () => {
  test('marks the inserted word alone', () => {
    expect(wordDiff('Staff must ask, then shall pay.', 'Staff must not ask, then shall not pay.')).toEqual([
      { kind: 'same', text: 'Staff must ' },
      { kind: 'inserted', text: 'not ' },
      { kind: 'same', text: 'ask, then shall ' },
      { kind: 'inserted', text: 'not ' },
      { kind: 'same', text: 'pay.' },
    ]);
  });

  test('a text that goes, comes, or stays', () => {
    expect(wordDiff('All of it.', '')).toEqual([{ kind: 'deleted', text: 'All of it.' }]);
    expect(wordDiff('', 'All of it.')).toEqual([{ kind: 'inserted', text: 'All of it.' }]);
    expect(wordDiff('All of it.', 'All of it.')).toEqual([{ kind: 'same', text: 'All of it.' }]);
    expect(wordDiff('', '')).toEqual([]);
  });

  test('texts with little in common are replaced whole', () => {
    const [a, b] = ['The claim is paid within a month.', 'No visitor enters the lab without a coat.'];
    expect(wordDiff(a, b)).toEqual([
      { kind: 'deleted', text: a },
      { kind: 'inserted', text: b },
    ]);
  });

  test('long texts take no long time', () => {
    const words = (seed: number): string =>
      Array.from({ length: 30_000 }, (_, i) => `w${(i * seed) % 977}`).join(' ');
    const start = process.cpuUsage();
    const pieces = wordDiff(words(3), words(7));
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2000);
    expect(pieces.map(({ kind }) => kind)).toEqual(['deleted', 'inserted']);
    const text = words(3);
    expect(wordDiff(text, text.replace('w12 ', 'w12 not '))).toHaveLength(3);
  });

  test('gives both texts back, whatever they are', () => {
    const word = fc.constantFrom(
      'must',
      'not',
      'shall',
      ' ',
      '\n',
      '  ',
      '\u00a0',
      'a',
      'b',
      '🙂',
      '[-',
      '+}',
    );
    const text = fc.array(word, { maxLength: 40 }).map(words => words.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), fc.oneof(text, fc.string()), (before, after) => {
        const pieces = wordDiff(before, after);
        expect(without('inserted', pieces)).toBe(before);
        expect(without('deleted', pieces)).toBe(after);
        expect(pieces.every(({ text: piece }) => piece !== '')).toBe(true);
        expect(pieces.every(({ kind }, i) => kind !== pieces[i + 1]?.kind)).toBe(true);
      }),
    );
  });
});
