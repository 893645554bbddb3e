import { type GgufBytes, openGgufBytes } from './gguf-bytes.js';
import { detectForeignFile } from './gguf-foreign.js';
import {
  GGUF_DEFAULT_ALIGNMENT,
  GGUF_MAGIC,
  GGUF_MAX_TENSOR_NAME,
  GGUF_VALUE_TYPES,
  type GgufValueType,
  ggmlType,
} from './gguf-types.js';

// The largest header seen is about 20 MB (262,144 tokens with merges); these bounds leave an order of magnitude and
// keep the work and the memory of the reader, and of llama.cpp after it, small whatever a file claims.
const MAX_HEADER = 256 * 2 ** 20;
const MAX_KEPT_TEXT = 32 * 2 ** 20;
const MAX_STRING = 8 * 2 ** 20;
const MAX_KEY = 65_535;
const MAX_TOKEN = 65_535;
const MAX_TOKENS = 2 ** 20;
/** llama.cpp compares every new key and tensor name with all earlier ones. */
const MAX_ENTRIES = 65_536;
/** Arrays up to this length keep their values: enough for one value per layer. */
const KEPT_ARRAY = 512;
const MAX_DIMENSIONS = 4;

export type GgufScalar = string | number | bigint | boolean;

/** One metadata entry. Long arrays keep their element type and length only. `at` is the byte offset of the value. */
export type GgufEntry =
  | { readonly type: Exclude<GgufValueType, 'array'>; readonly at: number; readonly value: GgufScalar }
  | {
      readonly type: 'array';
      readonly at: number;
      readonly elementType: GgufValueType;
      readonly length: number;
      readonly value: readonly GgufScalar[] | null;
    };

export interface GgufTensor {
  readonly name: string;
  /** Elements per dimension, the contiguous one first. */
  readonly dims: readonly number[];
  readonly type: string;
  /** Byte offset from the beginning of its file. */
  readonly offset: number;
  readonly bytes: number;
  readonly elements: number;
}

/** What any GGUF file holds, a model or not: a control vector, an adapter, a later shard. */
export interface GgufContainer {
  readonly path: string;
  readonly version: number;
  readonly entries: ReadonlyMap<string, GgufEntry>;
  readonly tensors: readonly GgufTensor[];
  /** Size of the file. */
  readonly bytes: number;
}

/**
 * Reads and checks everything before the tensor data of a GGUF file, and the place of the tensors in it.
 * Tensor data is not read.
 * @throws PlumblineError MODEL_NOT_FOUND, GGUF_INVALID (file, byte offset, what was expected).
 */
export function readGgufContainer(path: string): GgufContainer {
  const bytes = openGgufBytes(path, MAX_HEADER);
  try {
    const version = readVersion(bytes);
    const tensorCount = readCount(bytes, 'the number of tensors');
    const entryCount = readCount(bytes, 'the number of metadata entries');
    const entries = readEntries(bytes, entryCount);
    const tensors = readTensors(bytes, tensorCount, readAlignment(bytes, entries));
    return { path, version, entries, tensors, bytes: bytes.size };
  } finally {
    bytes.close();
  }
}

function readVersion(bytes: GgufBytes): number {
  if (bytes.size === 0) bytes.fail(0, 'the file is empty, expected a GGUF file');
  if (bytes.size < 4 || bytes.u32('the magic') !== GGUF_MAGIC) {
    bytes.fail(0, `${detectForeignFile(bytes.path)}, expected a GGUF file`, 'Give the path of a GGUF model.');
  }
  const version = bytes.u32('the version');
  if (version === 2 || version === 3) return version;
  if (version === 1) bytes.fail(4, 'GGUF version 1, expected 2 or 3. llama.cpp no longer reads version 1');
  if ((version & 0xffff) === 0) {
    bytes.fail(
      4,
      'the numbers are big-endian, expected little-endian. Convert it with gguf_convert_endian.py',
    );
  }
  return bytes.fail(4, `GGUF version ${version}, expected 2 or 3`);
}

function readCount(bytes: GgufBytes, what: string): number {
  const at = bytes.position();
  const count = bytes.u64(what);
  if (count > MAX_ENTRIES) bytes.fail(at, `${what} is ${count}, expected at most ${MAX_ENTRIES}`);
  return count;
}

function readEntries(bytes: GgufBytes, count: number): ReadonlyMap<string, GgufEntry> {
  const entries = new Map<string, GgufEntry>();
  const budget = { left: MAX_KEPT_TEXT };
  for (let i = 0; i < count; i++) {
    const at = bytes.position();
    const key = bytes.string(`the key of metadata entry ${i}`, MAX_KEY);
    if (key === '') bytes.fail(at, `metadata entry ${i} has an empty key`);
    if (key.includes('\0')) bytes.fail(at, `the key of metadata entry ${i} holds a NUL byte`);
    if (entries.has(key)) bytes.fail(at, `the metadata key ${quote(key)} occurs twice`);
    entries.set(key, readEntry(bytes, key, budget));
    spend(bytes, at, budget, key.length);
  }
  return entries;
}

function readEntry(bytes: GgufBytes, key: string, budget: { left: number }): GgufEntry {
  const what = `the value of ${quote(key)}`;
  const type = readValueType(bytes, what);
  const at = bytes.position();
  if (type !== 'array') {
    const value = readScalar(bytes, type, what, MAX_STRING);
    if (typeof value === 'string') spend(bytes, at, budget, value.length);
    return { type, at, value };
  }
  const elementType = readValueType(bytes, what);
  if (elementType === 'array') bytes.fail(at, `${what} is an array of arrays, expected an array of scalars`);
  const lengthAt = bytes.position();
  const length = bytes.u64(`the length of the array ${quote(key)}`);
  const elementSize = elementType === 'string' ? 8 : sizeOf(elementType);
  if (length * elementSize > bytes.size - bytes.position()) {
    bytes.fail(
      lengthAt,
      `the array ${quote(key)} claims ${length} elements of ${elementSize} bytes or more, ${bytes.size - bytes.position()} bytes are left in the file`,
    );
  }
  const array = { type, at, elementType, length } as const;
  if (key === 'tokenizer.ggml.tokens' && elementType === 'string') {
    checkTokens(bytes, lengthAt, length, budget);
    return { ...array, value: null };
  }
  if (length <= KEPT_ARRAY) {
    const value: GgufScalar[] = [];
    for (let i = 0; i < length; i++) {
      const element = readScalar(bytes, elementType, what, MAX_STRING);
      if (typeof element === 'string') spend(bytes, at, budget, element.length);
      value.push(element);
    }
    return { ...array, value };
  }
  if (elementType === 'string') {
    for (let i = 0; i < length; i++) bytes.skip(bytes.u64(what), what);
  } else {
    bytes.skip(length * elementSize, what);
  }
  return { ...array, value: null };
}

/**
 * llama.cpp reads tokens as C strings, which end at a NUL, gives empty ones the text `[EMPTY_i]`, and asserts that no
 * two are then the same.
 */
function checkTokens(bytes: GgufBytes, lengthAt: number, length: number, budget: { left: number }): void {
  if (length > MAX_TOKENS) {
    bytes.fail(lengthAt, `the vocabulary has ${length} tokens, expected at most ${MAX_TOKENS}`);
  }
  const seen = new Set<string>();
  for (let i = 0; i < length; i++) {
    const at = bytes.position();
    const [cText] = bytes.string(`token ${i}`, MAX_TOKEN, 'latin1').split('\0', 1);
    const text = cText || `[EMPTY_${i}]`;
    spend(bytes, at, budget, text.length);
    seen.add(text);
    if (seen.size !== i + 1) {
      bytes.fail(
        at,
        `token ${i} has the same text as an earlier one (${quote(text)}), expected distinct tokens`,
      );
    }
  }
}

function spend(bytes: GgufBytes, at: number, budget: { left: number }, characters: number): void {
  budget.left -= characters;
  if (budget.left < 0) bytes.fail(at, `the texts of the metadata exceed ${MAX_KEPT_TEXT} bytes`);
}

function readValueType(bytes: GgufBytes, what: string): GgufValueType {
  const at = bytes.position();
  const id = bytes.u32(`the type of ${what}`);
  const type = GGUF_VALUE_TYPES[id];
  if (type === undefined) bytes.fail(at, `${what} has type number ${id}, expected 0 to 12`);
  return type.name;
}

function sizeOf(type: GgufValueType): number {
  return GGUF_VALUE_TYPES.find(({ name }) => name === type)?.size ?? 0;
}

function readScalar(
  bytes: GgufBytes,
  type: Exclude<GgufValueType, 'array'>,
  what: string,
  maxString: number,
): GgufScalar {
  switch (type) {
    case 'u8':
      return bytes.u8(what);
    case 'i8':
      return bytes.i8(what);
    case 'u16':
      return bytes.u16(what);
    case 'i16':
      return bytes.i16(what);
    case 'u32':
      return bytes.u32(what);
    case 'i32':
      return bytes.i32(what);
    case 'f32':
      return bytes.f32(what);
    case 'f64':
      return bytes.f64(what);
    case 'u64':
      return narrow(bytes.bigU64(what));
    case 'i64':
      return narrow(bytes.bigI64(what));
    case 'string':
      return bytes.string(what, maxString);
    case 'bool': {
      const at = bytes.position();
      const value = bytes.u8(what);
      if (value > 1) bytes.fail(at, `${what} is a bool of value ${value}, expected 0 or 1`);
      return value === 1;
    }
  }
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readAlignment(bytes: GgufBytes, entries: ReadonlyMap<string, GgufEntry>): number {
  const entry = entries.get('general.alignment');
  if (entry === undefined) return GGUF_DEFAULT_ALIGNMENT;
  const { type, value, at } = entry;
  if (type !== 'u32' || typeof value !== 'number' || value < 8 || (value & (value - 1)) !== 0) {
    bytes.fail(
      at,
      `general.alignment is ${type} ${String(value)}, expected a u32 that is a power of two, 8 or more`,
    );
  }
  return value;
}

interface TensorInfo extends Omit<GgufTensor, 'offset'> {
  readonly relativeOffset: number;
  readonly at: number;
}

function readTensors(bytes: GgufBytes, count: number, alignment: number): readonly GgufTensor[] {
  const names = new Set<string>();
  const infos: TensorInfo[] = [];
  for (let i = 0; i < count; i++) {
    const info = readTensor(bytes, i);
    if (names.has(info.name)) bytes.fail(info.at, `the tensor name ${quote(info.name)} occurs twice`);
    names.add(info.name);
    infos.push(info);
  }
  if (infos.length === 0) return [];

  // llama.cpp takes tensors only in file order without gaps other than the padding to the alignment.
  const dataStart = pad(bytes.position(), alignment);
  let expected = 0;
  return infos.map(({ at, relativeOffset, ...tensor }) => {
    if (relativeOffset !== expected) {
      bytes.fail(at, `tensor ${quote(tensor.name)} has offset ${relativeOffset}, expected ${expected}`);
    }
    const offset = dataStart + relativeOffset;
    if (offset + tensor.bytes > bytes.size) {
      bytes.fail(
        at,
        `the data of tensor ${quote(tensor.name)} ends at byte ${offset + tensor.bytes}, but the file ends at byte ${bytes.size}`,
      );
    }
    expected = pad(relativeOffset + tensor.bytes, alignment);
    return { ...tensor, offset };
  });
}

function readTensor(bytes: GgufBytes, index: number): TensorInfo {
  const at = bytes.position();
  const name = bytes.string(`the name of tensor ${index}`, GGUF_MAX_TENSOR_NAME);
  if (name === '') bytes.fail(at, `the name of tensor ${index} is empty`);
  if (name.includes('\0')) bytes.fail(at, `the name of tensor ${index} holds a NUL byte`);
  const what = `tensor ${quote(name)}`;
  const dimensionsAt = bytes.position();
  const dimensionCount = bytes.u32(`the number of dimensions of ${what}`);
  if (dimensionCount > MAX_DIMENSIONS) {
    bytes.fail(dimensionsAt, `${what} has ${dimensionCount} dimensions, expected at most ${MAX_DIMENSIONS}`);
  }
  const dims: number[] = [];
  let elements = 1;
  for (let d = 0; d < dimensionCount; d++) {
    const size = bytes.u64(`dimension ${d} of ${what}`);
    dims.push(size);
    elements *= size;
  }
  const typeAt = bytes.position();
  const typeId = bytes.u32(`the type of ${what}`);
  const type = ggmlType(typeId);
  if (type === undefined) {
    bytes.fail(typeAt, `${what} has tensor type number ${typeId}, which this llama.cpp does not know`);
  }
  const row = dims[0] ?? 1;
  if (row % type.block !== 0) {
    bytes.fail(
      dimensionsAt,
      `${what} has rows of ${row} elements, expected a multiple of ${type.block}, the block of ${type.name}`,
    );
  }
  const size = (elements / type.block) * type.bytes;
  if (elements === 0 || !Number.isSafeInteger(elements) || !Number.isSafeInteger(size)) {
    bytes.fail(
      dimensionsAt,
      `${what} has the dimensions ${dims.join(' x ')}, expected 1 or more elements and a size that fits into a file`,
    );
  }
  const relativeOffset = bytes.u64(`the offset of ${what}`);
  return { name, dims, type: type.name, bytes: size, elements, relativeOffset, at };
}

function pad(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/** A text from the file, made harmless for one line of a terminal. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
