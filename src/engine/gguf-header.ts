import { existsSync } from 'node:fs';
import { PlumblineError } from '../errors.js';
import {
  type GgufContainer,
  type GgufEntry,
  type GgufScalar,
  type GgufTensor,
  readGgufContainer,
} from './gguf-container.js';
import type { GgufValueType } from './gguf-types.js';

/** llama.cpp keeps per-layer facts in arrays of this length and asserts that a model fits. */
const MAX_LAYERS = 512;

/** A metadata value; arrays of more than 512 elements are described only. */
export type GgufMetadataValue =
  | GgufScalar
  | readonly GgufScalar[]
  | { readonly type: GgufValueType; readonly length: number };

export interface GgufModelTensor extends GgufTensor {
  /** Index into `parts` of the file that holds it. */
  readonly part: number;
}

/** What is known about a model before llama.cpp sees the file. */
export interface GgufHeader {
  readonly path: string;
  /** All files of the model in order: one, or the parts of a split model. */
  readonly parts: readonly string[];
  readonly version: number;
  readonly architecture: string;
  readonly name: string | null;
  readonly metadata: ReadonlyMap<string, GgufMetadataValue>;
  readonly tensors: readonly GgufModelTensor[];
  /** Number of tensors per format (F32, Q4_K, …). */
  readonly tensorCountByType: ReadonlyMap<string, number>;
  /** The format that holds most of the parameters; null for a file without tensors (a vocabulary only). */
  readonly dominantType: string | null;
  /** Elements of all tensors. */
  readonly parameters: number;
  readonly chatTemplate: string | null;
  readonly nLayer: number;
  readonly nEmbd: number;
  /** Entries of the vocabulary; 0 when the file states none. */
  readonly nVocab: number;
  /** Context length that the model was trained for, in tokens. */
  readonly contextLength: number;
  /** Size of all files together. */
  readonly bytes: number;
}

/**
 * Reads and checks the header of a model file. Tensor data is not read.
 * @throws PlumblineError MODEL_NOT_FOUND; GGUF_INVALID (file, byte offset, what was expected); MODEL_UNSUPPORTED for
 * a valid GGUF file that is no language model, and for a later part of a split model.
 */
export async function readGgufHeader(path: string): Promise<GgufHeader> {
  const first = readGgufContainer(path);
  const containers = [first, ...readOtherParts(first)];
  const architecture = readArchitecture(first);
  checkTokenizer(first);

  const tensors = containers.flatMap((container, part) =>
    container.tensors.map(tensor => ({ ...tensor, part })),
  );
  const elementsByType = new Map<string, number>();
  const tensorCountByType = new Map<string, number>();
  for (const { type, elements } of tensors) {
    elementsByType.set(type, (elementsByType.get(type) ?? 0) + elements);
    tensorCountByType.set(type, (tensorCountByType.get(type) ?? 0) + 1);
  }
  const [dominant] = [...elementsByType].sort(([, a], [, b]) => b - a);

  return {
    path,
    parts: containers.map(container => container.path),
    version: first.version,
    architecture,
    name: textOf(first, 'general.name'),
    metadata: new Map([...first.entries].map(([key, entry]) => [key, metadataValue(entry)])),
    tensors,
    tensorCountByType,
    dominantType: dominant?.[0] ?? null,
    parameters: tensors.reduce((sum, { elements }) => sum + elements, 0),
    chatTemplate: textOf(first, 'tokenizer.chat_template'),
    nLayer: readSize(first, `${architecture}.block_count`, MAX_LAYERS),
    nEmbd: readSize(first, `${architecture}.embedding_length`),
    nVocab: vocabularySize(first, architecture),
    contextLength: readSize(first, `${architecture}.context_length`),
    bytes: containers.reduce((sum, container) => sum + container.bytes, 0),
  };
}

function metadataValue(entry: GgufEntry): GgufMetadataValue {
  if (entry.type !== 'array') return entry.value;
  return entry.value ?? { type: entry.elementType, length: entry.length };
}

function textOf(container: GgufContainer, key: string): string | null {
  const entry = container.entries.get(key);
  return entry?.type === 'string' && typeof entry.value === 'string' ? entry.value : null;
}

/** Byte offset 0 stands for a fault of the whole file: something is absent. */
function invalid(container: GgufContainer, at: number, problem: string): never {
  throw new PlumblineError(
    'GGUF_INVALID',
    `${container.path}: byte ${at}: ${problem}. Convert or download the model again.`,
  );
}

function unsupported(container: GgufContainer, problem: string): never {
  throw new PlumblineError('MODEL_UNSUPPORTED', `${container.path}: ${problem}`);
}

const NOT_A_MODEL = 'Expected a language model.';

function readArchitecture(container: GgufContainer): string {
  const kind = textOf(container, 'general.type');
  if (kind === 'adapter' || kind === 'imatrix' || kind === 'mmproj') {
    unsupported(container, `this GGUF file is of the kind ${kind}. ${NOT_A_MODEL}`);
  }
  const entry = container.entries.get('general.architecture');
  if (entry === undefined) invalid(container, 0, 'general.architecture is missing, expected the name of one');
  const architecture = textOf(container, 'general.architecture');
  if (architecture === null || architecture === '') {
    invalid(
      container,
      entry.at,
      `general.architecture is ${entry.type}, expected a string that is not empty`,
    );
  }
  if (architecture === 'clip') unsupported(container, `this GGUF file is an image projector. ${NOT_A_MODEL}`);
  if (architecture === 'controlvector') {
    unsupported(container, `this GGUF file is a control vector. ${NOT_A_MODEL}`);
  }
  return architecture;
}

/** A required whole number of at least 1, in the type that llama.cpp insists on. */
function readSize(container: GgufContainer, key: string, max = Number.MAX_SAFE_INTEGER): number {
  const entry = container.entries.get(key);
  if (entry === undefined) invalid(container, 0, `${key} is missing, expected a u32`);
  const { type, at, value } = entry;
  if (type !== 'u32' || typeof value !== 'number' || value < 1 || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? '1 or more' : `1 to ${max}`;
    invalid(container, at, `${key} is ${type} ${String(value)}, expected a u32 of ${range}`);
  }
  return value;
}

function vocabularySize(container: GgufContainer, architecture: string): number {
  const tokens = container.entries.get('tokenizer.ggml.tokens');
  if (tokens?.type === 'array') return tokens.length;
  const stated = container.entries.get(`${architecture}.vocab_size`)?.value;
  return typeof stated === 'number' ? stated : 0;
}

// Element types that llama.cpp reads these arrays with.
const TOKENIZER_ARRAYS = {
  'tokenizer.ggml.tokens': { types: ['string'], perToken: true },
  'tokenizer.ggml.scores': { types: ['f32', 'i32'], perToken: true },
  'tokenizer.ggml.token_type': { types: ['i32'], perToken: true },
  'tokenizer.ggml.merges': { types: ['string'], perToken: false },
  'tokenizer.ggml.suppress_tokens': { types: ['i32'], perToken: false },
  'tokenizer.ggml.precompiled_charsmap': { types: ['u8', 'i8'], perToken: false },
} as const;

function checkTokenizer(container: GgufContainer): void {
  const { entries } = container;
  const tokens = entries.get('tokenizer.ggml.tokens');
  const tokenCount = tokens?.type === 'array' ? tokens.length : 0;
  for (const [key, { types, perToken }] of Object.entries(TOKENIZER_ARRAYS)) {
    const entry = entries.get(key);
    if (entry === undefined) continue;
    const found = entry.type === 'array' ? `an array of ${entry.elementType}` : entry.type;
    if (entry.type !== 'array' || !types.some(type => type === entry.elementType)) {
      invalid(container, entry.at, `${key} is ${found}, expected an array of ${types.join(' or ')}`);
    }
    if (perToken && entry.length !== tokenCount) {
      invalid(
        container,
        entry.at,
        `${key} has ${entry.length} elements, expected one for each of ${tokenCount} tokens`,
      );
    }
  }
  // llama.cpp asserts on these two when it tokenises; other special tokens out of range are only ignored.
  for (const name of ['bos', 'eos']) {
    const id = entries.get(`tokenizer.ggml.${name}_token_id`);
    const added = entries.get(`tokenizer.ggml.add_${name}_token`)?.value === true;
    if (added && id !== undefined && !(typeof id.value === 'number' && id.value < tokenCount)) {
      invalid(
        container,
        id.at,
        `tokenizer.ggml.${name}_token_id is ${String(id.value)}, expected one of the ${tokenCount} tokens`,
      );
    }
  }
}

/** Reads the other parts of a split model, which llama.cpp opens by name beside the first one. */
function readOtherParts(first: GgufContainer): readonly GgufContainer[] {
  const count = first.entries.get('split.count')?.value;
  if (typeof count !== 'number' || count <= 1) return [];
  const index = first.entries.get('split.no')?.value;
  if (index !== 0) {
    unsupported(
      first,
      `this is part ${typeof index === 'number' ? index + 1 : '?'} of a model split into ${count} files. Give the first one (…-00001-of-…).`,
    );
  }
  const tail = `-00001-of-${padded(count)}.gguf`;
  if (!first.path.endsWith(tail)) {
    unsupported(
      first,
      `this is the first part of a model split into ${count} files. Expected a name that ends in ${tail}, as the other parts are found by name.`,
    );
  }
  const stem = first.path.slice(0, -tail.length);
  const paths = Array.from(
    { length: count - 1 },
    (_, i) => `${stem}-${padded(i + 2)}-of-${padded(count)}.gguf`,
  );
  const missing = paths.find(path => !existsSync(path));
  if (missing !== undefined) {
    throw new PlumblineError(
      'MODEL_NOT_FOUND',
      `${missing} does not exist: ${first.path} is split into ${count} files, which must lie beside each other.`,
    );
  }
  return paths.map((path, i) => {
    const part = readGgufContainer(path);
    const partIndex = part.entries.get('split.no');
    if (partIndex?.value !== i + 1 || part.entries.get('split.count')?.value !== count) {
      invalid(part, partIndex?.at ?? 0, `the file does not say that it is part ${i + 2} of ${count}`);
    }
    return part;
  });
}

function padded(index: number): string {
  return String(index).padStart(5, '0');
}
