import { mcnemarExact } from '../stats/binomial.js';
import { meanTest } from '../stats/mean-test.js';
import { moments } from '../stats/moments.js';
import { sortedQuantile } from '../stats/quantile.js';
import { countIf, rateOf, type Sample } from './analyze-samples.js';
import { READERS, type Reader, verdictOf } from './ocs.js';
import {
  labelMassOf,
  type Measured,
  measuresOf,
  ROUNDING,
  SIGNIFICANT,
  verdictAt,
} from './sanity-measures.js';
import type { Estimate, SanityOutcome, SanityRow } from './sanity-types.js';

/** Interval of the mean over shuffled copies: wide, since several of them stand in each report. */
const COPIES_CONFIDENCE = 0.99;

/**
 * The rows of shuffled weights: `copies` holds the same samples, each time as another shuffled copy of the model read
 * them. One random network may favour a label by accident, so a number has fallen when its excess over its null, as it
 * varies from copy to copy, is not told from zero.
 */
export function weightRows(
  before: readonly Sample[],
  copies: readonly (readonly Sample[])[],
  seed: number,
): readonly SanityRow[] {
  const rows = measuresOf(before).map(({ number, reader, of }): SanityRow => {
    const first = of(before, seed);
    const read = copies.map(copy => of(copy, seed));
    const nulls = moments(read.flatMap(one => one.null ?? [])).mean;
    const excess = meanTest(
      read.flatMap(one => (one.value === null || one.null === null ? [] : [one.value - one.null])),
      COPIES_CONFIDENCE,
    );
    const what = { check: 'weights', number, reader, before: plain(first), pDrop: null } as const;
    if (excess === null || nulls === null) return { ...what, ...NOTHING };
    const after = { value: nulls + excess.mean, low: nulls + excess.low, high: nulls + excess.high };
    return { ...what, after, null: nulls, p: excess.p, outcome: instrumentOutcome(first, after, nulls) };
  });
  const mass = labelMassOf(before, seed);
  const masses = meanTest(
    copies.flatMap(copy => labelMassOf(copy, seed).value ?? []),
    COPIES_CONFIDENCE,
  );
  if (mass.low === null || masses === null) return rows;
  const after = { value: masses.mean, low: Math.max(0, masses.low), high: Math.min(1, masses.high) };
  const outcome = after.high < mass.low ? 'fell' : 'stayed';
  const what = { check: 'weights', number: 'label-mass', reader: null, pDrop: null } as const;
  return [...rows, { ...what, before: mass, after, null: null, p: null, outcome }];
}

/** The rows of shuffled labels: `permuted` holds the same samples, each time with other labels. */
export function labelRows(
  before: readonly Sample[],
  permuted: readonly (readonly Sample[])[],
  seed: number,
): readonly SanityRow[] {
  return measuresOf(before).map(({ number, reader, of, estimate }): SanityRow => {
    const first = of(before, seed);
    const values = Float64Array.from(permuted.flatMap(samples => estimate(samples, seed).value ?? [])).sort();
    const what = { check: 'labels', number, reader, before: plain(first), pDrop: null } as const;
    const real = first.value;
    if (values.length === 0 || first.null === null || real === null) return { ...what, ...NOTHING };
    const after = {
      value: moments([...values]).mean,
      low: sortedQuantile(values, 0.025),
      high: sortedQuantile(values, 0.975),
    };
    const p = (1 + countIf([...values], value => value >= real - ROUNDING)) / (values.length + 1);
    return { ...what, after, null: first.null, p, outcome: instrumentOutcome(first, after, first.null) };
  });
}

/**
 * The rows of shuffled rules: `after` holds those samples of `before` whose prompt showed another rule, as the judge
 * read them there. Other than weights and labels this finds out something about the judge: one that does not read its
 * rule keeps its accuracy.
 */
export function ruleRows(
  before: readonly Sample[],
  after: readonly Sample[],
  seed: number,
): readonly SanityRow[] {
  const given = new Map(after.map(sample => [sample.id, sample]));
  const same = before.filter(({ id }) => given.has(id));
  const rows = measuresOf(same).map(({ number, reader, of }): SanityRow => {
    const first = of(same, seed);
    const now = of(after, seed);
    const drop = reader === null ? null : dropOf(same, given, reader);
    const dropped =
      drop === null
        ? isBelow(now, first)
        : drop.lost > drop.gained && drop.p !== null && drop.p < SIGNIFICANT;
    return {
      check: 'rules',
      number,
      reader,
      before: plain(first),
      after: plain(now),
      null: now.null,
      p: now.p,
      pDrop: drop?.p ?? null,
      outcome: ruleOutcome(first, now, dropped),
    };
  });
  return [...rows, ...READERS.flatMap(reader => deletionRow(same, given, reader) ?? [])];
}

const NOTHING = {
  after: { value: null, low: null, high: null },
  null: null,
  p: null,
  outcome: 'unknown',
} as const;

function plain({ value, low, high }: Estimate): Estimate {
  return { value, low, high };
}

function isBelow(one: Estimate, other: Estimate): boolean {
  return one.high !== null && other.low !== null && one.high < other.low;
}

/** A number off its null after the shuffle is a leak, whatever it was before. */
function instrumentOutcome(before: Measured, after: Estimate, nullValue: number): SanityOutcome {
  const { low, high } = after;
  if (low === null || high === null || before.value === null) return 'unknown';
  if (low > nullValue + ROUNDING || high < nullValue - ROUNDING)
    return isBelow(after, before) ? 'partly' : 'stayed';
  // An interval that holds the number before as well tells nothing.
  return before.differs && (before.value < low || before.value > high) ? 'fell' : 'unknown';
}

function ruleOutcome(before: Measured, after: Measured, dropped: boolean): SanityOutcome {
  if (!before.above || after.value === null) return 'unknown';
  if (after.above) return dropped ? 'partly' : 'stayed';
  return dropped ? 'fell' : 'unknown';
}

function dropOf(
  before: readonly Sample[],
  after: ReadonlyMap<string, Sample>,
  reader: Reader,
): { readonly gained: number; readonly lost: number; readonly p: number | null } {
  const isRight = (sample: Sample | undefined): boolean =>
    sample !== undefined && verdictAt(sample, reader) === sample.label;
  const pairs = before.map(sample => ({ own: isRight(sample), other: isRight(after.get(sample.id)) }));
  const gained = countIf(pairs, ({ own, other }) => !own && other);
  const lost = countIf(pairs, ({ own, other }) => own && !other);
  return { gained, lost, p: mcnemarExact(gained, lost) };
}

/** OCS of deletion, held against the own rule and against the other one; null when the run has no deletion. */
function deletionRow(
  before: readonly Sample[],
  after: ReadonlyMap<string, Sample>,
  reader: Reader,
): SanityRow | null {
  const triples = before.flatMap(sample => {
    const row = sample.rows.get('delete');
    const deleted = row ? verdictOf(row, reader) : null;
    const own = verdictAt(sample, reader);
    const other = verdictAt(after.get(sample.id) as Sample, reader);
    return deleted === null || own === null || other === null ? [] : [{ deleted, own, other }];
  });
  if (triples.length === 0) return null;
  const flips = (of: 'own' | 'other'): Estimate => {
    const flipped = countIf(triples, triple => triple[of] !== triple.deleted);
    const { rate, low, high } = rateOf(flipped, triples.length);
    return { value: rate, low, high };
  };
  return {
    check: 'rules',
    number: 'ocs-delete',
    reader,
    before: flips('own'),
    after: flips('other'),
    null: null,
    p: null,
    pDrop: null,
    outcome: 'none',
  };
}
