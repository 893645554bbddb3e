import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../src/prompt/profiles.js';
import { readVerdict, verdictIsFinal } from '../../src/prompt/verdict.js';

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
    expect(verdictIsFinal(words, text)).toBe(final);
  });
});

describe('words behind a marker', () => {
  test.each([
    [' a non-compliant clause\nCompliance verdict: Compliant', 1, null],
    [' clause\nCompliance verdict:\nNon-compliant', 0, null],
    [' clause\n  Compliance verdict: Compliant\r\n', 1, null],
    [' Compliance verdict: Compliant', 1, null],
    [' x\nCompliance verdict: Compliant\nCompliance verdict: Non-compliant', 0, null],
    [' x\nCompliance verdict: Non-compliant\nCompliance verdict: Compliant', 1, null],
    [' the Compliance verdict: Compliant', null, 'no-marker'],
    [' x\ncompliance verdict: Compliant', null, 'no-marker'],
    [' Compliant', null, 'no-marker'],
    [' x\nCompliance verdict:', null, 'no-label'],
    ['', null, 'empty'],
  ])('%j reads as %s (%s)', (text, verdict, reason) => {
    expect(readVerdict(marked, text)).toEqual({ verdict, reason });
    expect(verdictIsFinal(marked, text)).toBe(false);
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
    expect(verdictIsFinal(guard, text)).toBe(final);
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
      if (!verdictIsFinal(reader, soFar)) return;
      expect(readVerdict(reader, soFar + rest)).toEqual(readVerdict(reader, soFar));
    }),
    { numRuns: 2000 },
  );
});
