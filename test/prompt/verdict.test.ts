import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../src/prompt/profiles.js';
import { finalPattern, labelPattern, readVerdict } from '../../src/prompt/verdict.js';

const words = PROFILES.standard.reader;
const marked = PROFILES['rule-anchored'].reader;
const guard = PROFILES['llama-guard'].reader;

describe('words', () => {
  test.each([
    [' Compliant', 1, null, false],
    [' Non-compliant', 0, null, true],
    [' NON COMPLIANT.', 0, null, true],
    [' Compliant. It is not non-compliant', 0, null, true],
    [' Noncompliant', 1, null, false],
    [' No.', null, 'no-label', false],
    [' Non-', null, 'no-label', false],
    [' \n', null, 'empty', false],
    ['', null, 'empty', false],
  ])('%j reads as %s (%s), final: %s', (text, verdict, reason, final) => {
    expect(readVerdict(words, text)).toEqual({ verdict, reason });
    expect(new RegExp(finalPattern(words), 'iu').test(text)).toBe(final);
  });
});

describe('words behind a marker', () => {
  test.each([
    [' a non-compliant clause\nCompliance verdict: Compliant', 1, null, false],
    [' clause\nCompliance verdict:\nNon-compliant', 0, null, true],
    [' clause\n  Compliance verdict: Compliant\r\n', 1, null, true],
    [' Compliance verdict: Compliant', 1, null, false],
    [' x\nCompliance verdict: Compliant\nCompliance verdict: Non-compliant', 1, null, true],
    [' x\nCompliance verdict: Non-compliant\nCompliance verdict: Compliant', 0, null, true],
    [' x\nCompliance verdict:\n\nCompliant\nRule: it is non-compliant to', 1, null, true],
    [' x\nCompliance verdict: unclear\nNon-compliant', null, 'no-label', true],
    [' the Compliance verdict: Compliant', null, 'no-marker', false],
    [' x\ncompliance verdict: Compliant', 1, null, false],
    [' Compliant', null, 'no-marker', false],
    [' x\nCompliance verdict:', null, 'no-label', false],
    ['', null, 'empty', false],
  ])('%j reads as %s (%s), final: %s', (text, verdict, reason, final) => {
    expect(readVerdict(marked, text)).toEqual({ verdict, reason });
    expect(new RegExp(finalPattern(marked), 'iu').test(text)).toBe(final);
  });

  test('the label comes where the marker ends', () => {
    const pattern = new RegExp(labelPattern(marked) as string, 'iu');
    expect(pattern.test(' clause\nCompliance verdict:')).toBe(true);
    expect(pattern.test(' clause\nCompliance verdict: ')).toBe(false);
    expect(pattern.test(' the Compliance verdict:')).toBe(false);
    expect(labelPattern(words)).toBeNull();
    expect(labelPattern(guard)).toBeNull();
  });
});

describe('first-line', () => {
  test.each([
    ['safe', 1, null, false],
    ['\n\nsafe\n', 1, null, true],
    [' Unsafe \nO1', 0, null, true],
    ['unsafe\r\nO1', 0, null, true],
    ['unsafe O1', null, 'no-label', false],
    ['I am safe\nsafe', null, 'no-label', true],
    ['\n', null, 'empty', false],
  ])('%j reads as %s (%s), final: %s', (text, verdict, reason, final) => {
    expect(readVerdict(guard, text)).toEqual({ verdict, reason });
    expect(new RegExp(finalPattern(guard), 'iu').test(text)).toBe(final);
  });
});

test('a final verdict survives any continuation', () => {
  const piece = fc.constantFrom(
    'Compliant',
    'Non-',
    'compliant',
    ' ',
    '\n',
    'safe',
    'un',
    'Compliance verdict:',
    'x',
    '-',
  );
  const text = fc.array(piece, { maxLength: 8 }).map(pieces => pieces.join(''));
  fc.assert(
    fc.property(text, text, fc.constantFrom(words, marked, guard), (soFar, rest, reader) => {
      if (!new RegExp(finalPattern(reader), 'iu').test(soFar)) return;
      expect(readVerdict(reader, soFar + rest)).toEqual(readVerdict(reader, soFar));
    }),
    { numRuns: 2000 },
  );
});
