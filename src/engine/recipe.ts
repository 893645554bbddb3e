import type { Grain } from './chunk.js';
import type { Schedule } from './executor.js';
import type { GgufHeader } from './gguf-header.js';
import type { JobPlan } from './jobs.js';
import { simulateJobs } from './simulate.js';
import { chooseSizing } from './sizing.js';
import type { TokenEval } from './types.js';

/** How a context computes attention, and how chunks are cut then so that every schedule gives the same bits. */
export interface Recipe extends Grain {
  readonly flashAttention: boolean;
}

/** Attention by matrix products: whole tiles of four rows are enough. */
export const PLAIN: Recipe = { flashAttention: false, tile: 4, least: 4, most: Number.POSITIVE_INFINITY };

/**
 * Flash attention. llama.cpp's CPU kernel takes another path when a stream brings fewer than 64 rows (GGML_FA_TILE_Q in
 * ggml-cpu); from there on, whole tiles of four rows are enough here too.
 */
export const FLASH: Recipe = { flashAttention: true, tile: 4, least: 64, most: Number.POSITIVE_INFINITY };

/**
 * Flash attention by the path that the same kernel takes below 64 rows: one row after the other, so that no row depends
 * on which others are there. No piece is padded beyond its tile; each key costs more.
 */
export const ROWWISE: Recipe = { flashAttention: true, tile: 4, least: 4, most: 60 };

/** The recipes that claim the bits of `single`, by name. */
export const EXACT_RECIPES = { plain: PLAIN, flash: FLASH, rowwise: ROWWISE } as const;
export type RecipeName = keyof typeof EXACT_RECIPES;

/** One memory for all streams; it makes no claim. */
export const UNIFIED: Recipe = { flashAttention: true, tile: 1, least: 1, most: Number.POSITIVE_INFINITY };

/** Another recipe has to be cheaper than the plain one by this much: the prediction is rough, and that one is simplest. */
const WORTH = 0.95;

/**
 * The exact recipe that is predicted to be cheapest for a job: all are played through and their tokens weighed by what a
 * token costs. A function of model file, job and the processor's instructions alone, so that a run that is made again
 * takes the same; `single` takes what `exact` takes, because their bits are compared. On other backends than the CPU the
 * kernels differ: there the plain recipe is tried. `instructions` is llama.cpp's line of CPU features.
 */
export async function chooseRecipe(
  header: GgufHeader,
  plan: Pick<JobPlan, 'jobs' | 'sharedPrefixes'>,
  evals: readonly TokenEval[],
  schedule: Schedule,
  { backend, instructions }: { readonly backend: string; readonly instructions: string },
): Promise<Recipe> {
  if (schedule === 'unified') return UNIFIED;
  if (backend !== 'cpu') return PLAIN;
  const seen = meanSeen(evals);
  // Without a bound of memory: what is free changes from one run to the next.
  const sizing = chooseSizing(header, evals, 'exact', plan.sharedPrefixes, Number.POSITIVE_INFINITY);
  const costOf = async (name: RecipeName): Promise<number> => {
    const settings = { ...sizing, ...EXACT_RECIPES[name], schedule: 'exact' as const };
    const { tokens } = await simulateJobs(plan.jobs, settings);
    return tokens * tokenCost(header, name, seen, instructions);
  };
  const plain = await costOf('plain');
  const flash = await costOf('flash');
  const rowwise = await costOf('rowwise');
  const [cheapest, cost] = flash < rowwise ? [FLASH, flash] : [ROWWISE, rowwise];
  return cost < WORTH * plain ? cheapest : PLAIN;
}

/** CPU time of multiplications in one processor family, over that of one with a weight in Q4_0. */
interface KernelCosts {
  /** With a weight, by format; `other` for those not named. */
  readonly weight: Readonly<Record<string, number>> & { readonly other: number };
  /** In attention, by recipe. */
  readonly attention: Readonly<Record<RecipeName, number>>;
}

/**
 * Measured on SmolLM2-135M (docs/exactness.md), except attention by rows with wider instructions: there the same time
 * for a key is assumed while a weight takes a third. These choose the recipe and never touch a result.
 */
const WIDE_COSTS: KernelCosts = {
  weight: { Q4_0: 1, Q4_K: 1, IQ4_NL: 1, BF16: 1.9, Q8_0: 1.9, F16: 3, F32: 3.2, other: 4 },
  attention: { plain: 4, flash: 2, rowwise: 20 },
};
const AVX2_COSTS: KernelCosts = {
  weight: { Q4_0: 1, IQ4_NL: 1, Q8_0: 1.2, Q4_K: 1.6, F16: 2.4, F32: 2.4, other: 2.4 },
  attention: { plain: 2.7, flash: 2, rowwise: 7.5 },
};

/** Attention without flash goes over all cells of a stream, and those come in steps of this many. */
const CELL_STEP = 256;

/** Predicted cost of one token that sees `seen` others, in multiplications with weights in Q4_0. */
export function tokenCost(
  header: GgufHeader,
  recipe: RecipeName,
  seen: number,
  instructions: string,
): number {
  const weights = header.tensors
    .filter(({ name }) => name.startsWith('blk.') && name.endsWith('.weight'))
    .reduce((sum, { dims }) => sum + (dims.length > 1 ? dims.reduce((a, b) => a * b, 1) : 0), 0);
  const costs =
    /\bAVX2 = 1/.test(instructions) && !/\bAVX512 = 1/.test(instructions) ? AVX2_COSTS : WIDE_COSTS;
  const cells = recipe === 'plain' ? seen + CELL_STEP / 2 : seen;
  return (
    weights * (costs.weight[header.dominantType ?? 'other'] ?? costs.weight.other) +
    2 * cells * header.nEmbd * header.nLayer * costs.attention[recipe]
  );
}

/** How many others a token of these prompts sees on average. */
function meanSeen(evals: readonly TokenEval[]): number {
  let tokens = 0;
  let seen = 0;
  for (const { prompt } of evals) {
    tokens += prompt.length;
    seen += (prompt.length * prompt.length) / 2;
  }
  return tokens === 0 ? 0 : seen / tokens;
}
