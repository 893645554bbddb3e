import { commonIds, membership, type SampleViews } from './across-samples.js';
import {
  type PairOverlap,
  SUBSETS,
  type Subset,
  type SubsetOverlap,
  type SubsetOverRuns,
} from './across-types.js';
import { countIf } from './analyze-samples.js';

/** A run's samples, and whether it holds verdicts. */
export interface ViewedRun {
  readonly name: string;
  readonly views: SampleViews;
  readonly verdicts: boolean;
}

/** Every two runs, the earlier one being a. */
export function pairOverlaps(runs: readonly ViewedRun[]): readonly PairOverlap[] {
  return runs.flatMap((a, i) => runs.slice(i + 1).map(b => pairOverlap(a, b)));
}

function pairOverlap(a: ViewedRun, b: ViewedRun): PairOverlap {
  const shared = commonIds([a.views, b.views]);
  const sameId = countIf([...a.views.keys()], id => b.views.has(id));
  return {
    a: a.name,
    b: b.name,
    samplesA: a.views.size,
    samplesB: b.views.size,
    samplesBoth: shared.length,
    conflicting: sameId - shared.length,
    subsets:
      a.verdicts && b.verdicts ? SUBSETS.map(subset => subsetOverlap(a.views, b.views, shared, subset)) : [],
  };
}

function subsetOverlap(
  a: SampleViews,
  b: SampleViews,
  shared: readonly string[],
  subset: Subset,
): SubsetOverlap {
  const decided = shared.flatMap(id => {
    const members = membership([a.get(id), b.get(id)], subset);
    return members === null ? [] : [members];
  });
  const compared = decided.length;
  const inA = countIf(decided, ([isInA]) => isInA === true);
  const inB = countIf(decided, ([, isInB]) => isInB === true);
  const both = countIf(decided, members => members.every(Boolean));
  const either = inA + inB - both;
  return {
    subset,
    compared,
    inA,
    inB,
    both,
    expectedBoth: compared === 0 ? null : (inA * inB) / compared,
    jaccard: either === 0 ? null : both / either,
  };
}

/** Over all runs with verdicts at once; empty when there are fewer than two. */
export function subsetsOverRuns(runs: readonly ViewedRun[]): readonly SubsetOverRuns[] {
  const views = runs.filter(({ verdicts }) => verdicts).map(run => run.views);
  if (views.length < 2) return [];
  const shared = commonIds(views);
  return SUBSETS.map(subset => {
    const inRuns = new Array<number>(views.length + 1).fill(0);
    let compared = 0;
    for (const id of shared) {
      const members = membership(
        views.map(of => of.get(id)),
        subset,
      );
      if (members === null) continue;
      compared++;
      const count = countIf(members, Boolean);
      inRuns[count] = (inRuns[count] ?? 0) + 1;
    }
    return { subset, runs: views.length, compared, inRuns };
  });
}
