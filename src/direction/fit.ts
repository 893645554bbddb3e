import type { Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { aurocInterval } from '../stats/auroc.js';
import type { Interval } from '../stats/binomial.js';
import { moments } from '../stats/moments.js';
import { type ActivationRow, type Activations, atLayer, orderedActivations } from './activations.js';
import {
  chooseLayer,
  type LayerRows,
  projectionAuroc,
  type SearchedLayer,
  type SearchNull,
  searchNull,
} from './layer-search.js';
import { choosePairs, type DomainPairs, SPLITS, type Split, splitRows } from './split.js';
import { ics, meanDifference, norm } from './vector.js';

export interface FitOptions {
  /** Of the split, the pairs, the null and the interval. */
  readonly seed: number;
  /** Labelled pairs per domain. */
  readonly pairs: number;
  /** Random directions of the budget-matched null. */
  readonly nullDraws: number;
}

export interface LayerFit {
  /** Block index. */
  readonly layer: number;
  /** Unit vector; a larger projection is a more compliant one. */
  readonly direction: Float32Array;
  /** Distance of the class means of the pairs. */
  readonly distance: number;
  readonly valLayerAuroc: number;
  /** Mean norm of the residual stream over TRAIN. */
  readonly residualNorm: number;
  /** Standard deviation (n − 1) of ICS over TRAIN. */
  readonly icsSd: number;
}

export interface DirectionFit {
  readonly domains: readonly string[];
  readonly layers: readonly LayerFit[];
  /** Block index of the layer that VAL-LAYER chose; of equals the lowest. */
  readonly anchor: number;
  /**
   * At the anchor layer, half way between the mean ICS of the compliant and of the non-compliant rows of VAL-THRESH.
   * At or above it a row is called compliant.
   */
  readonly threshold: number;
  readonly test: {
    readonly auroc: number;
    /** Percentile bootstrap over TEST rows, 95 %. */
    readonly interval: Interval;
    /** Share of TEST rows on their side of the threshold. */
    readonly accuracy: number;
  };
  readonly null: SearchNull;
  readonly seed: number;
  readonly pairs: readonly DomainPairs[];
  readonly splits: ReadonlyMap<string, Split>;
  /** Rows, not ids. */
  readonly counts: Readonly<Record<Split, number>>;
}

/**
 * Fits the compliance direction of every layer on the rows given (several domains are pooled), chooses the anchor layer
 * and the threshold, and reports on TEST, each on its own split.
 * @throws PlumblineError DIRECTION_FIT when a split lacks a class, a value is not finite or class means coincide; USAGE.
 */
export function fitDirections(activations: Activations, options: FitOptions): DirectionFit {
  const { rows, layers } = orderedActivations(activations);
  const { seed } = options;
  const splits = splitRows(rows, seed);
  const domains = [...new Set(rows.map(({ domain }) => domain))].sort();
  const counts = checkClasses(rows, splits, domains);
  const pairs = choosePairs(rows, splits, seed, options.pairs);
  const compliant = new Set(pairs.flatMap(domain => domain.compliant));
  const nonCompliant = new Set(pairs.flatMap(domain => domain.nonCompliant));

  const partAt = (split: Split, at: number): LayerRows => {
    const part = rows.filter(({ id }) => splits.get(id) === split);
    return { activations: part.map(row => atLayer(row, at)), labels: part.map(({ label }) => label) };
  };
  const fitted = layers.map((layer, at) => {
    const chosen = (label: Label, ids: ReadonlySet<string>): readonly Float32Array[] =>
      rows.filter(row => row.label === label && ids.has(row.id)).map(row => atLayer(row, at));
    const mean = meanDifference(chosen(1, compliant), chosen(0, nonCompliant));
    if (mean === null) {
      throw new PlumblineError(
        'DIRECTION_FIT',
        `layer ${layer}: the compliant and the non-compliant rows have the same mean, so there is no direction; ` +
          'check that the prompts differ, or leave the layer out',
      );
    }
    const train = partAt('TRAIN', at).activations;
    const fit: LayerFit = {
      layer,
      direction: mean.direction,
      distance: mean.distance,
      valLayerAuroc: projectionAuroc(partAt('VAL-LAYER', at), mean.direction),
      residualNorm: moments(train.map(norm)).mean ?? Number.NaN,
      icsSd: moments(train.map(row => ics(row, mean.direction))).sd ?? Number.NaN,
    };
    return fit;
  });

  const searched: readonly SearchedLayer[] = fitted.map(({ layer, direction }, at) => ({
    layer,
    direction,
    choice: partAt('VAL-LAYER', at),
    report: partAt('TEST', at),
  }));
  const choice = chooseLayer(searched);
  const anchorAt = layers.indexOf(choice.layer);
  const direction = fitted[anchorAt]?.direction ?? new Float32Array(0);
  const threshold = midpoint(partAt('VAL-THRESH', anchorAt), direction);
  return {
    domains,
    layers: fitted,
    anchor: choice.layer,
    threshold,
    test: { auroc: choice.reportAuroc, ...report(partAt('TEST', anchorAt), direction, threshold, seed) },
    null: searchNull(searched, choice.reportAuroc, options.nullDraws, seed),
    seed,
    pairs,
    splits,
    counts,
  };
}

/** One fit per domain, domains in their own order: each sees its own rows alone. */
export function fitPerDomain(
  activations: Activations,
  options: FitOptions,
): ReadonlyMap<string, DirectionFit> {
  const domains = [...new Set(activations.rows.map(({ domain }) => domain))].sort();
  return new Map(
    domains.map(domain => {
      const rows = activations.rows.filter(row => row.domain === domain);
      return [domain, fitDirections({ ...activations, rows }, options)];
    }),
  );
}

/** How well a fitted direction tells the labels apart on other prompts. */
export interface Probe {
  readonly auroc: number;
  readonly interval: Interval;
  readonly rows: number;
}

/**
 * The same direction on other prompts than it was fitted on: shorn of the rule, say. Give the rows of TEST ids alone,
 * so that neither the direction nor its layer has seen the scenario.
 * @throws PlumblineError DIRECTION_FIT when a class is missing or the layer was not captured.
 */
export function probeAuroc(
  fitted: { readonly layer: number; readonly direction: Float32Array },
  activations: Activations,
  seed: number,
): Probe {
  const { rows } = orderedActivations(activations);
  const at = activations.layers.indexOf(fitted.layer);
  if (at < 0) {
    throw new PlumblineError(
      'DIRECTION_FIT',
      `layer ${fitted.layer} was not captured on these prompts (captured: ${activations.layers.join(', ')})`,
    );
  }
  const layerRows = {
    activations: rows.map(row => atLayer(row, at)),
    labels: rows.map(({ label }) => label),
  };
  const scores = layerRows.activations.map(activation => ics(activation, fitted.direction));
  const interval = aurocInterval(scores, layerRows.labels, seed);
  if (interval === null) {
    throw new PlumblineError('DIRECTION_FIT', 'the probed rows are all of one label: both were expected');
  }
  return { auroc: projectionAuroc(layerRows, fitted.direction), interval, rows: rows.length };
}

/** Half way between the class means of the projections. */
function midpoint({ activations, labels }: LayerRows, direction: Float32Array): number {
  const mean = (label: Label): number => {
    const scores = activations.filter((_, i) => labels[i] === label).map(row => ics(row, direction));
    return moments(scores).mean ?? Number.NaN;
  };
  return (mean(1) + mean(0)) / 2;
}

function report(
  { activations, labels }: LayerRows,
  direction: Float32Array,
  threshold: number,
  seed: number,
): { readonly interval: Interval; readonly accuracy: number } {
  const scores = activations.map(row => ics(row, direction));
  const interval = aurocInterval(scores, labels, seed);
  if (interval === null) throw new PlumblineError('DIRECTION_FIT', 'TEST has rows of one label alone');
  const right = scores.filter((score, i) => (score >= threshold ? 1 : 0) === labels[i]).length;
  return { interval, accuracy: right / scores.length };
}

/** Rows per split; every split needs both classes. */
function checkClasses(
  rows: readonly ActivationRow[],
  splits: ReadonlyMap<string, Split>,
  domains: readonly string[],
): Readonly<Record<Split, number>> {
  const count = (split: Split, label: Label): number =>
    rows.filter(row => row.label === label && splits.get(row.id) === split).length;
  const counts: Record<Split, number> = { TRAIN: 0, 'VAL-LAYER': 0, 'VAL-THRESH': 0, TEST: 0 };
  for (const split of SPLITS) {
    const compliant = count(split, 1);
    const nonCompliant = count(split, 0);
    if (compliant === 0 || nonCompliant === 0) {
      const total = (label: Label): number => rows.filter(row => row.label === label).length;
      throw new PlumblineError(
        'DIRECTION_FIT',
        `${domains.join(', ') || 'no domain'}: ${split} has ${compliant} compliant and ${nonCompliant} ` +
          `non-compliant rows, expected one of either at least (there are ${total(1)} and ${total(0)} rows in all, ` +
          'cut 40/20/20/20); give five rows of either label or more, or pool domains',
      );
    }
    counts[split] = compliant + nonCompliant;
  }
  return counts;
}
