import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type GgufFile, type GgufWriteTensor, type GgufWriteValue, toF16 } from '../src/engine/gguf-write.js';
import { byteCharacters, type Vocabulary } from './bpe.js';

/** Shape of a llama-architecture model. `width` is a multiple of `heads`, `heads` of `kvHeads`. */
export interface LlamaShape {
  readonly name: string;
  readonly seed: number;
  readonly layers: number;
  readonly width: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly feedForward: number;
  readonly contextLength: number;
  /** Format of the matrices; vectors are F32 always. */
  readonly format: 'F32' | 'F16';
}

// The weights are random, the form of the answer is not: the first coordinates of the residual stream are kept out
// of the layers and carry it. A constant makes the first token a label; which of the two is left to the random part.
// Marks on the label tokens then lead from " Non" over "-" and "compliant" to the end token.
const CONSTANT = 0;
const AFTER_NON = 1;
const AFTER_DASH = 2;
const ANSWERED = 3;
const RESERVED = 4;
const CONSTANT_SIZE = 3;
const MARK_SIZE = 12;
const LABEL_GAIN = 14;
const MARK_GAIN = 8;

/** Standard deviations times the square root of the inputs; queries and keys are large so that attention is selective. */
const GAIN = { embedding: 1, query: 1.7, value: 1, output: 1.2, feedForward: 1.4, head: 1.5 };

/**
 * Builds a llama-architecture model of random weights that answers " Compliant" or " Non-compliant" and stops.
 * The bytes follow from the arguments alone: only additions, multiplications and square roots are used.
 */
export function randomLlama(shape: LlamaShape, vocabulary: Vocabulary): GgufFile {
  const { width, layers, kvHeads, heads, feedForward } = shape;
  const random = weights(shape);
  const kvWidth = (width / heads) * kvHeads;
  const vocabularySize = vocabulary.tokens.length;

  const embedding = random('token_embd.weight', width, vocabularySize, GAIN.embedding * Math.sqrt(width));
  const output = random('output.weight', width, vocabularySize, GAIN.head);
  plantAnswer(embedding, output, vocabulary, width);

  const tensors: GgufWriteTensor[] = [embedding, output, vector('output_norm.weight', width, 0)].map(tensor =>
    toFormat(tensor, shape.format),
  );
  for (let layer = 0; layer < layers; layer++) {
    const name = (part: string) => `blk.${layer}.${part}.weight`;
    const block = [
      vector(name('attn_norm'), width, RESERVED),
      random(name('attn_q'), width, width, GAIN.query),
      random(name('attn_k'), width, kvWidth, GAIN.query),
      random(name('attn_v'), width, kvWidth, GAIN.value),
      silent(random(name('attn_output'), width, width, GAIN.output)),
      vector(name('ffn_norm'), width, RESERVED),
      random(name('ffn_gate'), width, feedForward, GAIN.feedForward),
      random(name('ffn_up'), width, feedForward, GAIN.feedForward),
      silent(random(name('ffn_down'), feedForward, width, GAIN.feedForward)),
    ];
    tensors.push(...block.map(tensor => toFormat(tensor, shape.format)));
  }
  return { metadata: { ...llamaMetadata(shape), ...tokenizerMetadata(vocabulary) }, tensors };
}

interface Matrix {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

/** Uniform weights: `inputs` contiguous values for each output, of standard deviation gain / sqrt(inputs). */
function weights({ seed }: LlamaShape) {
  const generator = xoroshiro128plus(seed);
  return (name: string, inputs: number, outputs: number, gain: number): Matrix => {
    const scale = (gain * Math.sqrt(3)) / Math.sqrt(inputs) / 2 ** 31;
    const data = Float32Array.from({ length: inputs * outputs }, () => generator.next() * scale);
    return { name, dims: [inputs, outputs], data };
  };
}

function vector(name: string, length: number, zeros: number): Matrix {
  return { name, dims: [length], data: new Float32Array(length).fill(1, zeros) };
}

/** Keeps a layer from writing into the reserved coordinates. */
function silent(matrix: Matrix): Matrix {
  const [inputs = 0] = matrix.dims;
  matrix.data.fill(0, 0, inputs * RESERVED);
  return matrix;
}

function plantAnswer(embedding: Matrix, output: Matrix, { tokens, endToken }: Vocabulary, width: number) {
  const row = (matrix: Matrix, token: number) => matrix.data.subarray(token * width, (token + 1) * width);
  for (let token = 0; token < tokens.length; token++) {
    row(embedding, token).fill(0, 0, RESERVED);
    row(embedding, token)[CONSTANT] = CONSTANT_SIZE;
    row(output, token).fill(0, 0, RESERVED);
  }
  const id = (text: string) => {
    const token = tokens.indexOf(byteCharacters(text));
    if (token < 0)
      throw new Error(`the vocabulary has no token "${text}": learn it from texts that hold the labels`);
    return token;
  };
  row(output, id(' Compliant'))[CONSTANT] = LABEL_GAIN;
  row(output, id(' Non'))[CONSTANT] = LABEL_GAIN;
  row(embedding, id(' Non'))[AFTER_NON] = MARK_SIZE;
  row(output, id('-'))[AFTER_NON] = MARK_GAIN;
  row(embedding, id('-'))[AFTER_DASH] = MARK_SIZE;
  row(output, id('compliant'))[AFTER_DASH] = MARK_GAIN;
  row(embedding, id(' Compliant'))[ANSWERED] = MARK_SIZE;
  row(embedding, id('compliant'))[ANSWERED] = MARK_SIZE;
  row(output, endToken)[ANSWERED] = MARK_GAIN;
}

function toFormat({ name, dims, data }: Matrix, format: 'F32' | 'F16'): GgufWriteTensor {
  return { name, dims, data: format === 'F16' && dims.length > 1 ? toF16(data) : data };
}

function llamaMetadata(shape: LlamaShape): Record<string, GgufWriteValue> {
  const u32 = (value: number) => ({ type: 'u32', value }) as const;
  return {
    'general.architecture': { type: 'string', value: 'llama' },
    'general.name': { type: 'string', value: shape.name },
    'general.license': { type: 'string', value: 'apache-2.0' },
    'general.file_type': u32(shape.format === 'F16' ? 1 : 0),
    'llama.block_count': u32(shape.layers),
    'llama.context_length': u32(shape.contextLength),
    'llama.embedding_length': u32(shape.width),
    'llama.feed_forward_length': u32(shape.feedForward),
    'llama.attention.head_count': u32(shape.heads),
    'llama.attention.head_count_kv': u32(shape.kvHeads),
    'llama.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-5 },
    'llama.rope.dimension_count': u32(shape.width / shape.heads),
  };
}

const NORMAL = 1;
const CONTROL = 3;

function tokenizerMetadata({ tokens, merges, endToken }: Vocabulary): Record<string, GgufWriteValue> {
  const types = tokens.map((_, token) => (token === endToken ? CONTROL : NORMAL));
  return {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'gpt-2' },
    'tokenizer.ggml.tokens': { type: 'array:string', value: tokens },
    'tokenizer.ggml.token_type': { type: 'array:i32', value: types },
    'tokenizer.ggml.merges': { type: 'array:string', value: merges },
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: endToken },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.ggml.add_eos_token': { type: 'bool', value: false },
  };
}
