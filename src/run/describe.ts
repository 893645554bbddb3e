import type { Manifest } from './manifest.js';

/** Who answered: the model file, or the floor that needs none. */
export function subjectOf({ model, options }: Manifest): string {
  if (model !== null) return model.name;
  return typeof options.subject === 'string' ? options.subject : 'a subject without a model';
}

/** `jsonl cases.jsonl`, `omnicompliance (66 files)`. */
export function corpusName({ corpus: { format, files } }: Manifest): string {
  const [only, ...more] = files;
  if (format === 'demo' || only === undefined) return format;
  return more.length === 0 ? `${format} ${only.name}` : `${format} (${files.length} files)`;
}
