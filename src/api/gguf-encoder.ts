import path from 'node:path';
import { openEncoder } from '../engine/encoder.js';
import { hashFiles } from '../engine/file-hash.js';
import type { GpuOption } from '../engine/hardware.js';
import { PlumblineError } from '../errors.js';
import type { Embedding, Encoder } from '../gate/encoder.js';
import type { GgufConfig, GgufSettings } from '../gate/encoder-config.js';

export interface EncoderEngine {
  readonly gpu: GpuOption;
  readonly threads: number;
}

export interface ClosableEncoder {
  readonly encoder: Encoder;
  close(): Promise<void>;
}

/**
 * A GGUF file as an encoder, in an engine process of its own until it is closed. A text that does not fit the model's
 * window with its prefix is flagged `too-long`, one of white space only `empty`: neither has a vector. Errors: USAGE for
 * more dimensions than the model has; what opening a model throws.
 */
export async function openGgufEncoder(config: GgufConfig, engine: EncoderEngine): Promise<ClosableEncoder> {
  const opened = await openEncoder(config.path, { pooling: config.pooling, ...engine });
  const { header, pooling, window, backend } = opened;
  try {
    const { dims, prefix, layerNorm } = config;
    if (dims !== null && dims > header.nEmbd) {
      throw new PlumblineError(
        'USAGE',
        `${config.path} gives vectors of ${header.nEmbd} numbers, so ${dims} cannot be kept: ask for at most ${header.nEmbd}`,
      );
    }
    const encoder: Encoder = {
      name: nameOf(config),
      facts: {
        kind: 'GGUF',
        file: path.basename(config.path),
        sha256: await hashFiles(header.parts),
        preset: config.preset,
        architecture: header.architecture,
        format: header.dominantType,
        pooling,
        prefix,
        layerNorm,
        width: header.nEmbd,
        dims: dims ?? header.nEmbd,
        window,
        backend,
      },
      async embed(texts) {
        const asked = texts.filter(text => !isEmpty(text));
        const answers = (await opened.embed(asked.map(text => prefix + text))).values();
        return texts.map((text): Embedding => {
          if (isEmpty(text)) return { vector: null, flag: 'empty' };
          const vector = answers.next().value?.vector ?? null;
          return vector === null
            ? { vector: null, flag: 'too-long' }
            : { vector: finishVector(vector, config), flag: null };
        });
      },
    };
    return { encoder, close: opened.close };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

const isEmpty = (text: string): boolean => text.trim() === '';

/** The settings are in the name, so that one file with two prefixes makes two rows that can be told apart. */
function nameOf({ path: file, preset, pooling, prefix, layerNorm, dims }: GgufConfig): string {
  const stem = path.basename(file, '.gguf');
  if (preset !== null) return `${preset} (${stem})`;
  const settings = [
    ...(pooling === null ? [] : [pooling]),
    ...(prefix === '' ? [] : [`prefix ${JSON.stringify(prefix)}`]),
    ...(layerNorm ? ['layer norm'] : []),
    ...(dims === null ? [] : [`${dims} dims`]),
  ];
  return settings.length === 0 ? stem : `${stem} (${settings.join(', ')})`;
}

/** What keeps a vector of equal numbers from a division by zero; the usual value. */
const LAYER_NORM_EPSILON = 1e-5;

/**
 * Layer norm over the whole vector when asked (no weights), then the cut, then length 1: in this order, since a vector cut
 * first has another mean. A vector that is zero stays zero, one that is not finite stays so: both are flagged later.
 */
export function finishVector(
  vector: Float32Array,
  { layerNorm, dims }: Pick<GgufSettings, 'layerNorm' | 'dims'>,
): Float32Array {
  const kept = Float64Array.from(layerNorm ? normalised(vector) : vector).subarray(0, dims ?? vector.length);
  const length = Math.sqrt(kept.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(kept, value => (length === 0 ? value : value / length));
}

function normalised(vector: Float32Array): Float64Array {
  const values = Float64Array.from(vector);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return values.map(value => (value - mean) / Math.sqrt(variance + LAYER_NORM_EPSILON));
}
