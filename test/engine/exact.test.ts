import fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlannedEval } from '../../src/engine/jobs.js';
import type { ContextHandle } from '../../src/engine/native.js';
import { FLASH, ROWWISE, UNIFIED } from '../../src/engine/recipe.js';
import type { EvalOutcome, TokenEval } from '../../src/engine/types.js';
import { skipNote } from '../shared.js';
import { goldRows, LABELS, SMOLLM2 } from './gold.js';
import {
  AVX512,
  binding,
  differing,
  expectSame,
  FORMATS,
  labelLogprobs,
  modelIn,
  type OpenModel,
  openModel,
  padded,
  planned,
  request,
  runSchedule,
  tapOf,
} from './harness.js';

const CELLS = 256;
/** Matches behind the first generated token. */
const AT_ONCE = '^';

/** Separate memories without and with flash attention, or one memory with it. */
type Kind = 'exact' | 'flash' | 'unified';

/** Contexts of one model by shape: making one costs more than a small decode. */
function contextsOf(open: OpenModel) {
  const made = new Map<string, ContextHandle>();
  return {
    async get(
      streams: number,
      ubatch: number,
      threads: number,
      kind: Kind = 'exact',
    ): Promise<ContextHandle> {
      const key = [streams, ubatch, threads, kind].join();
      const known = made.get(key);
      if (known !== undefined) return known;
      const context = await binding.createContext(
        open.model,
        streams,
        CELLS,
        ubatch,
        ubatch,
        threads,
        kind !== 'exact',
        kind === 'unified',
      );
      made.set(key, context);
      return context;
    },
    dispose(): void {
      for (const context of made.values()) binding.disposeContext(context);
      binding.disposeModel(open.model);
    },
  };
}

/**
 * Prompts of 1 to 150 tokens on a tree: some share nothing, some nest in each other, some differ in the last token
 * alone, two are equal. Labels are 1 to 4 tokens long; every other prompt is continued, and half of these have their
 * labels scored behind the first generated token.
 */
function treeOfEvals(vocabulary: number): readonly TokenEval[] {
  const generator = xoroshiro128plus(11);
  const token = (): number => 300 + ((generator.next() >>> 0) % (vocabulary - 300));
  const text = (length: number): number[] => Array.from({ length }, token);
  const trunk = text(37);
  const branch = [...trunk, ...text(22)];
  const twig = [...branch, ...text(9)];
  const prompts = [
    [token()],
    text(3),
    text(4),
    text(5),
    text(150),
    trunk,
    [...trunk, token()],
    [...trunk, ...text(7)],
    [...trunk, ...text(60)],
    branch,
    [...branch, ...text(2)],
    [...branch, ...text(41)],
    twig,
    twig,
    [...twig, token()],
    [...twig, token()],
    [...twig, ...text(13)],
    [...text(36), ...trunk.slice(36)],
  ];
  const labels = [text(1), text(2), text(4)].map(ids => Int32Array.from(ids));
  return prompts.map((prompt, id) => ({
    id,
    prompt: Int32Array.from(prompt),
    labels: id % 5 === 0 ? labels.slice(1) : labels,
    generate: id % 2 === 0 ? { maxTokens: 6, stop: null, scoreAfter: id % 4 === 0 ? null : AT_ONCE } : null,
  }));
}

const inOrder = (evals: readonly TokenEval[]): readonly PlannedEval[] =>
  evals.map((item, i) => planned(item, i));

describe.each(FORMATS)('the exact schedule on a random model in %s', format => {
  let open: OpenModel;
  let contexts: ReturnType<typeof contextsOf>;
  let evals: readonly TokenEval[];
  let single: ReadonlyMap<number, EvalOutcome>;

  beforeAll(async () => {
    open = await openModel(await modelIn(format));
    contexts = contextsOf(open);
    evals = treeOfEvals(open.tokenizer.info.nVocab);
    const context = await contexts.get(1, 512, 1);
    single = (await runSchedule(open, context, inOrder(evals), { schedule: 'single', lanes: 1, parks: 0 }))
      .outcomes;
  });
  afterAll(() => contexts.dispose());

  const reference = (id: number): EvalOutcome => {
    const outcome = single.get(id);
    if (outcome === undefined) throw new Error(`no reference for ${id}`);
    return outcome;
  };

  it.each([
    { lanes: 1, parks: 0, ubatch: 512 },
    { lanes: 1, parks: 2, ubatch: 64 },
    { lanes: 3, parks: 2, ubatch: 64 },
    { lanes: 8, parks: 16, ubatch: 512 },
    { lanes: 16, parks: 16, ubatch: 64 },
  ])(
    'equals one prompt per decode bit for bit: $lanes lanes, $parks parks, ubatch $ubatch',
    async ({ lanes, parks, ubatch }) => {
      const context = await contexts.get(lanes + parks, ubatch, 1);
      const plan = evals.map((item, i) => planned(item, i, item.id % 6 === 1));
      const { outcomes, counters } = await runSchedule(open, context, plan, {
        schedule: 'exact',
        lanes,
        parks,
      });
      for (const [id, outcome] of outcomes) expectSame(reference(id), outcome, `prompt ${id}`);
      const { tokens, prompt, label, generation, padding } = counters;
      expect(prompt + label + generation + padding).toBe(tokens);
    },
  );

  // A few prompts: on busy cores two threads spend most of their time waiting for each other.
  it.runIf(format === 'F32' || format === 'Q4_K')('equals it with two threads', async () => {
    const context = await contexts.get(8, 512, 2);
    const few = evals.filter(({ generate }) => generate === null).slice(-2);
    const { outcomes } = await runSchedule(open, context, inOrder(few), {
      schedule: 'exact',
      lanes: 8,
      parks: 0,
    });
    for (const [id, outcome] of outcomes) expectSame(reference(id), outcome, `prompt ${id}`);
  });

  it('equals it for any choice and order of prompts, lanes and parks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...evals.keys()], { minLength: 1 }),
        fc.array(fc.nat(200), { minLength: evals.length, maxLength: evals.length }),
        fc.constantFrom(1, 3, 8),
        fc.constantFrom(0, 2, 16),
        fc.constantFrom(64, 512),
        fc.nat(4),
        async (chosen, orders, lanes, parks, ubatch, isolated) => {
          const context = await contexts.get(lanes + parks, ubatch, 1);
          const plan = chosen.map((index, i) =>
            planned(evals[index] as TokenEval, orders[i] as number, index % 5 === isolated),
          );
          const { outcomes } = await runSchedule(open, context, plan, { schedule: 'exact', lanes, parks });
          for (const [id, outcome] of outcomes) expectSame(reference(id), outcome, `prompt ${id}`);
        },
      ),
      { numRuns: 25, seed: 5, endOnFailure: true },
    );
  });

  it('gives the label log-probabilities of one plain decode of prompt and label', async () => {
    const context = await contexts.get(1, 512, 1);
    for (const { id, prompt, labels, generate } of evals) {
      const { generated, labelLogprobs: scheduled } = reference(id);
      const later = generate?.scoreAfter === AT_ONCE;
      if (later) expect(generated.length, `prompt ${id}`).toBeGreaterThan(0);
      const prefix = later ? Int32Array.of(...prompt, ...generated.subarray(0, 1)) : prompt;
      expect([...scheduled], `prompt ${id}`).toEqual(await labelLogprobs(context, prefix, labels, 4));
    }
  });

  it('generates what one plain decode after the other does', async () => {
    const context = await contexts.get(1, 512, 1);
    for (const { id, prompt, generate } of evals) {
      const { generated, argMax } = reference(id);
      const answer: number[] = [];
      for (let length = 0; length < (generate === null ? 1 : generate.maxTokens); length++) {
        binding.memoryClear(context);
        const tokens = [...prompt, ...answer];
        const result = await binding.decode(
          context,
          request(padded(tokens, 4), {
            outputsFrom: Math.floor((tokens.length - 1) / 4) * 4,
            wantRows: Int32Array.of(tokens.length - 1),
            wantTokens: Int32Array.of(0),
          }),
        );
        const next = result.argMax[0] as number;
        if (length === 0) expect(argMax).toBe(next);
        if (open.tokenizer.endOfGeneration.has(next)) break;
        answer.push(next);
      }
      expect([...generated], `prompt ${id}`).toEqual(generate === null ? [] : answer);
    }
  });

  // Which formats have another kernel for left-over rows is a matter of the CPU.
  const leftOver = AVX512 && (format === 'F32' || format === 'F16' || format === 'Q4_K');
  it.runIf(leftOver)('owes it to the tile: chunks of any length give other bits', async () => {
    const context = await contexts.get(8, 512, 1);
    const { outcomes } = await runSchedule(open, context, inOrder(evals), {
      schedule: 'exact',
      lanes: 8,
      parks: 0,
      tile: 1,
      least: 1,
    });
    const unequal = [...outcomes].filter(
      ([id, { logits }]) => differing(reference(id).logits, logits).count > 0,
    );
    expect(unequal.length).toBeGreaterThan(0);
  });

  it.each([
    // Pieces of another length take another path through the kernel.
    ['in pieces of 64 tokens or more', FLASH, { least: 4 }],
    ['in pieces of 60 tokens or fewer', ROWWISE, { most: Number.POSITIVE_INFINITY }],
  ] as const)('holds with flash attention too, %s', async (_, recipe, loosened) => {
    const alone = await contexts.get(1, 512, 1, 'flash');
    const options = { ...recipe, lanes: 1, parks: 0 };
    const own = await runSchedule(open, alone, inOrder(evals), { schedule: 'single', ...options });
    const many = await contexts.get(12, 512, 1, 'flash');
    const plan = { ...options, schedule: 'exact', lanes: 8, parks: 4 } as const;
    const { outcomes } = await runSchedule(open, many, inOrder(evals), plan);
    const unequal = (found: ReadonlyMap<number, EvalOutcome>): number =>
      [...found].filter(([id, { logits }]) => {
        const one = own.outcomes.get(id) as EvalOutcome;
        return differing(one.logits, logits).count > 0;
      }).length;
    for (const [id, outcome] of outcomes)
      expectSame(own.outcomes.get(id) as EvalOutcome, outcome, `prompt ${id}`);
    const other = await runSchedule(open, many, inOrder(evals), { ...plan, ...loosened });
    expect(unequal(other.outcomes)).toBeGreaterThan(0);
  });

  it("reads each prompt's own row: activations of one plain decode", async () => {
    const context = await contexts.get(1, 512, 1);
    const rows = new Set<string>();
    for (const { id, prompt } of evals) {
      binding.memoryClear(context);
      const tokens = padded(prompt, 4);
      const { taps } = await binding.decode(
        context,
        request(tokens, {
          outputsFrom: tokens.length - 4,
          taps: [0, 1, 3].map(layer => tapOf({ layer, readRows: Int32Array.of(prompt.length - 1) })),
        }),
      );
      for (const [i, tap] of taps.entries()) {
        const own = reference(id).taps[i];
        expect(own?.layer).toBe(tap.layer);
        expect(differing(tap.activations, own?.activation ?? new Float32Array()).count, `prompt ${id}`).toBe(
          0,
        );
      }
      rows.add(taps[0]?.activations.join() ?? '');
    }
    // All but the two equal prompts have rows of their own.
    expect(rows.size).toBe(evals.length - 1);
  });

  it('is close to the unified schedule, which claims no more', async () => {
    const lanes = 8;
    const context = await contexts.get(lanes + 8, 512, 1, 'unified');
    const { outcomes } = await runSchedule(open, context, inOrder(evals), {
      schedule: 'unified',
      lanes,
      parks: 8,
      ...UNIFIED,
    });
    const distance = (a: Float32Array, b: Float32Array): number =>
      Math.hypot(...a.map((value, i) => value - (b[i] as number)));
    for (const [id, { logits }] of outcomes) {
      const own = distance(logits, reference(id).logits);
      const others = evals
        .filter(other => other.prompt.join() !== (evals[id] as TokenEval).prompt.join())
        .map(other => distance(logits, reference(other.id).logits));
      expect(own, `prompt ${id}`).toBeLessThan(Math.min(...others));
    }
  });
});

describe('the exact schedule on SmolLM2 in Q4_1', () => {
  const gold = goldRows()?.slice(0, 10);
  if (gold === undefined || SMOLLM2 === null) {
    skipNote('the exact schedule on real weights', 'models', 'SmolLM2-135M-Instruct-Q4_1.gguf');
    it.skip('needs the reference material', () => {});
    return;
  }
  const path = SMOLLM2;
  let open: OpenModel;
  let contexts: ReturnType<typeof contextsOf>;
  let evals: readonly TokenEval[];
  let single: ReadonlyMap<number, EvalOutcome>;

  beforeAll(async () => {
    open = await openModel(path);
    contexts = contextsOf(open);
    evals = gold.map(({ prompt }, id) => {
      const pieces = [{ kind: 'data', text: prompt }] as const;
      return {
        id,
        prompt: open.tokenizer.encode(pieces),
        labels: LABELS.map(label => open.tokenizer.encodeContinuation(pieces, label)),
        generate: { maxTokens: 8, stop: 'non-compliant', scoreAfter: null },
      };
    });
    const context = await contexts.get(1, 512, 1);
    single = (await runSchedule(open, context, inOrder(evals), { schedule: 'single', lanes: 1, parks: 0 }))
      .outcomes;
  });
  afterAll(() => contexts.dispose());

  it.each([
    { lanes: 8, parks: 4, ubatch: 512 },
    { lanes: 3, parks: 1, ubatch: 96 },
  ])(
    'equals one prompt per decode bit for bit: $lanes lanes, $parks parks, ubatch $ubatch',
    async ({ lanes, parks, ubatch }) => {
      const context = await contexts.get(lanes + parks, ubatch, 1);
      const plan = evals.map((item, i) => planned(item, i, i === 4));
      const { outcomes } = await runSchedule(open, context, plan, { schedule: 'exact', lanes, parks });
      for (const [id, outcome] of outcomes) {
        const own = single.get(id);
        if (own === undefined) throw new Error(`no reference for ${id}`);
        expectSame(own, outcome, `prompt ${id}`);
      }
    },
  );

  it('equals it with two threads', async () => {
    const context = await contexts.get(1, 512, 2);
    const [first] = evals;
    if (first === undefined) throw new Error('no prompt');
    const tokens = padded(first.prompt, 4);
    const { rows } = await binding.decode(
      context,
      request(tokens, {
        outputsFrom: tokens.length - 4,
        wantRows: Int32Array.of(first.prompt.length - 1),
        wantTokens: Int32Array.of(0),
        keepRows: Int32Array.of(0),
      }),
    );
    expect(differing(rows, single.get(0)?.logits ?? new Float32Array()).count).toBe(0);
  });

  it('gives the label log-probabilities of one plain decode of prompt and label', async () => {
    const context = await contexts.get(1, 512, 1);
    for (const { id, prompt, labels } of evals.slice(0, 3)) {
      expect([...(single.get(id)?.labelLogprobs ?? [])]).toEqual(
        await labelLogprobs(context, prompt, labels, 4),
      );
    }
  });
});
