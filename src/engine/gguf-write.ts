import { rename, rm, writeFile } from 'node:fs/promises';
import { messageOf, PlumblineError } from '../errors.js';
import {
  GGUF_DEFAULT_ALIGNMENT,
  GGUF_MAGIC,
  GGUF_MAX_TENSOR_NAME,
  type GgufValueType,
  ggufValueTypeId,
} from './gguf-types.js';

export type GgufWriteValue =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'u16' | 'u32' | 'i32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'array:string'; readonly value: readonly string[] }
  | { readonly type: 'array:i32' | 'array:f32'; readonly value: readonly number[] };

export interface GgufWriteTensor {
  readonly name: string;
  /** Elements per dimension, the contiguous one first. */
  readonly dims: readonly number[];
  /** Float32Array is written as F32, Uint16Array as F16 (bits as {@link toF16} gives them). */
  readonly data: Float32Array | Uint16Array;
}

export interface GgufFile {
  readonly metadata: Readonly<Record<string, GgufWriteValue>>;
  readonly tensors: readonly GgufWriteTensor[];
}

/**
 * Writes a GGUF version 3 file, whole or not at all.
 * @throws PlumblineError USAGE for a tensor that does not fit its dimensions, IO when the file cannot be written.
 */
export async function writeGguf(path: string, file: GgufFile): Promise<void> {
  const bytes = encodeGguf(file);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new PlumblineError(
      'IO',
      `${path} cannot be written (${messageOf(error)}). Check the folder, its permissions and the space left.`,
      { cause: error },
    );
  }
}

/** The bytes of a GGUF version 3 file: equal input gives equal bytes. */
export function encodeGguf({ metadata, tensors }: GgufFile): Uint8Array {
  const entries = Object.entries(metadata);
  const header = [u32(GGUF_MAGIC), u32(3), u64(tensors.length), u64(entries.length)];
  for (const [key, entry] of entries) header.push(string(key), encodeValue(entry));

  const names = new Set<string>();
  const data: Buffer[] = [];
  let offset = 0;
  for (const tensor of tensors) {
    checkTensor(tensor, names);
    const { name, dims } = tensor;
    header.push(string(name), u32(dims.length), ...dims.map(u64));
    header.push(u32(tensor.data instanceof Float32Array ? 0 : 1), u64(offset));
    const bytes = tensorBytes(tensor.data);
    const padding = Buffer.alloc(-bytes.length & (GGUF_DEFAULT_ALIGNMENT - 1));
    data.push(bytes, padding);
    offset += bytes.length + padding.length;
  }
  const head = Buffer.concat(header);
  return Buffer.concat([head, Buffer.alloc(-head.length & (GGUF_DEFAULT_ALIGNMENT - 1)), ...data]);
}

function checkTensor({ name, dims, data }: GgufWriteTensor, names: Set<string>): void {
  const length = Buffer.byteLength(name);
  const elements = dims.reduce((product, size) => product * size, 1);
  if (length === 0 || length > GGUF_MAX_TENSOR_NAME || names.has(name)) {
    throw new PlumblineError(
      'USAGE',
      `tensor name "${name}": expected 1 to ${GGUF_MAX_TENSOR_NAME} bytes and no name twice`,
    );
  }
  names.add(name);
  if (dims.length < 1 || dims.length > 4 || elements !== data.length || elements === 0) {
    throw new PlumblineError(
      'USAGE',
      `tensor "${name}": ${data.length} elements do not fill the dimensions ${dims.join(' x ')} (expected 1 to 4 dimensions)`,
    );
  }
}

function encodeValue(entry: GgufWriteValue): Buffer {
  switch (entry.type) {
    case 'array:string':
      return array('string', entry.value.map(string));
    case 'array:i32':
      return array('i32', [numbers('i32', entry.value)], entry.value.length);
    case 'array:f32':
      return array('f32', [numbers('f32', entry.value)], entry.value.length);
    case 'string':
      return Buffer.concat([typeId('string'), string(entry.value)]);
    case 'bool':
      return Buffer.concat([typeId('bool'), Buffer.from([entry.value ? 1 : 0])]);
    default:
      return Buffer.concat([typeId(entry.type), numbers(entry.type, [entry.value])]);
  }
}

function array(elementType: GgufValueType, parts: readonly Buffer[], length = parts.length): Buffer {
  return Buffer.concat([typeId('array'), typeId(elementType), u64(length), ...parts]);
}

function numbers(type: 'u16' | 'u32' | 'i32' | 'f32', values: readonly number[]): Buffer {
  const size = type === 'u16' ? 2 : 4;
  const buffer = Buffer.alloc(values.length * size);
  for (const [i, value] of values.entries()) {
    if (type === 'u16') buffer.writeUInt16LE(value, i * size);
    else if (type === 'u32') buffer.writeUInt32LE(value, i * size);
    else if (type === 'i32') buffer.writeInt32LE(value, i * size);
    else buffer.writeFloatLE(value, i * size);
  }
  return buffer;
}

function typeId(type: GgufValueType): Buffer {
  return u32(ggufValueTypeId(type));
}

function u32(value: number): Buffer {
  return numbers('u32', [value]);
}

function u64(value: number): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  return buffer;
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

function tensorBytes(data: Float32Array | Uint16Array): Buffer {
  const size = data.BYTES_PER_ELEMENT;
  const buffer = Buffer.alloc(data.length * size);
  for (let i = 0; i < data.length; i++) {
    const value = data[i] as number;
    if (size === 4) buffer.writeFloatLE(value, i * size);
    else buffer.writeUInt16LE(value, i * size);
  }
  return buffer;
}

/** float32 to IEEE 754 half-precision bits, rounding to nearest, ties to even; too large becomes infinity. */
export function toF16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  return Uint16Array.from(bits, halfBits);
}

function halfBits(float: number): number {
  const sign = (float >>> 16) & 0x8000;
  const magnitude = float & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00; // NaN
  if (magnitude >= 0x477ff000) return sign | 0x7c00; // 65,520 and more round to infinity
  if (magnitude >= 0x38800000) {
    // Normal half: re-bias the exponent, then round away 13 mantissa bits. A carry moves into the exponent rightly.
    return sign | roundShift(magnitude - 0x38000000, 13);
  }
  const exponent = magnitude >>> 23;
  if (exponent < 102) return sign; // below 2^-25: rounds to zero
  return sign | roundShift((magnitude & 0x7fffff) | 0x800000, 126 - exponent);
}

/** value / 2^shift, rounded to nearest, ties to even. */
function roundShift(value: number, shift: number): number {
  const floor = value >>> shift;
  const rest = value - floor * 2 ** shift;
  const half = 2 ** (shift - 1);
  return rest > half || (rest === half && (floor & 1) === 1) ? floor + 1 : floor;
}
