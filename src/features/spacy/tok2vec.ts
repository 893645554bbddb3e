import { z } from 'zod';
import type { LexicalAttributes } from './lexeme.js';
import { createMaxout, type MaxoutLayer } from './linear.js';
import { type Layer, parsePart, readLayers, tensor } from './model-file.js';
import { hash4 } from './murmur.js';
import { stringId } from './strings.js';

/** What the network is fed of a token, in this order. White space is collapsed, so that no token is a space. */
const COLUMNS = ['NORM', 'PREFIX', 'SUFFIX', 'SHAPE', 'SPACY', 'IS_SPACE'] as const;

/** An embedding table [rows x width]; a key adds up the four rows that it hashes to. */
interface HashEmbedding {
  readonly rows: number;
  readonly seed: bigint;
  readonly table: Float64Array;
}

export interface Tok2Vec {
  readonly width: number;
  /** One vector after the other, a token each. */
  readonly vectors: (tokens: readonly LexicalToken[]) => Float64Array;
}

export interface LexicalToken extends LexicalAttributes {
  /** A space follows. */
  readonly space: boolean;
}

/** How many different tokens keep their embedding. */
const MAX_REMEMBERED = 50_000;

/**
 * spaCy's Tok2Vec: hash embeddings of six attributes, mixed by a maxout layer, then residual convolutions over a window
 * of one token to each side.
 *
 * Errors: MODEL_NOT_FOUND, MODEL_UNSUPPORTED.
 */
export function loadTok2Vec(directory: string): Tok2Vec {
  const name = ['tok2vec', 'model'];
  const layers = readLayers(directory, ...name);
  return parsePart(directory, name, () => buildTok2Vec(layers));
}

function buildTok2Vec(layers: readonly Layer[]): Tok2Vec {
  const named = (name: string): readonly Layer[] => layers.filter(layer => layer.name === name);
  const columns = z.array(z.string()).parse(named('extract_features')[0]?.attributes.columns);
  if (columns.join() !== COLUMNS.join())
    throw new Error(`attributes ${columns.join()}, expected ${COLUMNS.join()}`);
  const tables = named('hashembed').map(layer => hashEmbedding(layer));
  const width = tables[0]?.table.length === undefined ? 0 : tables[0].table.length / tables[0].rows;
  if (tables.length !== COLUMNS.length || tables.some(({ table, rows }) => table.length !== rows * width))
    throw new Error(`${tables.length} embedding tables, expected ${COLUMNS.length} of one width`);
  if (named('expand_window').some(({ attributes }) => attributes.window_size !== 1))
    throw new Error('a window that is not of one token to each side');

  const maxouts = named('maxout');
  const norms = named('layernorm');
  const [mix, ...encoders] = maxouts.map((layer, i) =>
    createMaxout(maxoutLayer(layer, norms[i], width, i === 0 ? COLUMNS.length * width : 3 * width)),
  );
  if (mix === undefined || encoders.length === 0 || encoders.length !== named('expand_window').length)
    throw new Error(`${maxouts.length} maxout layers and ${named('expand_window').length} windows`);

  const embed = createEmbedding(tables, width, mix);
  // So far the encoder sees to each side; with so many empty tokens there, one text cannot tell that it stands alone.
  const padding = encoders.length;
  return {
    width,
    vectors: tokens => {
      // One row more at both ends, which stays zero: the window of the outermost padding.
      const rows = tokens.length + 2 * padding + 2;
      let current = new Float64Array(rows * width);
      for (const [i, token] of tokens.entries()) current.set(embed(token), (1 + padding + i) * width);
      let next = new Float64Array(rows * width);
      for (const encode of encoders) {
        for (let row = 1; row < rows - 1; row++) {
          const encoded = encode(current, (row - 1) * width);
          for (let k = 0; k < width; k++)
            next[row * width + k] = (current[row * width + k] as number) + (encoded[k] as number);
        }
        [current, next] = [next, current];
      }
      return current.slice((1 + padding) * width, (1 + padding + tokens.length) * width);
    },
  };
}

function hashEmbedding({ attributes, tensors }: Layer): HashEmbedding {
  const seed = z.int().min(0).parse(attributes.seed);
  const table = tensors.E;
  const rows = table?.shape[0] ?? 0;
  if (table === undefined || table.shape.length !== 2 || rows === 0)
    throw new Error('an embedding table without rows');
  return { rows, seed: BigInt(seed), table: table.values };
}

function maxoutLayer(layer: Layer, norm: Layer | undefined, width: number, inputs: number): MaxoutLayer {
  const pieces = layer.tensors.W?.shape[1] ?? 0;
  return {
    width,
    pieces,
    inputs,
    weights: tensor(layer, 'W', width, pieces, inputs),
    biases: tensor(layer, 'b', width, pieces),
    gain: tensor(norm, 'G', width),
    offset: tensor(norm, 'b', width),
  };
}

function createEmbedding(
  tables: readonly HashEmbedding[],
  width: number,
  mix: (inputs: Float64Array, at: number) => Float64Array,
): (token: LexicalToken) => Float64Array {
  const remembered = new Map<string, Float64Array>();
  return token => {
    const { norm, prefix, suffix, shape, space } = token;
    const key = [norm, prefix, suffix, shape, space ? ' ' : ''].join('\n');
    const before = remembered.get(key);
    if (before !== undefined) return before;
    const ids = [norm, prefix, suffix, shape].map(stringId);
    const joined = new Float64Array(tables.length * width);
    [...ids, space ? 1n : 0n, 0n].forEach((id, column) => {
      const table = tables[column];
      if (table === undefined) return;
      for (const hash of hash4(id, table.seed)) {
        const row = (hash % table.rows) * width;
        for (let k = 0; k < width; k++)
          joined[column * width + k] =
            (joined[column * width + k] as number) + (table.table[row + k] as number);
      }
    });
    const vector = mix(joined, 0).slice();
    if (remembered.size < MAX_REMEMBERED) remembered.set(key, vector);
    return vector;
  };
}
