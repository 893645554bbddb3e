/**
 * Writes what models/train reads, into the folder given: the vocabulary and prompts as token ids.
 * npx tsc -p tsconfig.models.json && node build/models/models/make-training-data.js FOLDER
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import {
  CONDITIONS,
  confoundedRow,
  encodeRows,
  evaluationSets,
  mixedRow,
  referenceVocabulary,
  type TrainingRow,
} from './reference-training.js';

const MIXED = { seed: 20_264, rows: 200_000 };
const CONFOUNDED = { seed: 20_265, rows: 40_000 };

const folder = process.argv[2];
if (folder === undefined) throw new Error('give the folder to write to');
mkdirSync(folder, { recursive: true });

const vocabulary = referenceVocabulary();
writeFileSync(join(folder, 'vocabulary.json'), JSON.stringify(vocabulary));

function write(name: string, rows: readonly TrainingRow[]): void {
  const { columns, tokens, meta } = encodeRows(rows, vocabulary);
  writeFileSync(join(folder as string, `${name}.tokens.u16`), tokens);
  writeFileSync(join(folder as string, `${name}.meta.i32`), meta);
  writeFileSync(
    join(folder as string, `${name}.json`),
    JSON.stringify({ rows: rows.length, columns, conditions: CONDITIONS }),
  );
  console.log(`${name}: ${rows.length} prompts, ${tokens.length} tokens`);
}

const mixed = xoroshiro128plus(MIXED.seed);
write(
  'mixed',
  Array.from({ length: MIXED.rows }, () => mixedRow(mixed)),
);
const confounded = xoroshiro128plus(CONFOUNDED.seed);
write(
  'confounded',
  Array.from({ length: CONFOUNDED.rows }, () => confoundedRow(confounded)),
);
for (const [name, rows] of Object.entries(evaluationSets())) write(`${name}-evaluation`, rows);
