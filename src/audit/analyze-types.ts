import type { Altering, Condition } from '../perturb/types.js';
import type { Exactness } from '../run/types.js';
import type { Moments } from '../stats/moments.js';
import type { PermutationCheck } from '../stats/permutation.js';
import type { IcsSummary } from './ics-types.js';
import type { Reader } from './ocs.js';

/** A rate with its 95 % Clopper-Pearson interval; rate and interval are null when n = 0. */
export interface Rate {
  /** Successes; a sum of per-sample means for OCS-agg. */
  readonly count: number;
  readonly n: number;
  readonly rate: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Codes (null reasons, error codes …) with how often each occurred, most frequent first. */
export type Tally = readonly (readonly [code: string, count: number])[];

/** How rows of one condition divide: rows = verdicts + nulls + notApplicable + errors. */
export interface ConditionCounts {
  readonly condition: Condition;
  readonly rows: number;
  readonly verdicts: number;
  readonly nulls: number;
  readonly nullReasons: Tally;
  readonly notApplicable: number;
  readonly notApplicableReasons: Tally;
  readonly errors: number;
  readonly errorCodes: Tally;
  /** Applicable altering rows whose shown text is the baseline's; they are among the others, not beside them. */
  readonly invisible: number;
  /** Samples of the run that have no row of this condition: an unfinished run. */
  readonly missing: number;
}

/** Whether the judge does the task at all, from its baseline rows. */
export interface Competence {
  readonly accuracy: Rate;
  /** Accuracy when a null verdict counts as wrong. */
  readonly accuracyNullsWrong: Rate;
  /** Share of the more frequent label among the rows with a verdict: what a constant answer scores. */
  readonly chance: number | null;
  /** Exact one-sided binomial p of the accuracy against `chance`. */
  readonly pAboveChance: number | null;
  /** Share of compliant verdicts, and of compliant labels on the same rows: their distance is the response bias. */
  readonly saysCompliant: Rate;
  readonly labelCompliant: number | null;
  readonly nullRate: Rate;
  /** AUROC of the margin against the label, with a bootstrap interval over samples. */
  readonly auroc: {
    readonly n: number;
    readonly value: number | null;
    readonly low: number | null;
    readonly high: number | null;
  };
  /** Probability on the labels' first tokens. */
  readonly labelMass: Moments;
  /**
   * true = the lower bound of `accuracy` lies above `chance`; false = its upper bound is not even 10 points above it,
   * or the margin's AUROC lies wholly below one half: OCS then describes the judge's habits, not its rule use; null = it cannot be told: the interval holds both, or even if all
   * verdicts were right (too few, or of one label only), they would not pass.
   */
  readonly doesTask: boolean | null;
}

/** Flip rates of one measure over one set of samples. */
export interface FlipRates {
  readonly all: Rate;
  /** Without pairs whose shown text did not change. */
  readonly visible: Rate;
  readonly invisiblePairs: number;
  readonly invisibleFlips: number;
  /** Without fragile pairs; null in an exact run, where nothing is fragile. */
  readonly solid: Rate | null;
  readonly fragilePairs: number | null;
  readonly fragileFlips: number | null;
}

export type Measure = 'placebo' | Altering | 'agg';

/** `placebo`: the instrument's noise floor. `agg`: mean over samples of OCS per sample. */
export interface OcsRow {
  readonly measure: Measure;
  readonly pooled: FlipRates;
  readonly domains: readonly ({ readonly domain: string } & FlipRates)[];
}

export interface AccuracyRow {
  readonly condition: Condition;
  /** Over the rows with a verdict under this condition. */
  readonly all: Rate;
  readonly domains: readonly ({ readonly domain: string } & Rate)[];
  /** Over the samples with a verdict both here and at baseline; null for the baseline itself. */
  readonly paired: {
    readonly n: number;
    readonly baselineRight: number;
    readonly right: number;
    /** Wrong at baseline, right here; and the other way round. */
    readonly gained: number;
    readonly lost: number;
    /** Exact McNemar; null when nothing changed. */
    readonly p: number | null;
  } | null;
}

/** Observed flips against verdicts that have nothing to do with each other. */
export interface IndependenceRow {
  readonly condition: Altering | 'pooled';
  readonly n: number;
  /** Compliant rates at baseline and under change, over the same pairs. */
  readonly p: number | null;
  readonly q: number | null;
  /** p(1 - q) + q(1 - p). */
  readonly expected: number | null;
  readonly observed: number | null;
  /** Re-pairing within domain and condition. */
  readonly permutation: PermutationCheck;
}

/** Samples whose label the judge meets with the rule and misses without it, and the reverse. */
export interface RuleNecessity {
  /** Samples with a verdict both at baseline and without the rule. */
  readonly n: number;
  /** Baseline right, deletion wrong. */
  readonly necessary: number;
  /** Baseline wrong, deletion right: what chance alone gives in the other direction. */
  readonly reverse: number;
  /** Placebo first. */
  readonly conditions: readonly NecessityRow[];
  /** One-sided tests that could be made, both tails of a condition counted: the family of the Bonferroni correction. */
  readonly tests: number;
}

/** Flips of the rule-necessary samples under one condition. */
export interface NecessityRow {
  readonly condition: 'placebo' | Altering;
  readonly inside: Rate;
  /** The same over the samples that are wrong with the rule and right without: selected alike, for no rule use. */
  readonly reverse: Rate;
  /** true: deletion made the subset, so every sample flips and its p says nothing; it is no test of the family. */
  readonly bySelection: boolean;
  /** Re-pairing within each domain of the subset; null for the placebo. */
  readonly permutation: PermutationCheck | null;
  /** Bonferroni over the family; null where there is no test. */
  readonly adjusted: { readonly pFewer: number | null; readonly pMore: number | null };
}

export type Group = 'LOW' | 'HIGH' | 'neither';

export interface GroupSizes {
  readonly LOW: number;
  readonly HIGH: number;
  readonly neither: number;
  /** Left open by missing verdicts. */
  readonly open: number;
}

/** What a judge does on the samples of one group. */
export interface GroupRow {
  readonly group: Group;
  readonly samples: number;
  readonly accuracy: readonly { readonly condition: Condition; readonly rate: Rate }[];
  readonly flips: readonly { readonly measure: Measure; readonly rate: Rate }[];
}

export interface ReaderSummary {
  readonly reader: Reader;
  readonly competence: Competence;
  readonly counts: readonly ConditionCounts[];
  /** Placebo first. */
  readonly ocs: readonly OcsRow[];
  readonly accuracy: readonly AccuracyRow[];
  readonly independence: readonly IndependenceRow[];
  /** null when the run has no deletion. */
  readonly ruleNecessity: RuleNecessity | null;
  readonly groups: {
    readonly pooled: GroupSizes;
    readonly domains: readonly ({ readonly domain: string } & GroupSizes)[];
  };
  /** The judge on its own groups: flips are so by selection, accuracy is not. */
  readonly byGroup: readonly GroupRow[];
}

export interface MarginShift {
  readonly condition: Exclude<Condition, 'baseline'>;
  /** Margin under the condition minus baseline margin, nats. */
  readonly all: Moments;
  readonly visible: Moments;
}

/** The two verdict readers on the same evaluated rows. */
export interface Agreement {
  readonly condition: Condition | 'pooled';
  /** Rows with both verdicts, and how many of them are the same. */
  readonly same: Rate;
  readonly textOnlyCompliant: number;
  readonly logitOnlyCompliant: number;
  readonly textNull: number;
  readonly logitNull: number;
  readonly bothNull: number;
  /** Rows that apply and did not fail = same.n + textNull + logitNull + bothNull. */
  readonly rows: number;
}

/** A partition made elsewhere, met by this run's samples. */
export interface AppliedPartition {
  readonly source: string;
  readonly reader: Reader;
  readonly groups: readonly GroupRow[];
  /** Ids of the partition that the run does not have. */
  readonly absent: number;
  /** Samples of the run that the partition does not name or leaves open. */
  readonly outside: number;
}

/** What was audited, in words for the title. */
export interface About {
  readonly subject: string;
  readonly corpus: string;
  readonly run: string | null;
}

/** Everything that `analyze` says, as plain JSON. Order of rows in the run changes nothing in it. */
export interface Summary {
  readonly about: About;
  readonly profiles: readonly string[];
  readonly exactness: Exactness | null;
  readonly seed: number;
  /** Unsteered rows, a row that was tried again counting once. */
  readonly rows: number;
  /** Steered rows, which OCS leaves aside. */
  readonly steeredRows: number;
  readonly samples: number;
  readonly compliantLabels: number;
  /** Conditions that the run has, in the order of the tables. */
  readonly conditions: readonly Condition[];
  readonly domains: readonly {
    readonly domain: string;
    readonly samples: number;
    readonly lexicalFloor: number | null;
  }[];
  /** Accuracy of the rule-blind floor over all samples; null when a domain lacks it. */
  readonly lexicalFloor: number | null;
  /** Why there is no floor although one was wanted; null otherwise. */
  readonly floorMissing: string | null;
  readonly primary: Reader;
  readonly readers: { readonly text: ReaderSummary; readonly logit: ReaderSummary };
  readonly baselineMargin: Moments;
  readonly marginShifts: readonly MarginShift[];
  readonly agreement: readonly Agreement[];
  /** true: the residual stream alone was read, so there is no verdict of any kind. */
  readonly icsOnly: boolean;
  /** null when the rows were not projected on a direction. */
  readonly ics: IcsSummary | null;
  readonly partition: AppliedPartition | null;
}
