import type { Altering, Condition } from '../perturb/types.js';
import type { FewRanks } from '../stats/few-ranks.js';
import type { Moments } from '../stats/moments.js';

/** AUROC of baseline ICS against a class, with a bootstrap interval over samples; null where a class is empty. */
export interface IcsAuroc {
  readonly n: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** How far a set of samples moved under one condition. */
export interface ShiftFigures {
  readonly n: number;
  /** Samples whose ICS is not bit for bit that of their baseline. */
  readonly moved: number;
  /** Mean |ICS-delta|. */
  readonly meanDelta: number | null;
  /** meanDelta over the run's mean baseline |ICS|: the published ratio. */
  readonly ratio: number | null;
  /** Mean over samples and control directions of |shift|, and over the mean baseline |projection on a control|. */
  readonly controlDelta: number | null;
  readonly controlRatio: number | null;
  /** meanDelta over controlDelta, with a bootstrap interval over samples; null without controls, or when none moved. */
  readonly quotient: {
    readonly value: number;
    readonly low: number | null;
    readonly high: number | null;
  } | null;
}

export interface IcsShift {
  readonly condition: Exclude<Condition, 'baseline'>;
  readonly all: ShiftFigures;
  /** Without samples whose shown text did not change. */
  readonly visible: ShiftFigures;
}

/** One block of the direction file: the anchor may hide what another block shows. */
export interface IcsBlock {
  readonly layer: number;
  readonly anchor: boolean;
  readonly meanAbs: number | null;
  readonly controlMeanAbs: number | null;
  /** Of baseline ICS at this block against the label. */
  readonly auroc: number | null;
  readonly conditions: readonly ({ readonly condition: IcsShift['condition'] } & Omit<
    ShiftFigures,
    'quotient'
  >)[];
}

export interface IcsDomain {
  readonly domain: string;
  /** Samples with a shift under an altering condition. */
  readonly n: number;
  /** Mean over samples of their mean |ICS-delta| over altering conditions, and over the run's mean baseline |ICS|. */
  readonly meanDelta: number | null;
  readonly ratio: number | null;
  readonly conditions: readonly { readonly condition: Altering; readonly ratio: number | null }[];
  /** OCS-agg of the domain. */
  readonly ocs: { readonly text: number | null; readonly logit: number | null };
}

/** What the residual stream does along the direction that a run was projected on. */
export interface IcsSummary {
  /** Block of ICS; null when only the readings are at hand. */
  readonly anchor: number | null;
  /** Random control directions. */
  readonly controls: number;
  /** At the anchor, over the samples with ICS at baseline. */
  readonly baseline: {
    readonly ics: Moments;
    /** Mean |ICS|: what ratios are over. */
    readonly meanAbs: number | null;
    /** Mean over samples and controls of |projection|. */
    readonly controlMeanAbs: number | null;
    readonly cosine: Moments;
    readonly residualNorm: Moments;
  };
  /** Against the label, and against the baseline verdict of each reader. */
  readonly auroc: { readonly label: IcsAuroc; readonly text: IcsAuroc; readonly logit: IcsAuroc };
  /** Placebo first. */
  readonly conditions: readonly IcsShift[];
  /** Placebo rows with ICS, and those that differ from their baseline in any projection at any block. */
  readonly placebo: { readonly pairs: number; readonly moved: number };
  /** Blocks of the direction file, ascending. */
  readonly blocks: readonly IcsBlock[];
  readonly domains: readonly IcsDomain[];
  /** Rank correlation over domains of OCS-agg, each reader's, and mean ICS-delta. */
  readonly correlation: { readonly text: FewRanks; readonly logit: FewRanks };
}
