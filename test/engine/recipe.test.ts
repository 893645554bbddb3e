import { describe, expect, it } from 'vitest';
import { readGgufHeader } from '../../src/engine/gguf-header.js';
import { planJobs } from '../../src/engine/jobs.js';
import { chooseRecipe, FLASH, PLAIN, tokenCost, UNIFIED } from '../../src/engine/recipe.js';
import type { TokenEval } from '../../src/engine/types.js';
import { modelIn, planned } from './harness.js';

const header = await readGgufHeader(await modelIn('Q4_0'));

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
) => chooseRecipe(header, planJobs(evals.map((item, i) => planned(item, i))), evals, schedule, backend);

describe('chooseRecipe', () => {
  it('takes flash attention for long prompts, where attention weighs', async () => {
    expect(await choose(evalsOf(12, 1500, false))).toBe(FLASH);
  });

  it('leaves it for short tails on shared prefixes, which would be padded tenfold', async () => {
    expect(await choose(evalsOf(40, 300, true))).toBe(PLAIN);
  });

  it('leaves it for prompts far shorter than its least piece', async () => {
    expect(await choose(evalsOf(12, 20, false))).toBe(PLAIN);
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
  expect(tokenCost(header, PLAIN, 1000)).toBeGreaterThan(tokenCost(header, PLAIN, 100));
  expect(tokenCost(header, FLASH, 1000)).toBeLessThan(tokenCost(header, PLAIN, 1000));
});
