import { describe, expect, test } from 'vitest';
import { gapsAndResume, gapsText } from '../../src/report/gaps.js';

const of = (missingRows: number, errorRows: number) => ({ plannedRows: 40, missingRows, errorRows });

describe('rows that are missing or failed', () => {
  test('say nothing when there are none', () => {
    expect(gapsText(of(0, 0), 'This run is not complete')).toBeNull();
    expect(gapsAndResume(of(0, 0), '--resume run')).toBeNull();
  });

  test('missing rows make a run incomplete, and a resumed run brings them', () => {
    expect(gapsAndResume(of(3, 1), '--resume run')).toBe(
      'Not complete: 3 of 40 planned rows are missing and 1 holds an error. What follows is of the rows that are there. ' +
        'Go on with --resume run',
    );
  });

  test('failed rows alone do not, and a resumed run is not promised to mend a prompt that is too long', () => {
    expect(gapsText(of(0, 5), 'This run is not complete')).toBe(
      '5 of 40 planned rows hold an error. What follows is of the others.',
    );
    expect(gapsAndResume(of(0, 5), '--resume run')).toMatch(
      /^5 of 40 .* PROMPT_TOO_LONG need a new run with a larger --ctx; any other error is tried again by --resume run$/,
    );
  });
});
