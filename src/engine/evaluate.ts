import {
  commonPrefix,
  concat,
  type EvaluateOptions,
  NO_OUTPUTS,
  outputRows,
  padded,
  type Steps,
  type Stream,
} from './chunk.js';
import { continueGreedily, type Generated, placeOf, walk } from './generate.js';
import { type LabelScores, scoreLabels } from './labels.js';
import type { Tokenizer } from './tokens.js';
import type { EvalOutcome, TapOutcome, TokenEval } from './types.js';

/**
 * Evaluates one prompt on one stream: the prompt with the first label behind it, then each further label on the same
 * prompt, then the greedy continuation as far as it is not already known from the labels.
 *
 * Every chunk is padded at its end to a length that the grain allows (causal attention: what stands behind a row cannot reach it), and
 * the padding is removed from memory before anything else is appended. What a steered evaluation leaves in memory is
 * removed at its end: no other evaluation may share it.
 *
 * `reference` is the unsteered logit row of the same prompt, for the divergence of a steered one.
 */
export function* evaluate(
  stream: Stream,
  item: TokenEval,
  tokenizer: Tokenizer,
  options: EvaluateOptions,
  reference: Float32Array | null,
): Steps<EvalOutcome> {
  const { prompt, generate } = item;
  const steer = item.steer ?? null;
  const shared = options.share && steer?.scope !== 'all' ? commonPrefix(stream.resident(), prompt) : 0;
  // The last prompt token is always evaluated: its row is what is read.
  stream.truncate(Math.min(shared, prompt.length - 1));
  if (options.stopAtTaps) return blank(item, yield* readTaps(stream, prompt, options));

  const later = generate?.scoreAfter ?? null;
  const keepRow = options.keepLogits || reference !== null || item.isReference === true;
  const atPrompt = yield* scoreLabels(stream, prompt, later === null ? item.labels : [], options, {
    tapped: options.tapped,
    keepRow,
    steer,
  });
  let generated: Generated = { ids: new Int32Array(), text: '' };
  let scores: LabelScores = atPrompt;
  if (generate !== null) {
    const proven = walk(atPrompt.argMax, atPrompt.paths);
    generated = yield* continueGreedily(stream, prompt, generate, tokenizer, options, steer, proven);
    const place = later === null ? null : placeOf(later, generated.ids, tokenizer);
    if (place !== null) {
      const prefix = concat(prompt, generated.ids.subarray(0, place));
      stream.truncate(Math.min(commonPrefix(stream.resident(), prefix), prefix.length - 1));
      const untouched = { tapped: false, keepRow: false, steer: steer?.scope === 'all' ? steer : null };
      scores = yield* scoreLabels(stream, prefix, item.labels, options, untouched);
    }
  }
  if (steer !== null) stream.truncate(steer.scope === 'all' ? 0 : prompt.length - 1);
  return {
    id: item.id,
    firstLogits: scores.firstLogits,
    logSumExp: scores.logSumExp,
    argMax: atPrompt.argMax,
    labelLogprobs: scores.logprobs,
    generated: generated.ids,
    generatedText: generated.text,
    taps: atPrompt.taps,
    logits: atPrompt.row,
    kl: reference === null ? null : divergence(reference, atPrompt.row),
  };
}

/** Evaluates a prefix alone, so that it can be parked; leaves exactly `length` tokens on the stream. */
export function* extendTo(
  stream: Stream,
  prompt: Int32Array,
  length: number,
  options: EvaluateOptions,
): Steps<void> {
  stream.truncate(Math.min(length, commonPrefix(stream.resident(), prompt)));
  const from = stream.resident().length;
  if (from === length) return;
  const tokens = padded(prompt.subarray(from, length), options);
  yield { tokens, outputs: NO_OUTPUTS, wants: [], keepFirst: false, tapRow: null, steer: null };
  options.counters.prompt += length - from;
  options.counters.padding += tokens.length - (length - from);
  stream.truncate(length);
}

function* readTaps(
  stream: Stream,
  prompt: Int32Array,
  options: EvaluateOptions,
): Steps<readonly TapOutcome[]> {
  const from = stream.resident().length;
  const tokens = padded(prompt.subarray(from), options);
  const row = prompt.length - 1 - from;
  const { taps } = yield {
    tokens,
    // The last block keeps only rows that have outputs.
    outputs: outputRows(row, 1, options.tile),
    wants: [],
    keepFirst: false,
    tapRow: row,
    steer: null,
  };
  options.counters.prompt += prompt.length - from;
  options.counters.padding += tokens.length - (prompt.length - from);
  stream.truncate(prompt.length);
  return taps;
}

function blank(item: TokenEval, taps: readonly TapOutcome[]): EvalOutcome {
  return {
    id: item.id,
    firstLogits: new Float32Array(),
    logSumExp: Number.NaN,
    argMax: -1,
    labelLogprobs: new Float64Array(),
    generated: new Int32Array(),
    generatedText: '',
    taps,
    logits: new Float32Array(),
    kl: null,
  };
}

/** Kullback-Leibler divergence, in nats, of the distribution of `logits` from that of `reference`: KL(reference ‖ logits). */
export function divergence(reference: Float32Array, logits: Float32Array): number {
  const zReference = logSumExpOf(reference);
  const z = logSumExpOf(logits);
  let sum = 0;
  for (let i = 0; i < reference.length; i++) {
    const log = (reference[i] as number) - zReference;
    sum += Math.exp(log) * (log - ((logits[i] as number) - z));
  }
  return Math.max(0, sum);
}

function logSumExpOf(logits: Float32Array): number {
  let max = Number.NEGATIVE_INFINITY;
  for (const value of logits) max = Math.max(max, value);
  let sum = 0;
  for (const value of logits) sum += Math.exp(value - max);
  return max + Math.log(sum);
}
