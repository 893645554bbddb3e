import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';
import { decodeFloats, FLOAT_BYTES, type FloatFormat } from './floats.js';
import type { FloatArray } from './npy.js';

/** The format's own limit. */
const MAX_HEADER = 100_000_000;

const offset = z.number().int().nonnegative();
const headerSchema = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.number().int().nonnegative()),
    data_offsets: z.tuple([offset, offset]),
  }),
);

/** A safetensors file begins with the length of its JSON header, eight bytes, and the header with a brace. */
export function isSafetensors(head: Uint8Array): boolean {
  return head[8] === 0x7b && head[6] === 0 && head[7] === 0;
}

/**
 * Reads every tensor of a safetensors file; `name` is the file's. F64, F32, F16 and BF16.
 * @throws PlumblineError DIRECTION_INVALID.
 */
export function readSafetensors(bytes: Uint8Array, name: string): ReadonlyMap<string, FloatArray> {
  const fail = (problem: string): never => {
    throw new PlumblineError('DIRECTION_INVALID', `${name}: ${problem}`);
  };
  if (bytes.length < 8) fail(`${bytes.length} bytes are too few for a safetensors file`);
  const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(Math.min(MAX_HEADER, bytes.length - 8))) {
    fail(`the header claims ${length} bytes, but ${bytes.length - 8} follow`);
  }
  const start = 8 + Number(length);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes.subarray(8, start)).toString('utf8'));
  } catch (error) {
    fail(`the header is not JSON (${messageOf(error)})`);
  }
  const entries = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  const parsed = headerSchema.safeParse(
    Object.fromEntries(entries.filter(([key]) => key !== '__metadata__')),
  );
  if (!parsed.success) {
    return fail(`the header: ${faultsOf(parsed.error)}`);
  }
  const tensors = new Map<string, FloatArray>();
  for (const [key, { dtype, shape, data_offsets }] of Object.entries(parsed.data)) {
    const what = `tensor ${JSON.stringify(key)}`;
    if (!isFloat(dtype)) return fail(`${what} is ${dtype}, expected F64, F32, F16 or BF16`);
    const [from, to] = data_offsets;
    const expected = shape.reduce((product, size) => product * size, FLOAT_BYTES[dtype]);
    if (to - from !== expected) {
      fail(`${what} of shape [${shape.join(', ')}] takes ${expected} bytes, but it spans ${to - from}`);
    }
    if (start + to > bytes.length) {
      fail(`${what} ends at byte ${start + to}, but the file ends at byte ${bytes.length}`);
    }
    tensors.set(key, { shape, data: decodeFloats(bytes.subarray(start + from, start + to), dtype) });
  }
  return tensors;
}

function isFloat(dtype: string): dtype is FloatFormat {
  return Object.hasOwn(FLOAT_BYTES, dtype);
}
