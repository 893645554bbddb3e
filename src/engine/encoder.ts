import { PlumblineError } from '../errors.js';
import { ensureAddon } from './addon.js';
import type { EncodedText, Pooling } from './encoder-session.js';
import { type GgufHeader, readGgufHeader } from './gguf-header.js';
import { chooseBackend, type GpuOption } from './hardware.js';
import { startEngineProcess } from './process.js';

/** A GGUF encoder in an engine process of its own. */
export interface OpenEncoder {
  readonly header: GgufHeader;
  readonly backend: string;
  readonly pooling: Pooling;
  /** Longest text in tokens, special tokens included. */
  readonly window: number;
  embed(texts: readonly string[]): Promise<EncodedText[]>;
  close(): Promise<void>;
}

/** `<architecture>.pooling_type` in GGUF metadata: 1 mean, 2 first token, 3 last token. */
const NAMES: ReadonlyMap<unknown, Pooling> = new Map([
  [1, 'mean'],
  [2, 'cls'],
  [3, 'last'],
]);
const TEXTS_PER_MESSAGE = 64;

/**
 * Opens an encoder. `pooling` overrides the file's; without either it is refused, since llama.cpp would silently take
 * the last token. Throws what the header check and the engine throw, and MODEL_UNSUPPORTED.
 */
export async function openEncoder(
  path: string,
  options: { readonly pooling: Pooling | null; readonly gpu: GpuOption; readonly threads: number },
): Promise<OpenEncoder> {
  const header = await readGgufHeader(path);
  const pooling = options.pooling ?? NAMES.get(header.metadata.get(`${header.architecture}.pooling_type`));
  if (pooling === undefined) {
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `${path} does not say how its rows become one vector (${header.architecture}.pooling_type), and the wrong way moves cosines ` +
        'by up to .36: give --pooling mean, cls or last ("pooling" in a config file), as the model\'s card says.',
    );
  }
  const backend = await chooseBackend(options.gpu);
  await ensureAddon();
  const process = startEngineProcess({ onProgress() {}, onOutcomes() {} });
  const window = header.contextLength;
  try {
    await process.ask({
      type: 'openEncoder',
      options: {
        path,
        backend,
        gpuLayers: backend === 'cpu' ? 0 : -1,
        pooling,
        window,
        threads: options.threads,
      },
    });
  } catch (error) {
    await process.stop();
    throw error;
  }
  return {
    header,
    backend,
    pooling,
    window,
    async embed(texts) {
      const encoded: EncodedText[] = [];
      for (let from = 0; from < texts.length; from += TEXTS_PER_MESSAGE) {
        encoded.push(
          ...(await process.ask({ type: 'embed', texts: texts.slice(from, from + TEXTS_PER_MESSAGE) })),
        );
      }
      return encoded;
    },
    close: () => process.stop(),
  };
}
