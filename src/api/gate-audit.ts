import path from 'node:path';
import { PlumblineError } from '../errors.js';
import { auditGate, type GateAudit, notInterpretable, scorePairs } from '../gate/audit.js';
import { checkCorpus, type GateCheck } from '../gate/check.js';
import { readGateCorpus } from '../gate/corpus.js';
import { type Scorer, TOKEN_JACCARD } from '../gate/encoder.js';
import { findGate } from '../gate/find-gate.js';
import { effective } from '../gate/gates.js';
import { measure } from '../gate/measures.js';
import { GATE_PAIRS_FILE, type GatePairRow, gatePairRows, gatePairsFile } from '../gate/pairs-file.js';
import {
  judge,
  judgeFitted,
  type RepairItem,
  type RepairResult,
  refuseOverlap,
  repairItems,
} from '../gate/repair.js';
import { runSecondGate } from '../gate/second-gate.js';
import { type GateCorpus, TASKS, type Task } from '../gate/types.js';
import { gateFigure } from '../report/gate-figure.js';
import { attempt, attemptUnless, nodeFiles, writeAtomically } from '../run/files.js';
import { ENCODER_DEFAULTS, type EncoderOptions, withScorers } from './scorers.js';

export interface GateAuditRequest {
  readonly corpus: string;
  readonly encoders: readonly string[];
  /** Default: {@link ENCODER_DEFAULTS}. */
  readonly encoderOptions?: EncoderOptions;
  /** Name of a preset or a file; null = none. */
  readonly gate: string | null;
  /** Folder for pairs.arrow, summary.json and scores.svg; null = write nothing. */
  readonly out: string | null;
  readonly force: boolean;
  readonly seed: number;
}

/** Errors: those of {@link auditGate}; USAGE without an encoder; RUN_EXISTS for a folder with anything in it; IO. */
export async function runGateAudit(request: GateAuditRequest): Promise<GateAudit> {
  const { out, force, seed } = request;
  const gate = request.gate === null ? null : findGate(request.gate);
  const corpus = await readGateCorpus(request.corpus);
  if (out !== null) refuseOccupied(out);
  const bound = gate === null ? null : effective(gate);
  const batches: (readonly GatePairRow[])[] = [];
  const audit = await withScorers(request.encoders, request.encoderOptions ?? ENCODER_DEFAULTS, openScorers =>
    auditGate({
      corpus,
      openScorers,
      gate,
      force,
      seed,
      onScored: (scorer, scored) => batches.push(gatePairRows(scorer, scored, bound)),
    }),
  );
  if (out !== null) {
    attempt('create', out, () => nodeFiles.mkdir(out));
    writeAtomically(nodeFiles, path.join(out, GATE_PAIRS_FILE), gatePairsFile(batches));
    const summary = `${JSON.stringify(audit, null, 2)}\n`;
    writeAtomically(nodeFiles, path.join(out, 'summary.json'), Buffer.from(summary, 'utf8'));
    writeAtomically(nodeFiles, path.join(out, 'scores.svg'), Buffer.from(gateFigure(audit), 'utf8'));
  }
  return audit;
}

function refuseOccupied(out: string): void {
  const entries = attemptUnless('ENOENT', 'list', out, () => nodeFiles.list(out)) ?? [];
  if (entries.length > 0) throw new PlumblineError('RUN_EXISTS', `${out} is not empty: choose another --out`);
}

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
