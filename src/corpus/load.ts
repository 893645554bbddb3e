import { fileURLToPath } from 'node:url';
import { PlumblineError } from '../errors.js';
import { loadOmniCompliance } from './omnicompliance.js';
import { type ColumnMap, loadCsv, loadJsonl } from './tabular.js';
import type { Corpus } from './types.js';

const DEMO_CORPUS = fileURLToPath(new URL('../../models/demo-corpus.jsonl', import.meta.url));

const EXPECTED = 'expected omnicompliance:DIR, jsonl:FILE, csv:FILE or demo';

/**
 * Reads a whole corpus.
 *
 * @param spec `omnicompliance:DIR`, `jsonl:FILE`, `csv:FILE`, or `demo` (the corpus in this package).
 * @param map column and label names; only for `jsonl` and `csv`.
 * @throws PlumblineError USAGE, CORPUS_NOT_FOUND, CORPUS_FORMAT, or CORPUS_EMPTY when every case was skipped.
 */
export async function loadCorpus(spec: string, map?: ColumnMap): Promise<Corpus> {
  const corpus = await read(spec, map);
  if (corpus.cases.length === 0) {
    const first = corpus.issues[0];
    throw new PlumblineError(
      'CORPUS_EMPTY',
      `${spec}: no usable case${first === undefined ? '' : `; ${corpus.issues.length} reported, the first: ${first.message}`}`,
    );
  }
  return corpus;
}

async function read(spec: string, map: ColumnMap | undefined): Promise<Corpus> {
  const colon = spec.indexOf(':');
  const kind = colon === -1 ? spec : spec.slice(0, colon);
  const path = colon === -1 ? '' : spec.slice(colon + 1);
  if (map !== undefined && kind !== 'jsonl' && kind !== 'csv') {
    throw new PlumblineError(
      'USAGE',
      `a column map was given for the corpus ${spec}; only jsonl and csv take one`,
    );
  }
  if (spec === 'demo') return { ...(await loadJsonl(DEMO_CORPUS)), format: 'demo' };
  if (path !== '') {
    if (kind === 'omnicompliance') return loadOmniCompliance(path);
    if (kind === 'jsonl') return loadJsonl(path, map);
    if (kind === 'csv') return loadCsv(path, map);
  }
  throw new PlumblineError('USAGE', `corpus ${JSON.stringify(spec)} is not understood; ${EXPECTED}`);
}
