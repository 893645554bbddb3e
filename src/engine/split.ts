import type { Pool } from './pool.js';
import type { ContextOptions } from './session.js';

/** How the cores are divided: processes, and threads in each. */
export interface Split {
  readonly workers: number;
  readonly threads: number;
  /** Tokens per second measured for it; null when it was given, not measured. */
  readonly rate: number | null;
  /** true: the measurement is one of an earlier run. */
  readonly remembered?: true;
}

/** Where a model this large would be held several times, only one process is tried: some formats are copied at load. */
const LARGE = 4 * 2 ** 30;

/** The divisions of `cores` that are worth a measurement: one thread per process … one process with all. */
export function candidateSplits(
  cores: number,
  modelBytes: number,
  freeBytes: number,
): { workers: number; threads: number }[] {
  const candidates = [{ workers: 1, threads: cores }];
  for (let threads = 1; threads < cores; threads *= 2) {
    const workers = Math.floor(cores / threads);
    const fits = workers * modelBytes < freeBytes / 2;
    if (workers > 1 && modelBytes < LARGE && fits) candidates.unshift({ workers, threads });
  }
  return candidates;
}

/**
 * Measures each candidate for a moment and gives the fastest; the pool stays at the last one. Spinning threads make one process with many
 * threads slow on a machine that is also doing something else, and a machine of one's own cannot be told in advance.
 */
export async function measureSplit(
  pool: Pool,
  candidates: readonly { readonly workers: number; readonly threads: number }[],
  context: ContextOptions,
): Promise<Split> {
  let best: Split | null = null;
  for (const { workers, threads } of candidates) {
    await pool.resize(workers);
    await pool.configure({ ...context, lanes: 1, parks: 0, threads });
    const rate = await pool.measure();
    if (best === null || rate > (best.rate ?? 0)) best = { workers, threads, rate };
  }
  return best as Split;
}
