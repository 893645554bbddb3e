/** 1 = compliant, 0 = non-compliant. */
export type Label = 0 | 1;

/** One rule, one scenario and the gold label. Texts are exactly as the file has them: never trimmed or normalised. */
export interface Case {
  /** `domain/file#index`, index from 0 in the file; or the user's own id. */
  readonly id: string;
  readonly domain: string;
  /** Names the rule text: the first 16 hex digits of the SHA-256 of its UTF-8 bytes. */
  readonly ruleId: string;
  readonly rule: string;
  readonly scenario: string;
  readonly label: Label;
}

/** Something in a corpus file that was reported and skipped, or reported and kept. */
export interface CorpusIssue {
  readonly kind:
    | 'unknown-label'
    | 'missing-field'
    | 'invalid-text'
    | 'duplicate-id'
    | 'duplicate-case'
    | 'empty-rule'
    | 'empty-scenario';
  /** File name relative to the corpus root. */
  readonly file: string;
  /** Line number from 1 (line formats) or case index from 0 (JSON arrays), and which of the two it is. */
  readonly at: number;
  readonly unit: 'line' | 'index';
  readonly skipped: boolean;
  readonly message: string;
}

export interface CorpusFile {
  /** Relative to the corpus root. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Corpus {
  /** The word before the colon of the corpus spec, or `demo`. */
  readonly format: string;
  /** In file order; the sampler, not the reader, chooses. */
  readonly cases: readonly Case[];
  readonly issues: readonly CorpusIssue[];
  readonly files: readonly CorpusFile[];
}
