import type { AcrossNote, AcrossRun, AcrossSummary } from '../audit/across-types.js';
import { whole } from './format.js';
import { printable } from './table.js';

/** A note as a sentence for the person. Names are made safe to print. */
export function acrossNoteText(note: AcrossNote, across: AcrossSummary): string {
  const runs = note.runs.map(printable).join(', ');
  const told = (of: (row: AcrossRun) => string): string => byValue(across.runs, note.runs, of);
  switch (note.kind) {
    case 'same-plan-and-subject':
      return `${runs}: the same judge under the same plan, so a repetition and no further evidence.`;
    case 'same-subject':
      return `${runs}: the same judge, so no further evidence of what goes with OCS over judges.`;
    case 'other-corpora':
      return (
        `The corpus files differ: ${told(({ corpus }) => corpus)}. A sample counts as shared when its id, domain, ` +
        'rule and label are equal.'
      );
    case 'other-samples':
      return `The samples differ (${told(({ samples }) => whole(samples))}). ${commonWords(across)}`;
    case 'conflicting-samples':
      return `${runs}: some samples have the same id and another domain, rule or label. They are not compared.`;
    case 'other-seeds':
      return `The seeds differ: ${told(({ seed }) => String(seed))}. The same sample has other swaps and placebos under another seed.`;
    case 'other-profiles':
      return (
        `The prompts differ: ${told(({ profiles }) => profiles.join(', '))}. A difference between rows may be the ` +
        'prompt, not the judge.'
      );
    case 'other-conditions':
      return (
        `The conditions differ: ${told(({ conditions }) => conditions.join(', '))}. Aggregates and groups are of ` +
        'different things; LOW and HIGH are compared only where the same conditions apply.'
      );
    case 'no-verdicts':
      return `${runs}: no verdicts were read (--ics-only), so only the residual stream is in the tables.`;
    case 'rule-blind':
      return `${runs}: never sees the rule, so its OCS is 0 by construction. It is the floor, not a judge.`;
    case 'incomplete':
      return `Not complete: ${told(({ missingRows, errorRows }) => `${whole(missingRows ?? 0)} rows missing and ${whole(errorRows)} with an error`)}.`;
    case 'inexact':
      return `Not exact: ${runs}. The batch alone can flip their fragile pairs; a line stands without those.`;
  }
}

/** `100 in a, b; 140 in c`. */
function byValue(
  rows: readonly AcrossRun[],
  names: readonly string[],
  of: (row: AcrossRun) => string,
): string {
  const having = new Map<string, string[]>();
  for (const row of rows.filter(({ run }) => names.includes(run))) {
    const value = printable(of(row));
    having.set(value, [...(having.get(value) ?? []), printable(row.run)]);
  }
  const [[value] = [''], ...others] = having;
  if (others.length === 0 && names.length > 1) return `${value} in each`;
  return [...having].map(([told, runs]) => `${told} in ${runs.join(', ')}`).join('; ');
}

function commonWords({ common }: AcrossSummary): string {
  if (common === null) return '';
  if (common.samples === 0) return 'No sample is in all runs, so no table is over the same samples.';
  return `Rows are over different samples; the last tables are over the ${whole(common.samples)} that all runs have.`;
}
