import { drawKey, rankByDraw } from '../corpus/draw.js';
import type { Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';

/** What each part of the labelled rows is for: fit, choice of the layer, choice of the threshold, report. */
export const SPLITS = ['TRAIN', 'VAL-LAYER', 'VAL-THRESH', 'TEST'] as const;
export type Split = (typeof SPLITS)[number];

/** In tenths: sums of 0.2 and 0.4 would carry rounding into the sizes. */
const TENTHS: Readonly<Record<Split, number>> = { TRAIN: 4, 'VAL-LAYER': 2, 'VAL-THRESH': 2, TEST: 2 };

export const DEFAULT_SPLIT_SEED = 42;
export const DEFAULT_PAIRS = 10;

/**
 * A labelled row. Rows of one id belong together (the same scenario under two rules, say): they have different labels
 * and always land in the same split.
 */
export interface Labelled {
  readonly id: string;
  readonly domain: string;
  readonly label: Label;
}

interface Unit {
  readonly id: string;
  readonly domain: string;
  readonly labels: string;
}

/**
 * Gives each id its split, 40/20/20/20 within every stratum of (domain, label), so that a domain is split alike whether
 * it is fitted alone or pooled with others. The order of the rows has no say in it.
 * @throws PlumblineError USAGE when an id has two rows of one label, or two domains.
 */
export function splitRows(rows: readonly Labelled[], seed: number): ReadonlyMap<string, Split> {
  const strata = new Map<string, Unit[]>();
  for (const unit of unitsOf(rows)) {
    const key = JSON.stringify([unit.domain, unit.labels]);
    const stratum = strata.get(key);
    if (stratum === undefined) strata.set(key, [unit]);
    else stratum.push(unit);
  }
  const splits = new Map<string, Split>();
  for (const [key, units] of strata) {
    const ranked = rankByDraw(units, seed, 'split', ({ id }) => [id]);
    let start = 0;
    for (const [split, size] of apportion(units.length, seed, key)) {
      for (const { id } of ranked.slice(start, start + size)) splits.set(id, split);
      start += size;
    }
  }
  return splits;
}

function unitsOf(rows: readonly Labelled[]): readonly Unit[] {
  const units = new Map<string, Unit>();
  for (const { id, domain, label } of rows) {
    const earlier = units.get(id);
    if (earlier === undefined) {
      units.set(id, { id, domain, labels: String(label) });
      continue;
    }
    if (earlier.domain !== domain) {
      throw new PlumblineError(
        'USAGE',
        `row ${JSON.stringify(id)} occurs in two domains (${earlier.domain}, ${domain}): one was expected`,
      );
    }
    if (earlier.labels.includes(String(label))) {
      throw new PlumblineError(
        'USAGE',
        `row ${JSON.stringify(id)} with label ${label} occurs twice: one row per id and label was expected`,
      );
    }
    units.set(id, { id, domain, labels: '01' });
  }
  return [...units.values()];
}

/**
 * Sizes of the parts, each less than one from its share. Where shares end is rounded at a point drawn for the stratum,
 * so that many small strata together come out in proportion.
 */
function apportion(n: number, seed: number, stratum: string): readonly (readonly [Split, number])[] {
  let tenths = Number.parseInt(drawKey(seed, 'split-rounding', stratum).slice(0, 8), 16) % 10;
  let end = 0;
  return SPLITS.map(split => {
    const start = end;
    tenths += n * TENTHS[split];
    end = Math.floor(tenths / 10);
    return [split, end - start];
  });
}

/** The rows of one domain that a direction is fitted from: as many of either label. */
export interface DomainPairs {
  readonly domain: string;
  readonly compliant: readonly string[];
  readonly nonCompliant: readonly string[];
}

/**
 * Draws `pairs` rows of either label per domain from TRAIN; a domain whose rarer label has fewer gives as many as that.
 * Where an id has both labels, both of its rows are drawn. Domains and ids come in an order of their own.
 */
export function choosePairs(
  rows: readonly Labelled[],
  splits: ReadonlyMap<string, Split>,
  seed: number,
  pairs: number,
): readonly DomainPairs[] {
  if (!(Number.isSafeInteger(pairs) && pairs > 0)) {
    throw new PlumblineError('USAGE', `pairs per domain: expected a positive integer, got ${pairs}`);
  }
  const train = rows.filter(({ id }) => splits.get(id) === 'TRAIN');
  const domains = [...new Set(rows.map(({ domain }) => domain))].sort();
  return domains.map(domain => {
    const ranked = (label: Label): readonly string[] =>
      train
        .filter(row => row.domain === domain && row.label === label)
        .map(({ id }) => ({ id, key: drawKey(seed, 'direction-pairs', id) }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .map(({ id }) => id);
    const compliant = ranked(1);
    const nonCompliant = ranked(0);
    const n = Math.min(pairs, compliant.length, nonCompliant.length);
    return { domain, compliant: compliant.slice(0, n), nonCompliant: nonCompliant.slice(0, n) };
  });
}
