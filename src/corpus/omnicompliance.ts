import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { messageOf, PlumblineError } from '../errors.js';
import { createCollector } from './collect.js';
import { readCorpusFile } from './read.js';
import type { Corpus, CorpusFile, Label } from './types.js';

/** Folders of the published corpus, and how the paper's domain names begin for what is in them. */
const CATEGORIES: ReadonlyMap<string, { readonly prefix: string; readonly domainPer: 'folder' | 'file' }> =
  new Map([
    ['cyber_security', { prefix: 'cybersecurity', domainPer: 'folder' }],
    ['edu', { prefix: 'edu', domainPer: 'folder' }],
    ['finance', { prefix: 'finance', domainPer: 'file' }],
    ['foundation_rights', { prefix: 'foundation_rights', domainPer: 'folder' }],
    ['medical', { prefix: 'medical', domainPer: 'file' }],
    ['policys', { prefix: 'policy', domainPer: 'folder' }],
    ['privacy', { prefix: '', domainPer: 'folder' }],
  ]);

const LABELS: ReadonlyMap<string, Label> = new Map([
  ['COMPLIES', 1],
  ['VIOLATES', 0],
]);

const NAMES = {
  id: 'id',
  domain: 'domain',
  rule: 'source_rule',
  scenario: 'example_background',
  label: 'relation_to_rule',
} as const;

/**
 * Reads the cases of OmniCompliance-100K: the repository, its `data` or `data/cases` folder, any folder below that, or
 * a plain directory of case files.
 */
export async function loadOmniCompliance(directory: string): Promise<Corpus> {
  const { base, start } = await findCases(directory);
  const collector = createCollector(LABELS);
  const files: CorpusFile[] = [];
  for (const path of await jsonFilesUnder(start)) {
    const name = relative(base, path).split(sep).join('/');
    const { domain, idFile } = placeOf(name);
    const { text, file } = await readCorpusFile(path, name);
    files.push(file);
    parseCases(text, path).forEach((record, index) => {
      collector.add(
        {
          id: undefined,
          domain,
          rule: record[NAMES.rule],
          scenario: record[NAMES.scenario],
          label: record[NAMES.label],
        },
        { file: name, at: index, unit: 'index', idFile, index, names: NAMES },
      );
    });
  }
  if (files.length === 0) {
    throw new PlumblineError(
      'CORPUS_FORMAT',
      `${directory}: no case files (*.json) below it; expected a checkout of OmniCompliance-100K or its data/cases folder`,
    );
  }
  return { format: 'omnicompliance', cases: collector.cases, issues: collector.issues, files };
}

/**
 * The paper's name of the domain that a case file belongs to, and the file's part of the sample id. Some categories
 * hold a folder for each domain, some a file for each, and one is a domain itself; the collection's time stamps are
 * not part of a name.
 *
 * @param name path below `cases`, with forward slashes.
 */
export function placeOf(name: string): { readonly domain: string; readonly idFile: string } {
  const parts = name.split('/');
  const topic = basename(name, '.json').replace(/_\d{8}_\d{6}$/, '');
  const [category, folder] = parts;
  if (category === undefined || parts.length === 1) return { domain: plain(topic), idFile: name };
  const { prefix, domainPer } = CATEGORIES.get(category) ?? { prefix: category, domainPer: 'folder' };
  if (parts.length === 2 || folder === undefined) {
    return {
      domain: plain(domainPer === 'file' ? joined(prefix, topic) : category),
      idFile: parts.slice(1).join('/'),
    };
  }
  return { domain: plain(joined(prefix, folder)), idFile: parts.slice(2).join('/') };
}

function joined(prefix: string, topic: string): string {
  return prefix === '' || topic.startsWith(`${prefix}_`) ? topic : `${prefix}_${topic}`;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

function parseCases(text: string, path: string): readonly Readonly<Record<string, unknown>>[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PlumblineError('CORPUS_FORMAT', `${path}: not valid JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!Array.isArray(value)) {
    throw new PlumblineError('CORPUS_FORMAT', `${path}: expected a JSON array of cases`);
  }
  return value.map((record: unknown, index) => {
    if (!isRecord(record)) {
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${path}: element ${index} is not a JSON object; expected a case`,
      );
    }
    return record;
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `base` is the folder that names are relative to, `start` the one to read. */
async function findCases(directory: string): Promise<{ readonly base: string; readonly start: string }> {
  const start = resolve(directory);
  for (const inside of [join(start, 'data', 'cases'), join(start, 'cases')]) {
    if (await isFolder(inside)) return { base: inside, start: inside };
  }
  for (let above = start; above !== dirname(above); above = dirname(above)) {
    if (basename(above) === 'cases') return { base: above, start };
  }
  return { base: start, start };
}

/** In code-unit order, so that file order is the same on every machine. */
async function jsonFilesUnder(directory: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const name of await namesIn(directory)) {
    if (name.startsWith('.')) continue;
    const path = join(directory, name);
    if (await isFolder(path)) paths.push(...(await jsonFilesUnder(path)));
    else if (name.endsWith('.json')) paths.push(path);
  }
  return paths;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch (error) {
    throw new PlumblineError(
      'CORPUS_NOT_FOUND',
      `cannot read the corpus folder ${directory}: ${messageOf(error)}`,
      {
        cause: error,
      },
    );
  }
}
