import { PlumblineError } from '../errors.js';
import { checkCorpus, type GateCheck } from './check.js';
import { AUDITED_GUARD, type GuardProbe, probeGuard } from './drift-guard.js';
import { type EncoderFacts, TOKEN_JACCARD } from './encoder.js';
import { approvesCosine, type Effective, effective, type Gate } from './gates.js';
import { type Measures, measure, type OperatingPoint, operatingPoint, type ScoredPair } from './measures.js';
import { scorePairs } from './score.js';
import type { GateCorpus, Task } from './types.js';

/** Stratified AUROC up to which the finding (the score reads wording, not the decision) holds, and from which it shrinks. */
export const HOLDS_UP_TO = 0.55;
export const SHRINKS_FROM = 0.7;

export interface GateAuditOptions {
  readonly corpus: GateCorpus;
  /** Called after the corpus has passed its check. */
  readonly scoreAll: () => Promise<readonly ScoredEncoder[]>;
  /** The user's gate; null = only the operating points that every audit shows. */
  readonly gate: Gate | null;
  /** Go on although the corpus fails its check. */
  readonly force: boolean;
  readonly seed: number;
}

/** An encoder that is through: a score, or a flag, for every pair of the corpus, in its order. */
export interface ScoredEncoder {
  readonly name: string;
  readonly facts: EncoderFacts;
  readonly scored: readonly ScoredPair[];
}

export interface TaskAudit extends Measures {
  /** At the user's gate; null without one. */
  readonly gate: OperatingPoint | null;
  /** Reversals that score highest, and those of them that the gate approves when there is one. */
  readonly worstReversals: readonly QuotedPair[];
  readonly driftGuard: readonly GuardProbe[];
}

export interface QuotedPair {
  readonly id: string;
  readonly score: number;
  readonly approved: boolean | null;
  readonly textA: string;
  readonly textB: string;
}

export interface EncoderAudit {
  readonly encoder: string;
  readonly facts: EncoderFacts;
  readonly tasks: Readonly<Partial<Record<Task, TaskAudit>>>;
}

export interface Decision {
  /** The encoder that is least favourable to the finding: the highest stratified AUROC. */
  readonly encoder: string;
  readonly stratified: number;
  readonly verdict: 'holds' | 'shrinks' | 'inconclusive';
}

export interface GateAudit {
  readonly corpus: { readonly name: string; readonly sha256: string };
  readonly seed: number;
  readonly check: GateCheck;
  /** true: the corpus failed its check and the audit was forced. */
  readonly forced: boolean;
  readonly gate: (Gate & { readonly effective: Effective }) | null;
  readonly encoders: readonly EncoderAudit[];
  /** The floor on each task, as an encoder of its own. */
  readonly floor: EncoderAudit;
  /** null for a task where no encoder has a stratified AUROC, and where the audit was forced. */
  readonly decision: Readonly<Partial<Record<Task, Decision | null>>>;
}

/** How many reversals are quoted. */
const QUOTED = 3;

/**
 * Audits encoders on a factorial corpus. The manipulation check comes first, before any encoder is asked.
 * Errors: NOT_INTERPRETABLE when it fails and `force` is false; whatever `scoreAll` throws.
 */
export async function auditGate(options: GateAuditOptions): Promise<GateAudit> {
  const { corpus, gate, force, seed } = options;
  const check = checkCorpus(corpus, seed);
  if (!check.interpretable && !force) throw notInterpretable(check);
  const bound = gate === null ? null : effective(gate);
  const tasks = check.tasks.map(({ task }) => task);
  const floors = await scorePairs(TOKEN_JACCARD, corpus);
  const auditOf = ({ name, facts, scored }: ScoredEncoder): EncoderAudit => ({
    encoder: name,
    facts,
    tasks: Object.fromEntries(
      tasks.map(task => {
        const of = (all: readonly ScoredPair[]) => all.filter(({ pair }) => pair.task === task);
        return [task, auditTask(of(scored), of(floors), bound, seed)];
      }),
    ),
  });
  const encoders = (await options.scoreAll()).map(auditOf);
  return {
    corpus: { name: corpus.name, sha256: corpus.sha256 },
    seed,
    check,
    forced: !check.interpretable,
    gate: gate === null || bound === null ? null : { ...gate, effective: bound },
    encoders,
    floor: auditOf({ ...TOKEN_JACCARD, scored: floors }),
    decision: Object.fromEntries(
      tasks.map(task => [task, check.interpretable ? decide(encoders, task) : null]),
    ),
  };
}

export function notInterpretable(check: GateCheck): PlumblineError {
  const reasons = check.tasks.flatMap(({ task, reasons }) => reasons.map(reason => `${task}: ${reason}`));
  return new PlumblineError(
    'NOT_INTERPRETABLE',
    `${check.corpus} is not interpretable, so no encoder was asked. ${reasons.join('. ')}. Write other candidates and ` +
      'build the corpus again, or look at the numbers all the same with --force.',
  );
}

function auditTask(
  scored: readonly ScoredPair[],
  floors: readonly ScoredPair[],
  bound: Effective | null,
  seed: number,
): TaskAudit {
  const approves = bound === null ? null : (score: number) => approvesCosine(bound, score);
  const reversals = scored
    .flatMap(({ pair, score }) => (score === null || pair.decision === 'same' ? [] : [{ pair, score }]))
    .sort((a, b) => b.score - a.score || (a.pair.id < b.pair.id ? -1 : 1));
  return {
    ...measure(scored, floors, seed),
    gate: bound === null || approves === null ? null : operatingPoint(scored, bound.cosine, approves),
    worstReversals: reversals.slice(0, QUOTED).map(({ pair, score }) => ({
      id: pair.id,
      score,
      approved: approves?.(score) ?? null,
      textA: pair.textA,
      textB: pair.textB,
    })),
    driftGuard: probeGuard(scored, AUDITED_GUARD),
  };
}

function decide(encoders: readonly EncoderAudit[], task: Task): Decision | null {
  const judged = encoders.flatMap(({ encoder, tasks }) => {
    const stratified = tasks[task]?.auroc.stratified ?? null;
    return stratified === null ? [] : [{ encoder, stratified }];
  });
  const [first, ...others] = judged;
  if (first === undefined) return null;
  const worst = others.reduce((best, next) => (next.stratified > best.stratified ? next : best), first);
  return { ...worst, verdict: verdictOf(worst.stratified) };
}

/** A mean of two ratios can miss a bound by its last bit. */
const ROUNDING = 1e-12;

function verdictOf(stratified: number): Decision['verdict'] {
  if (stratified <= HOLDS_UP_TO + ROUNDING) return 'holds';
  return stratified >= SHRINKS_FROM - ROUNDING ? 'shrinks' : 'inconclusive';
}
