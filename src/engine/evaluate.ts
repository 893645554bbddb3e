import type { Tokenizer } from './tokens.js';
import type { Counters, EvalOutcome, GenerateSpec, TapOutcome, TokenEval } from './types.js';

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
  const { prompt, generate } = item;
  const shared = options.share ? commonPrefix(stream.resident(), prompt) : 0;
  // The last prompt token is always evaluated: its row is what is read.
  stream.truncate(Math.min(shared, prompt.length - 1));
  const later = generate?.scoreAfter ?? null;
  const atPrompt = yield* scoreLabels(
    stream,
    prompt,
    later === null ? item.labels : [],
    options,
    options.tapped,
  );

  let generated: Generated = { ids: new Int32Array(), text: '' };
  let scores: LabelScores = atPrompt;
  if (generate !== null) {
    const proven = walk(atPrompt.argMax, atPrompt.paths);
    generated = yield* continueGreedily(stream, prompt, generate, tokenizer, options, proven);
    const place = later === null ? null : placeOf(later, generated.ids, tokenizer);
    if (place !== null) {
      const prefix = concat(prompt, generated.ids.subarray(0, place));
      stream.truncate(Math.min(commonPrefix(stream.resident(), prefix), prefix.length - 1));
      scores = yield* scoreLabels(stream, prefix, item.labels, options, false);
    }
  }
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
  };
}

interface LabelScores {
  readonly firstLogits: Float32Array;
  readonly logprobs: Float64Array;
  readonly logSumExp: number;
  readonly argMax: number;
  readonly paths: readonly Path[];
  readonly taps: readonly TapOutcome[];
  readonly row: Float32Array;
}

/**
 * Evaluates what of `prefix` is not on the stream yet, its last token in any case, and the labels behind it. Without
 * labels only the prefix is read.
 */
function* scoreLabels(
  stream: Stream,
  prefix: Int32Array,
  wanted: readonly Int32Array[],
  options: EvaluateOptions,
  tapped: boolean,
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
  let row = new Float32Array();

  for (const [index, label] of labels.entries()) {
    const scored = label.length - 1;
    if (index > 0) {
      if (scored === 0) continue;
      stream.truncate(n);
    }
    const from = stream.resident().length;
    const text = concat(prefix.subarray(from), label.subarray(0, scored));
    // The label's last token stands where padding would: when the model's greedy answer is this label, it spares a step.
    const spare = tileUp(text.length, tile) - text.length;
    const extra = wanted.length > 0 ? label.subarray(scored, scored + spare) : new Int32Array();
    const tokens = options.drafts.fill(concat(text, extra), tile, true);
    const lastRow = n - 1 - from;
    const known = scored + extra.length;
    const wants: { row: number; token: number }[] = [];
    if (index === 0) for (const other of labels) wants.push({ row: lastRow, token: other[0] as number });
    for (let i = 0; i < known; i++) wants.push({ row: lastRow + 1 + i, token: label[i + 1] ?? 0 });
    const result: ChunkResult = yield {
      tokens,
      outputsFrom: tokens.length - tileUp(tokens.length - Math.max(0, lastRow), tile),
      wants,
      tapRow: index === 0 && tapped ? lastRow : null,
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
      if (options.keepLogits) row = result.rows.slice(0, result.rows.length / wants.length);
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

/** Number of generated tokens after which the text first matches `pattern`; null when it never does. */
function placeOf(pattern: string, ids: Int32Array, tokenizer: Tokenizer): number | null {
  const expression = new RegExp(pattern, 'iu');
  for (let k = 1; k <= ids.length; k++) {
    if (expression.test(tokenizer.decode(ids.subarray(0, k)))) return k;
  }
  return null;
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

interface Generated {
  readonly ids: Int32Array;
  readonly text: string;
}

function* continueGreedily(
  stream: Stream,
  prompt: Int32Array,
  spec: GenerateSpec,
  tokenizer: Tokenizer,
  options: EvaluateOptions,
  proven: readonly number[],
): Steps<Generated> {
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
    const whole = concat(prompt, Int32Array.from(accepted));
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

  function finish(): Generated {
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
