import { auroc } from '../stats/auroc.js';
import { meanDifferenceP } from '../stats/mean-permutation.js';
import { OVERLAP, OVERLAPS, type OverlapName } from './overlap.js';
import { CELLS, type Cell, cellOf, type GatePair, STRATA, type Stratum, TASKS, type Task } from './types.js';

/** Least AUROC of close against distant on measured overlap: the manipulation took. */
export const LEAST_MANIPULATION = 0.9;
/** Within a stratum, decisions must not differ in overlap: p above this. */
export const LEAST_BALANCE_P = 0.05;

/** One measure of overlap on one task. */
export interface OverlapCheck {
  /** Mean overlap of each cell; null for an empty one. */
  readonly means: Readonly<Record<Cell, number | null>>;
  /** AUROC of close against distant; null when one of them is empty. */
  readonly manipulation: number | null;
  readonly balance: Readonly<Record<Stratum, Balance>>;
}

export interface Balance {
  /** Two-sided permutation p of same against opposite; null when one of them is empty. */
  readonly p: number | null;
  readonly exact: boolean;
  /** AUROC of same against opposite on overlap alone: what the wording gives away by itself. */
  readonly decisionAuroc: number | null;
}

export interface TaskCheck {
  readonly task: Task;
  readonly pairs: number;
  readonly anchors: number;
  readonly cells: Readonly<Record<Cell, number>>;
  /** Anchors that lack one of the four cells or have one twice. */
  readonly incompleteAnchors: readonly string[];
  readonly overlap: Readonly<Record<OverlapName, OverlapCheck>>;
  readonly interpretable: boolean;
  /** Why not; empty when interpretable. */
  readonly reasons: readonly string[];
}

export interface GateCheck {
  readonly corpus: string;
  readonly sha256: string;
  readonly interpretable: boolean;
  readonly tasks: readonly TaskCheck[];
}

/**
 * Manipulation check of a factorial corpus, before any encoder: does close differ from distant in overlap, and does
 * same not differ from opposite within each? The primary overlap (token Jaccard) decides; the other two are shown.
 */
export function checkCorpus(
  corpus: { readonly name: string; readonly sha256: string; readonly pairs: readonly GatePair[] },
  seed: number,
): GateCheck {
  const tasks = TASKS.map(task => corpus.pairs.filter(pair => pair.task === task))
    .filter(pairs => pairs.length > 0)
    .map(pairs => checkTask(pairs, seed));
  return {
    corpus: corpus.name,
    sha256: corpus.sha256,
    interpretable: tasks.length > 0 && tasks.every(task => task.interpretable),
    tasks,
  };
}

function checkTask(pairs: readonly GatePair[], seed: number): TaskCheck {
  const task = (pairs[0] as GatePair).task;
  const overlap = Object.fromEntries(
    OVERLAPS.map(name => [name, checkOverlap(pairs, OVERLAP[name], seed)]),
  ) as Record<OverlapName, OverlapCheck>;
  const cells = Object.fromEntries(
    CELLS.map(cell => [cell, pairs.filter(pair => cellOf(pair) === cell).length]),
  ) as Record<Cell, number>;
  const anchors = new Map<string, Cell[]>();
  for (const pair of pairs) anchors.set(pair.anchor, [...(anchors.get(pair.anchor) ?? []), cellOf(pair)]);
  const reasons = [...tooFew(anchors.size), ...reasonsAgainst(overlap.tokenJaccard)];
  return {
    task,
    pairs: pairs.length,
    anchors: anchors.size,
    cells,
    incompleteAnchors: [...anchors]
      .filter(([, have]) => have.sort().join('') !== 'ABCD')
      .map(([anchor]) => anchor),
    overlap,
    interpretable: reasons.length === 0,
    reasons,
  };
}

/** With fewer anchors no balance test can fail, so passing it says nothing. */
const MIN_ANCHORS = 10;

function tooFew(anchors: number): readonly string[] {
  return anchors < MIN_ANCHORS
    ? [`${anchors} anchors; at least ${MIN_ANCHORS} are needed for the balance tests to be able to fail`]
    : [];
}

function checkOverlap(
  pairs: readonly GatePair[],
  measure: (a: string, b: string) => number,
  seed: number,
): OverlapCheck {
  const measured = pairs.map(pair => ({ pair, overlap: measure(pair.textA, pair.textB) }));
  const means = Object.fromEntries(
    CELLS.map(cell => [
      cell,
      mean(measured.filter(({ pair }) => cellOf(pair) === cell).map(({ overlap }) => overlap)),
    ]),
  ) as Record<Cell, number | null>;
  const balance = Object.fromEntries(
    STRATA.map(stratum => {
      const within = measured.filter(({ pair }) => pair.stratum === stratum);
      const of = (decision: GatePair['decision']): readonly number[] =>
        within.filter(({ pair }) => pair.decision === decision).map(({ overlap }) => overlap);
      const decisionAuroc = auroc(
        within.map(({ overlap }) => overlap),
        within.map(({ pair }) => (pair.decision === 'same' ? 1 : 0)),
      );
      return [stratum, { ...meanDifferenceP(of('same'), of('opposite'), seed), decisionAuroc }];
    }),
  ) as Record<Stratum, Balance>;
  const manipulation = auroc(
    measured.map(({ overlap }) => overlap),
    measured.map(({ pair }) => (pair.stratum === 'close' ? 1 : 0)),
  );
  return { means, manipulation, balance };
}

function reasonsAgainst({ manipulation, means, balance }: OverlapCheck): readonly string[] {
  const empty = CELLS.filter(cell => means[cell] === null);
  if (empty.length > 0) return [`no pair in cell ${empty.join(', ')}`];
  const reasons: string[] = [];
  if (manipulation === null || manipulation < LEAST_MANIPULATION) {
    reasons.push(
      `close and distant pairs hardly differ in token overlap: AUROC ${manipulation?.toFixed(3)}, at least ${LEAST_MANIPULATION} expected`,
    );
  }
  for (const stratum of STRATA) {
    const { p } = balance[stratum];
    if (p === null || p <= LEAST_BALANCE_P) {
      const [opposite, same] = stratum === 'close' ? [means.A, means.C] : [means.B, means.D];
      reasons.push(
        `${stratum} pairs differ in token overlap by decision: same ${same?.toFixed(4)}, opposite ${opposite?.toFixed(4)}, ` +
          `p ${p?.toFixed(4)}, above ${LEAST_BALANCE_P} expected`,
      );
    }
  }
  return reasons;
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length;
}
