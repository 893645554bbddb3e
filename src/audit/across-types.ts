import type { Condition } from '../perturb/types.js';
import type { Exactness, Reading } from '../run/types.js';
import type { FewRanks } from '../stats/few-ranks.js';
import type {
  AccuracyRow,
  Competence,
  FlipRates,
  GroupSizes,
  IndependenceRow,
  Measure,
  Rate,
  RuleNecessity,
  Summary,
} from './analyze-types.js';
import type { IcsShift } from './ics-types.js';
import type { Reader } from './ocs.js';

/** One run as it goes into a table of several. */
export interface RunOfMany {
  /** Unique among the runs given. */
  readonly name: string;
  readonly summary: Summary;
  /** The rows that `summary` was made of; steered ones are left aside. */
  readonly readings: readonly Reading[];
  /** Tells two judges apart that have one name, such as the model file's SHA-256; null = the name alone tells. */
  readonly subjectId: string | null;
  /** true: the subject never sees the rule. */
  readonly ruleBlind: boolean;
  /** Equal for runs of the same corpus files; null = unknown. */
  readonly corpusId: string | null;
  readonly planHash: string | null;
  readonly plannedRows: number | null;
}

/** Flip rates of one measure, pooled over domains. `pooled` is null when the run has no such condition. */
export interface AcrossOcs {
  readonly measure: Measure;
  readonly pooled: FlipRates | null;
}

/** One row of every table. */
export interface AcrossRun {
  readonly run: string;
  readonly subject: string;
  readonly ruleBlind: boolean;
  readonly corpus: string;
  readonly profiles: readonly string[];
  readonly seed: number;
  readonly exactness: Exactness['kind'] | null;
  readonly samples: number;
  readonly domains: readonly string[];
  readonly conditions: readonly Condition[];
  /** Rows of the plan that are not there; null when the plan is not known. */
  readonly missingRows: number | null;
  readonly errorRows: number;
  /** false: the residual stream alone was read. What is made of verdicts is then null or empty. */
  readonly verdicts: boolean;
  readonly competence: Competence | null;
  /** Accuracy of naive Bayes on the words of the scenario, on the same samples; null when left out. */
  readonly lexicalFloor: number | null;
  /** Placebo first, always all five; empty without verdicts. */
  readonly ocs: readonly AcrossOcs[];
  /** Baseline and placebo first, the run's conditions only; empty without verdicts. */
  readonly accuracy: readonly {
    readonly condition: Condition;
    readonly all: Rate;
    readonly paired: AccuracyRow['paired'];
  }[];
  /** Per altering condition, then `pooled`; `permutation` names the degenerate cells. Empty without verdicts. */
  readonly independence: readonly IndependenceRow[];
  readonly ruleNecessity: RuleNecessity | null;
  readonly groups: GroupSizes | null;
  /** null when the run was projected on no direction. */
  readonly ics: {
    readonly anchor: number | null;
    /** Random control directions; null where they were not followed: over common samples. */
    readonly controls: number | null;
    /** Mean baseline |ICS|. */
    readonly meanAbs: number | null;
    /** Over all altering rows together, each counting once. */
    readonly altering: {
      readonly n: number;
      readonly meanDelta: number | null;
      readonly ratio: number | null;
    };
    /** Placebo first; each with and without invisible rows. */
    readonly conditions: readonly IcsShift[];
    /** Over domains: OCS-agg with mean ICS-delta. */
    readonly ocs: FewRanks;
  } | null;
  /** Over domains: OCS-agg with baseline accuracy; null without verdicts. */
  readonly ocsWithAccuracy: FewRanks | null;
}

/**
 * Over runs: OCS-agg with baseline accuracy, a point for each run that has both. A rule-blind subject is none: its OCS is
 * 0 by construction.
 */
export interface OverRuns {
  readonly points: readonly { readonly run: string; readonly ocs: number; readonly accuracy: number }[];
  /** Different subjects among the points. */
  readonly subjects: number;
  /** Without a p when subjects repeat: runs of one subject are no further evidence. */
  readonly ranks: FewRanks;
}

export const SUBSETS = ['rule-necessary', 'LOW', 'HIGH'] as const;
/** rule-necessary: baseline right, deletion wrong. */
export type Subset = (typeof SUBSETS)[number];

/** How far two runs put the same samples into a subset. */
export interface SubsetOverlap {
  readonly subset: Subset;
  /**
   * Samples that both runs have and that are decided in both: verdicts at baseline and deletion, or for LOW and HIGH a
   * group made of the same applicable conditions. All that follows is over these.
   */
  readonly compared: number;
  readonly inA: number;
  readonly inB: number;
  readonly both: number;
  /** What `both` would be on average if the two had nothing to do with each other: inA × inB / compared. */
  readonly expectedBoth: number | null;
  /** both over in either; null when neither has any. */
  readonly jaccard: number | null;
}

export interface PairOverlap {
  readonly a: string;
  readonly b: string;
  readonly samplesA: number;
  readonly samplesB: number;
  /** Samples of equal id, domain, rule and label. */
  readonly samplesBoth: number;
  /** Samples of equal id that differ in domain, rule or label: they are not the same and are left out. */
  readonly conflicting: number;
  /** Empty when one of the two has no verdicts. */
  readonly subsets: readonly SubsetOverlap[];
}

/** A subset over all runs with verdicts. */
export interface SubsetOverRuns {
  readonly subset: Subset;
  readonly runs: number;
  /** Samples that all of these runs have and that are decided in all. */
  readonly compared: number;
  /** `inRuns[k]`: how many of them are in the subset of exactly k runs; k from 0 to `runs`. */
  readonly inRuns: readonly number[];
}

/** What a reader must know before two rows are compared. `runs` are those concerned. */
export interface AcrossNote {
  readonly kind:
    | 'same-plan-and-subject'
    | 'same-subject'
    | 'other-corpora'
    | 'other-samples'
    | 'conflicting-samples'
    | 'other-seeds'
    | 'other-profiles'
    | 'other-conditions'
    | 'no-verdicts'
    | 'rule-blind'
    | 'incomplete'
    | 'inexact';
  readonly runs: readonly string[];
}

/** The figures of all runs over one and the same set of samples. */
export interface CommonSamples {
  readonly samples: number;
  /** The rows again, of these samples alone, in the order of the runs; empty when there are none. */
  readonly runs: readonly AcrossRun[];
  readonly overRuns: OverRuns;
}

/**
 * The tables of one or many runs, as plain JSON. The order of rows within a run changes nothing; the order of runs
 * changes the order of what is listed, and which of a pair is a.
 */
export interface AcrossSummary {
  /** Whose verdicts all of this is about. */
  readonly reader: Reader;
  readonly notes: readonly AcrossNote[];
  /** In the order given, each over all of its own samples. */
  readonly runs: readonly AcrossRun[];
  readonly overRuns: OverRuns;
  /** Over the samples that all runs have; null when that is what `runs` is over already. */
  readonly common: CommonSamples | null;
  /** Every two runs; empty for one. */
  readonly overlaps: readonly PairOverlap[];
  /** Over all runs with verdicts; empty below two. */
  readonly subsets: readonly SubsetOverRuns[];
}
