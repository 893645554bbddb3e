import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import {
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
} from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BYTE_CHARACTERS, byteCharacters } from '../../models/bpe.js';
import { demoCard, demoModel, demoVocabulary } from '../../models/demo-model.js';
import { readGgufHeader } from '../../src/engine/gguf-header.js';
import { encodeGguf } from '../../src/engine/gguf-write.js';
import { DEMO_CORPUS, DEMO_MODEL, randomEncoder, randomModel } from './fixtures.js';

// node-llama-cpp's own binding is the independent witness here: it knows nothing of our engine.
let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: 1 });
});
afterAll(() => llama.dispose());

interface DemoCase {
  readonly rule: string;
  readonly scenario: string;
}

const prompts = readFileSync(DEMO_CORPUS, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as DemoCase)
  .map(
    ({ rule, scenario }) =>
      `Rule: ${Array.from(rule).slice(0, 300).join('')}\nScenario: ${scenario}\n` +
      'Question: Does this scenario comply with the stated rule? Answer with exactly one word: ' +
      'Compliant or Non-compliant.\nAnswer:',
  );

async function withSequence<T>(model: LlamaModel, use: (sequence: LlamaContextSequence) => Promise<T>) {
  const context = await model.createContext({ contextSize: 1024 });
  try {
    return await use(context.getSequence());
  } finally {
    await context.dispose();
  }
}

async function answer(model: LlamaModel, sequence: LlamaContextSequence, prompt: string): Promise<string> {
  await sequence.clearHistory();
  const tokens = [];
  for await (const token of sequence.evaluate(model.tokenize(prompt), { temperature: 0 })) {
    if (model.isEogToken(token) || tokens.length === 6) break;
    tokens.push(token);
  }
  return model.detokenize(tokens);
}

describe('the vocabulary', () => {
  const { tokens, merges, endToken } = demoVocabulary(DEMO_CORPUS);

  it('has all bytes, the labels and no merged digit', () => {
    expect(tokens).toHaveLength(1100);
    expect(new Set(tokens).size).toBe(1100);
    expect(new Set(BYTE_CHARACTERS).size).toBe(256);
    expect(tokens.slice(0, 256)).toEqual(BYTE_CHARACTERS);
    expect(merges).toHaveLength(1100 - 256 - 1);
    expect(tokens[endToken]).toBe('<|end|>');
    for (const text of [' Compliant', ' Non', '-', 'compliant', ' the', 'Rule', 'Scenario', 'Answer']) {
      expect(tokens).toContain(byteCharacters(text));
    }
    expect(tokens.slice(256).filter(token => /\d/.test(token))).toEqual([]);
  });
});

describe('models/demo-judge.gguf', () => {
  it('is what the recipe makes, byte for byte, and its card says so', () => {
    const committed = readFileSync(DEMO_MODEL);
    expect(Buffer.compare(committed, encodeGguf(demoModel(DEMO_CORPUS)))).toBe(0);
    const card = readFileSync(DEMO_MODEL.replace(/gguf$/, 'md'), 'utf8');
    expect(card).toBe(demoCard(committed));
    expect(card).toContain(createHash('sha256').update(committed).digest('hex'));
  });

  it('passes the header check', async () => {
    expect(await readGgufHeader(DEMO_MODEL)).toMatchObject({
      architecture: 'llama',
      nLayer: 4,
      nEmbd: 64,
      nVocab: 1100,
      dominantType: 'F16',
      chatTemplate: null,
    });
  });

  it('is loaded by llama.cpp, reads any text, and answers both ways on the demo corpus', async () => {
    const model = await llama.loadModel({ modelPath: DEMO_MODEL });
    expect(model.tokens.shouldPrependBosToken).toBe(false);
    const texts = [
      '',
      ' ',
      'a  b\n\n\tc ',
      '1234.56 €',
      'naïve — “quoted” 日本語 🙂',
      'nbsp\u00a0x',
      ...prompts,
    ];
    for (const text of texts) {
      expect(model.detokenize(model.tokenize(text))).toBe(text);
    }
    expect(model.tokenize('2024')).toHaveLength(4);

    const answers = await withSequence(model, async sequence => {
      const found: string[] = [];
      for (const prompt of prompts.filter((_, i) => i % 6 === 0)) {
        found.push(await answer(model, sequence, prompt));
      }
      return found;
    });
    await model.dispose();
    expect(new Set(answers)).toEqual(new Set([' Compliant', ' Non-compliant']));
    const compliant = answers.filter(text => text === ' Compliant').length / answers.length;
    expect(compliant).toBeGreaterThan(0.25);
    expect(compliant).toBeLessThan(0.75);
  });
});

describe('models made for tests', () => {
  it('are accepted by the header check and by llama.cpp', async () => {
    for (const format of ['F32', 'F16'] as const) {
      const path = await randomModel(format);
      expect(await randomModel(format)).toBe(path);
      const header = await readGgufHeader(path);
      expect(header).toMatchObject({ nLayer: 4, nEmbd: 256, nVocab: 1100, dominantType: format });
      const model = await llama.loadModel({ modelPath: path });
      const text = await withSequence(model, sequence => answer(model, sequence, prompts[0] ?? ''));
      await model.dispose();
      expect([' Compliant', ' Non-compliant']).toContain(text);
    }
  });

  it('include an encoder that gives embeddings', async () => {
    const path = await randomEncoder();
    expect(existsSync(path)).toBe(true);
    expect(await readGgufHeader(path)).toMatchObject({ architecture: 'bert', nLayer: 2, nEmbd: 32 });
    const model = await llama.loadModel({ modelPath: path });
    const context = await model.createEmbeddingContext();
    const [one, two] = [await context.getEmbeddingFor('the rule'), await context.getEmbeddingFor('a b c')];
    await model.dispose();
    expect(one.vector).toHaveLength(32);
    expect(one.vector.every(Number.isFinite)).toBe(true);
    expect(one.vector).not.toEqual(two.vector);
  });
});
