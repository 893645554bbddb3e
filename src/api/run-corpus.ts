import { z } from 'zod';
import { isEmbedded, loadCorpus } from '../corpus/load.js';
import type { ColumnMap } from '../corpus/tabular.js';
import type { Corpus, CorpusFile } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { nodeFiles } from '../run/files.js';
import { type Manifest, readLocal } from '../run/manifest.js';

/** The corpus of a run, or why it is not at hand. */
export type RunCorpus =
  | { readonly corpus: Corpus; readonly why: null }
  | { readonly corpus: null; readonly why: string };

const columnMapSchema: z.ZodType<ColumnMap> = z.object({
  columns: z.record(z.string(), z.string()).optional(),
  labels: z.record(z.string(), z.union([z.literal(0), z.literal(1)])).optional(),
});

/**
 * Reads the corpus that a run was made from again, at the place that local.json names. A run that was brought here from
 * another machine, or whose corpus has moved or changed, is no error: the answer says which.
 */
export async function corpusOfRun(dir: string, manifest: Manifest): Promise<RunCorpus> {
  const { format, files } = manifest.corpus;
  const map = columnMapSchema.nullish().safeParse(manifest.options.columnMap);
  if (!map.success) return { corpus: null, why: `${dir}/manifest.json holds no readable column map` };
  try {
    const embedded = isEmbedded(format);
    const path = embedded ? null : readLocal(nodeFiles, dir).corpusPath;
    if (!embedded && path === null) {
      return { corpus: null, why: `${dir}/local.json does not say where it is` };
    }
    const corpus = await loadCorpus(path === null ? format : `${format}:${path}`, map.data ?? undefined);
    const changed = changedFile(files, corpus.files);
    if (changed === null) return { corpus, why: null };
    return { corpus: null, why: `${changed} is not what it was when the run was made` };
  } catch (error) {
    if (!(error instanceof PlumblineError) || !NOT_AT_HAND.has(error.code)) throw error;
    return { corpus: null, why: error.message };
  }
}

const NOT_AT_HAND: ReadonlySet<string> = new Set([
  // Of local.json, which nothing but this depends on.
  'RUN_NOT_FOUND',
  'RUN_DAMAGED',
  'IO',
  'CORPUS_NOT_FOUND',
  'CORPUS_FORMAT',
  'CORPUS_EMPTY',
]);

/** The first file that differs, is missing or is new; null when all are as they were. */
function changedFile(then: readonly CorpusFile[], now: readonly CorpusFile[]): string | null {
  const before = new Map(then.map(file => [file.name, file.sha256]));
  const after = new Map(now.map(file => [file.name, file.sha256]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.find(name => before.get(name) !== after.get(name)) ?? null;
}
