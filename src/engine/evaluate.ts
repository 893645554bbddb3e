import type { Tokenizer } from './tokens.js';
import type { Counters, EvalOutcome, TapOutcome, TokenEval } from './types.js';

/** Consecutive tokens for one stream, a multiple of the tile long. */
export interface Chunk {
  readonly tokens: Int32Array;
  /** Rows from here on have their logits computed; a whole number of tiles before the end. */
  readonly outputsFrom: number;
  /** Logits to be read, ascending by row. */
  readonly wants: readonly { readonly row: number; readonly token: number }[];
  /** Row whose residual stream is read, or null. */
  readonly tapRow: number | null;
}

export interface ChunkResult {
  /** One entry per want. */
  readonly logit: Float32Array;
  readonly logSumExp: Float64Array;
  readonly argMax: Int32Array;
  readonly taps: readonly TapOutcome[];
  /** Whole rows of the wants when the executor keeps them. */
  readonly rows: Float32Array;
}

/** What a stream's memory holds, and how to shorten it. */
export interface Stream {
  /** Tokens in memory, oldest first. */
  resident(): Int32Array;
  /** Forget everything from this position on; nothing happens when less is there. */
  truncate(length: number): void;
}

export interface EvaluateOptions {
  readonly tile: number;
  readonly tapped: boolean;
  readonly keepLogits: boolean;
  /** false: start from an empty stream. */
  readonly share: boolean;
  readonly counters: Counters;
  readonly drafts: Drafts;
}

type Steps<T> = Generator<Chunk, T, ChunkResult>;

/**
 * Evaluates one prompt on one stream: the prompt with the first label behind it, then each further label on the same
 * prompt, then the greedy continuation as far as it is not already known from the labels.
 *
 * Every chunk is padded at its end to whole tiles (causal attention: what stands behind a row cannot reach it), and
 * the padding is removed from memory before anything else is appended.
 */
export function* evaluate(
  stream: Stream,
  item: TokenEval,
  tokenizer: Tokenizer,
  options: EvaluateOptions,
): Steps<EvalOutcome> {
  const { tile, counters } = options;
  const n = item.prompt.length;
  const shared = options.share ? commonPrefix(stream.resident(), item.prompt) : 0;
  // The last prompt token is always evaluated: its row is what is read.
  stream.truncate(Math.min(shared, n - 1));

  const scores = new Float64Array(item.labels.length);
  const firstLogits = new Float32Array(item.labels.length);
  const paths: Path[] = [];
  let logSumExp = Number.NaN;
  let firstArgMax = -1;
  let taps: readonly TapOutcome[] = [];
  let logits = new Float32Array();

  for (const [index, label] of item.labels.entries()) {
    const scored = label.length - 1;
    if (index > 0) {
      if (scored === 0) continue;
      stream.truncate(n);
    }
    const from = stream.resident().length;
    const text = concat(item.prompt.subarray(from), label.subarray(0, scored));
    // Drafts stand where padding would: when the model's greedy answer is this label, they may spare a step.
    const spare = tileUp(text.length, tile) - text.length;
    const extra = label.subarray(scored, scored + spare);
    const chunkTokens = options.drafts.fill(concat(text, extra), tile, true);
    const lastPromptRow = n - 1 - from;
    const wants: { row: number; token: number }[] = [];
    if (index === 0)
      for (const other of item.labels) wants.push({ row: lastPromptRow, token: other[0] as number });
    const known = Math.min(label.length, scored + extra.length);
    for (let i = 0; i < known; i++) {
      wants.push({ row: lastPromptRow + 1 + i, token: label[i + 1] ?? label[0] ?? 0 });
    }
    const firstRow = index === 0 ? lastPromptRow : lastPromptRow + 1;
    const result: ChunkResult = yield {
      tokens: chunkTokens,
      outputsFrom: chunkTokens.length - tileUp(chunkTokens.length - Math.max(0, firstRow), tile),
      wants,
      tapRow: index === 0 && options.tapped ? lastPromptRow : null,
    };
    counters.prompt += n - from;
    counters.label += scored;
    counters.padding += chunkTokens.length - text.length;

    let at = 0;
    if (index === 0) {
      for (let k = 0; k < item.labels.length; k++) firstLogits[k] = result.logit[k] as number;
      logSumExp = result.logSumExp[0] as number;
      firstArgMax = result.argMax[0] as number;
      taps = result.taps;
      if (options.keepLogits) logits = result.rows.slice(0, result.rows.length / wants.length);
      for (let k = 0; k < item.labels.length; k++) scores[k] = (firstLogits[k] as number) - logSumExp;
      at = item.labels.length;
    }
    const following: number[] = [];
    for (let i = 0; i < known; i++) {
      if (i + 1 < label.length)
        scores[index] =
          (scores[index] as number) + (result.logit[at + i] as number) - (result.logSumExp[at + i] as number);
      following.push(result.argMax[at + i] as number);
    }
    paths.push({ inputs: label.subarray(0, known), following });
    // Only the prompt and this label stay; drafts and pads behind them go.
    stream.truncate(n + known);
  }

  const generated =
    item.generate === null
      ? { ids: new Int32Array(), text: '' }
      : yield* continueGreedily(stream, item, tokenizer, options, walk(firstArgMax, paths));
  return {
    id: item.id,
    firstLogits,
    logSumExp,
    argMax: firstArgMax,
    labelLogprobs: scores,
    generated: generated.ids,
    generatedText: generated.text,
    taps,
    logits,
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
  const tokens = options.drafts.fill(prompt.subarray(from, length), options.tile, false);
  yield { tokens, outputsFrom: tokens.length, wants: [], tapRow: null };
  options.counters.prompt += length - from;
  options.counters.padding += tokens.length - (length - from);
  stream.truncate(length);
}

/** Tokens that were fed behind the prompt, and the arg-max after each of them. */
interface Path {
  readonly inputs: Int32Array;
  readonly following: readonly number[];
}

/** The greedy tokens that the label rows already prove: the arg-max, and on as long as it keeps to a label. */
function walk(first: number, paths: readonly Path[]): number[] {
  const greedy = [first];
  for (;;) {
    const depth = greedy.length;
    const path = paths.find(
      candidate =>
        candidate.inputs.length >= depth && greedy.every((token, i) => candidate.inputs[i] === token),
    );
    if (path === undefined) return greedy;
    greedy.push(path.following[depth - 1] as number);
  }
}

function* continueGreedily(
  stream: Stream,
  item: TokenEval,
  tokenizer: Tokenizer,
  options: EvaluateOptions,
  proven: readonly number[],
): Steps<{ readonly ids: Int32Array; readonly text: string }> {
  const spec = item.generate as NonNullable<TokenEval['generate']>;
  const stop = spec.stop === null ? null : new RegExp(spec.stop, 'iu');
  const accepted: number[] = [];
  let text = '';
  const queue = [...proven];
  for (;;) {
    while (queue.length > 0) {
      const next = queue.shift() as number;
      if (tokenizer.endOfGeneration.has(next)) return finish();
      accepted.push(next);
      text = tokenizer.decode(Int32Array.from(accepted));
      if (accepted.length >= spec.maxTokens || stop?.test(text)) return finish();
    }
    // Feed what is not in memory yet; the tile's free places hold drafts, which count only if the model agrees.
    const whole = concat(item.prompt, Int32Array.from(accepted));
    stream.truncate(Math.min(commonPrefix(stream.resident(), whole), whole.length - 1));
    const from = stream.resident().length;
    const fed = whole.subarray(from);
    const tokens = options.drafts.fill(fed, options.tile, true);
    const firstRow = fed.length - 1;
    const result: ChunkResult = yield {
      tokens,
      outputsFrom: tokens.length - tileUp(tokens.length - firstRow, options.tile),
      wants: Array.from({ length: tokens.length - firstRow }, (_, i) => ({ row: firstRow + i, token: 0 })),
      tapRow: null,
    };
    queue.push(result.argMax[0] as number);
    let agreed = 0;
    while (firstRow + 1 + agreed < tokens.length && tokens[firstRow + 1 + agreed] === queue[agreed]) {
      agreed++;
      queue.push(result.argMax[agreed] as number);
    }
    options.counters.generation += fed.length + agreed;
    options.counters.padding += tokens.length - fed.length - agreed;
    stream.truncate(whole.length + agreed);
  }

  function finish(): { ids: Int32Array; text: string } {
    options.drafts.learn(accepted);
    return { ids: Int32Array.from(accepted), text };
  }
}

/** Guesses for the free places of a tile, from what followed the same two tokens before. A guess never decides anything. */
export interface Drafts {
  /** `tokens` padded to whole tiles; with guesses if wanted, else with token 0. */
  fill(tokens: Int32Array, tile: number, guess: boolean): Int32Array;
  learn(generated: readonly number[]): void;
}

const DRAFT_MEMORY = 4096;

export function createDrafts(): Drafts {
  const next = new Map<string, number>();
  const key = (a: number | undefined, b: number | undefined): string => `${a},${b}`;
  return {
    fill(tokens, tile, guess) {
      const padded = new Int32Array(tileUp(tokens.length, tile));
      padded.set(tokens);
      if (!guess) return padded;
      for (let i = tokens.length; i < padded.length; i++) {
        const draft = next.get(key(padded[i - 2], padded[i - 1]));
        if (draft === undefined) break;
        padded[i] = draft;
      }
      return padded;
    },
    learn(generated) {
      if (next.size > DRAFT_MEMORY) next.clear();
      for (let i = 2; i < generated.length; i++)
        next.set(key(generated[i - 2], generated[i - 1]), generated[i] as number);
    },
  };
}

export function tileUp(n: number, tile: number): number {
  return Math.ceil(n / tile) * tile;
}

export function commonPrefix(a: Int32Array, b: Int32Array): number {
  const n = Math.min(a.length, b.length);
  let i = 0;
  while (i < n && a[i] === b[i]) i++;
  return i;
}

function concat(a: Int32Array, b: Int32Array): Int32Array {
  const whole = new Int32Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
