import type { Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { ALTERING, type Altering, type Condition } from '../perturb/types.js';
import type { DerivedRow, Exactness, Reading } from '../run/types.js';
import { clopperPearson } from '../stats/binomial.js';
import type { Rate, Tally } from './analyze-types.js';
import { byCondition, deriveSample, type Reader, type SampleReadings, verdictOf } from './ocs.js';

/** One sample with its unsteered readings. */
export interface Sample {
  readonly id: string;
  readonly domain: string;
  readonly label: Label;
  readonly rows: SampleReadings;
}

/** Verdicts of one sample at baseline and under one other condition, both there. */
export interface Pair {
  readonly sampleId: string;
  readonly domain: string;
  readonly label: Label;
  readonly condition: Exclude<Condition, 'baseline'>;
  readonly before: Label;
  readonly after: Label;
  /** false: an altering condition that left the shown text as it was. */
  readonly visible: boolean;
  /** Either margin is inside the noise band, or unknown; always false in an exact run. */
  readonly fragile: boolean;
}

/** A sample, for one reader. */
export interface ReadSample extends Sample {
  readonly derived: DerivedRow;
  readonly pairs: readonly Pair[];
}

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Groups unsteered readings into samples, ordered by id. Throws as {@link byCondition} does. */
export function samplesOf(readings: readonly Reading[]): readonly Sample[] {
  const grouped = new Map<string, Reading[]>();
  for (const reading of readings) {
    const rows = grouped.get(reading.sampleId);
    if (rows) rows.push(reading);
    else grouped.set(reading.sampleId, [reading]);
  }
  return [...grouped]
    .sort(([a], [b]) => byText(a, b))
    .map(([id, list]) => {
      const rows = byCondition(list);
      const [first, ...others] = list;
      if (!first) throw new PlumblineError('RUN_DAMAGED', `sample ${id} has no reading`);
      const odd = others.find(row => row.domain !== first.domain || row.label !== first.label);
      if (odd) {
        throw new PlumblineError(
          'RUN_DAMAGED',
          `${odd.key} and ${first.key} differ in domain or label: one sample, one label`,
        );
      }
      return { id, domain: first.domain, label: first.label, rows };
    });
}

/** The reader's view of each sample: its derived row and its verdict pairs. */
export function readSamples(
  samples: readonly Sample[],
  reader: Reader,
  exactness: Exactness | null,
): readonly ReadSample[] {
  const band = exactness?.kind === 'inexact' ? exactness.band : null;
  return samples.map(sample => ({
    ...sample,
    derived: deriveSample([...sample.rows.values()], reader),
    pairs: pairsOf(sample, reader, band),
  }));
}

function pairsOf(sample: Sample, reader: Reader, band: number | null): readonly Pair[] {
  const baseline = sample.rows.get('baseline');
  const before = baseline ? verdictOf(baseline, reader) : null;
  if (!baseline || before === null) return [];
  const pairs: Pair[] = [];
  for (const [condition, row] of sample.rows) {
    const after = verdictOf(row, reader);
    if (condition === 'baseline' || after === null) continue;
    const inBand = (margin: number | null): boolean =>
      band !== null && (margin === null || Math.abs(margin) < band);
    pairs.push({
      sampleId: sample.id,
      domain: sample.domain,
      label: sample.label,
      condition,
      before,
      after,
      visible: row.visible || !isAltering(condition),
      fragile: inBand(baseline.margin) || inBand(row.margin),
    });
  }
  return pairs;
}

export function isAltering(condition: Condition): condition is Altering {
  return (ALTERING as readonly Condition[]).includes(condition);
}

/** A rate with its interval; `count` may be a sum of per-sample means. */
export function rateOf(count: number, n: number): Rate {
  // A sum of means can pass n by a rounding error.
  const interval = clopperPearson(Math.min(count, n), n);
  return {
    count,
    n,
    rate: n === 0 ? null : count / n,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

export function countIf<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.reduce((count, item) => (holds(item) ? count + 1 : count), 0);
}

export function tallyOf(codes: readonly (string | null)[]): Tally {
  const counts = new Map<string, number>();
  for (const code of codes) {
    const name = code ?? 'no reason recorded';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || byText(a, b));
}

/** One value per domain, domains in order of name. */
export function perDomain<T extends { readonly domain: string }, R extends object>(
  items: readonly T[],
  domains: readonly string[],
  of: (items: readonly T[]) => R,
): readonly ({ readonly domain: string } & R)[] {
  const grouped = new Map<string, T[]>(domains.map(domain => [domain, []]));
  for (const item of items) grouped.get(item.domain)?.push(item);
  return domains.map(domain => ({ domain, ...of(grouped.get(domain) ?? []) }));
}
