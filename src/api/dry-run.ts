import { type DomainPlan, summarisePlan } from '../audit/plan.js';
import type { CorpusIssue } from '../corpus/types.js';
import { simulateJobs } from '../engine/simulate.js';
import { configureJudge, openJudge } from './judge.js';
import type { AuditOptions } from './options.js';
import { type Prediction, predictRun } from './predict.js';
import { prepareAudit } from './prepare.js';

/** What an audit would do. */
export interface DryRun {
  readonly domains: Readonly<Record<string, DomainPlan>>;
  readonly samples: number;
  readonly rows: number;
  readonly issues: readonly CorpusIssue[];
  /** null without a model. */
  readonly engine: {
    /** Tokens of all prompts and labels if nothing were shared. */
    readonly sequenceTokens: number;
    /** Nodes of the prefix tree: the tokens that cannot be avoided. */
    readonly treeNodes: number;
    /** Tokens that the schedule evaluates, generation left out. */
    readonly tokens: number;
    readonly decodes: number;
    readonly copies: number;
    readonly tooLong: number;
    readonly memory: { readonly weightBytes: number; readonly kvBytes: number };
    /** null when a minute was not enough for a measurement. */
    readonly time: Prediction | null;
  } | null;
}

/**
 * Plans an audit. With a model, its jobs are played through without computing anything, and a sample of them is run for
 * some seconds, a minute at most.
 */
export async function dryRun(options: AuditOptions, onStage: (text: string) => void): Promise<DryRun> {
  const prepared = await prepareAudit(options);
  const { rows, cases, corpus } = prepared;
  const plan = {
    domains: summarisePlan(rows),
    samples: cases.length,
    rows: rows.length,
    issues: corpus.issues,
  };
  if (options.model === null || options.subject !== 'model') return { ...plan, engine: null };
  const stop = new AbortController();
  const judge = await openJudge(options.model, rows, options.profile, options.engine, {
    onStage,
    onLoad() {},
    signal: stop.signal,
  });
  try {
    const configured = await configureJudge(judge, options.engine, { onStage });
    const counters = await simulateJobs(judge.plan.jobs, configured.context);
    onStage('running a sample of the prompts, to predict the time');
    return {
      ...plan,
      engine: {
        sequenceTokens: judge.plan.sequenceTokens,
        treeNodes: judge.plan.nodes,
        tokens: counters.tokens,
        decodes: counters.decodes,
        copies: counters.copies,
        tooLong: judge.tooLong.size,
        memory: { weightBytes: judge.header.bytes, kvBytes: configured.sizing.kvBytes },
        time: await predictRun(configured, stop),
      },
    };
  } finally {
    await judge.pool.dispose();
  }
}
