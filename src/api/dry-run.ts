import { type DomainPlan, summarisePlan } from '../audit/plan.js';
import type { CorpusIssue } from '../corpus/types.js';
import { hostFacts } from '../engine/hardware.js';
import { chooseRecipe } from '../engine/recipe.js';
import { simulateJobs } from '../engine/simulate.js';
import { chooseSizing } from '../engine/sizing.js';
import { openJudge } from './judge.js';
import type { AuditOptions } from './options.js';
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
  } | null;
}

/** Plans an audit; with a model, its jobs are played through without computing anything. */
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
  const judge = await openJudge(options.model, rows, options.profile, options.engine, {
    onStage,
    onLoad() {},
  });
  try {
    const { schedule } = options.engine;
    const recipe = await chooseRecipe(judge.header, judge.plan, judge.evals, schedule, judge.backend);
    const sizing = chooseSizing(
      judge.header,
      judge.evals,
      schedule,
      judge.plan.sharedPrefixes,
      hostFacts().freeBytes,
    );
    const counters = await simulateJobs(judge.plan.jobs, { ...sizing, ...recipe, schedule });
    return {
      ...plan,
      engine: {
        sequenceTokens: judge.plan.sequenceTokens,
        treeNodes: judge.plan.nodes,
        tokens: counters.tokens,
        decodes: counters.decodes,
        copies: counters.copies,
        tooLong: judge.tooLong.size,
        memory: { weightBytes: judge.header.bytes, kvBytes: sizing.kvBytes },
      },
    };
  } finally {
    await judge.pool.dispose();
  }
}
