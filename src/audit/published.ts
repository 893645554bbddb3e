import type { Altering, Condition } from '../perturb/types.js';

/** One judge of a published study. Shares, not percentages. */
export interface PublishedSubject {
  readonly subject: string;
  readonly ocs: Readonly<Record<Altering | 'agg', number>>;
  readonly accuracy: Readonly<Record<Exclude<Condition, 'placebo'>, number>>;
  /** Flips that independent verdicts would give, and those that were seen. */
  readonly independence: { readonly expected: number; readonly observed: number };
  /** null where the study gives none. */
  readonly ics: { readonly meanAbs: number; readonly meanDelta: number; readonly ratio: number } | null;
}

/** What a study printed, to be set beside a run: another model, other samples, other machines. */
export interface PublishedStudy {
  readonly name: string;
  readonly title: string;
  readonly source: string;
  readonly subjects: readonly PublishedSubject[];
  /** OCS-agg on other corpora. */
  readonly corpora: readonly { readonly corpus: string; readonly ocs: number }[];
}

const VERDICT_WITHOUT_THE_RULE: PublishedStudy = {
  name: 'verdict-without-the-rule',
  title:
    'Verdict Without the Rule: Diagnosing and Auditing Regulatory Rule Sensitivity in LLM Compliance Systems',
  source: 'arXiv 2610.12313',
  subjects: [
    {
      subject: 'Qwen2.5-7B',
      ocs: { delete: 0.052, swap: 0.118, negate: 0.135, agg: 0.094 },
      accuracy: { baseline: 0.903, delete: 0.907, swap: 0.832, negate: 0.795 },
      independence: { expected: 0.483, observed: 0.094 },
      ics: { meanAbs: 16.71, meanDelta: 2.79, ratio: 0.167 },
    },
    {
      subject: 'Llama-3.1-8B',
      ocs: { delete: 0.064, swap: 0.079, negate: 0.06, agg: 0.07 },
      accuracy: { baseline: 0.919, delete: 0.914, swap: 0.894, negate: 0.897 },
      independence: { expected: 0.5, observed: 0.07 },
      ics: { meanAbs: 4.56, meanDelta: 0.58, ratio: 0.128 },
    },
    {
      subject: 'Llama-3.3-70B',
      ocs: { delete: 0.061, swap: 0.095, negate: 0.084, agg: 0.081 },
      accuracy: { baseline: 0.909, delete: 0.875, swap: 0.845, negate: 0.836 },
      independence: { expected: 0.486, observed: 0.081 },
      ics: { meanAbs: 3.31, meanDelta: 0.69, ratio: 0.21 },
    },
    {
      subject: 'Llama-Guard-3-8B',
      ocs: { delete: 0.014, swap: 0.015, negate: 0.009, agg: 0.013 },
      accuracy: { baseline: 0.511, delete: 0.5, swap: 0.501, negate: 0.509 },
      independence: { expected: 0.019, observed: 0.013 },
      ics: null,
    },
    {
      subject: 'Mistral-7B-v0.3',
      ocs: { delete: 0.076, swap: 0.103, negate: 0.065, agg: 0.089 },
      accuracy: { baseline: 0.903, delete: 0.916, swap: 0.896, negate: 0.887 },
      independence: { expected: 0.502, observed: 0.089 },
      ics: { meanAbs: 1.45, meanDelta: 0.33, ratio: 0.229 },
    },
  ],
  corpora: [
    { corpus: 'OmniCompliance', ocs: 0.081 },
    { corpus: 'LegalBench', ocs: 0.255 },
    { corpus: 'ContractNLI', ocs: 0.318 },
  ],
};

/** Studies that runs can be set beside, by the name that `analyze --compare` takes. */
export const PUBLISHED = { 'verdict-without-the-rule': VERDICT_WITHOUT_THE_RULE } as const;
export type PublishedName = keyof typeof PUBLISHED;
