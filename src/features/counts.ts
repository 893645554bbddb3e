import { CROSS_REFERENCES, EXCEPTIONS, MANDATORY, MODALS, WORDS } from './patterns.js';

/** What the expressions of {@link file://./patterns.ts} find in one rule. */
export interface Counts {
  readonly words: number;
  readonly exceptions: number;
  readonly crossReferences: number;
  readonly mandatoryModals: number;
  readonly modals: number;
}

/** @param text with collapsed white space. */
export function countRule(text: string): Counts {
  return {
    words: count(text, WORDS),
    exceptions: count(text, EXCEPTIONS),
    crossReferences: count(text, CROSS_REFERENCES),
    mandatoryModals: count(text, MANDATORY),
    modals: count(text, MODALS),
  };
}

/** Exception-clause density: exceptions to 100 words; null without any word. */
export function exceptionDensity({ exceptions, words }: Counts): number | null {
  return words === 0 ? null : (100 * exceptions) / words;
}

/** Mandatory-modal ratio: must and shall among all modals; undefined, so null, without any modal. */
export function mandatoryRatio({ mandatoryModals, modals }: Counts): number | null {
  return modals === 0 ? null : mandatoryModals / modals;
}

function count(text: string, expression: RegExp): number {
  return text.match(expression)?.length ?? 0;
}
