import { commonPrefix } from './chunk.js';
import type { Job, SharedPrefix, TokenEval } from './types.js';

/** An evaluation with its place in the plan. */
export interface PlannedEval {
  readonly item: TokenEval;
  /** Steered evaluations of the same prompt: they run behind `item`, on the same stream. */
  readonly variants?: readonly TokenEval[];
  /** Evaluations with near numbers should be done near each other in time. */
  readonly order: number;
  readonly isolated: boolean;
}

export interface JobPlan {
  /** In the order in which they should start. */
  readonly jobs: readonly Job[];
  /** Nodes of the prefix tree over all token sequences: prompts with each label behind them; isolated ones apart. */
  readonly nodes: number;
  /** Tokens of all sequences if nothing were shared. */
  readonly sequenceTokens: number;
  readonly sharedPrefixes: number;
}

/** A subtree with at most this many prompts, close together in the order, is one job: one stream walks it. */
const JOB_EVALS = 8;
export const JOB_SPAN = 64;
/**
 * What parking a prefix costs, in tokens: its padding once, and a copy for each job that starts from it (measured on a
 * 135M model: 0.5 to 1 ms where a token takes 1 to 4).
 */
const PARK_COST = 4;
const COPY_COST = 1;

/**
 * Cuts the prefix tree of all prompts into jobs. Small subtrees become one job; where a subtree is large or its prompts
 * lie far apart in time, its root is a shared prefix, computed once and copied.
 */
export function planJobs(evals: readonly PlannedEval[]): JobPlan {
  const free = evals
    .filter(planned => !planned.isolated)
    .sort((a, b) => comparePrompts(a.item.prompt, b.item.prompt) || a.order - b.order);
  const lcp = free.map((planned, i) =>
    i === 0 ? 0 : commonPrefix((free[i - 1] as PlannedEval).item.prompt, planned.item.prompt),
  );
  const made: { job: Job; order: number }[] = [];
  let prefixes = 0;

  /** The subtree of the prompts `from` … `to - 1`, as far as it is cut into jobs. */
  function grow(from: number, to: number): Subtree {
    const range = free.slice(from, to);
    const orders = range.map(planned => planned.order);
    const order = orders.reduce((a, b) => Math.min(a, b));
    const shortest = range.map(planned => planned.item.prompt.length).reduce((a, b) => Math.min(a, b));
    const span = orders.reduce((a, b) => Math.max(a, b)) - order;
    if (range.length === 1 || (range.length <= JOB_EVALS && span <= JOB_SPAN)) {
      return { depth: 0, shortest, jobs: 1, order, evals: range.flatMap(familyOf), children: [] };
    }
    const depth = lcp.slice(from + 1, to).reduce((a, b) => Math.min(a, b));
    const children: Subtree[] = [];
    // Children differ in the token behind the common prefix.
    let start = from;
    for (let i = from + 1; i <= to; i++) {
      if (i < to && (lcp[i] as number) > depth) continue;
      children.push(grow(start, i));
      start = i;
    }
    return {
      depth,
      shortest,
      jobs: children.reduce((sum, child) => sum + child.jobs, 0),
      order,
      evals: [],
      children,
    };
  }

  function collect(tree: Subtree, shared: readonly SharedPrefix[]): void {
    if (tree.children.length === 0) {
      made.push({ job: { evals: tree.evals, shared, isolated: false }, order: tree.order });
      return;
    }
    // A prompt's last token is evaluated in any case, so equal prompts share all but that.
    const length = Math.min(tree.depth, tree.shortest - 1);
    const gain = length - (shared.at(-1)?.length ?? 0);
    const worth = gain * (tree.jobs - 1) > PARK_COST + COPY_COST * tree.jobs;
    const here = worth ? [...shared, { id: prefixes++, length, jobs: tree.jobs }] : shared;
    for (const child of tree.children) collect(child, here);
  }

  if (free.length > 0) collect(grow(0, free.length), []);
  for (const planned of evals) {
    if (planned.isolated)
      made.push({ job: { evals: familyOf(planned), shared: [], isolated: true }, order: planned.order });
  }
  made.sort((a, b) => a.order - b.order);
  const alone = evals
    .filter(planned => planned.isolated)
    .map(planned => treeNodes(sequencesOf(planned.item)));
  const whole = evals.map(planned => treeNodes(sequencesOf(planned.item)));
  const steered = evals.flatMap(planned => (planned.variants ?? []).map(steeredNodes));
  return {
    jobs: made.map(entry => entry.job),
    nodes: treeNodes(free.flatMap(planned => sequencesOf(planned.item))) + total(alone) + total(steered),
    sequenceTokens:
      total(whole) +
      total(evals.flatMap(planned => (planned.variants ?? []).map(item => treeNodes(sequencesOf(item))))),
    sharedPrefixes: prefixes,
  };
}

function familyOf(planned: PlannedEval): readonly TokenEval[] {
  return [planned.item, ...(planned.variants ?? [])];
}

/** Nodes that a steered evaluation adds: from the steered token on, or all when every token is steered. */
function steeredNodes(item: TokenEval): number {
  const nodes = treeNodes(sequencesOf(item));
  return item.steer?.scope === 'all' ? nodes : nodes - (item.prompt.length - 1);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Subtree {
  /** Tokens that all its prompts share, and the length of the shortest prompt. */
  readonly depth: number;
  readonly shortest: number;
  readonly jobs: number;
  readonly order: number;
  /** Of a leaf: the evaluations of its one job. */
  readonly evals: readonly TokenEval[];
  readonly children: readonly Subtree[];
}

/** What has to go through the model to score each label: the prompt and all label tokens but the last. */
function sequencesOf(item: TokenEval): Int32Array[] {
  return item.labels.map(label => {
    const whole = new Int32Array(item.prompt.length + label.length - 1);
    whole.set(item.prompt);
    whole.set(label.subarray(0, label.length - 1), item.prompt.length);
    return whole;
  });
}

/** Distinct non-empty prefixes of the sequences. */
export function treeNodes(sequences: readonly Int32Array[]): number {
  const sorted = [...sequences].sort(comparePrompts);
  let nodes = 0;
  for (const [i, sequence] of sorted.entries()) {
    nodes += sequence.length - (i === 0 ? 0 : commonPrefix(sorted[i - 1] as Int32Array, sequence));
  }
  return nodes;
}

function comparePrompts(a: Int32Array, b: Int32Array): number {
  const shared = commonPrefix(a, b);
  if (shared === a.length || shared === b.length) return a.length - b.length;
  return (a[shared] as number) - (b[shared] as number);
}
