import type { Label } from '../corpus/types.js';

/**
 * A piece of a rendered prompt. `template` text may contain control tokens of the model; `data` text (rule, scenario)
 * is tokenised without special-token parsing, so that no corpus can forge one.
 */
export interface Segment {
  readonly kind: 'template' | 'data';
  readonly text: string;
}

/** A prompt profile as data. `parts` mixes literal template text with the two fields. */
export interface Profile {
  readonly name: string;
  readonly description: string;
  readonly parts: readonly ({ readonly text: string } | { readonly field: 'rule' | 'scenario' })[];
  /** The rule is cut to this many Unicode code points before it is shown; null = shown whole. */
  readonly ruleChars: number | null;
  /** Label strings exactly as they continue the prompt (leading space included). */
  readonly labels: { readonly compliant: string; readonly nonCompliant: string };
  readonly reader: TextReader;
  /** Tokens of greedy continuation that the text reader may ask for at most. */
  readonly maxTokens: number;
  /** `none` = the raw text as it stands; `model` = as the user's turn in the GGUF's own chat template. */
  readonly chat: 'none' | 'model';
}

export type TextReader =
  /**
   * Case-insensitive search: any of `nonCompliant` first, then any of `compliant`; with a marker, only
   * in the first line that begins with it, or the next one that is not blank when nothing stands behind it.
   */
  | {
      readonly kind: 'words';
      readonly nonCompliant: readonly string[];
      readonly compliant: readonly string[];
      readonly marker: string | null;
    }
  /** The first non-blank line must equal one of the words (llama-guard: safe / unsafe). */
  | {
      readonly kind: 'first-line';
      readonly nonCompliant: readonly string[];
      readonly compliant: readonly string[];
    };

/** null verdicts always carry a reason code: `no-label`, `no-marker`, `empty`. */
export interface TextVerdict {
  readonly verdict: Label | null;
  readonly reason: string | null;
}
