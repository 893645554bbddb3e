import { PlumblineError } from '../errors.js';
import { notInterpretable } from '../gate/audit.js';
import { checkCorpus, type GateCheck } from '../gate/check.js';
import { readGateCorpus } from '../gate/corpus.js';
import { type Scorer, TOKEN_JACCARD } from '../gate/encoder.js';
import { measure } from '../gate/measures.js';
import {
  judge,
  judgeFitted,
  type RepairItem,
  type RepairResult,
  refuseOverlap,
  repairItems,
} from '../gate/repair.js';
import { scorePairs } from '../gate/score.js';
import { runSecondGate } from '../gate/second-gate.js';
import { type GateCorpus, TASKS, type Task } from '../gate/types.js';
import { ENCODER_DEFAULTS, type EncoderOptions, withScorers } from './scorers.js';

export interface GateRepairRequest {
  readonly fitOn: string;
  readonly judgeOn: string;
  readonly encoders: readonly string[];
  /** Default: {@link ENCODER_DEFAULTS}. */
  readonly encoderOptions?: EncoderOptions;
  /** Command of a second gate, without a shell; null = none. */
  readonly program: readonly string[] | null;
  readonly force: boolean;
  readonly seed: number;
}

export interface TaskRepairs {
  /** Of the encoders, the one with the highest stratified AUROC on the pairs of the fit. */
  readonly encoder: string;
  readonly results: readonly RepairResult[];
}

export interface GateRepairs {
  readonly fitOn: GateCheck;
  readonly judgeOn: GateCheck;
  readonly tasks: Readonly<Partial<Record<Task, TaskRepairs>>>;
}

/**
 * Fits the repairs of the strongest encoder once on one corpus and judges them once on another. Errors: USAGE;
 * NOT_INTERPRETABLE for either corpus unless forced; CORPUS_EMPTY; PROGRAM_FAILED.
 */
export async function runGateRepair(request: GateRepairRequest): Promise<GateRepairs> {
  const { force, seed } = request;
  const [fitOn, judgeOn] = [await readGateCorpus(request.fitOn), await readGateCorpus(request.judgeOn)];
  const [fitCheck, judgeCheck] = [checkCorpus(fitOn, seed), checkCorpus(judgeOn, seed)];
  for (const check of [fitCheck, judgeCheck])
    if (!check.interpretable && !force) throw notInterpretable(check);
  const tasks = await withScorers(
    request.encoders,
    request.encoderOptions ?? ENCODER_DEFAULTS,
    async openScorers => repairTasks(request, fitOn, judgeOn, await openScorers()),
  );
  if (Object.keys(tasks).length === 0)
    throw new PlumblineError(
      'CORPUS_EMPTY',
      `${request.fitOn} and ${request.judgeOn} have no task in common`,
    );
  return { fitOn: fitCheck, judgeOn: judgeCheck, tasks };
}

async function repairTasks(
  { program, seed }: GateRepairRequest,
  fitOn: GateCorpus,
  judgeOn: GateCorpus,
  scorers: readonly Scorer[],
): Promise<GateRepairs['tasks']> {
  const tasks: Partial<Record<Task, TaskRepairs>> = {};
  for (const task of TASKS) {
    const [fitPairs, judgePairs] = [ofTask(fitOn, task), ofTask(judgeOn, task)];
    if (fitPairs.pairs.length === 0 || judgePairs.pairs.length === 0) continue;
    const { scorer, fitItems } = await strongest(scorers, fitPairs, seed);
    const heldOut = repairItems(await scorePairs(scorer, judgePairs));
    refuseOverlap(fitItems, heldOut);
    const results: RepairResult[] = (['I1', 'I2'] as const).map(kind => judgeFitted(kind, fitItems, heldOut));
    if (program !== null) {
      const fired = await runSecondGate(program, judgePairs.pairs);
      results.push({
        repair: program[0] ?? 'program',
        fitted: null,
        inSample: null,
        leaveOneAnchorOut: null,
        heldOut: judge(fired),
      });
    }
    tasks[task] = { encoder: scorer.name, results };
  }
  return tasks;
}

function ofTask(corpus: GateCorpus, task: Task): Pick<GateCorpus, 'pairs'> {
  return { pairs: corpus.pairs.filter(pair => pair.task === task) };
}

async function strongest(
  scorers: readonly Scorer[],
  corpus: Pick<GateCorpus, 'pairs'>,
  seed: number,
): Promise<{ readonly scorer: Scorer; readonly fitItems: readonly RepairItem[] }> {
  const floors = await scorePairs(TOKEN_JACCARD, corpus);
  let best:
    | { readonly scorer: Scorer; readonly fitItems: readonly RepairItem[]; readonly auroc: number }
    | undefined;
  for (const scorer of scorers) {
    const scored = await scorePairs(scorer, corpus);
    const auroc = measure(scored, floors, seed).auroc.stratified ?? Number.NEGATIVE_INFINITY;
    if (best === undefined || auroc > best.auroc) best = { scorer, fitItems: repairItems(scored), auroc };
  }
  if (best === undefined) throw new Error('no scorer to choose from');
  return best;
}
