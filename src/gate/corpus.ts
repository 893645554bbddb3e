import { statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { readCorpusFile } from '../corpus/read.js';
import { packageRoot } from '../engine/package-root.js';
import { PlumblineError } from '../errors.js';
import { jsonLines } from './json-lines.js';
import { CELLS, cellOf, type GateCorpus, type GatePair, LABELS, TASKS } from './types.js';

/** The file of a published corpus folder that holds the factorial pairs. */
const PUBLISHED_FILE = 'factorial_80.jsonl';

const EMBEDDED: Readonly<Record<string, string>> = {
  builtin: 'gate-corpus.jsonl',
  'held-out': 'gate-held-out.jsonl',
};

const EXPECTED = 'expected builtin, held-out, polaritycheck:DIR or jsonl:FILE';

const row = z.object({
  id: z.string().min(1),
  task: z.enum(TASKS),
  decision: z.enum(['SAME', 'OPPOSITE', 'FAITHFUL', 'VIOLATION']),
  lexical: z.enum(['CLOSE', 'DISTANT']),
  cell: z.enum(CELLS).optional(),
  anchor_group: z.string().min(1),
  subclass: z.string().min(1).optional(),
  register: z.string().min(1).optional(),
  text_a: z.string().min(1),
  text_b: z.string().min(1),
});

/**
 * Reads a factorial corpus: one pair a line, as docs/gates.md describes. Errors: USAGE, CORPUS_NOT_FOUND, CORPUS_FORMAT
 * (a line that is no pair, an id twice, a decision of the other task, a cell that contradicts its row), CORPUS_EMPTY.
 */
export async function readGateCorpus(spec: string): Promise<GateCorpus> {
  const { file, name } = locate(spec);
  const { text, file: facts } = await readCorpusFile(file, path.basename(file));
  const ids = new Map<string, number>();
  const pairs = jsonLines(text, file, 'CORPUS_FORMAT', row).map(({ line, value }): GatePair => {
    const place = `${file}:${line}`;
    const first = ids.get(value.id);
    if (first !== undefined)
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${place}: id ${value.id} was used on line ${first}: ids are unique`,
      );
    ids.set(value.id, line);
    const labels = LABELS[value.task];
    if (value.decision !== labels.same && value.decision !== labels.opposite) {
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${place}: decision ${value.decision} in the task ${value.task}: expected ${labels.same} or ${labels.opposite}`,
      );
    }
    const pair: GatePair = {
      id: value.id,
      task: value.task,
      decision: value.decision === labels.same ? 'same' : 'opposite',
      stratum: value.lexical === 'CLOSE' ? 'close' : 'distant',
      anchor: value.anchor_group,
      subclass: value.subclass ?? 'unspecified',
      register: value.register ?? null,
      textA: value.text_a,
      textB: value.text_b,
    };
    if (value.cell !== undefined && value.cell !== cellOf(pair)) {
      throw new PlumblineError(
        'CORPUS_FORMAT',
        `${place}: cell ${value.cell}, but ${value.decision} and ${value.lexical} are cell ${cellOf(pair)}`,
      );
    }
    return pair;
  });
  if (pairs.length === 0) throw new PlumblineError('CORPUS_EMPTY', `${file}: no pair in it`);
  return { name, sha256: facts.sha256, pairs };
}

function locate(spec: string): { readonly file: string; readonly name: string } {
  const embedded = EMBEDDED[spec];
  if (embedded !== undefined) return { file: path.join(packageRoot(), 'models', embedded), name: spec };
  const colon = spec.indexOf(':');
  const kind = spec.slice(0, Math.max(0, colon));
  const place = spec.slice(colon + 1);
  if (place !== '') {
    if (kind === 'polaritycheck') return { file: path.join(place, PUBLISHED_FILE), name: 'polaritycheck' };
    if (kind === 'jsonl') return { file: place, name: `jsonl ${path.basename(place)}` };
  }
  // A bare path: the folder of a published corpus, or a file of pairs.
  const found = statSync(spec, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { file: path.join(spec, PUBLISHED_FILE), name: 'polaritycheck' };
  if (found?.isFile()) return { file: spec, name: `jsonl ${path.basename(spec)}` };
  throw new PlumblineError('USAGE', `corpus ${JSON.stringify(spec)} is not understood; ${EXPECTED}`);
}

/** A corpus as on the command line, with an absolute path where it has one. */
export function absoluteCorpus(spec: string): string {
  if (EMBEDDED[spec] !== undefined) return spec;
  const [, kind = '', place = spec] = /^(polaritycheck:|jsonl:)(.+)$/s.exec(spec) ?? [];
  return kind + path.resolve(place);
}
