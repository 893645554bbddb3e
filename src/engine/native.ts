import { createRequire } from 'node:module';
import { messageOf, PlumblineError } from '../errors.js';
import { addonFile } from './addon.js';
import { packageRoot } from './package-root.js';

declare const modelBrand: unique symbol;
declare const contextBrand: unique symbol;
/** Opaque; native code checks a run-time type tag. */
export type ModelHandle = { readonly [modelBrand]: true };
export type ContextHandle = { readonly [contextBrand]: true };

export interface NativeModelInfo {
  readonly description: string;
  readonly nEmbd: number;
  readonly nLayer: number;
  readonly nCtxTrain: number;
  /** Sliding window in tokens, 0 = none. */
  readonly nSwa: number;
  readonly nVocab: number;
  readonly nParams: number;
  readonly bytes: number;
  readonly hasEncoder: boolean;
  readonly hasDecoder: boolean;
  readonly isRecurrent: boolean;
  readonly isHybrid: boolean;
  readonly isDiffusion: boolean;
  readonly bos: number;
  readonly eos: number;
  readonly addBos: boolean;
  readonly chatTemplate: string | null;
}

export interface SpecialToken {
  readonly id: number;
  readonly text: string;
  readonly control: boolean;
  readonly endOfGeneration: boolean;
  /** White space in front of the token, or behind it, belongs to the token and is not tokenised. */
  readonly stripsBefore: boolean;
  readonly stripsAfter: boolean;
}

export interface NativeTap {
  readonly layer: number;
  /** Batch rows whose residual stream is read. */
  readonly readRows: Int32Array;
  /** Any number of directions of n_embd values; projections come back per read row. */
  readonly directions: Float32Array;
  readonly keepActivations: boolean;
  /** addAlphas[i] * vectors[addVectors[i]] is added to batch row addRows[i], after the layer has been read. */
  readonly addRows: Int32Array;
  readonly addAlphas: Float32Array;
  /** Empty = vector 0 for every row. */
  readonly addVectors: Int32Array;
  /** Any number of vectors of n_embd values. */
  readonly vectors: Float32Array;
}

export interface NativeDecodeRequest {
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  readonly sequences: Int32Array;
  /** 1 = the row's logits are computed. */
  readonly outputs: Int8Array;
  /** For each i, the logit of wantTokens[i] at batch row wantRows[i], with that row's log-sum-exp and arg-max. */
  readonly wantRows: Int32Array;
  readonly wantTokens: Int32Array;
  /** Ascending by layer. */
  readonly taps: readonly NativeTap[];
  /** Stop after the deepest tap: no logits then, and the memory must not be read again. */
  readonly stopAfterTaps: boolean;
  /** Numbers of wants whose whole logit rows are returned as well: a row is as wide as the vocabulary. */
  readonly keepRows: Int32Array;
}

export interface NativeTapResult {
  readonly layer: number;
  readonly norms: Float32Array;
  /** [readRows * directions], row-major. */
  readonly projections: Float64Array;
  /** [readRows * n_embd], or empty. */
  readonly activations: Float32Array;
}

export interface NativeDecodeResult {
  readonly logit: Float32Array;
  readonly logSumExp: Float64Array;
  readonly argMax: Int32Array;
  readonly max: Float32Array;
  /** [keepRows * n_vocab], row-major. */
  readonly rows: Float32Array;
  readonly taps: readonly NativeTapResult[];
  readonly stopped: boolean;
}

export interface NativeDevice {
  readonly name: string;
  readonly description: string;
  /** ggml_backend_dev_type: 0 CPU, 1 GPU, 2 integrated GPU, 3 accelerator. */
  readonly type: number;
  readonly free: number;
  readonly total: number;
}

/** The addon's exports, one to one; a test holds this interface against the comments in native/. */
export interface NativeBinding {
  readonly compiledRelease: string;
  setErrorClass(errorClass: new (code: never, message: string) => Error): void;
  openLibrary(files: readonly string[], backendDir: string): { version: string; systemInfo: string };
  devices(): NativeDevice[];
  loadModel(
    path: string,
    gpuLayers: number,
    vocabOnly: boolean,
    progress: (share: number) => void,
  ): Promise<ModelHandle>;
  disposeModel(model: ModelHandle): void;
  modelInfo(model: ModelHandle): NativeModelInfo;
  specialTokens(model: ModelHandle): SpecialToken[];
  tokenize(model: ModelHandle, text: string, parseSpecial: boolean): Int32Array;
  tokenBytes(model: ModelHandle, ids: Int32Array, special: boolean): Uint8Array;
  quantize(input: string, output: string, ftype: number): void;
  createContext(
    model: ModelHandle,
    sequences: number,
    cellsPerSequence: number,
    ubatch: number,
    maxOutputs: number,
    threads: number,
    flashAttention: boolean,
    unified: boolean,
  ): Promise<ContextHandle>;
  disposeContext(context: ContextHandle): void;
  contextInfo(context: ContextHandle): { sequences: number; cellsPerSequence: number; ubatch: number };
  memoryClear(context: ContextHandle): void;
  memoryRemoveTail(context: ContextHandle, sequence: number, from: number): boolean;
  memoryCopy(context: ContextHandle, from: number, to: number): void;
  setControlVector(context: ContextHandle, data: Float32Array, firstLayer: number, lastLayer: number): void;
  decode(context: ContextHandle, request: NativeDecodeRequest): Promise<NativeDecodeResult>;
  createEncoder(model: ModelHandle, window: number, threads: number, pooling: number): Promise<ContextHandle>;
  tokenizeWhole(model: ModelHandle, text: string): Int32Array;
  embed(context: ContextHandle, tokens: Int32Array): Promise<Float32Array>;
}

let loaded: NativeBinding | undefined;

/** Loads the addon. Throws LIBRARY_NOT_FOUND when it has not been built. */
export function loadBinding(): NativeBinding {
  if (loaded !== undefined) return loaded;
  try {
    const binding = createRequire(import.meta.url)(addonFile()) as NativeBinding;
    binding.setErrorClass(PlumblineError as new (code: never, message: string) => Error);
    loaded = binding;
    return binding;
  } catch (error) {
    throw new PlumblineError(
      'LIBRARY_NOT_FOUND',
      `The native addon build/Release/plumbline.node could not be loaded (${messageOf(error)}). ` +
        `Expected it built for this machine; run "npm run setup" in ${packageRoot()}.`,
      { cause: error },
    );
  }
}
