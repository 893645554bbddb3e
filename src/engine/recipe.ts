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
export const PLAIN: Recipe = { flashAttention: false, tile: 4, least: 4 };

/**
 * Flash attention. llama.cpp's CPU kernel takes another path when a stream brings fewer than 64 rows (GGML_FA_TILE_Q in
 * ggml-cpu); from there on, whole tiles of four rows are enough here too.
 */
export const FLASH: Recipe = { flashAttention: true, tile: 4, least: 64 };

/** One memory for all streams; it makes no claim. */
export const UNIFIED: Recipe = { flashAttention: true, tile: 1, least: 1 };

/** Flash attention has to be cheaper by this much: the prediction is rough, and the other recipe is simpler. */
const WORTH = 0.95;

/**
 * The exact recipe that is predicted to be cheaper for a job: both are played through and their tokens weighed by what a
 * token costs. A pure function of model file and job, so that a run that is made again takes the same; `single` takes
 * what `exact` takes, because their bits are compared. On other backends than the CPU the kernels differ: there the plain
 * recipe is tried.
 */
export async function chooseRecipe(
  header: GgufHeader,
  plan: Pick<JobPlan, 'jobs' | 'sharedPrefixes'>,
  evals: readonly TokenEval[],
  schedule: Schedule,
  backend: string,
): Promise<Recipe> {
  if (schedule === 'unified') return UNIFIED;
  if (backend !== 'cpu') return PLAIN;
  const context = meanContext(evals);
  // Without a bound of memory: what is free changes from one run to the next.
  const sizing = chooseSizing(header, evals, 'exact', plan.sharedPrefixes, Number.POSITIVE_INFINITY);
  const tokensOf = async (recipe: Recipe): Promise<number> =>
    (await simulateJobs(plan.jobs, { ...sizing, ...recipe, schedule: 'exact' })).tokens;
  const [plain, flash] = [await tokensOf(PLAIN), await tokensOf(FLASH)];
  const cheaper =
    flash * tokenCost(header, FLASH, context) < WORTH * plain * tokenCost(header, PLAIN, context);
  return cheaper ? FLASH : PLAIN;
}

/**
 * CPU time of a multiplication with a weight by format, over that in Q4_0, and of one in attention by recipe. Measured
 * on x64 with AVX-512 (docs/exactness.md); they choose the recipe and never touch a result.
 */
const WEIGHT_COST: Readonly<Record<string, number>> = {
  Q4_0: 1,
  Q4_K: 1,
  IQ4_NL: 1,
  BF16: 1.9,
  Q8_0: 1.9,
  F16: 3,
  F32: 3.2,
};
const OTHER_WEIGHT_COST = 4;
const ATTENTION_COST = { plain: 4, flash: 1.5 } as const;

/** Predicted cost of one token that sees `context` others, in multiplications with weights in Q4_0. */
export function tokenCost(header: GgufHeader, { flashAttention }: Recipe, context: number): number {
  const weights = header.tensors
    .filter(({ name }) => name.startsWith('blk.') && name.endsWith('.weight'))
    .reduce((sum, { dims }) => sum + (dims.length > 1 ? dims.reduce((a, b) => a * b, 1) : 0), 0);
  const attention = 2 * context * header.nEmbd * header.nLayer;
  return (
    weights * (WEIGHT_COST[header.dominantType ?? ''] ?? OTHER_WEIGHT_COST) +
    attention * (flashAttention ? ATTENTION_COST.flash : ATTENTION_COST.plain)
  );
}

/** Cells of a stream come in steps of this many, and attention without flash goes over all of them. */
const CELL_STEP = 256;

/** Cells that a token of these prompts sees on average. */
function meanContext(evals: readonly TokenEval[]): number {
  let tokens = 0;
  let seen = 0;
  for (const { prompt } of evals) {
    tokens += prompt.length;
    seen += prompt.length * (prompt.length / 2 + CELL_STEP / 2);
  }
  return tokens === 0 ? 0 : seen / tokens;
}
