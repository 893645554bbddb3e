import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlannedEval } from '../../src/engine/jobs.js';
import type { ContextHandle } from '../../src/engine/native.js';
import { FLASH, PLAIN, type Recipe, ROWWISE } from '../../src/engine/recipe.js';
import type { GenerateSpec, Steer, TokenEval } from '../../src/engine/types.js';
import { randomSlidingModel } from '../models/fixtures.js';
import { binding, expectSame, FORMATS, modelIn, type OpenModel, openModel, runSchedule } from './harness.js';

/** A stream of the test's contexts. */
const CELLS = 256;
const LAST_LAYER = 3;
/** Drawn cases per model; one case takes about a tenth of a CPU second. */
const RUNS = 12;
const SEED = 8;

/** What of a prompt two conditions share. */
const SHARED = ['all but the middle', 'all but the end', 'all', 'all but the last token'] as const;

/** A prompt and other conditions of it, each with the steps that are steered behind it. */
interface Family {
  readonly length: number;
  readonly shared: readonly (typeof SHARED)[number][];
  readonly steps: readonly Steer[];
  readonly labels: readonly number[];
  readonly generate: GenerateSpec | null;
  readonly isolated: boolean;
  /** The family begins as the one before does, up to this share of its length. */
  readonly prefix: number;
  readonly seed: number;
}

const steer: fc.Arbitrary<Steer> = fc.record({
  layer: fc.constantFrom(0, 1, LAST_LAYER),
  vector: fc.nat(1),
  alpha: fc.constantFrom(-8, -0.5, 0, 0.25, 3),
  scope: fc.constantFrom('last', 'all'),
});

const generation: fc.Arbitrary<GenerateSpec | null> = fc.option(
  fc.record({
    maxTokens: fc.integer({ min: 1, max: 5 }),
    stop: fc.constantFrom(null, 'compliant'),
    scoreAfter: fc.constantFrom(null, '^', 'e'),
  }),
);

const family: fc.Arbitrary<Family> = fc.record({
  length: fc.oneof({ weight: 1, arbitrary: fc.integer({ min: 1, max: 7 }) }, fc.integer({ min: 8, max: 90 })),
  shared: fc.array(fc.constantFrom(...SHARED), { maxLength: 3 }),
  steps: fc.array(steer, { maxLength: 2 }),
  labels: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
  generate: generation,
  isolated: fc.boolean(),
  prefix: fc.constantFrom(0, 0, 0.5, 0.9, 1),
  seed: fc.nat(),
});

/** A number below `limit` that follows from `seed` and `at`. */
function drawn(seed: number, at: number, limit: number): number {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(at + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) % limit;
}

/** Random tokens, so that a difference anywhere in the prompt shows in its rows. */
function textOf(seed: number, from: number, to: number, vocabulary: number): number[] {
  return Array.from({ length: to - from }, (_, i) => 300 + drawn(seed, from + i, vocabulary - 300));
}

function conditionOf(
  base: readonly number[],
  shared: (typeof SHARED)[number],
  seed: number,
  vocabulary: number,
): readonly number[] {
  const n = base.length;
  const third = Math.floor(n / 3);
  // Another middle or end may be of another length.
  const other = (kept: number): number[] => textOf(seed, 0, kept + drawn(seed, 900, 9), vocabulary);
  if (shared === 'all') return base;
  if (shared === 'all but the last token') return [...base.slice(0, -1), ...textOf(seed, 0, 1, vocabulary)];
  if (shared === 'all but the end')
    return [...base.slice(0, n - third), ...other(third)].concat(n < 3 ? base : []);
  return [...base.slice(0, third), ...other(third), ...base.slice(2 * third)];
}

/** Each evaluation once for itself, as the schedule `single` takes them. */
function oneByOne(plan: readonly PlannedEval[]): readonly PlannedEval[] {
  return plan
    .flatMap(({ item, variants = [] }) => [item, ...variants])
    .map((item, order) => ({ item, order, isolated: true }));
}

/** The evaluations of all families, planned in the order of `orders`. */
function plannedOf(
  families: readonly Family[],
  orders: readonly number[],
  vocabulary: number,
): readonly PlannedEval[] {
  let id = 0;
  let before: readonly number[] = [];
  return families.flatMap((one, f) => {
    const kept = before.slice(0, Math.floor(one.prefix * Math.min(before.length, one.length)));
    const base = [...kept, ...textOf(one.seed, kept.length, one.length, vocabulary)];
    before = base;
    const labels = one.labels.map((length, i) =>
      Int32Array.from(textOf(one.seed + 1 + i, 0, length, vocabulary)),
    );
    const prompts = [
      base,
      ...one.shared.map((shared, i) => conditionOf(base, shared, one.seed + 100 + i, vocabulary)),
    ];
    return prompts.map((prompt, c): PlannedEval => {
      const item: TokenEval = {
        id: id++,
        prompt: Int32Array.from(prompt),
        labels,
        generate: one.generate,
        isReference: one.steps.length > 0,
      };
      const variants = one.steps.map(step => ({ ...item, id: id++, isReference: false, steer: step }));
      return {
        item,
        variants,
        order: orders[(f * 5 + c) % orders.length] as number,
        isolated: one.isolated && c === 1,
      };
    });
  });
}

const MODELS = [
  ...FORMATS.map(format => ({ name: `llama in ${format}`, path: () => modelIn(format) })),
  ...(['F16', 'Q4_0'] as const).map(format => ({
    name: `gemma2 with a sliding window of 32 tokens in ${format}`,
    path: () => modelIn(format, randomSlidingModel),
  })),
];

describe.each(MODELS)('any exact schedule on a random $name', ({ path }) => {
  let open: OpenModel;
  let vectors: Float32Array;
  const contexts = new Map<string, ContextHandle>();

  beforeAll(async () => {
    open = await openModel(await path());
    const { nEmbd } = open.tokenizer.info;
    vectors = Float32Array.from({ length: 2 * nEmbd }, (_, i) => drawn(3, i, 2001) / 1000 - 1);
  });
  afterAll(() => {
    for (const context of contexts.values()) binding.disposeContext(context);
    binding.disposeModel(open.model);
  });

  async function contextOf(
    streams: number,
    ubatch: number,
    { flashAttention }: Recipe,
  ): Promise<ContextHandle> {
    const key = [streams, ubatch, flashAttention].join();
    const context =
      contexts.get(key) ??
      (await binding.createContext(open.model, streams, CELLS, ubatch, ubatch, 1, flashAttention, false));
    contexts.set(key, context);
    return context;
  }

  it('equals one prompt per decode bit for bit', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(family, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(200), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(PLAIN, FLASH, ROWWISE),
        fc.constantFrom(1, 3, 8),
        fc.constantFrom(0, 2, 8),
        fc.constantFrom(128, 512),
        async (families, orders, recipe, lanes, parks, ubatch) => {
          const plan = plannedOf(families, orders, open.tokenizer.info.nVocab);
          const options = { ...recipe, vectors };
          const alone = await runSchedule(open, await contextOf(1, 512, recipe), oneByOne(plan), {
            ...options,
            schedule: 'single',
            lanes: 1,
            parks: 0,
          });
          const context = await contextOf(lanes + parks, ubatch, recipe);
          const many = await runSchedule(open, context, plan, {
            ...options,
            schedule: 'exact',
            lanes,
            parks,
          });
          for (const [id, outcome] of alone.outcomes) {
            const other = many.outcomes.get(id);
            if (other === undefined) throw new Error(`evaluation ${id} did not come`);
            expectSame(outcome, other, `evaluation ${id}`);
          }
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    );
  });
});

it('the window of the sliding model cuts off what stands before it', async () => {
  const rows = [];
  for (const window of [32, 4096]) {
    const open = await openModel(await randomSlidingModel('F32', window));
    const context = await binding.createContext(open.model, 1, CELLS, 128, 128, 1, false, false);
    const item = (length: number, id: number): TokenEval => ({
      id,
      prompt: Int32Array.from(textOf(1, 0, length, open.tokenizer.info.nVocab)),
      labels: [Int32Array.of(300)],
      generate: null,
    });
    const evals = [item(32, 0), item(90, 1)].map((one, order) => ({ item: one, order, isolated: false }));
    const { outcomes } = await runSchedule(open, context, evals, { schedule: 'exact', lanes: 1, parks: 0 });
    rows.push([0, 1].map(id => outcomes.get(id)?.logits ?? new Float32Array()));
    binding.disposeContext(context);
    binding.disposeModel(open.model);
  }
  const [[short, long], [shortWide, longWide]] = rows as [Float32Array[], Float32Array[]];
  expect(short).toEqual(shortWide);
  expect(long).not.toEqual(longWide);
});
