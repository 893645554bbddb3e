import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unitVectors } from '../../src/direction/vector.js';
import { createExecutor, jobsOf } from '../../src/engine/executor.js';
import { type PlannedEval, planJobs } from '../../src/engine/jobs.js';
import type { ContextHandle } from '../../src/engine/native.js';
import { PLAIN } from '../../src/engine/recipe.js';
import { simulateJobs } from '../../src/engine/simulate.js';
import type { EvalOutcome, Steer, TokenEval } from '../../src/engine/types.js';
import {
  binding,
  differing,
  expectSame,
  modelIn,
  type OpenModel,
  openModel,
  planned,
  runSchedule,
} from '../engine/harness.js';

const LAYERS = 4;
const CELLS = 256;

/** Prompts on two trunks, with labels of 2 and 4 tokens, some continued. */
function promptsOf(count: number, length: number, vocabulary: number): readonly TokenEval[] {
  const generator = xoroshiro128plus(5);
  const text = (n: number): number[] =>
    Array.from({ length: n }, () => 300 + ((generator.next() >>> 0) % (vocabulary - 300)));
  const trunks = [text(21), text(34)];
  const labels = [text(2), text(4)].map(ids => Int32Array.from(ids));
  return Array.from({ length: count }, (_, id) => {
    const trunk = trunks[id % 2] ?? [];
    return {
      id,
      prompt: Int32Array.from([...trunk, ...text(length - trunk.length - (id % 5))]),
      labels,
      generate: id % 3 === 0 ? { maxTokens: 5, stop: null, scoreAfter: null } : null,
    };
  });
}

/** Each prompt unsteered, then with every steer, as a sweep plans it. */
function families(prompts: readonly TokenEval[], steers: readonly Steer[]): readonly PlannedEval[] {
  const family = 1 + steers.length;
  return prompts.map(item => ({
    item: { ...item, id: item.id * family, isReference: true },
    variants: steers.map((steer, i) => ({ ...item, id: item.id * family + 1 + i, steer })),
    order: item.id * family,
    isolated: false,
  }));
}

const SCOPES = ['last', 'all'] as const;
/** Two vectors at the first, a middle and the last block, under both scopes, with alpha 0 among them. */
const STEERS: readonly Steer[] = SCOPES.flatMap(scope =>
  [0, 1, LAYERS - 1].flatMap(layer =>
    [0, 1.5, -20].map((alpha, i) => ({ layer, vector: (layer + i) % 2, alpha, scope })),
  ),
);

describe.each(['F32', 'Q4_0'] as const)('steering through the schedule, random model in %s', format => {
  let open: OpenModel;
  let vectors: Float32Array;
  let width = 0;
  const contexts: ContextHandle[] = [];
  const fresh = async (streams: number): Promise<ContextHandle> => {
    const context = await binding.createContext(open.model, streams, CELLS, 512, 512, 1, false, false);
    contexts.push(context);
    return context;
  };
  const exact = { schedule: 'exact', lanes: 3, parks: 2 } as const;
  const single = { schedule: 'single', lanes: 1, parks: 0 } as const;
  /** Taps read before they add, so that of a steered block itself the unsteered row is read. */
  let prompts: readonly TokenEval[];

  beforeAll(async () => {
    open = await openModel(await modelIn(format));
    width = open.tokenizer.info.nEmbd;
    const next = unitVectors(width, 1, 'test');
    vectors = new Float32Array(2 * width);
    vectors.set(next());
    vectors.set(next(), width);
    prompts = promptsOf(5, 60, open.tokenizer.info.nVocab);
  });
  afterAll(() => {
    for (const context of contexts) binding.disposeContext(context);
    binding.disposeModel(open.model);
  });

  it('mixed alphas, layers and scopes in one decode equal evaluations one by one, bit for bit', async () => {
    const plan = families(prompts, STEERS);
    const mixed = await outcomesOf(await fresh(5), plan);
    const alone = await runSchedule(
      open,
      await fresh(1),
      plan.flatMap(({ item, variants = [] }) => [item, ...variants]).map((item, i) => planned(item, i)),
      { ...single, vectors },
    );
    expect(mixed.size).toBe(prompts.length * (1 + STEERS.length));
    for (const [id, outcome] of alone.outcomes)
      expectSame(outcome, mixed.get(id) as EvalOutcome, `evaluation ${id}`);
  });

  it('alpha 0 is the unsteered evaluation, and the larger alphas are not', async () => {
    const outcomes = await outcomesOf(await fresh(5), families(prompts, STEERS));
    const family = 1 + STEERS.length;
    for (const [id, outcome] of outcomes) {
      const steer = STEERS[(id % family) - 1];
      const base = outcomes.get(id - (id % family));
      if (steer === undefined || base === undefined) continue;
      if (steer.alpha === 0) {
        expectSame(base, outcome, `evaluation ${id}`);
        expect(outcome.kl).toBe(0);
      } else {
        expect(differing(base.logits, outcome.logits).count, `evaluation ${id}`).toBeGreaterThan(0);
        expect(outcome.kl).toBeGreaterThan(0);
      }
    }
  });

  it('after steered jobs an unsteered run equals one in a fresh context', async () => {
    const plain = prompts.map((item, i) => planned(item, i));
    const context = await fresh(5);
    await outcomesOf(context, families(prompts, STEERS));
    const after = await runSchedule(open, context, plain, { ...exact, vectors });
    const before = await runSchedule(open, await fresh(5), plain, { ...exact, vectors });
    for (const [id, outcome] of before.outcomes)
      expectSame(outcome, after.outcomes.get(id) as EvalOutcome, `prompt ${id}`);
  });

  it.each([1, 2, 3])(
    "scope all equals llama.cpp's control vector of block %i at equal alpha",
    async layer => {
      const alpha = 2.25;
      const context = await fresh(5);
      const data = new Float32Array((LAYERS - 1) * width);
      data.set(
        vectors.subarray(0, width).map(value => Math.fround(alpha) * value),
        (layer - 1) * width,
      );
      const plain = prompts.map((item, i) => planned(item, i));
      binding.setControlVector(context, data, layer, layer);
      const controlled = await runSchedule(open, context, plain, exact);
      binding.setControlVector(context, new Float32Array(), layer, layer);
      const steer: Steer = { layer, vector: 0, alpha, scope: 'all' };
      const steered = await runSchedule(
        open,
        context,
        prompts.map((item, i) => planned({ ...item, steer }, i)),
        { ...exact, vectors },
      );
      for (const [id, outcome] of controlled.outcomes) {
        const own = steered.outcomes.get(id) as EvalOutcome;
        // The steered block's own tap reads before it adds; llama.cpp's names the sum.
        const taps = own.taps.filter(tap => tap.layer < layer);
        expectSame(
          { ...outcome, taps: outcome.taps.filter(tap => tap.layer < layer) },
          { ...own, taps },
          `prompt ${id}`,
        );
      }
    },
  );

  async function outcomesOf(
    context: ContextHandle,
    plan: readonly PlannedEval[],
  ): Promise<ReadonlyMap<number, EvalOutcome>> {
    const outcomes = new Map<number, EvalOutcome>();
    const taps = [0, 1, LAYERS - 1].map(layer => ({
      layer,
      directions: new Float32Array(),
      keepActivations: true,
    }));
    const executor = createExecutor(binding, context, open.tokenizer, {
      ...exact,
      ...PLAIN,
      taps,
      vectors,
      stopAtTaps: false,
      keepLogits: true,
    });
    await executor.run(jobsOf(planJobs(plan).jobs), outcome => outcomes.set(outcome.id, outcome));
    return outcomes;
  }
});

describe('what a sweep costs', () => {
  const tokensOf = async (alphas: readonly number[], scope: Steer['scope']): Promise<number> => {
    const prompts = promptsOf(24, 150, 1100);
    const steers = alphas.map(alpha => ({ layer: 1, vector: 0, alpha, scope }));
    const { jobs } = planJobs(families(prompts, steers));
    const options = { ...PLAIN, schedule: 'exact', lanes: 8, parks: 4, cells: 512, ubatch: 512 } as const;
    return (await simulateJobs(jobs, options)).tokens;
  };

  it('five alphas at the last token of a 150-token prompt cost at most 1.3 times what one costs', async () => {
    const ratio = (await tokensOf([-1, -0.5, 0, 0.5, 1], 'last')) / (await tokensOf([1], 'last'));
    expect(ratio).toBeGreaterThan(1.1);
    expect(ratio).toBeLessThanOrEqual(1.3);
  });

  it('at every token each alpha pays the whole prompt', async () => {
    const unsteered = await tokensOf([], 'all');
    const [one, five] = [await tokensOf([1], 'all'), await tokensOf([-1, -0.5, 0, 0.5, 1], 'all')];
    expect((five - one) / (4 * 24 * 150)).toBeGreaterThan(1);
    expect(one).toBeGreaterThan(1.8 * unsteered);
  });
});
