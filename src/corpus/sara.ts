import { join } from 'node:path';
import { createCollector } from './collect.js';
import { readCorpusFile } from './read.js';
import { parseJsonLines } from './tabular.js';
import type { Corpus, Label } from './types.js';

const FILE = 'sara_entailment.jsonl';

const LABELS: ReadonlyMap<string, Label> = new Map([
  ['Entailment', 1],
  ['Contradiction', 0],
]);

const NAMES = {
  id: 'case_id',
  domain: 'section',
  rule: 'rule_text',
  scenario: 'fact_text and claim_text',
  label: 'label',
} as const;

/**
 * Reads the entailment cases of SARA: a folder with sara_entailment.jsonl, one object a line with case_id, section,
 * rule_text (the provision), fact_text, claim_text and label. The scenario is the facts and, on the next line, the
 * claim about them; a section of the code is a domain.
 *
 * @throws PlumblineError CORPUS_NOT_FOUND or CORPUS_FORMAT.
 */
export async function loadSara(directory: string): Promise<Corpus> {
  const path = join(directory, FILE);
  const { text, file } = await readCorpusFile(path, FILE);
  const collector = createCollector(LABELS);
  parseJsonLines(text, path).forEach(({ at, values }, index) => {
    const { case_id: id, section, rule_text: rule, fact_text: facts, claim_text: claim, label } = values;
    collector.add(
      {
        id: id ?? null,
        domain: typeof section === 'string' || typeof section === 'number' ? `sara_${section}` : undefined,
        rule,
        scenario: typeof facts === 'string' && typeof claim === 'string' ? `${facts}\n${claim}` : undefined,
        label,
      },
      { file: FILE, at, unit: 'line', idFile: FILE, index, names: NAMES },
    );
  });
  return { format: 'sara', cases: collector.cases, issues: collector.issues, files: [file] };
}
