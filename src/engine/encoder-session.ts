import { PlumblineError } from '../errors.js';
import { openLibrary } from './library.js';
import type { ModelOptions } from './session.js';

/** How rows become one vector; the values of llama_pooling_type. */
export const POOLINGS = { mean: 1, cls: 2, last: 3 } as const;
export type Pooling = keyof typeof POOLINGS;

export interface EncoderOptions extends ModelOptions {
  readonly pooling: Pooling;
  /** Longest text in tokens, special tokens included. */
  readonly window: number;
  readonly threads: number;
}

/** A text's pooled vector as the model gives it, not normalised; null for a text that does not fit the window. */
export interface EncodedText {
  readonly vector: Float32Array | null;
  readonly tokens: number;
}

export interface EncoderSession {
  embed(texts: readonly string[]): Promise<EncodedText[]>;
}

/** Opens an encoder in this process. Throws LIBRARY_NOT_FOUND, ABI_MISMATCH, MODEL_LOAD, CONTEXT. */
export async function openEncoderSession(options: EncoderOptions): Promise<EncoderSession> {
  const { binding } = openLibrary(options.backend);
  const model = await binding.loadModel(options.path, options.gpuLayers, false, () => {});
  const context = await binding.createEncoder(
    model,
    options.window,
    options.threads,
    POOLINGS[options.pooling],
  );
  return {
    async embed(texts) {
      const encoded: EncodedText[] = [];
      for (const text of texts) {
        const ids = binding.tokenizeWhole(model, text);
        if (ids.length === 0)
          throw new PlumblineError('USAGE', `the text ${JSON.stringify(text)} has no tokens`);
        const fits = ids.length <= options.window;
        encoded.push({ vector: fits ? await binding.embed(context, ids) : null, tokens: ids.length });
      }
      return encoded;
    },
  };
}
