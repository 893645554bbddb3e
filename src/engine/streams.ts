import type { Chunk, ChunkResult, EvaluateOptions, Stream } from './chunk.js';
import { extendTo } from './evaluate.js';
import type { ContextHandle, NativeBinding } from './native.js';
import type { Counters, SharedPrefix } from './types.js';

/** A stream with the number that llama.cpp knows it by. */
export interface NumberedStream extends Stream {
  readonly sequence: number;
}

/** The streams of one context: those that evaluate, and those that keep shared prefixes. */
export interface Streams {
  readonly lanes: readonly NumberedStream[];
  /** Tokens that a decode has put on a stream. */
  append(sequence: number, tokens: Int32Array): void;
  /**
   * Brings a lane to the longest prefix of `shared` that fits the prompt: copied from where it is parked, or computed
   * and parked. Yields null while another lane computes it.
   */
  prepare(
    lane: Stream & { readonly sequence: number },
    prompt: Int32Array,
    shared: readonly SharedPrefix[],
    settings: EvaluateOptions,
  ): Generator<Chunk | null, void, ChunkResult>;
  /** Some lane computes a prefix at this moment. */
  isMaking(): boolean;
}

interface Park {
  readonly sequence: number;
  prefix: number | null;
  tokens: Int32Array;
  lastUse: number;
  /** Jobs that have yet to start from it, if all of them come to this process. */
  awaited: number;
}

/** Clears the context's memory and takes it over. `unified`: streams share one memory, so a copy needs an empty target. */
export function createStreams(
  binding: NativeBinding,
  context: ContextHandle,
  options: { readonly lanes: number; readonly parks: number; readonly unified: boolean },
  counters: Counters,
): Streams {
  const resident: Int32Array[] = Array.from(
    { length: options.lanes + options.parks },
    () => new Int32Array(),
  );
  const parks: Park[] = Array.from({ length: options.parks }, (_, i) => ({
    sequence: options.lanes + i,
    prefix: null,
    tokens: new Int32Array(),
    lastUse: 0,
    awaited: 0,
  }));
  const inMaking = new Set<number>();
  let clock = 0;
  binding.memoryClear(context);

  function streamOf(sequence: number): NumberedStream {
    return {
      sequence,
      resident: () => resident[sequence] as Int32Array,
      truncate(length) {
        const held = resident[sequence] as Int32Array;
        if (length >= held.length) return;
        if (binding.memoryRemoveTail(context, sequence, length)) {
          resident[sequence] = held.subarray(0, length);
          return;
        }
        // Recurrent memories cannot be shortened: start again.
        binding.memoryRemoveTail(context, sequence, 0);
        resident[sequence] = new Int32Array();
      },
    };
  }

  function copy(from: number, to: number): void {
    if (options.unified) binding.memoryRemoveTail(context, to, 0);
    binding.memoryCopy(context, from, to);
    resident[to] = (resident[from] as Int32Array).slice();
    counters.copies++;
  }

  function holds(sequence: number, tokens: Int32Array): boolean {
    const held = resident[sequence] as Int32Array;
    return held.length >= tokens.length && tokens.every((token, i) => held[i] === token);
  }

  /** Copies a parked prefix, unless a deeper one is at hand or the lane holds it already. */
  function take(park: Park, sequence: number, deeper: readonly SharedPrefix[]): void {
    park.lastUse = ++clock;
    park.awaited--;
    const better = deeper.some(
      next => parks.some(other => other.prefix === next.id) || inMaking.has(next.id),
    );
    if (!better && !holds(sequence, park.tokens)) copy(park.sequence, sequence);
  }

  function* make(
    lane: NumberedStream,
    prompt: Int32Array,
    prefix: SharedPrefix,
    settings: EvaluateOptions,
  ): Generator<Chunk | null, void, ChunkResult> {
    inMaking.add(prefix.id);
    try {
      yield* extendTo(lane, prompt, prefix.length, settings);
      const slot = parks.reduce((worst, park) => (isLessWanted(park, worst) ? park : worst));
      copy(lane.sequence, slot.sequence);
      slot.prefix = prefix.id;
      slot.tokens = prompt.slice(0, prefix.length);
      slot.lastUse = ++clock;
      slot.awaited = prefix.jobs - 1;
    } finally {
      inMaking.delete(prefix.id);
    }
  }

  return {
    lanes: Array.from({ length: options.lanes }, (_, sequence) => streamOf(sequence)),
    append(sequence, tokens) {
      const held = resident[sequence] as Int32Array;
      const grown = new Int32Array(held.length + tokens.length);
      grown.set(held);
      grown.set(tokens, held.length);
      resident[sequence] = grown;
    },
    *prepare(lane, prompt, shared, settings) {
      if (parks.length === 0) return;
      for (const [depth, prefix] of shared.entries()) {
        if (prefix.length >= prompt.length) return;
        while (inMaking.has(prefix.id)) yield null;
        const parked = parks.find(park => park.prefix === prefix.id);
        if (parked === undefined) yield* make(lane, prompt, prefix, settings);
        else take(parked, lane.sequence, shared.slice(depth + 1));
      }
    },
    isMaking: () => inMaking.size > 0,
  };
}

/** A prefix that no job waits for goes first, then the one not used for longest. */
function isLessWanted(a: Park, b: Park): boolean {
  const wanted = (park: Park): number => (park.awaited > 0 ? 1 : 0);
  return wanted(a) < wanted(b) || (wanted(a) === wanted(b) && a.lastUse < b.lastUse);
}
