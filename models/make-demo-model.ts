/**
 * Makes models/demo-judge.gguf and its card from models/demo-corpus.jsonl:
 * npx tsc -p tsconfig.models.json && node build/models/models/make-demo-model.js
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeGguf } from '../src/engine/gguf-write.js';
import { demoCard, demoModel } from './demo-model.js';

const corpus = join('models', 'demo-corpus.jsonl');
const bytes = encodeGguf(demoModel(corpus));
writeFileSync(join('models', 'demo-judge.gguf'), bytes);
writeFileSync(join('models', 'demo-judge.md'), demoCard(bytes));
console.log(
  `models/demo-judge.gguf: ${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}`,
);
