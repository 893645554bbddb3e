import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf, PlumblineError } from '../../errors.js';
import { exportedConstants, type ImportedConstants, mentionsEmbeddings, scanSource } from './scan-source.js';
import { languageOf, parseSource, type Source } from './syntax.js';
import type { Finding, ScanResult } from './types.js';

/** Folders of other people's code and of build outputs. */
const PASSED_OVER: ReadonlySet<string> = new Set([
  'node_modules',
  'dist',
  'build',
  'out',
  'target',
  'vendor',
  'venv',
  'site-packages',
  '__pycache__',
  'coverage',
]);
const LARGEST = 1_000_000;
const LONGEST_LINE = 20_000;

/**
 * Scans a file or every TypeScript, JavaScript and Python file below a folder, links and hidden folders left out.
 * Errors: USAGE when there is nothing at the path.
 */
export function scanTree(root: string): ScanResult {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found === undefined)
    throw new PlumblineError('USAGE', `${root} does not exist: expected a file or a folder to scan`);
  const skipped: { readonly file: string; readonly why: string }[] = [];
  const base = found.isDirectory() ? root : path.dirname(root);
  const names = found.isDirectory() ? filesBelow(root, '') : [path.basename(root)];
  // Parsed twice, so that one tree at a time is held: constants first, then the gates that may import them.
  const values = new Map<string, { readonly value: number; readonly file: string }[]>();
  let speaks = false;
  for (const source of sources(base, names, skipped)) {
    speaks ||= mentionsEmbeddings(source);
    for (const [name, value] of exportedConstants(source))
      values.set(name, [...(values.get(name) ?? []), { value, file: source.file }]);
  }
  const imported: ImportedConstants = new Map(
    [...values].flatMap(([name, [only, ...others]]) =>
      only !== undefined && others.every(({ value }) => value === only.value) ? [[name, only] as const] : [],
    ),
  );
  const findings: Finding[] = [];
  let files = 0;
  for (const source of sources(base, names, [])) {
    files++;
    findings.push(...scanSource(source, { imported, speaksOfEmbeddings: speaks }));
  }
  return { files, skipped, findings };
}

function* sources(
  base: string,
  names: readonly string[],
  skipped: { file: string; why: string }[],
): Generator<Source> {
  for (const name of names) {
    const language = languageOf(path.extname(name));
    if (language === undefined) continue;
    const file = name.split(path.sep).join('/');
    try {
      const full = path.join(base, name);
      if (statSync(full).size > LARGEST) throw new Error(`larger than ${LARGEST} bytes`);
      const text = readFileSync(full, 'utf8');
      if (longestLine(text) > LONGEST_LINE)
        throw new Error(`a line of more than ${LONGEST_LINE} characters, as minified files have`);
      yield parseSource(file, text, language);
    } catch (error) {
      skipped.push({ file, why: messageOf(error) });
    }
  }
}

function filesBelow(root: string, folder: string): readonly string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const name = path.join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name.startsWith('.') || PASSED_OVER.has(entry.name) ? [] : filesBelow(root, name);
      return entry.isFile() && !/\.(d\.[cm]?ts|min\.js)$/.test(entry.name) ? [name] : [];
    });
}

function longestLine(text: string): number {
  let longest = 0;
  for (let start = 0; start < text.length; ) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    longest = Math.max(longest, end - start);
    start = end + 1;
  }
  return longest;
}
