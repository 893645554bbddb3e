import type { RunSummary } from '../../api/analyze-run.js';
import type { SweepSummary } from '../../api/sweep-analysis.js';
import type { AcrossSummary } from '../../audit/across-types.js';
import type { Reader } from '../../audit/ocs.js';
import type { FitSummary } from '../../direction/provenance.js';
import type { Condition } from '../../perturb/types.js';
import type { Histogram } from '../../stats/histogram.js';

/** What a run was made of, as its manifest tells: the same for two runs of one plan. */
export interface Origin {
  /** Of plumbline. */
  readonly version: string;
  readonly model: { readonly name: string; readonly sha256: string } | null;
  /** true: the subject never sees the rule. */
  readonly ruleBlind: boolean;
  readonly corpus: readonly { readonly name: string; readonly sha256: string }[];
  readonly profile: { readonly name: string; readonly sha256: string };
  readonly direction: { readonly name: string; readonly sha256: string; readonly layer: number } | null;
  readonly seed: number;
  readonly planHash: string;
}

/** How the margins of one condition moved, sample by sample. */
export interface Shifts {
  readonly condition: Exclude<Condition, 'baseline'>;
  readonly n: number;
  /** Shifts of exactly 0. */
  readonly unmoved: number;
  readonly histogram: Histogram;
}

export interface AuditData {
  /** Unique in the page. */
  readonly name: string;
  readonly origin: Origin;
  readonly summary: RunSummary;
  /** What was left out, and why. */
  readonly notes: readonly string[];
  readonly shifts: readonly Shifts[];
  /** Of the direction that the run keeps; null when it has none, or one that does not say. */
  readonly fit: FitSummary | null;
}

export interface SweepData {
  readonly name: string;
  readonly origin: Origin;
  readonly summary: SweepSummary;
  readonly fit: FitSummary | null;
}

/** A part of the page that was made elsewhere: markup with its rules and its program. */
export interface Section {
  readonly html: string;
  readonly css: string;
  readonly script: string;
}

/** Everything that the page says. */
export interface ReportData {
  /** Whose verdicts lead. */
  readonly reader: Reader;
  readonly audits: readonly AuditData[];
  readonly sweeps: readonly SweepData[];
  /** null for fewer than two audits. */
  readonly across: AcrossSummary | null;
  /** Samples one by one; null when there are none to show. */
  readonly explorer: Section | null;
}
