import { describe, expect, test } from 'vitest';
import { countRule, exceptionDensity, mandatoryRatio } from '../../src/features/counts.js';
import { CROSS_REFERENCES, EXCEPTIONS, MODALS } from '../../src/features/patterns.js';
import { collapse } from '../../src/features/text.js';
import { shared, skipNote } from '../shared.js';
import { goldRules } from './gold.js';

const root = shared('gold', 'features');
if (root === null) skipNote('counts against the oracle', 'gold', 'features');

test.skipIf(root === null)('all counts of 12,945 rules equal the oracle', () => {
  const rules = goldRules();
  expect(rules).toHaveLength(12_945);
  const wrong = rules.filter(({ text, gold }) => {
    const counts = countRule(collapse(text));
    const mmr = mandatoryRatio(counts);
    return (
      counts.words !== Number(gold.words) ||
      counts.exceptions !== Number(gold.exc) ||
      counts.crossReferences !== Number(gold.crc) ||
      counts.mandatoryModals !== Number(gold.mand) ||
      counts.modals !== Number(gold.modal) ||
      (mmr === null ? gold.mmr !== '' : Math.abs(mmr - Number(gold.mmr)) > 1e-5)
    );
  });
  expect(wrong).toEqual([]);
});

const found = (text: string, expression: RegExp): readonly string[] => text.match(expression) ?? [];

describe('exceptions', () => {
  test.each([
    [
      'Except as agreed, and unless told otherwise, other than on Sundays',
      ['Except', 'unless', 'other than'],
    ],
    ['provided that it is safe', ['provided that']],
    ['she has provided that information', []],
    ['provided that information is given', []],
    ['to be subject to a fine', []],
    ['The fee, subject to review, is due', [', subject to']],
    ['By way of derogation from it', ['By way of derogation']],
    ['Save the file', []],
    ['save where it is lawful', ['save where']],
    ['This Act does not therefore apply', ['does not therefore apply']],
    ['exemptions from tax; exempt goods', ['exemptions from']],
  ])('%s', (text, expected) => {
    expect(found(text, EXCEPTIONS)).toEqual(expected);
  });
});

describe('cross-references', () => {
  test.each([
    ['See § 12(a)(iv) and §§ 3-4.', ['§ 12(a)(iv)', '§§ 3-4']],
    ['Article 6 Scope', []],
    ['under Article 6(1)', ['Article 6(1)']],
    ['as in Article 67Professional', []],
    ['Section 3. Duties Of the keeper', []],
    ['in section 1798.100 and subdivision (b)', ['section 1798.100', 'subdivision (b)']],
    ['the Annex III list: Chapter V: Titles', ['Annex III']],
    ['12 U.S.C. 1813 and 45 CFR Part 160', ['12 U.S.C. 1813', '45 CFR Part 160']],
    [
      'Regulation (EU) No 910/2014, Directive 95/46/EC',
      ['Regulation (EU) No 910/2014', 'Directive 95/46/EC'],
    ],
    ['this Article; paragraph 2 of this Article', ['this Article', 'paragraph 2']],
  ])('%s', (text, expected) => {
    expect(found(text, CROSS_REFERENCES)).toEqual(expected);
  });
});

test('modals leave out the month of May', () => {
  expect(found("You MUST, may and can't on 3 May or May 2018; they won’t", MODALS)).toEqual([
    'MUST',
    'may',
    'can',
    'won’t',
  ]);
});

test('ratios are undefined where there is nothing to divide by', () => {
  expect(exceptionDensity(countRule(''))).toBeNull();
  expect(exceptionDensity(countRule('— § —'))).toBeNull();
  expect(exceptionDensity(countRule('unless two three'))).toBeCloseTo(100 / 3);
  expect(mandatoryRatio(countRule('Cats sleep.'))).toBeNull();
  expect(mandatoryRatio(countRule('It must. It may. It SHALL. It could.'))).toBe(0.5);
});
