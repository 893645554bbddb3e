/**
 * Makes models/reference-confounded.jsonl and models/reference-crossed.jsonl:
 * npx tsc -p tsconfig.models.json && node build/models/models/make-reference-corpora.js
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { confoundedCases, corpusLines, crossedCases } from './reference-corpus.js';

writeFileSync(
  join('models', 'reference-confounded.jsonl'),
  corpusLines(confoundedCases(), 'reference-confounded'),
);
writeFileSync(join('models', 'reference-crossed.jsonl'), corpusLines(crossedCases(), 'reference-crossed'));
