import type { Reader } from '../../audit/ocs.js';
import type { Label } from '../../corpus/types.js';
import type { Condition } from '../../perturb/types.js';
import type { Piece } from '../../perturb/word-diff.js';
import type { Profile } from '../../prompt/types.js';

// The data of the explorer, as the page embeds it. What is not known is left out rather than null, which saves a third
// of the bytes. A TextIndex counts into `texts`, where each text stands once.

export type TextIndex = number;

export interface ExplorerData {
  /** Verdict reader that the list begins with. */
  readonly reader: Reader;
  readonly runs: readonly ExplorerRun[];
  readonly samples: readonly ExplorerSample[];
  readonly texts: readonly string[];
  readonly coverage: ExplorerCoverage;
}

/** How many of the samples are embedded, and how they were chosen. */
export interface ExplorerCoverage {
  readonly maxSamples: number;
  /** Of the data as it stands in the page, UTF-8. */
  readonly maxBytes: number;
  /** What ended the list before all samples were in it. */
  readonly reached: 'samples' | 'bytes' | null;
  /** Samples of which a verdict flips under a condition, in a run and with a reader. They come first. */
  readonly flipping: { readonly shown: number; readonly all: number };
  readonly others: { readonly shown: number; readonly all: number };
  /** Of the draw within each of the two. */
  readonly seed: number;
}

export interface ExplorerRun {
  /** What it is called in the page. */
  readonly name: string;
  readonly subject: string;
  readonly profile: string;
  /** The prompt is the user's turn of the model's own chat template. */
  readonly chat: boolean;
  /** What the prompt is made of; left out when the profile is not known. */
  readonly parts?: Profile['parts'];
  readonly samples: number;
  /** Half width of the noise band; left out where nothing is fragile. */
  readonly band?: number;
  /** Rows that were steered, which the explorer leaves out. */
  readonly steeredRows: number;
}

/** One sample of one run. */
export interface ExplorerSample {
  /** Index into `runs`. */
  readonly run: number;
  readonly id: string;
  readonly domain: string;
  readonly label: Label;
  readonly rule: string;
  readonly scenario?: TextIndex;
  /** Why its texts cannot be shown. */
  readonly why?: string;
  readonly conditions: readonly ExplorerCondition[];
}

export interface ExplorerCondition {
  readonly name: Condition;
  readonly state: 'evaluated' | 'not-applicable' | 'error' | 'missing';
  /** Why not applicable, or the code of the error. */
  readonly reason?: string;
  /** Applies, but the prompt shows what it shows at baseline. */
  readonly invisible?: true;
  readonly text?: Label;
  readonly logit?: Label;
  /** Against baseline. */
  readonly flipText?: Label;
  readonly flipLogit?: Label;
  /** A margin of the pair lies in the noise band. */
  readonly fragile?: true;
  readonly nullReason?: string;
  /** Nats. */
  readonly margin?: number;
  readonly shift?: number;
  readonly mass?: number;
  readonly ics?: number;
  readonly icsDelta?: number;
  readonly generated?: TextIndex;
  readonly tokens?: number;
  /** What was changed in the rule that the prompt shows. */
  readonly changes?: readonly (readonly [kind: Piece['kind'], text: TextIndex])[];
  readonly shownLength?: number;
  readonly ruleLength?: number;
  readonly swapDomain?: string;
  /** Whether the prompt made again has the SHA-256 of the evaluated one. */
  readonly asEvaluated?: boolean;
}
