import { describe, expect, it } from 'vitest';
import { readGgufHeader } from '../../src/engine/gguf-header.js';
import { planJobs } from '../../src/engine/jobs.js';
import {
  chooseRecipe,
  FLASH,
  PLAIN,
  type RecipeName,
  ROWWISE,
  tokenCost,
  UNIFIED,
} from '../../src/engine/recipe.js';
import type { TokenEval } from '../../src/engine/types.js';
import { modelIn, planned } from './harness.js';

const header = await readGgufHeader(await modelIn('Q4_0'));

const WIDE = 'CPU : AVX2 = 1 | AVX512 = 1 |';
const AVX2 = 'CPU : AVX2 = 1 | F16C = 1 |';

/** Prompts that share nothing, or all but their last tokens. */
function evalsOf(count: number, length: number, shared: boolean): readonly TokenEval[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    prompt: Int32Array.from({ length }, (_, i) => (shared && i < length - 6 ? i : 7 * i + id)),
    labels: [Int32Array.of(1), Int32Array.of(2)],
    generate: null,
  }));
}

const choose = (
  evals: readonly TokenEval[],
  schedule: 'exact' | 'single' | 'unified' = 'exact',
  backend = 'cpu',
  instructions = WIDE,
) =>
  chooseRecipe(header, planJobs(evals.map((item, i) => planned(item, i))), evals, schedule, {
    backend,
    instructions,
  });

describe('chooseRecipe', () => {
  it('takes flash attention for long prompts, where attention weighs', async () => {
    expect(await choose(evalsOf(12, 1500, false))).toBe(FLASH);
  });

  it('leaves it for short tails on shared prefixes, which would be padded tenfold', async () => {
    expect(await choose(evalsOf(40, 300, true))).toBe(PLAIN);
  });

  it('leaves it for prompts far shorter than its least piece', async () => {
    expect(await choose(evalsOf(12, 20, false))).toBe(ROWWISE);
    expect(await choose(evalsOf(12, 20, false), 'exact', 'cpu', AVX2)).toBe(ROWWISE);
  });

  it('takes attention by rows for tails on short prefixes where weights are slow, and not for long prompts', async () => {
    expect(await choose(evalsOf(40, 100, true), 'exact', 'cpu', AVX2)).toBe(ROWWISE);
    expect(await choose(evalsOf(40, 100, true))).toBe(PLAIN);
    expect(await choose(evalsOf(12, 1500, false), 'exact', 'cpu', AVX2)).toBe(FLASH);
    expect(await choose(evalsOf(40, 1500, true), 'exact', 'cpu', AVX2)).toBe(PLAIN);
  });

  it('takes for single what it takes for exact: their bits are compared', async () => {
    for (const evals of [evalsOf(12, 1500, false), evalsOf(40, 300, true)])
      expect(await choose(evals, 'single')).toBe(await choose(evals, 'exact'));
  });

  it('leaves no choice to unified, and tries the plain one on a GPU', async () => {
    expect(await choose(evalsOf(12, 1500, false), 'unified')).toBe(UNIFIED);
    expect(await choose(evalsOf(12, 1500, false), 'exact', 'cuda')).toBe(PLAIN);
  });
});

it('a token costs more the more it sees, and less with flash attention', () => {
  for (const instructions of [WIDE, AVX2]) {
    const cost = (recipe: RecipeName, seen: number) => tokenCost(header, recipe, seen, instructions);
    expect(cost('plain', 1000)).toBeGreaterThan(cost('plain', 100));
    expect(cost('flash', 1000)).toBeLessThan(cost('plain', 1000));
    expect(cost('rowwise', 1000)).toBeGreaterThan(cost('plain', 1000));
    expect(cost('rowwise', 4)).toBeLessThan(cost('plain', 4));
  }
});
