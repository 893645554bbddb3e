import { open } from 'node:fs/promises';
import { readGgufContainer } from '../engine/gguf-container.js';
import { writeGguf } from '../engine/gguf-write.js';
import { messageOf, PlumblineError } from '../errors.js';
import { type ControlVector, decodeControlVector, encodeControlVector } from './control-vector.js';
import { type FloatArray, isNpy, readNpy } from './npy.js';
import type { Provenance } from './provenance.js';
import { isSafetensors, readSafetensors } from './safetensors.js';

/** Far above 512 blocks of 65,536 float64 values: what is larger is a model, not a direction. */
const MAX_BYTES = 2 ** 29;

const EXPECTED = 'expected a control-vector GGUF, a NumPy .npy or a safetensors file';

export interface Direction {
  readonly path: string;
  readonly kind: 'control-vector' | 'npy' | 'safetensors';
  readonly nEmbd: number;
  /** By block index, ascending: the residual stream after that block. As in the file, not normalised. */
  readonly layers: ReadonlyMap<number, Float32Array>;
  /** Architecture or model type that the file names. */
  readonly modelHint: string | null;
  /** Of a file that plumbline wrote. */
  readonly provenance: Provenance | null;
}

/**
 * Writes directions as a control vector that llama.cpp's own tools load, whole or not at all. Equal input gives equal
 * bytes. See {@link encodeControlVector} for the place of block 0.
 * @throws PlumblineError USAGE for vectors that are empty, of different widths, zero or not finite; IO.
 */
export async function writeControlVector(path: string, vector: ControlVector): Promise<void> {
  const fault = faultOf(vector.layers);
  if (fault !== null) throw new PlumblineError('USAGE', `${path} is not written: ${fault}`);
  await writeGguf(path, encodeControlVector(vector));
}

/**
 * Reads a direction file; its first bytes say of which kind it is.
 * - control-vector GGUF: `direction.N` belongs to block N, as llama.cpp applies it and as repeng fits it. (llama.cpp's
 *   cvector-generator measures at block N − 1 what it writes as `direction.N`; the file does not say who wrote it, and
 *   N is where any llama.cpp tool adds it.)
 * - `.npy`: [layers, n_embd], row k is block k; or [n_embd], the vector of block `layer`.
 * - safetensors: `direction.N` or `layers.N`, N the block; or a single tensor, shaped as the `.npy` ones.
 * A vector of zeros stands for a layer without a direction and is left out.
 * @param layer block index of a file with a single vector that does not say; other files do not need it.
 * @throws PlumblineError DIRECTION_INVALID, GGUF_INVALID for a damaged GGUF; both name the file.
 */
export async function readDirection(path: string, layer: number | null = null): Promise<Direction> {
  const content = await readContent(path, layer);
  const layers = new Map(
    [...content.layers].filter(([, values]) => values.some(value => value !== 0)).sort(([a], [b]) => a - b),
  );
  const fault = faultOf(layers);
  if (fault !== null) throw new PlumblineError('DIRECTION_INVALID', `${path}: ${fault}`);
  const [first] = layers.values();
  return { ...content, path, nEmbd: first?.length ?? 0, layers };
}

type Content = Omit<Direction, 'path' | 'nEmbd'>;

async function readContent(path: string, layer: number | null): Promise<Content> {
  const file = await open(path, 'r').catch(cause => {
    throw new PlumblineError(
      'DIRECTION_INVALID',
      `${path} cannot be opened (${messageOf(cause)}); ${EXPECTED}`,
      { cause },
    );
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile())
      throw new PlumblineError('DIRECTION_INVALID', `${path} is no regular file; ${EXPECTED}`);
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      const buffer = Buffer.alloc(length);
      for (let done = 0; done < length; ) {
        const { bytesRead } = await file.read(buffer, done, length - done, offset + done);
        if (bytesRead === 0) {
          throw new PlumblineError(
            'DIRECTION_INVALID',
            `${path} ends at byte ${offset + done}: it was cut short`,
          );
        }
        done += bytesRead;
      }
      return buffer;
    };
    const head = await read(0, Math.min(16, stat.size));
    if (Buffer.from(head.subarray(0, 4)).toString('latin1') === 'GGUF') {
      return { kind: 'control-vector', ...(await decodeControlVector(readGgufContainer(path), read)) };
    }
    if (!isNpy(head) && !isSafetensors(head)) {
      const hint = /\.(pt|pth|bin|pkl|ckpt)$/i.test(path)
        ? '; a PyTorch file must be saved as one of these first'
        : '';
      throw new PlumblineError('DIRECTION_INVALID', `${path}: not a direction file: ${EXPECTED}${hint}`);
    }
    if (stat.size > MAX_BYTES) {
      throw new PlumblineError(
        'DIRECTION_INVALID',
        `${path} has ${stat.size} bytes, expected at most ${MAX_BYTES} for a direction: is this a model?`,
      );
    }
    const bytes = await read(0, stat.size);
    const plain = { modelHint: null, provenance: null };
    if (isNpy(head)) return { kind: 'npy', layers: layersOf(readNpy(bytes, path), layer, path), ...plain };
    return { kind: 'safetensors', layers: namedLayers(readSafetensors(bytes, path), layer, path), ...plain };
  } finally {
    await file.close();
  }
}

/** The rows of a matrix by their place, or the one vector at the layer that was given for it. */
function layersOf(array: FloatArray, layer: number | null, path: string): ReadonlyMap<number, Float32Array> {
  const [rows, columns] = array.shape;
  if (array.shape.length === 1) {
    if (layer === null) {
      throw new PlumblineError(
        'DIRECTION_INVALID',
        `${path}: one vector of ${rows} values without its layer, expected [layers, n_embd]; say which layer it is of`,
      );
    }
    return new Map([[layer, array.data]]);
  }
  if (array.shape.length !== 2 || rows === undefined || columns === undefined) {
    throw new PlumblineError(
      'DIRECTION_INVALID',
      `${path}: an array of shape [${array.shape.join(', ')}], expected [layers, n_embd] or [n_embd]`,
    );
  }
  return new Map(
    Array.from({ length: rows }, (_, row) => [row, array.data.slice(row * columns, (row + 1) * columns)]),
  );
}

function namedLayers(
  tensors: ReadonlyMap<string, FloatArray>,
  layer: number | null,
  path: string,
): ReadonlyMap<number, Float32Array> {
  const [only, ...more] = tensors;
  const numbered = (name: string): string | undefined =>
    /^(?:direction|layers)\.(0|[1-9]\d*)$/.exec(name)?.[1];
  if (only !== undefined && more.length === 0 && numbered(only[0]) === undefined) {
    return layersOf(only[1], layer, path);
  }
  const layers = new Map<number, Float32Array>();
  for (const [name, { shape, data }] of tensors) {
    const index = numbered(name);
    if (index === undefined || shape.length !== 1 || layers.has(Number(index))) {
      throw new PlumblineError(
        'DIRECTION_INVALID',
        `${path}: tensor ${JSON.stringify(name)} of shape [${shape.join(', ')}], expected one vector per layer, named ` +
          'direction.N or layers.N (N the block, each once), or a single tensor [layers, n_embd]',
      );
    }
    layers.set(Number(index), data);
  }
  return layers;
}

/** What keeps these vectors from being directions of one model; null when nothing does. */
function faultOf(layers: ReadonlyMap<number, Float32Array>): string | null {
  const [first] = layers;
  if (first === undefined) return 'no direction in it (or zeros alone), expected one vector at least';
  for (const [layer, values] of layers) {
    if (!(Number.isSafeInteger(layer) && layer >= 0))
      return `layer ${layer}, expected a block index, 0 or more`;
    if (values.length !== first[1].length) {
      return `layer ${layer} has ${values.length} values, but layer ${first[0]} has ${first[1].length}: equal widths expected`;
    }
    const bad = values.findIndex(value => !Number.isFinite(value));
    if (bad >= 0) return `layer ${layer}, value ${bad} is ${values[bad]}, expected a finite number`;
    if (values.every(value => value === 0)) return `layer ${layer} is zero throughout, expected a direction`;
  }
  return null;
}

/** What a direction must fit to. */
export interface DirectionTarget {
  readonly nEmbd: number;
  readonly nLayer: number;
  readonly modelSha256: string;
}

/**
 * Refuses a direction that does not belong to the model: its width or a layer does not exist there (always), or it was
 * fitted on another model file (unless forced). A file without provenance is taken at its word.
 * @throws PlumblineError DIRECTION_MISMATCH.
 */
export function checkDirection(
  direction: Direction,
  target: DirectionTarget,
  { force }: { readonly force: boolean },
): void {
  const fail = (problem: string): never => {
    throw new PlumblineError('DIRECTION_MISMATCH', `${direction.path}: ${problem}`);
  };
  if (direction.nEmbd !== target.nEmbd) {
    const hint =
      direction.modelHint === null ? '' : ` (it names the model type ${JSON.stringify(direction.modelHint)})`;
    fail(
      `its vectors have ${direction.nEmbd} values, but the residual stream of this model has ${target.nEmbd}${hint}; ` +
        'give a direction of this model',
    );
  }
  const highest = Math.max(...direction.layers.keys());
  if (highest >= target.nLayer) {
    const shifted =
      direction.kind !== 'control-vector' && highest === target.nLayer
        ? "; one layer too many looks like Hugging Face's hidden_states, whose first row is the embeddings: drop it"
        : '';
    fail(
      `it has a direction for block ${highest}, but this model has blocks 0 to ${target.nLayer - 1}${shifted}`,
    );
  }
  const fitted = direction.provenance?.model;
  if (fitted !== undefined && fitted.sha256 !== target.modelSha256 && !force) {
    fail(
      `it was fitted on another model file, ${fitted.name} (SHA-256 ${fitted.sha256.slice(0, 12)}…; this one is ` +
        `${target.modelSha256.slice(0, 12)}…); fit it anew, or force it if you know that the two models share their residual stream`,
    );
  }
}
