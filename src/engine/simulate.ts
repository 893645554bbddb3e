import type { Grain } from './chunk.js';
import { createExecutor, jobsOf, type Schedule } from './executor.js';
import type { ContextHandle, NativeBinding } from './native.js';
import type { Tokenizer } from './tokens.js';
import type { Counters, Job } from './types.js';

export interface SimulationOptions extends Grain {
  readonly schedule: Schedule;
  readonly lanes: number;
  readonly parks: number;
  readonly cells: number;
  readonly ubatch: number;
}

/**
 * Plays jobs through the real schedule with a model that computes nothing, and counts. Generation is left out: how long
 * it takes depends on what the model says.
 */
export async function simulateJobs(jobs: readonly Job[], options: SimulationOptions): Promise<Counters> {
  const silent = jobs.map(job => ({ ...job, evals: job.evals.map(item => ({ ...item, generate: null })) }));
  const executor = createExecutor(hollowBinding(options), {} as ContextHandle, NO_TOKENIZER, {
    ...options,
    taps: [],
    vectors: new Float32Array(),
    stopAtTaps: false,
    keepLogits: false,
  });
  await executor.run(jobsOf(silent), () => {});
  return executor.counters;
}

/** Nothing is generated, so only the number of blocks is asked for; no steered block counts as the last. */
const NO_TOKENIZER = { info: { nLayer: 0 } } as Tokenizer;

/** The part of the binding that the executor calls; every answer is zero. */
function hollowBinding({ cells, ubatch }: SimulationOptions): NativeBinding {
  const hollow: Pick<
    NativeBinding,
    'contextInfo' | 'memoryClear' | 'memoryRemoveTail' | 'memoryCopy' | 'decode'
  > = {
    contextInfo: () => ({ sequences: 0, cellsPerSequence: cells, ubatch }),
    memoryClear() {},
    memoryRemoveTail: () => true,
    memoryCopy() {},
    decode: async (_context, request) => {
      const n = request.wantRows.length;
      return {
        logit: new Float32Array(n),
        logSumExp: new Float64Array(n),
        argMax: new Int32Array(n),
        max: new Float32Array(n),
        rows: new Float32Array(),
        taps: [],
        stopped: false,
      };
    },
  };
  return hollow as NativeBinding;
}
