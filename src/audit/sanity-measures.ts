import { expectedAuroc } from '../stats/auroc-null.js';
import { quotientInterval } from '../stats/bootstrap.js';
import { moments } from '../stats/moments.js';
import { permutationCheck } from '../stats/permutation.js';
import { labelAuroc } from './analyze-ics.js';
import { competenceOf } from './analyze-reader.js';
import { readSamples, type Sample } from './analyze-samples.js';
import { READERS, type Reader, verdictOf } from './ocs.js';
import type { Estimate, SanityNumber } from './sanity-types.js';

/** Below this a p-value counts as a difference. */
export const SIGNIFICANT = 0.05;
/** Sums in another order differ by less than this. */
export const ROUNDING = 1e-9;

/** A number of one set of readings, and where it stands to its null. */
export interface Measured extends Estimate {
  /** Mean of the number over all ways of dealing the labels of each domain anew among its samples. */
  readonly null: number | null;
  /** Whether the number is told from its null, and whether it is told to lie above. */
  readonly differs: boolean;
  readonly above: boolean;
  /** One-sided, of doing so well by chance; null for an AUROC, which has its interval. */
  readonly p: number | null;
}

export interface Measure {
  readonly number: SanityNumber;
  readonly reader: Reader | null;
  /** As the tables have it, by their own code; its value is null for readings that have no such number. */
  readonly estimate: (samples: readonly Sample[], seed: number) => Estimate;
  readonly of: (samples: readonly Sample[], seed: number) => Measured;
}

/** The measures that readings before any shuffle have; a reader without a single verdict has none. */
export function measuresOf(samples: readonly Sample[]): readonly Measure[] {
  const some = (has: (sample: Sample) => boolean): boolean => samples.some(has);
  return [
    ...READERS.filter(reader => some(sample => verdictAt(sample, reader) !== null)).map(accuracyMeasure),
    ...(some(sample => marginAt(sample) !== null) ? [MARGIN] : []),
    ...(some(sample => icsAt(sample) !== null) ? [ICS] : []),
  ];
}

function accuracyMeasure(reader: Reader): Measure {
  const rateOf = (samples: readonly Sample[], seed: number) =>
    competenceOf(readSamples(samples, reader, null), reader, seed).accuracyNullsWrong;
  return {
    number: 'accuracy',
    reader,
    estimate(samples, seed) {
      const { rate, low, high } = rateOf(samples, seed);
      return { value: rate, low, high };
    },
    of(samples, seed) {
      const { rate, low, high, n } = rateOf(samples, seed);
      const cells = new Map<string, (readonly [0 | 1, 0 | 1])[]>();
      for (const sample of samples) {
        const verdict = verdictAt(sample, reader);
        if (verdict === null) continue;
        const pair = [sample.label, verdict] as const;
        cells.set(sample.domain, [...(cells.get(sample.domain) ?? []), pair]);
      }
      // Errors are flips between label and verdict, so re-pairing deals the labels anew.
      const { pairs, expectedFlips, pFewer, pMore } = permutationCheck(
        [...cells].map(([name, own]) => ({ name, pairs: own })),
        seed,
      );
      const tested = pFewer !== null && pMore !== null;
      return {
        value: rate,
        low,
        high,
        null: n === 0 ? null : (pairs - (expectedFlips ?? 0)) / n,
        differs: tested && 2 * Math.min(pFewer, pMore) < SIGNIFICANT,
        above: tested && pFewer < SIGNIFICANT,
        p: pFewer,
      };
    },
  };
}

function aurocMeasure(
  number: 'margin-auroc' | 'ics-auroc',
  scoreOf: (sample: Sample) => number | null,
  estimate: Measure['estimate'],
): Measure {
  return {
    number,
    reader: null,
    estimate,
    of(samples, seed) {
      const { value, low, high } = estimate(samples, seed);
      const scored = samples.flatMap(sample => {
        const score = scoreOf(sample);
        return score === null ? [] : [{ score, label: sample.label, domain: sample.domain }];
      });
      const expected = expectedAuroc(
        scored.map(({ score }) => score),
        scored.map(({ label }) => label),
        scored.map(({ domain }) => domain),
      );
      const above = low !== null && expected !== null && low > expected + ROUNDING;
      const below = high !== null && expected !== null && high < expected - ROUNDING;
      return { value, low, high, null: expected, differs: above || below, above, p: null };
    },
  };
}

const MARGIN = aurocMeasure('margin-auroc', marginAt, (samples, seed) => {
  const { value, low, high } = competenceOf(readSamples(samples, 'logit', null), 'logit', seed).auroc;
  return { value, low, high };
});

const ICS = aurocMeasure('ics-auroc', icsAt, (samples, seed) => {
  const { value, low, high } = labelAuroc(samples, seed);
  return { value, low, high };
});

/** Verdict at baseline. */
export function verdictAt({ rows }: Sample, reader: Reader): 0 | 1 | null {
  const baseline = rows.get('baseline');
  return baseline ? verdictOf(baseline, reader) : null;
}

function marginAt({ rows }: Sample): number | null {
  return rows.get('baseline')?.margin ?? null;
}

function icsAt({ rows }: Sample): number | null {
  return rows.get('baseline')?.ics ?? null;
}

/** Mean label mass of the baseline rows, with a bootstrap interval over samples. */
export function labelMassOf(samples: readonly Sample[], seed: number): Estimate {
  const masses = samples.flatMap(({ rows }) => rows.get('baseline')?.labelMass ?? []);
  const interval = quotientInterval(masses, new Float64Array(masses.length).fill(1), seed);
  return { value: moments(masses).mean, low: interval?.low ?? null, high: interval?.high ?? null };
}
