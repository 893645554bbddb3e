import { hostFacts } from '../engine/hardware.js';
import type { Pool } from '../engine/pool.js';
import { recallSplit, rememberSplit, splitFile } from '../engine/remember.js';
import type { ContextOptions } from '../engine/session.js';
import { measureSplit, type Split } from '../engine/split.js';

/** Load per core from which on the machine counts as busy: a measurement holds for that moment only. */
const BUSY = 0.5;

/** The division that an earlier run found for this model here, else the fastest by a measurement, which is kept. */
export async function divideCores(
  { pool, sha256 }: { readonly pool: Pool; readonly sha256: string },
  candidates: readonly { readonly workers: number; readonly threads: number }[],
  context: ContextOptions,
  events: { onStage(text: string): void },
  anew: boolean,
): Promise<Split> {
  const { cpu, cores, load } = hostFacts();
  const { flashAttention, tile, least, most } = context;
  const recipe = `${flashAttention ? 'flash' : 'plain'} ${tile} ${least} ${most}`;
  const key = { modelSha256: sha256, release: pool.facts.release, cpu, cores, recipe };
  const quiet = load < BUSY * cores;
  if (quiet && !anew) {
    const known = await recallSplit(splitFile(), key, candidates, events.onStage);
    if (known !== null) {
      events.onStage('division of cores: remembered ("plumbline doctor --model FILE" measures again)');
      return known;
    }
  }
  events.onStage('measuring how many processes and threads are fastest here');
  const split = await measureSplit(pool, candidates, context);
  if (quiet) await rememberSplit(splitFile(), key, split, anew, events.onStage);
  return split;
}
