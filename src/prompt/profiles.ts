import type { Profile, TextReader } from './types.js';

export type ProfileName =
  | 'standard'
  | 'rule-anchored'
  | 'standard-full'
  | 'anchored-300'
  | 'scenario-only'
  | 'llama-guard';

const RULE = { field: 'rule' } as const;
const SCENARIO = { field: 'scenario' } as const;

const ASK =
  '\nQuestion: Does this scenario comply with the stated rule? Answer with exactly one word: Compliant or Non-compliant.\nAnswer:';

const ASK_FOR_CLAUSE =
  '\nInstruction: First identify and copy the specific clause of the rule that applies most directly to this scenario. ' +
  "Then, on a new line starting with exactly 'Compliance verdict:', answer with exactly one word: Compliant or " +
  'Non-compliant.\nMost relevant clause:';

/** The rule's first characters that the paper's standard prompt shows. */
const SHOWN_CHARS = 300;

const LABELS = { compliant: ' Compliant', nonCompliant: ' Non-compliant' } as const;

/** The search of the paper: exactly these strings, so "noncompliant" and "not compliant" read as compliant there too. */
const WORDS = {
  kind: 'words',
  nonCompliant: ['non-compliant', 'non compliant'],
  compliant: ['compliant'],
  marker: null,
} as const satisfies TextReader;

const AFTER_MARKER = { ...WORDS, marker: 'Compliance verdict:' } as const satisfies TextReader;

const DIRECT = { labels: LABELS, reader: WORDS, maxTokens: 8, chat: 'none' } as const;
const QUOTE_FIRST = { labels: LABELS, reader: AFTER_MARKER, maxTokens: 256, chat: 'none' } as const;

function withRule(ask: string): Profile['parts'] {
  return [{ text: 'Rule: ' }, RULE, { text: '\nScenario: ' }, SCENARIO, { text: ask }];
}

/** The prompts of the protocol, by name. Their strings are constants: a changed one is another experiment. */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  standard: {
    name: 'standard',
    description: "The paper's prompt: the rule's first 300 characters, a one-word answer.",
    parts: withRule(ASK),
    ruleChars: SHOWN_CHARS,
    ...DIRECT,
  },
  'rule-anchored': {
    name: 'rule-anchored',
    description: "The paper's remedy: the whole rule, and its relevant clause is quoted before the verdict.",
    parts: withRule(ASK_FOR_CLAUSE),
    ruleChars: null,
    ...QUOTE_FIRST,
  },
  'standard-full': {
    name: 'standard-full',
    description:
      'The standard question over the whole rule: one of the two changes that rule-anchored makes.',
    parts: withRule(ASK),
    ruleChars: null,
    ...DIRECT,
  },
  'anchored-300': {
    name: 'anchored-300',
    description: 'Quote first, over 300 characters of the rule: the other change that rule-anchored makes.',
    parts: withRule(ASK_FOR_CLAUSE),
    ruleChars: SHOWN_CHARS,
    ...QUOTE_FIRST,
  },
  'scenario-only': {
    name: 'scenario-only',
    description: 'The standard question with no rule line at all.',
    parts: [{ text: 'Scenario: ' }, SCENARIO, { text: ASK }],
    ruleChars: null,
    ...DIRECT,
  },
  'llama-guard': {
    name: 'llama-guard',
    description: "Llama Guard 3's own skeleton with the rule as its one category.",
    parts: [
      {
        text:
          '<|start_header_id|>user<|end_header_id|>\n\n' +
          "Task: Check if there is a regulatory compliance violation in the 'User' message below, according to the " +
          'compliance policy defined below.\n\n<BEGIN COMPLIANCE POLICY>\nO1: ',
      },
      RULE,
      { text: '\n<END COMPLIANCE POLICY>\n\n<BEGIN CONVERSATION>\n\nUser: ' },
      SCENARIO,
      {
        text:
          '\n\n<END CONVERSATION>\n\n' +
          'Provide your compliance assessment for ONLY THE LAST User message in the above conversation:\n' +
          " - First line must read 'safe' or 'unsafe'.\n" +
          ' - If unsafe, a second line must include a comma-separated list of violated categories.' +
          '<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
      },
    ],
    ruleChars: null,
    labels: { compliant: 'safe', nonCompliant: 'unsafe' },
    reader: { kind: 'first-line', nonCompliant: ['unsafe'], compliant: ['safe'] },
    maxTokens: 8,
    chat: 'none',
  },
};
