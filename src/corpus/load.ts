import { fileURLToPath } from 'node:url';
import { PlumblineError } from '../errors.js';
import { loadArrow, loadParquet } from './columnar.js';
import { loadContractNli } from './contract-nli.js';
import { loadOmniCompliance } from './omnicompliance.js';
import { loadSara } from './sara.js';
import { type ColumnMap, loadCsv, loadJsonl } from './tabular.js';
import type { Corpus } from './types.js';

/** The corpora in this package. */
const EMBEDDED: Readonly<Record<string, string>> = {
  confounded: 'reference-confounded.jsonl',
  crossed: 'reference-crossed.jsonl',
  demo: 'demo-corpus.jsonl',
};

/** What can be loaded: the published corpora from a folder, tables of one's own from a file. */
const FOLDERS: Readonly<Record<string, (path: string) => Promise<Corpus>>> = {
  omnicompliance: loadOmniCompliance,
  'contract-nli': loadContractNli,
  sara: loadSara,
};
const TABLES: Readonly<Record<string, (path: string, map?: ColumnMap) => Promise<Corpus>>> = {
  jsonl: loadJsonl,
  csv: loadCsv,
  parquet: loadParquet,
  arrow: loadArrow,
};

/** Every spec of a corpus, in words. */
export const CORPUS_SPECS = [
  ...Object.keys(FOLDERS).map(kind => `${kind}:DIR`),
  ...Object.keys(TABLES).map(kind => `${kind}:FILE`),
  ...Object.keys(EMBEDDED),
]
  .join(', ')
  .replace(/, (\w+)$/, ' or $1');

/** true for a corpus that travels with this package. */
export function isEmbedded(format: string): boolean {
  return Object.hasOwn(EMBEDDED, format);
}

/**
 * Reads a whole corpus.
 *
 * @param spec one of {@link CORPUS_SPECS}; those without a colon are in this package.
 * @param map column and label names; only for tables.
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
  const folder = Object.hasOwn(FOLDERS, kind) ? FOLDERS[kind] : undefined;
  const table = Object.hasOwn(TABLES, kind) ? TABLES[kind] : undefined;
  if (map !== undefined && table === undefined) {
    throw new PlumblineError(
      'USAGE',
      `a column map was given for the corpus ${spec}; only ${Object.keys(TABLES).join(', ')} take one`,
    );
  }
  if (isEmbedded(spec)) {
    const file = fileURLToPath(new URL(`../../models/${EMBEDDED[spec]}`, import.meta.url));
    return { ...(await loadJsonl(file)), format: spec };
  }
  if (path !== '' && folder !== undefined) return folder(path);
  if (path !== '' && table !== undefined) return table(path, map);
  throw new PlumblineError(
    'USAGE',
    `corpus ${JSON.stringify(spec)} is not understood; expected ${CORPUS_SPECS}`,
  );
}
