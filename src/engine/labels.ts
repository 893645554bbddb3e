import {
  type ChunkResult,
  concat,
  draftRoom,
  type EvaluateOptions,
  outputRows,
  padded,
  type Steps,
  type Stream,
} from './chunk.js';
import type { Steer, TapOutcome } from './types.js';

export interface LabelScores {
  readonly firstLogits: Float32Array;
  readonly logprobs: Float64Array;
  readonly logSumExp: number;
  readonly argMax: number;
  readonly paths: readonly Path[];
  readonly taps: readonly TapOutcome[];
  /** Whole logit row behind the prefix, when it is kept. */
  readonly row: Float32Array;
}

/** Tokens that were fed behind the prompt, and the arg-max after each of them. */
export interface Path {
  readonly inputs: Int32Array;
  readonly following: readonly number[];
}

export interface LabelOptions {
  readonly tapped: boolean;
  readonly keepRow: boolean;
  readonly steer: Steer | null;
}

/**
 * Evaluates what of `prefix` is not on the stream yet, its last token in any case, and the labels behind it: the first
 * in one go with the prefix, each further one on the same prefix. Without labels only the prefix is read.
 */
export function* scoreLabels(
  stream: Stream,
  prefix: Int32Array,
  wanted: readonly Int32Array[],
  options: EvaluateOptions,
  { tapped, keepRow, steer }: LabelOptions,
): Steps<LabelScores> {
  const { tile, counters } = options;
  const n = prefix.length;
  const labels = wanted.length > 0 ? wanted : [Int32Array.of(0)];
  const logprobs = new Float64Array(labels.length);
  const firstLogits = new Float32Array(labels.length);
  const paths: Path[] = [];
  let logSumExp = Number.NaN;
  let argMax = -1;
  let taps: readonly TapOutcome[] = [];
  let row: Float32Array = new Float32Array();

  for (const [index, label] of labels.entries()) {
    const scored = label.length - 1;
    if (index > 0) {
      if (scored === 0) continue;
      stream.truncate(n);
    }
    const from = stream.resident().length;
    const text = concat(prefix.subarray(from), label.subarray(0, scored));
    // The label's last token stands where padding would: when the model's greedy answer is this label, it spares a step.
    const room = wanted.length > 0 ? draftRoom(text.length, tile) : 0;
    const extra = label.subarray(scored, scored + room);
    const tokens = padded(concat(text, extra), options);
    const lastRow = n - 1 - from;
    const known = scored + extra.length;
    const wants: { row: number; token: number }[] = [];
    if (index === 0) for (const other of labels) wants.push({ row: lastRow, token: other[0] as number });
    for (let i = 0; i < known; i++) wants.push({ row: lastRow + 1 + i, token: label[i + 1] ?? 0 });
    const firstRow = Math.max(0, lastRow);
    const result: ChunkResult = yield {
      tokens,
      outputs: outputRows(firstRow, lastRow + 1 + known - firstRow, tile),
      wants,
      keepFirst: index === 0 && keepRow,
      tapRow: index === 0 && tapped ? lastRow : null,
      steer: steerOf(steer, index === 0 ? lastRow : null),
    };
    counters.prompt += n - from;
    counters.label += scored;
    counters.padding += tokens.length - text.length;

    let at = 0;
    if (index === 0) {
      at = labels.length;
      firstLogits.set(result.logit.subarray(0, at));
      logSumExp = result.logSumExp[0] as number;
      argMax = result.argMax[0] as number;
      for (let k = 0; k < at; k++) logprobs[k] = (firstLogits[k] as number) - logSumExp;
      taps = result.taps;
      row = result.row;
    }
    for (let i = 0; i < scored; i++) {
      const step = (result.logit[at + i] as number) - (result.logSumExp[at + i] as number);
      logprobs[index] = (logprobs[index] as number) + step;
    }
    paths.push({ inputs: label.subarray(0, known), following: [...result.argMax.subarray(at, at + known)] });
    // Only the prefix and this label stay; drafts and pads behind them go.
    stream.truncate(n + known);
  }
  return {
    firstLogits: firstLogits.slice(0, wanted.length),
    logprobs: logprobs.slice(0, wanted.length),
    logSumExp,
    argMax,
    paths,
    taps,
    row,
  };
}

/** `last` steers one row, that of the last prompt token; `all` steers every row of every chunk. */
export function steerOf(
  spec: Steer | null,
  lastRow: number | null,
): { readonly spec: Steer; readonly row: number | null } | null {
  if (spec === null) return null;
  if (spec.scope === 'all') return { spec, row: null };
  return lastRow === null ? null : { spec, row: lastRow };
}
