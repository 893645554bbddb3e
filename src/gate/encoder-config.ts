import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { POOLINGS, type Pooling } from '../engine/encoder-session.js';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';

/** What is done with a text before, and with its vector after, a GGUF encoder. */
export interface GgufSettings {
  /** How rows become one vector; null = as the file says, and refused when it says nothing. */
  readonly pooling: Pooling | null;
  /** Put before every text. */
  readonly prefix: string;
  /** Normalise the whole vector to mean 0 and variance 1 before it is cut. */
  readonly layerNorm: boolean;
  /** Numbers of the vector that are kept, from its beginning (Matryoshka); null = all. */
  readonly dims: number | null;
}

export interface GgufConfig extends GgufSettings {
  readonly path: string;
  /** Preset that the settings are from; null = none. */
  readonly preset: string | null;
}

export const PLAIN_SETTINGS: GgufSettings = { pooling: null, prefix: '', layerNorm: false, dims: null };

const CONFIG = z.strictObject({
  kind: z.literal('gguf'),
  path: z.string().min(1),
  pooling: z.enum(Object.keys(POOLINGS) as [Pooling, ...Pooling[]]).optional(),
  prefix: z.string().optional(),
  layerNorm: z.boolean().optional(),
  dims: z.int().positive().optional(),
});

/**
 * An encoder described in a JSON file: `{"kind": "gguf", "path": …, "pooling"?, "prefix"?, "layerNorm"?, "dims"?}`; the
 * path is relative to the file. Errors: USAGE for a file that cannot be read or has another shape.
 */
export function readEncoderConfig(file: string): GgufConfig {
  const checked = CONFIG.safeParse(readJson(file));
  if (!checked.success) {
    throw new PlumblineError(
      'USAGE',
      `${file} does not describe an encoder: ${faultsOf(checked.error)}; expected ` +
        '{"kind": "gguf", "path": FILE} with pooling, prefix, layerNorm and dims as needed',
    );
  }
  const { path: model, pooling, prefix, layerNorm, dims } = checked.data;
  return {
    path: path.resolve(path.dirname(file), model),
    preset: null,
    pooling: pooling ?? PLAIN_SETTINGS.pooling,
    prefix: prefix ?? PLAIN_SETTINGS.prefix,
    layerNorm: layerNorm ?? PLAIN_SETTINGS.layerNorm,
    dims: dims ?? PLAIN_SETTINGS.dims,
  };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new PlumblineError(
      'USAGE',
      `cannot read ${file}, which was to describe an encoder: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
