import type { Case } from '../corpus/types.js';
import { countRule, exceptionDensity, mandatoryRatio } from './counts.js';
import type { Depth } from './depth.js';
import { readability, sentenceLengthLog2 } from './readability.js';
import type { SyllableCounter } from './syllables.js';
import { collapse } from './text.js';

/** The features, by the short names that the literature on this audit uses. */
export interface Features {
  /** Exception clauses to 100 words; null without any word. */
  readonly ecd: number | null;
  /** Cross-references. */
  readonly crc: number | null;
  /** must and shall among all modals; null without any modal. */
  readonly mmr: number | null;
  /** Mean dependency-tree depth over sentences of three words or more; null without a parse. */
  readonly mdd3: number | null;
  /** The same over all sentences. */
  readonly mdd: number | null;
  /** Flesch–Kincaid grade. */
  readonly fkgl: number | null;
  /** log2 of the words to a sentence: a proxy for depth, not depth. */
  readonly sentenceLengthLog2: number | null;
}

export const FEATURES = ['ecd', 'crc', 'mmr', 'mdd3', 'mdd', 'fkgl', 'sentenceLengthLog2'] as const;

/** What is odd about a rule's text. None of it is repaired: it is what the judge is shown. */
export interface Oddities {
  /** Nothing but white space: every feature is null. */
  readonly blank: boolean;
  /** The same text as another rule of the domain, white space apart. */
  readonly duplicate: boolean;
  /** `|` of a table that was flattened; parsers take it for a word. */
  readonly tablePipes: boolean;
  /** More than half of the letters are capitals; parsers read those poorly. */
  readonly mostlyCapitals: boolean;
  /** A heading run into the text ("Article 67Professional"). */
  readonly gluedHeading: boolean;
  /** So many words to a sentence that the grade measures the length of a list. */
  readonly unpunctuated: boolean;
}

export const ODDITIES = [
  'blank',
  'duplicate',
  'tablePipes',
  'mostlyCapitals',
  'gluedHeading',
  'unpunctuated',
] as const;

/** One rule in one domain. */
export interface RuleFeatures extends Features, Oddities {
  readonly ruleId: string;
  readonly domain: string;
  /** Cases of the domain that use the rule. */
  readonly cases: number;
  readonly words: number;
  readonly exceptions: number;
  readonly mandatoryModals: number;
  readonly modals: number;
}

/** The different rules that cases use, in the order of their first case; a rule of two domains comes once for each. */
export function usedRules(cases: readonly Case[]): readonly {
  readonly domain: string;
  readonly ruleId: string;
  readonly rule: string;
  readonly cases: number;
}[] {
  const rules = new Map<string, { domain: string; ruleId: string; rule: string; cases: number }>();
  for (const { domain, ruleId, rule } of cases) {
    const key = JSON.stringify([domain, ruleId]);
    const known = rules.get(key);
    if (known === undefined) rules.set(key, { domain, ruleId, rule, cases: 1 });
    else known.cases++;
  }
  return [...rules.values()];
}

/** What counting alone does not give. */
export interface Sources {
  readonly syllables: SyllableCounter;
  /** Depth of a rule by its id and its text with collapsed white space; null: it has no parse. */
  readonly depth: (ruleId: string, text: string) => Depth | null;
}

/** Features of every rule that the cases use. */
export function featuresOfRules(cases: readonly Case[], sources: Sources): readonly RuleFeatures[] {
  const seen = new Set<string>();
  return usedRules(cases).map(({ domain, ruleId, rule, cases: count }) => {
    const text = collapse(rule);
    const content = JSON.stringify([domain, text]);
    const duplicate = seen.has(content);
    seen.add(content);
    const counts = countRule(text);
    const read = readability(text, sources.syllables);
    const blank = text === '';
    const depth = blank ? null : sources.depth(ruleId, text);
    return {
      domain,
      ruleId,
      cases: count,
      ecd: exceptionDensity(counts),
      crc: blank ? null : counts.crossReferences,
      mmr: mandatoryRatio(counts),
      mdd3: depth?.mdd3 ?? null,
      mdd: depth?.mdd ?? null,
      fkgl: read.grade,
      sentenceLengthLog2: sentenceLengthLog2(read),
      words: counts.words,
      exceptions: counts.exceptions,
      mandatoryModals: counts.mandatoryModals,
      modals: counts.modals,
      blank,
      duplicate,
      tablePipes: text.includes('|'),
      mostlyCapitals: isMostlyCapitals(text),
      gluedHeading: GLUED_HEADING.test(text),
      unpunctuated: read.unpunctuated,
    };
  });
}

const GLUED_HEADING = /\b(?:Article|Section|Chapter|Recital|Annex)\s+\d+[A-Z][a-z]/;

function isMostlyCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  return 2 * capitals > letters;
}
