import { PlumblineError } from '../errors.js';

/**
 * Layer k is the residual stream after block k, blocks counted from 0:
 *
 * | here | llama.cpp tensor | control-vector file | Hugging Face `hidden_states` |
 * |---|---|---|---|
 * | (none) | `inp_embd` | (none) | `[0]`, the embeddings |
 * | 0 | `l_out-0` | not allowed | `[1]` |
 * | k | `l_out-k` | `direction.k` | `[k + 1]` |
 * | n − 1 | `l_out-(n-1)` | `direction.(n-1)` | nowhere: `[n]` is taken after the final norm |
 *
 * Negative indices count from the end, −1 being the last block, so that −k here is `hidden_states[-k]` there (but for
 * −1, which they normalise). `layer` is the index as given; the result is a block index.
 * @throws PlumblineError USAGE when the model has no such block.
 */
export function resolveLayer(layer: number, nLayer: number): number {
  const block = layer < 0 ? nLayer + layer : layer;
  if (!(Number.isSafeInteger(layer) && block >= 0 && block < nLayer)) {
    throw new PlumblineError(
      'USAGE',
      `layer ${layer}: the model has ${nLayer} blocks, expected 0 to ${nLayer - 1}, or -1 (the last) to -${nLayer}`,
    );
  }
  return block;
}
