import type { Profile, Segment } from './types.js';

/** The part of a rule that the prompt shows: its first code points as Python counts them, never trimmed; '' without a rule line. */
export function shownRule(profile: Profile, rule: string): string {
  if (!profile.parts.some(part => 'field' in part && part.field === 'rule')) return '';
  return profile.ruleChars === null ? rule : firstCodePoints(rule, profile.ruleChars);
}

/**
 * The prompt as segments, before any chat template. Empty fields give no segment; the text around them stays as it is.
 */
export function renderPrompt(profile: Profile, rule: string, scenario: string): readonly Segment[] {
  return profile.parts
    .map((part): Segment => {
      if ('text' in part) return { kind: 'template', text: part.text };
      return { kind: 'data', text: part.field === 'rule' ? shownRule(profile, rule) : scenario };
    })
    .filter(({ text }) => text !== '');
}

/** The prompt as one text, as hashed and shown. */
export function profileText(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join('');
}

function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
