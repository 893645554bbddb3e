import type { Chunk, ChunkResult } from './chunk.js';
import type { NativeDecodeRequest, NativeDecodeResult, NativeTap } from './native.js';
import type { TapOutcome, TapSpec } from './types.js';

/** A chunk on its way through the model, with what has come back of it. */
export interface PendingChunk extends ChunkResult {
  readonly chunk: Chunk;
  /** Tokens that are through. */
  done: number;
  taps: readonly TapOutcome[];
  row: Float32Array;
}

export function pendingOf(chunk: Chunk): PendingChunk {
  return {
    chunk,
    done: 0,
    logit: new Float32Array(chunk.wants.length),
    logSumExp: new Float64Array(chunk.wants.length),
    argMax: new Int32Array(chunk.wants.length),
    taps: [],
    row: new Float32Array(),
  };
}

/**
 * The next `length` tokens of a pending chunk, on a stream that holds `start` tokens; behind the end of the chunk stand
 * pads, which its program takes off again with the rest of its padding.
 */
export interface Part {
  readonly pending: PendingChunk;
  readonly sequence: number;
  readonly start: number;
  readonly length: number;
}

export interface BatchOptions {
  readonly taps: readonly TapSpec[];
  /** Vectors that chunks are steered along. */
  readonly vectors: Float32Array;
  readonly stopAtTaps: boolean;
  /** Block that keeps only the rows that have outputs. */
  readonly lastBlock: number;
}

/** One decode: what is asked, and how the answer finds back to the chunks. */
export interface Batch {
  readonly request: NativeDecodeRequest;
  deliver(result: NativeDecodeResult): void;
}

interface SteeredRows {
  readonly rows: number[];
  readonly alphas: number[];
  readonly vectors: number[];
}

export function assembleBatch(parts: readonly Part[], options: BatchOptions): Batch {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const tokens = new Int32Array(total);
  const positions = new Int32Array(total);
  const sequences = new Int32Array(total);
  const outputs = new Int8Array(total);
  const wants: {
    readonly row: number;
    readonly token: number;
    readonly pending: PendingChunk;
    readonly index: number;
  }[] = [];
  const kept: { readonly want: number; readonly pending: PendingChunk }[] = [];
  const read: { readonly row: number; readonly pending: PendingChunk }[] = [];
  const steered = new Map<number, SteeredRows>();
  let base = 0;
  for (const { pending, sequence, start, length } of parts) {
    const { chunk, done } = pending;
    const isHere = (row: number): boolean => row >= done && row < done + length;
    const { from, count } = chunk.outputs;
    tokens.set(chunk.tokens.subarray(done, done + length), base);
    for (let i = 0; i < length; i++) {
      positions[base + i] = start + i;
      sequences[base + i] = sequence;
      outputs[base + i] = done + i >= from && done + i < from + count ? 1 : 0;
    }
    for (const [index, want] of chunk.wants.entries()) {
      if (!isHere(want.row)) continue;
      if (index === 0 && chunk.keepFirst) kept.push({ want: wants.length, pending });
      wants.push({ row: base + want.row - done, token: want.token, pending, index });
    }
    if (chunk.tapRow !== null && isHere(chunk.tapRow))
      read.push({ row: base + chunk.tapRow - done, pending });
    if (chunk.steer !== null) {
      const { spec, row } = chunk.steer;
      const rows = steered.get(spec.layer) ?? { rows: [], alphas: [], vectors: [] };
      steered.set(spec.layer, rows);
      for (let i = 0; i < length; i++) {
        if (row !== null && row !== done + i) continue;
        // The last block keeps only rows that have outputs, and nothing reads the others.
        if (spec.layer === options.lastBlock && outputs[base + i] === 0) continue;
        rows.rows.push(base + i);
        rows.alphas.push(spec.alpha);
        rows.vectors.push(spec.vector);
      }
    }
    base += length;
  }
  return {
    request: {
      tokens,
      positions,
      sequences,
      outputs,
      wantRows: Int32Array.from(wants, want => want.row),
      wantTokens: Int32Array.from(wants, want => want.token),
      taps: nativeTaps(
        read.map(({ row }) => row),
        steered,
        options,
      ),
      stopAfterTaps: options.stopAtTaps,
      keepRows: Int32Array.from(kept, ({ want }) => want),
    },
    deliver(result) {
      for (const [i, { pending, index }] of wants.entries()) {
        pending.logit[index] = result.logit[i] as number;
        pending.logSumExp[index] = result.logSumExp[i] as number;
        pending.argMax[index] = result.argMax[i] as number;
      }
      for (const [i, { pending }] of kept.entries()) pending.row = slice(result.rows, i, kept.length);
      const tapped = result.taps.filter(tap => options.taps.some(spec => spec.layer === tap.layer));
      for (const [i, { pending }] of read.entries()) {
        pending.taps = tapped.map(tap => ({
          layer: tap.layer,
          norm: tap.norms[i] as number,
          projections: slice(tap.projections, i, read.length),
          activation: slice(tap.activations, i, read.length),
        }));
      }
    },
  };
}

/** Layers that are read, steered or both, ascending. */
function nativeTaps(
  readRows: readonly number[],
  steered: ReadonlyMap<number, SteeredRows>,
  options: BatchOptions,
): NativeTap[] {
  const reading = options.stopAtTaps || readRows.length > 0 ? options.taps : [];
  const layers = new Set([...reading.map(tap => tap.layer), ...steered.keys()]);
  return [...layers]
    .sort((a, b) => a - b)
    .map(layer => {
      const tap = reading.find(candidate => candidate.layer === layer);
      const added = steered.get(layer);
      return {
        layer,
        readRows: Int32Array.from(tap === undefined ? [] : readRows),
        directions: tap?.directions ?? new Float32Array(),
        keepActivations: tap?.keepActivations ?? false,
        addRows: Int32Array.from(added?.rows ?? []),
        addAlphas: Float32Array.from(added?.alphas ?? []),
        addVectors: Int32Array.from(added?.vectors ?? []),
        vectors: added === undefined ? new Float32Array() : options.vectors,
      };
    });
}

/** The i-th of `n` equal pieces. */
function slice<T extends Float32Array | Float64Array>(values: T, i: number, n: number): T {
  const width = values.length / n;
  return values.slice(i * width, (i + 1) * width) as T;
}
