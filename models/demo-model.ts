import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { GgufFile } from '../src/engine/gguf-write.js';
import { learnVocabulary, type Vocabulary } from './bpe.js';
import { type LlamaShape, randomLlama } from './random-llama.js';

const VOCABULARY_SIZE = 1100;

/** Chosen so that both verdicts are common on the demo corpus. */
const SEED = 5;

const SHAPE: LlamaShape = {
  name: 'plumbline demo judge (random weights)',
  seed: SEED,
  layers: 4,
  width: 64,
  heads: 2,
  kvHeads: 2,
  feedForward: 160,
  contextLength: 4096,
  format: 'F16',
};

interface DemoCase {
  readonly rule: string;
  readonly scenario: string;
}

/** Learns the vocabulary from the prompts of a corpus in JSON lines (fields rule and scenario). */
export function demoVocabulary(corpusPath: string): Vocabulary {
  const cases = readFileSync(corpusPath, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as DemoCase);
  return learnVocabulary(cases.map(prompt), VOCABULARY_SIZE);
}

/** The frame is that of the `standard` profile, so that its words and both labels become tokens. */
function prompt({ rule, scenario }: DemoCase): string {
  return [
    `Rule: ${rule}`,
    `Scenario: ${scenario}`,
    'Question: Does this scenario comply with the stated rule? Answer with exactly one word: Compliant or Non-compliant.',
    'Answer: Compliant',
  ].join('\n');
}

/** The judge with random weights: the same bytes for the same corpus, on every machine. */
export function demoModel(corpusPath: string): GgufFile {
  return randomLlama(SHAPE, demoVocabulary(corpusPath));
}

/** The card that stands beside the model file with these bytes. */
export function demoCard(bytes: Uint8Array): string {
  const { layers, width, heads, feedForward, contextLength, seed } = SHAPE;
  return `# demo-judge.gguf

**Random weights. Its verdicts mean nothing.** The model exists so that tests, examples, \`doctor\` and \`bench\`
have a small one without a download: it is a judge in form only. (\`demo\` audits the judges in \`reference/\`.)

- architecture: llama, ${layers} layers, width ${width}, ${heads} heads, feed-forward ${feedForward}, context ${contextLength}, untied output
- format: GGUF 3, F16 matrices, F32 norms, ${bytes.length} bytes
- tokeniser: byte-level BPE, ${VOCABULARY_SIZE} entries, learned from the prompts of demo-corpus.jsonl; digits are never
  merged; no BOS
- weights: uniform, xoroshiro128+ with seed ${seed}
- SHA-256: \`${sha256(bytes)}\`
- license: Apache-2.0, like the rest of the repository

What is not random is the form of the answer: a few coordinates of the residual stream lead the model to answer
" Compliant" or " Non-compliant" and to stop. Which of the two it says is decided by the random part, that is by accident
of the wording; where it is right, it is right by accident. The seed was chosen so that both verdicts are common on the
demo corpus under the \`standard\` profile. Profiles that ask for more than a verdict get no more than one.

To make it again: \`npx tsc -p tsconfig.models.json && node build/models/models/make-demo-model.js\`. Equal corpus, equal
bytes, on any machine.
`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
