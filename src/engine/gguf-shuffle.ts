import { copyFile, type FileHandle, open, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { messageOf, PlumblineError } from '../errors.js';
import { sha256Of } from '../sha256.js';
import type { GgufHeader, GgufModelTensor } from './gguf-header.js';
import { ggmlTypeNamed } from './gguf-types.js';

/** Longest piece of a tensor that is permuted at once: it bounds the memory, and how long a stop has to wait. */
const PIECE = 32 * 2 ** 20;

/** What was done to the weights of a model. */
export interface ShuffledModel {
  /** The copy, or its first part. */
  readonly path: string;
  /** Tensors whose blocks were permuted, and those that were left: of one dimension, or of a single block. */
  readonly shuffled: number;
  readonly kept: number;
}

/**
 * Copies a model into a folder, with the blocks of every weight tensor permuted at random within the tensor. A block is the smallest
 * unit of a tensor's format: one element of F32 and F16, 32 or 256 elements of a quantised format, whose scale stays
 * with them. So every tensor keeps its values, and no weight keeps its place.
 *
 * Tensors of two or more dimensions are permuted, token embeddings and the output head among them. Those of one
 * dimension (gains of norms, biases) stay: they hold no relation between inputs and outputs, and without them the
 * stream would have another scale. A tensor above {@link PIECE} is permuted in pieces of that size.
 *
 * `folder` must be there; a split model keeps the names of its parts. Equal seeds give equal bytes.
 * @throws PlumblineError IO when the disk is too small or refuses; INTERRUPTED when `signal` aborts.
 */
export async function shuffleModel(
  header: GgufHeader,
  folder: string,
  seed: number,
  signal?: AbortSignal,
): Promise<ShuffledModel> {
  await requireSpace(header, folder);
  const copies: string[] = [];
  let shuffled = 0;
  for (const [part, path] of header.parts.entries()) {
    const copy = join(folder, basename(path));
    copies.push(copy);
    await disk(copy, () => copyFile(path, copy));
    const file = await disk(copy, () => open(copy, 'r+'));
    try {
      for (const tensor of header.tensors.filter(one => one.part === part)) {
        if (tensor.dims.filter(size => size > 1).length < 2) continue;
        if (await shuffleTensor(file, copy, tensor, seed, signal)) shuffled++;
      }
    } finally {
      await file.close();
    }
  }
  return { path: copies[0] as string, shuffled, kept: header.tensors.length - shuffled };
}

/** @throws PlumblineError IO when the folder's disk has no room for a copy of the model. */
export async function requireSpace(header: GgufHeader, folder: string): Promise<void> {
  const { bavail, bsize } = await disk(folder, () => statfs(folder));
  const free = bavail * bsize;
  if (free >= header.bytes) return;
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MB`;
  throw new PlumblineError(
    'IO',
    `${folder}: a copy of ${header.path} with shuffled weights needs ${megabytes(header.bytes)}, and ${megabytes(free)} ` +
      'are free; free some space, or put the run on another disk.',
  );
}

/** false: the tensor is a single block, so that there is nothing to permute. */
async function shuffleTensor(
  file: FileHandle,
  path: string,
  tensor: GgufModelTensor,
  seed: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const block = ggmlTypeNamed(tensor.type).bytes;
  if (tensor.bytes <= block) return false;
  const random = xoroshiro128plus(
    Number.parseInt(sha256Of(JSON.stringify([seed, tensor.name])).slice(0, 8), 16),
  );
  const size = Math.floor(PIECE / block) * block;
  for (let done = 0; done < tensor.bytes; done += size) {
    if (signal?.aborted) {
      throw new PlumblineError('INTERRUPTED', 'Stopped while the weights were shuffled.');
    }
    const bytes = Buffer.alloc(Math.min(size, tensor.bytes - done));
    const at = tensor.offset + done;
    const { bytesRead } = await disk(path, () => file.read(bytes, 0, bytes.length, at));
    if (bytesRead !== bytes.length) throw failed(path, 'the file became shorter while it was read');
    permute(bytes, block, () => random.next() >>> 0);
    await disk(path, () => file.write(bytes, 0, bytes.length, at));
  }
  return true;
}

/** Fisher-Yates over blocks of `size` bytes. `next` gives 32 random bits; the bias is below blocks / 2³². */
function permute(bytes: Buffer, size: number, next: () => number): void {
  const swap = swapper(bytes, size);
  for (let i = bytes.length / size - 1; i > 0; i--) {
    const j = Math.floor((next() / 2 ** 32) * (i + 1));
    if (i !== j) swap(i, j);
  }
}

function swapper(bytes: Buffer, size: number): (i: number, j: number) => void {
  const { buffer, byteOffset, length } = bytes;
  const words =
    size === 4
      ? new Uint32Array(buffer, byteOffset, length / 4)
      : size === 2
        ? new Uint16Array(buffer, byteOffset, length / 2)
        : null;
  if (words !== null) {
    return (i, j) => {
      const held = words[i] as number;
      words[i] = words[j] as number;
      words[j] = held;
    };
  }
  const held = Buffer.alloc(size);
  return (i, j) => {
    bytes.copy(held, 0, i * size, (i + 1) * size);
    bytes.copyWithin(i * size, j * size, (j + 1) * size);
    held.copy(bytes, j * size);
  };
}

async function disk<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw failed(path, messageOf(error), error);
  }
}

function failed(path: string, why: string, cause?: unknown): PlumblineError {
  return new PlumblineError(
    'IO',
    `${path}: the copy with shuffled weights cannot be written (${why}). Check the disk and its free space.`,
    { cause },
  );
}
