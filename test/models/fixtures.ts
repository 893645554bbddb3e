import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { demoVocabulary } from '../../models/demo-model.js';
import { randomLlama } from '../../models/random-llama.js';
import {
  encodeGguf,
  type GgufFile,
  type GgufWriteTensor,
  toF16,
  writeGguf,
} from '../../src/engine/gguf-write.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'build', 'test-models');

export const DEMO_CORPUS = join(root, 'models', 'demo-corpus.jsonl');
export const DEMO_MODEL = join(root, 'models', 'demo-judge.gguf');

const SHAPE = {
  name: 'random llama for tests',
  seed: 7,
  layers: 4,
  width: 256,
  heads: 4,
  kvHeads: 2,
  feedForward: 512,
  contextLength: 4096,
};

/**
 * Path of a random llama-architecture model of 4 layers, width 256, 4 heads on 2 key-value heads and 1,100 tokens,
 * that answers like the demo judge. All rows are multiples of 256, so that every quantised format can be made of it.
 * F16 holds the rounded weights of F32. Written to build/test-models when it is not there.
 */
export async function randomModel(format: 'F32' | 'F16'): Promise<string> {
  return cached(`llama-${format}`, randomLlama({ ...SHAPE, format }, demoVocabulary(DEMO_CORPUS)));
}

/**
 * Path of a gemma2-architecture model with the random weights and the shape of `randomModel`: every other layer sees
 * `window` tokens only. Its answers have no form.
 */
export async function randomSlidingModel(format: 'F32' | 'F16', window = 32): Promise<string> {
  const { metadata, tensors } = randomLlama({ ...SHAPE, format: 'F32' }, demoVocabulary(DEMO_CORPUS));
  const renamed = Object.entries(metadata).map(([key, value]) => [key.replace(/^llama\./, 'gemma2.'), value]);
  const norms = Array.from({ length: SHAPE.layers }, (_, layer) =>
    ['post_attention_norm', 'post_ffw_norm'].map(part => ({
      name: `blk.${layer}.${part}.weight`,
      dims: [SHAPE.width],
      data: new Float32Array(SHAPE.width).fill(1),
    })),
  ).flat();
  // gemma2 multiplies embeddings by the root of the width, and its output matrix is the embedding.
  const scale = 1 / Math.sqrt(SHAPE.width);
  const matrices = tensors
    .filter(({ name }) => name !== 'output.weight')
    .map(tensor =>
      tensor.name === 'token_embd.weight'
        ? { ...tensor, data: (tensor.data as Float32Array).map(value => value * scale) }
        : tensor,
    )
    .map(({ name, dims, data }) => ({
      name,
      dims,
      data: format === 'F16' && dims.length > 1 ? toF16(data as Float32Array) : data,
    }));
  return cached(`gemma2-${window}-${format}`, {
    metadata: {
      ...Object.fromEntries(renamed),
      'general.architecture': { type: 'string', value: 'gemma2' },
      'general.name': { type: 'string', value: 'random gemma2 for tests' },
      'general.file_type': { type: 'u32', value: format === 'F16' ? 1 : 0 },
      'gemma2.attention.sliding_window': { type: 'u32', value: window },
      'gemma2.attn_logit_softcapping': { type: 'f32', value: 50 },
      'gemma2.final_logit_softcapping': { type: 'f32', value: 30 },
    },
    tensors: [...matrices, ...norms],
  });
}

/** Path of a tiny BERT encoder with mean pooling: a valid model that is no judge. */
export async function randomEncoder(): Promise<string> {
  return cached('bert-F32', randomBert());
}

/** The content is part of the name: a changed recipe makes another file. */
async function cached(name: string, file: GgufFile): Promise<string> {
  const hash = createHash('sha256').update(encodeGguf(file)).digest('hex').slice(0, 12);
  const path = join(cache, `${name}-${hash}.gguf`);
  if (!existsSync(path)) {
    mkdirSync(cache, { recursive: true });
    await writeGguf(path, file);
  }
  return path;
}

function randomBert(): GgufFile {
  const [width, feedForward, contextLength] = [32, 64, 64];
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz', letter => [`▁${letter}`, letter]).flat();
  const tokens = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', '▁rule', '▁the', ...letters];
  const generator = xoroshiro128plus(3);
  const random = (name: string, ...dims: readonly number[]): GgufWriteTensor => ({
    name,
    dims,
    data: Float32Array.from({ length: dims.reduce((a, b) => a * b) }, () => generator.next() * 2 ** -32),
  });
  const norm = (name: string): readonly GgufWriteTensor[] => [
    { name: `${name}.weight`, dims: [width], data: new Float32Array(width).fill(1) },
    { name: `${name}.bias`, dims: [width], data: new Float32Array(width) },
  ];
  const block = (layer: number): readonly GgufWriteTensor[] => [
    ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map(part =>
      random(`blk.${layer}.${part}.weight`, width, width),
    ),
    ...norm(`blk.${layer}.attn_output_norm`),
    random(`blk.${layer}.ffn_up.weight`, width, feedForward),
    random(`blk.${layer}.ffn_down.weight`, feedForward, width),
    ...norm(`blk.${layer}.layer_output_norm`),
  ];
  const u32 = (value: number) => ({ type: 'u32', value }) as const;
  return {
    metadata: {
      'general.architecture': { type: 'string', value: 'bert' },
      'general.name': { type: 'string', value: 'random encoder for tests' },
      'bert.block_count': u32(2),
      'bert.context_length': u32(contextLength),
      'bert.embedding_length': u32(width),
      'bert.feed_forward_length': u32(feedForward),
      'bert.attention.head_count': u32(2),
      'bert.attention.layer_norm_epsilon': { type: 'f32', value: 1e-12 },
      'bert.attention.causal': { type: 'bool', value: false },
      'bert.pooling_type': u32(1),
      'tokenizer.ggml.model': { type: 'string', value: 'bert' },
      'tokenizer.ggml.token_type_count': u32(2),
      'tokenizer.ggml.tokens': { type: 'array:string', value: tokens },
      'tokenizer.ggml.token_type': { type: 'array:i32', value: tokens.map((_, i) => (i < 5 ? 3 : 1)) },
      'tokenizer.ggml.padding_token_id': u32(0),
      'tokenizer.ggml.unknown_token_id': u32(1),
      'tokenizer.ggml.bos_token_id': u32(2),
      'tokenizer.ggml.seperator_token_id': u32(3),
      'tokenizer.ggml.mask_token_id': u32(4),
    },
    tensors: [
      random('token_embd.weight', width, tokens.length),
      random('position_embd.weight', width, contextLength),
      random('token_types.weight', width, 2),
      ...norm('token_embd_norm'),
      ...block(0),
      ...block(1),
    ],
  };
}
