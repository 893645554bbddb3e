import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Chunk,
  type ChunkResult,
  commonPrefix,
  type EvaluateOptions,
  type Grain,
  type Stream,
  tileUp,
} from '../../src/engine/chunk.js';
import { createDrafts, type Drafts } from '../../src/engine/drafts.js';
import { divergence, evaluate, extendTo } from '../../src/engine/evaluate.js';
import { FLASH, PLAIN, ROWWISE, UNIFIED } from '../../src/engine/recipe.js';
import type { Tokenizer } from '../../src/engine/tokens.js';
import { type EvalOutcome, noCounters, type TokenEval } from '../../src/engine/types.js';

const VOCABULARY = 5;
const END = 4;

/** Logits of a made-up language model: numbers that depend on every token read so far and on nothing else. */
function logitsAfter(history: ArrayLike<number>): Float32Array {
  let state = 2166136261;
  for (let i = 0; i < history.length; i++)
    state = Math.imul(state ^ ((history[i] as number) + 1), 16777619) >>> 0;
  return Float32Array.from({ length: VOCABULARY }, (_, token) => {
    const mixed = Math.imul((state ^ (state >>> 15)) + token * 0x9e3779b1, 0x85ebca6b) >>> 0;
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 30;
  });
}

const argMaxOf = (logits: Float32Array): number => logits.indexOf(Math.max(...logits));
const logSumExpOf = (logits: Float32Array): number =>
  Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));

const tokenizer: Pick<Tokenizer, 'endOfGeneration' | 'decode'> = {
  endOfGeneration: new Set([END]),
  decode: ids => [...ids].map(id => 'abcd.'[id]).join(''),
};

/** What evaluate has to find, straight from the model. */
function expected(item: TokenEval): Omit<EvalOutcome, 'taps'> {
  const at = logitsAfter(item.prompt);
  const generated: number[] = [];
  const text = (ids: readonly number[]): string => tokenizer.decode(Int32Array.from(ids));
  const spec = item.generate;
  if (spec !== null) {
    const stop = spec.stop === null ? null : new RegExp(spec.stop, 'iu');
    while (generated.length < spec.maxTokens && stop?.test(text(generated)) !== true) {
      const next = argMaxOf(logitsAfter([...item.prompt, ...generated]));
      if (next === END) break;
      generated.push(next);
    }
  }
  let prefix: readonly number[] | null = [...item.prompt];
  if (spec !== null && spec.scoreAfter !== null) {
    const place = new RegExp(spec.scoreAfter, 'iu');
    const length = generated.findIndex((_, i) => place.test(text(generated.slice(0, i + 1)))) + 1;
    prefix = length === 0 ? null : [...item.prompt, ...generated.slice(0, length)];
  }
  const scored = prefix === null ? [] : item.labels;
  const start = prefix === null ? at : logitsAfter(prefix);
  return {
    id: item.id,
    firstLogits: Float32Array.from(scored, label => start[label[0] as number] as number),
    logSumExp: logSumExpOf(start),
    argMax: argMaxOf(at),
    labelLogprobs: Float64Array.from(scored, label =>
      label.reduce((sum, token, i) => {
        const logits = logitsAfter([...(prefix ?? []), ...label.subarray(0, i)]);
        return sum + ((logits[token] as number) - logSumExpOf(logits));
      }, 0),
    ),
    generated: Int32Array.from(generated),
    generatedText: text(generated),
    logits: at,
    kl: null,
  };
}

/** A stream over the made-up model; every rule about chunks is checked as they come. */
function simulator({ tile, least }: Grain) {
  let held = new Int32Array();
  const stream: Stream = {
    resident: () => held,
    truncate(length) {
      if (length < held.length) held = held.slice(0, length);
    },
  };
  let fed = 0;
  let chunks = 0;
  function answer(chunk: Chunk): ChunkResult {
    const { tokens, outputs, wants, keepFirst, tapRow } = chunk;
    const outputTile = Math.min(tile, 4);
    expect(tokens.length).toBeGreaterThanOrEqual(least);
    expect(tokens.length % tile).toBe(0);
    // Whole output tiles on their boundaries, so that no cut of the chunk at a tile leaves a lone row.
    expect([outputs.from % outputTile, outputs.count % outputTile]).toEqual([0, 0]);
    expect(outputs.from + outputs.count).toBeLessThanOrEqual(tokens.length);
    expect([...tokens].every(token => token >= 0 && token < VOCABULARY)).toBe(true);
    const start = held.length;
    held = Int32Array.of(...held, ...tokens);
    fed += tokens.length;
    chunks++;
    const rows = wants.map(({ row }, i) => {
      expect(row).toBeGreaterThanOrEqual(Math.max(outputs.from, i === 0 ? 0 : (wants[i - 1]?.row ?? 0)));
      expect(row).toBeLessThan(outputs.from + outputs.count);
      return logitsAfter(held.subarray(0, start + row + 1));
    });
    if (tapRow !== null) expect(tapRow).toBeGreaterThanOrEqual(outputs.from);
    return {
      logit: Float32Array.from(wants, ({ token }, i) => rows[i]?.[token] as number),
      logSumExp: Float64Array.from(rows, logSumExpOf),
      argMax: Int32Array.from(rows, argMaxOf),
      taps:
        tapRow === null
          ? []
          : [
              {
                layer: 0,
                norm: 0,
                projections: new Float64Array(),
                activation: logitsAfter(held.subarray(0, start + tapRow + 1)),
              },
            ],
      row: keepFirst ? (rows[0] ?? new Float32Array()) : new Float32Array(),
    };
  }
  return {
    stream,
    fed: () => fed,
    chunks: () => chunks,
    run<T>(steps: Generator<Chunk, T, ChunkResult>): T {
      let next = steps.next();
      while (next.done !== true) next = steps.next(answer(next.value));
      return next.value;
    },
  };
}

/** Guesses of every quality: learned, always wrong or random, and right ones. */
const DRAFTS: Readonly<Record<string, () => Drafts>> = {
  learned: createDrafts,
  zeros: () => guesser(() => 0),
  random: () => {
    let state = 1;
    return guesser(() => {
      state = Math.imul(state, 48271) % 0x7fffffff;
      return Math.abs(state) % VOCABULARY;
    });
  },
  'the model itself': () => guesser(tokens => argMaxOf(logitsAfter(tokens))),
};

function guesser(next: (tokens: Int32Array) => number): Drafts {
  return {
    guess(context, count) {
      let whole = context;
      for (let i = 0; i < count; i++) whole = Int32Array.of(...whole, next(whole));
      return whole.slice(context.length);
    },
    learn() {},
  };
}

const ids = (minLength: number, maxLength: number): fc.Arbitrary<Int32Array> =>
  fc.array(fc.nat(VOCABULARY - 1), { minLength, maxLength }).map(list => Int32Array.from(list));

const evals: fc.Arbitrary<readonly TokenEval[]> = fc
  .array(
    fc.record({
      prompt: fc
        .tuple(fc.constantFrom([], [0, 1, 2, 3, 0, 1], [0, 1, 2, 3, 0, 1, 2, 2, 2]), ids(1, 9))
        .map(([trunk, tail]) => Int32Array.of(...trunk, ...tail)),
      labels: fc.array(ids(1, 6), { maxLength: 3 }),
      generate: fc.option(
        fc.record({
          maxTokens: fc.integer({ min: 1, max: 9 }),
          stop: fc.constantFrom(null, 'b', 'ca|ad'),
          scoreAfter: fc.constantFrom(null, null, 'a', '[bd]'),
        }),
        { nil: null },
      ),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map(list => list.map((item, id) => ({ id, ...item })));

const grains = fc.constantFrom(
  UNIFIED,
  PLAIN,
  FLASH,
  ROWWISE,
  { tile: 8, least: 8, most: 8 },
  { tile: 64, least: 64, most: 128 },
);

describe('evaluate', () => {
  it.each(Object.keys(DRAFTS))(
    'finds what the model says, one prompt after the other on one stream, whatever is drafted: %s',
    name => {
      fc.assert(
        fc.property(evals, grains, fc.boolean(), (list, grain, share) => {
          const { stream, run, fed } = simulator(grain);
          const drafts = (DRAFTS[name] ?? createDrafts)();
          const counters = noCounters();
          const options: EvaluateOptions = {
            ...grain,
            tapped: true,
            keepLogits: true,
            stopAtTaps: false,
            share,
            counters,
            drafts,
          };
          for (const item of list) {
            const outcome = run(evaluate(stream, item, tokenizer as Tokenizer, options, null));
            const { taps, logSumExp, ...found } = outcome;
            const { logSumExp: expectedSum, ...wanted } = expected(item);
            expect(found).toEqual(wanted);
            if (wanted.labelLogprobs.length > 0) expect(logSumExp).toBe(expectedSum);
            expect(taps.map(tap => [...tap.activation])).toEqual([[...logitsAfter(item.prompt)]]);
          }
          const { prompt, label, generation, padding } = counters;
          expect(prompt + label + generation + padding).toBe(fed());
        }),
        { numRuns: 300 },
      );
    },
  );

  it('evaluates nothing of a prompt twice but its last token, when the stream still has the rest', () => {
    const { stream, run } = simulator(UNIFIED);
    const counters = noCounters();
    const options: EvaluateOptions = {
      ...UNIFIED,
      tapped: false,
      keepLogits: false,
      stopAtTaps: false,
      share: true,
      counters,
      drafts: createDrafts(),
    };
    const prompt = Int32Array.of(0, 1, 2, 3, 0);
    const item: TokenEval = { id: 0, prompt, labels: [Int32Array.of(1)], generate: null };
    run(evaluate(stream, item, tokenizer as Tokenizer, options, null));
    expect(counters.prompt).toBe(5);
    run(
      evaluate(
        stream,
        { ...item, prompt: Int32Array.of(...prompt, 2) },
        tokenizer as Tokenizer,
        options,
        null,
      ),
    );
    expect(counters.prompt).toBe(6);
    run(
      evaluate(
        stream,
        { ...item, prompt: Int32Array.of(...prompt, 2) },
        tokenizer as Tokenizer,
        options,
        null,
      ),
    );
    expect(counters.prompt).toBe(7);
  });
});

describe('extendTo', () => {
  it('leaves exactly the prefix, whatever was there', () => {
    fc.assert(
      fc.property(ids(0, 12), ids(1, 12), grains, (before, prompt, grain) => {
        const { stream, run } = simulator(grain);
        const counters = noCounters();
        const options: EvaluateOptions = {
          ...grain,
          tapped: false,
          keepLogits: false,
          stopAtTaps: false,
          share: true,
          counters,
          drafts: createDrafts(),
        };
        if (before.length > 0) run(extendTo(stream, before, before.length, options));
        for (const length of [Math.ceil(prompt.length / 2), prompt.length, 1]) {
          run(extendTo(stream, prompt, length, options));
          expect([...stream.resident()]).toEqual([...prompt.subarray(0, length)]);
        }
        expect(counters.label + counters.generation).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('createDrafts', () => {
  it('guesses what followed the same two tokens before, as far as it knows', () => {
    const drafts = createDrafts();
    drafts.learn(Int32Array.of(5, 6, 7, 8));
    expect([...drafts.guess(Int32Array.of(1, 5, 6), 3)]).toEqual([7, 8]);
    expect([...drafts.guess(Int32Array.of(1, 5, 6), 1)]).toEqual([7]);
    expect([...drafts.guess(Int32Array.of(6), 3)]).toEqual([]);
  });

  it('spares decodes: a continuation that was seen before takes one step a tile', () => {
    const prompt = Int32Array.of(0, 1, 2, 3, 0);
    const item: TokenEval = {
      id: 0,
      prompt,
      labels: [],
      generate: { maxTokens: 9, stop: null, scoreAfter: null },
    };
    const { stream, run, chunks } = simulator(PLAIN);
    const options: EvaluateOptions = {
      ...PLAIN,
      tapped: false,
      keepLogits: false,
      stopAtTaps: false,
      share: true,
      counters: noCounters(),
      drafts: createDrafts(),
    };
    const first = run(evaluate(stream, item, tokenizer as Tokenizer, options, null));
    const before = chunks();
    const again = run(evaluate(stream, item, tokenizer as Tokenizer, options, null));
    expect(again).toEqual(first);
    expect(first.generated.length).toBeGreaterThan(4);
    expect(chunks() - before).toBeLessThanOrEqual(1 + Math.ceil(first.generated.length / 4));
  });
});

describe('tileUp and commonPrefix', () => {
  it('round up, and count', () => {
    expect([0, 1, 4, 5].map(n => tileUp(n, 4))).toEqual([0, 4, 4, 8]);
    expect(commonPrefix(Int32Array.of(1, 2, 3), Int32Array.of(1, 2, 4, 5))).toBe(2);
    expect(commonPrefix(new Int32Array(), Int32Array.of(1))).toBe(0);
  });
});

describe('divergence', () => {
  it('is zero of itself, and what SciPy says otherwise', () => {
    const p = Float32Array.of(1, 2, 0.5);
    const q = Float32Array.of(0, 2, 1);
    expect(divergence(p, p)).toBe(0);
    // scipy.stats.entropy(softmax([1, 2, .5]), softmax([0, 2, 1]))
    expect(divergence(p, q)).toBeCloseTo(0.10433888637554035, 12);
    expect(
      divergence(
        Float32Array.from(p, x => x + 100),
        q,
      ),
    ).toBeCloseTo(0.10433888637554035, 4);
  });
});
