import type { Coverage } from '../api/analyze-run.js';
import { whole } from './format.js';

/** What begins the sentence about rows that are missing: `Not complete`, `This run is not complete`. */
export type GapsOpening = 'Not complete' | 'This run is not complete' | 'This sweep is not complete';

/**
 * How many rows are missing or hold an error; null when none is. A run whose every row is there is not called incomplete:
 * an error that a resumed run would only meet again, PROMPT_TOO_LONG, leaves it complete.
 */
export function gapsText(
  { plannedRows, missingRows, errorRows }: Coverage,
  opening: GapsOpening,
): string | null {
  const held = `${errorRows === 1 ? 'holds' : 'hold'} an error`;
  if (missingRows > 0)
    return `${opening}: ${whole(missingRows)} of ${whole(plannedRows)} planned rows are missing and ${whole(errorRows)} ${held}. What follows is of the rows that are there.`;
  if (errorRows > 0)
    return `${whole(errorRows)} of ${whole(plannedRows)} planned rows ${held}. What follows is of the others.`;
  return null;
}

/** The same before the tables of a terminal, with the command that goes on. */
export function gapsAndResume(coverage: Coverage, resume: string): string | null {
  const text = gapsText(coverage, 'Not complete');
  if (text === null) return null;
  return coverage.missingRows > 0
    ? `${text} Go on with ${resume}`
    : `${text} Rows that say PROMPT_TOO_LONG need a new run with a larger --ctx; any other error is tried again by ${resume}`;
}
