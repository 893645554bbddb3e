import { LARGEST_TILE, withTile } from './chunk.js';
import { createExecutor, jobsOf } from './executor.js';
import { JOB_SPAN, planJobs } from './jobs.js';
import type { ContextHandle, NativeBinding } from './native.js';
import type { ContextOptions } from './session.js';
import type { Tokenizer } from './tokens.js';
import type { EvalOutcome, Exactness, TokenEval } from './types.js';

/**
 * Evaluates `evals` one prompt per decode and through the schedule, and compares every logit of the last prompt row,
 * every label log-probability and every activation of `layers`, bit for bit. When they differ the tile is doubled and
 * all is tried again; when no tile helps, the largest margin difference is the band within which a flip means nothing.
 */
export async function proveSchedule(
  binding: NativeBinding,
  context: ContextHandle,
  tokenizer: Tokenizer,
  options: ContextOptions,
  layers: readonly number[],
  evals: readonly TokenEval[],
): Promise<Exactness> {
  const taps = layers.map(layer => ({ layer, directions: new Float32Array(), keepActivations: true }));
  // Far apart, so that each has a job of its own: lanes and parked prefixes are what is on trial.
  const plan = planJobs(evals.map((item, i) => ({ item, order: i * (JOB_SPAN + 1), isolated: false })));
  const alone = evals.map(item => ({ evals: [item], shared: [], isolated: true }));

  const evaluate = async (
    schedule: 'single' | ContextOptions['schedule'],
    tile: number,
  ): Promise<Map<number, EvalOutcome>> => {
    const single = schedule === 'single';
    const executor = createExecutor(binding, context, tokenizer, {
      schedule,
      lanes: single ? 1 : options.lanes,
      parks: single ? 0 : options.parks,
      ...withTile(options, tile),
      taps,
      vectors: new Float32Array(),
      stopAtTaps: false,
      keepLogits: true,
    });
    const outcomes = new Map<number, EvalOutcome>();
    await executor.run(jobsOf(single ? alone : plan.jobs), outcome => outcomes.set(outcome.id, outcome));
    return outcomes;
  };

  let best: { difference: Difference; tile: number } | null = null;
  for (let tile = options.tile; tile <= LARGEST_TILE; tile *= 2) {
    const difference = compare(await evaluate('single', tile), await evaluate(options.schedule, tile));
    if (difference.unequal === 0)
      return { kind: 'exact', tile, prompts: evals.length, floats: difference.compared };
    if (best === null || difference.margin < best.difference.margin) best = { difference, tile };
    // The unified batch makes no claim: one look measures its band.
    if (options.schedule === 'unified') break;
  }
  const { difference, tile } = best as NonNullable<typeof best>;
  return {
    kind: 'inexact',
    tile,
    prompts: evals.length,
    band: difference.margin,
    why:
      options.schedule === 'unified'
        ? 'the unified schedule does not keep the order of sums'
        : `${difference.unequal} of ${difference.compared} values differ from one prompt per decode at every tile up to ${LARGEST_TILE}`,
  };
}

interface Difference {
  readonly compared: number;
  readonly unequal: number;
  /** Largest difference of label margins. */
  readonly margin: number;
}

function compare(
  reference: ReadonlyMap<number, EvalOutcome>,
  scheduled: ReadonlyMap<number, EvalOutcome>,
): Difference {
  let compared = 0;
  let unequal = 0;
  let margin = 0;
  const hold = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
    compared += Math.max(a.length, b.length);
    if (a.length !== b.length) unequal += Math.max(a.length, b.length);
    else for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) unequal++;
  };
  for (const [id, one] of reference) {
    const other = scheduled.get(id);
    if (other === undefined) throw new Error(`evaluation ${id} has no outcome`);
    hold(one.logits, other.logits);
    hold(one.labelLogprobs, other.labelLogprobs);
    hold(one.generated, other.generated);
    for (const [i, tap] of one.taps.entries()) hold(tap.activation, other.taps[i]?.activation ?? []);
    margin = Math.max(margin, Math.abs(spread(one) - spread(other)));
  }
  return { compared, unequal, margin };
}

function spread(outcome: EvalOutcome): number {
  return (outcome.labelLogprobs[0] ?? 0) - (outcome.labelLogprobs[1] ?? 0);
}
