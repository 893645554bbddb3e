import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';
import { createCollector } from './collect.js';
import { readCorpusFile } from './read.js';
import type { Corpus, CorpusFile, Label } from './types.js';

/** Its splits; those that are there are read, as one corpus. */
const SPLITS = ['train.json', 'dev.json', 'test.json'] as const;

/**
 * One domain, so that a draw of n cases holds n/2 of each label as in the paper. It also means that there is no other
 * domain to swap a rule from: `swap` does not apply to this corpus alone.
 */
const DOMAIN = 'contract_nli';

/** The choice that is neither, and by the protocol no case. */
const NEUTRAL = 'NotMentioned';

const LABELS: ReadonlyMap<string, Label> = new Map([
  ['Entailment', 1],
  ['Contradiction', 0],
]);

const NAMES = {
  id: 'id',
  domain: 'domain',
  rule: 'hypothesis',
  scenario: 'text',
  label: 'choice',
} as const;

/** What is read of a split; anything else in it is passed over. */
const splitSchema = z.object({
  documents: z.array(
    z.object({
      id: z.union([z.number(), z.string()]),
      text: z.string(),
      annotation_sets: z.array(
        z.object({ annotations: z.record(z.string(), z.object({ choice: z.string() })) }),
      ),
    }),
  ),
  labels: z.record(z.string(), z.object({ hypothesis: z.string() })),
});

/**
 * Reads ContractNLI: a folder with train.json, dev.json or test.json, or the folder above it. The rule is the
 * hypothesis, the scenario the whole contract; Entailment complies, Contradiction does not, and NotMentioned is left
 * out.
 *
 * @throws PlumblineError CORPUS_NOT_FOUND or CORPUS_FORMAT.
 */
export async function loadContractNli(directory: string): Promise<Corpus> {
  const collector = createCollector(LABELS);
  const files: CorpusFile[] = [];
  for (const name of SPLITS) {
    const path = await pathOf(directory, name);
    if (path === null) continue;
    const { text, file } = await readCorpusFile(path, name);
    files.push(file);
    const { documents, labels } = parseSplit(text, path);
    documents.forEach((document, at) => {
      for (const { annotations } of document.annotation_sets) {
        for (const [key, { choice }] of Object.entries(annotations)) {
          if (choice === NEUTRAL) continue;
          collector.add(
            {
              id: `${DOMAIN}/${name}#${document.id}/${key}`,
              domain: DOMAIN,
              rule: labels[key]?.hypothesis,
              scenario: document.text,
              label: choice,
            },
            { file: name, at, unit: 'index', idFile: name, index: at, names: NAMES },
          );
        }
      }
    });
  }
  if (files.length === 0) {
    throw new PlumblineError(
      'CORPUS_NOT_FOUND',
      `${directory}: none of ${SPLITS.join(', ')} in it or in its folder dataset; expected ContractNLI as it is distributed`,
    );
  }
  return { format: 'contract-nli', cases: collector.cases, issues: collector.issues, files };
}

async function pathOf(directory: string, name: string): Promise<string | null> {
  for (const path of [join(directory, name), join(directory, 'dataset', name)]) {
    if ((await stat(path).catch(() => null))?.isFile()) return path;
  }
  return null;
}

function parseSplit(text: string, path: string): z.infer<typeof splitSchema> {
  try {
    return splitSchema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? faultsOf(error) : messageOf(error);
    throw new PlumblineError('CORPUS_FORMAT', `${path}: not a split of ContractNLI: ${why}`, {
      cause: error,
    });
  }
}
