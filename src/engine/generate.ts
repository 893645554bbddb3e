import {
  type ChunkResult,
  commonPrefix,
  concat,
  draftRoom,
  type EvaluateOptions,
  outputRows,
  padded,
  type Steps,
  type Stream,
} from './chunk.js';
import { type Path, steerOf } from './labels.js';
import type { Tokenizer } from './tokens.js';
import type { GenerateSpec, Steer } from './types.js';

export interface Generated {
  readonly ids: Int32Array;
  readonly text: string;
}

/** The greedy tokens that the label rows already prove: the arg-max, and on as long as it keeps to a label. */
export function walk(first: number, paths: readonly Path[]): number[] {
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

/** The greedy continuation of `prompt`; `proven` holds the tokens of it that are known already. */
export function* continueGreedily(
  stream: Stream,
  prompt: Int32Array,
  spec: GenerateSpec,
  tokenizer: Tokenizer,
  options: EvaluateOptions,
  steer: Steer | null,
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
    const room = draftRoom(fed.length, options.tile);
    const guesses = options.drafts.guess(whole, room);
    const tokens = padded(concat(fed, guesses), options);
    const firstRow = fed.length - 1;
    const result: ChunkResult = yield {
      tokens,
      outputs: outputRows(firstRow, 1 + room, options.tile),
      wants: Array.from({ length: 1 + room }, (_, i) => ({ row: firstRow + i, token: 0 })),
      keepFirst: false,
      tapRow: null,
      steer: steerOf(steer, null),
    };
    queue.push(result.argMax[0] as number);
    let agreed = 0;
    while (agreed < room && tokens[firstRow + 1 + agreed] === queue[agreed]) {
      agreed++;
      queue.push(result.argMax[agreed] as number);
    }
    options.counters.generation += fed.length + agreed;
    options.counters.padding += tokens.length - fed.length - agreed;
    stream.truncate(whole.length + agreed);
  }

  function finish(): Generated {
    // With the prompt's last two tokens: they stand before every answer.
    options.drafts.learn(concat(prompt.subarray(-2), Int32Array.from(accepted)));
    return { ids: Int32Array.from(accepted), text };
  }
}

/** Number of generated tokens after which the text first matches `pattern`; null when it never does. */
export function placeOf(pattern: string, ids: Int32Array, tokenizer: Tokenizer): number | null {
  const expression = new RegExp(pattern, 'iu');
  for (let k = 1; k <= ids.length; k++) {
    if (expression.test(tokenizer.decode(ids.subarray(0, k)))) return k;
  }
  return null;
}
