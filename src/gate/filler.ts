import path from 'node:path';
import { z } from 'zod';
import { readCorpusFile } from '../corpus/read.js';
import { packageRoot } from '../engine/package-root.js';
import { jsonLines } from './json-lines.js';

/** Neutral sentences of one register: none of them orders, allows or forbids anything. */
export interface FillerRegister {
  readonly register: string;
  readonly sentences: readonly string[];
}

export interface Filler {
  readonly sha256: string;
  readonly registers: readonly FillerRegister[];
}

const FILE = 'gate-filler.jsonl';

const row = z.strictObject({ register: z.string().min(1), sentences: z.array(z.string().min(1)).min(1) });

/** The embedded filler. Errors: CORPUS_NOT_FOUND, CORPUS_FORMAT for a broken installation. */
export async function readFiller(): Promise<Filler> {
  const file = path.join(packageRoot(), 'models', FILE);
  const { text, file: facts } = await readCorpusFile(file, FILE);
  const registers = jsonLines(text, file, 'CORPUS_FORMAT', row).map(({ value }) => value);
  return { sha256: facts.sha256, registers };
}
