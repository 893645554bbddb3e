import type { Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { auroc } from '../stats/auroc.js';
import { dot, unitVectors, type Vector } from './vector.js';

/** Labelled rows at one layer. */
export interface LayerRows {
  readonly activations: readonly Vector[];
  readonly labels: readonly Label[];
}

/** What the choice among layers needs of one layer. */
export interface SearchedLayer {
  readonly layer: number;
  /** The fitted direction; its sign is the sign of the difference of the TRAIN means. */
  readonly direction: Vector;
  /** The rows that the layer is chosen on. */
  readonly choice: LayerRows;
  /** The rows that the chosen layer is reported on. */
  readonly report: LayerRows;
}

export interface LayerChoice {
  readonly layer: number;
  /** On the rows that chose the layer: too high by the choice. */
  readonly choiceAuroc: number;
  readonly reportAuroc: number;
}

/** AUROC of the projections of the rows on a direction. Both classes must be there. */
export function projectionAuroc({ activations, labels }: LayerRows, direction: Vector): number {
  const area = auroc(
    activations.map(activation => dot(activation, direction)),
    labels,
  );
  if (area === null) throw new PlumblineError('USAGE', 'an AUROC of one class alone: both were expected');
  return area;
}

/** The layer whose direction separates the choice rows best; of equals the lowest layer (`layers` ascend). */
export function chooseLayer(layers: readonly SearchedLayer[]): LayerChoice {
  let best: LayerChoice | null = null;
  for (const layer of layers) best = better(best, layer, layer.direction);
  if (best === null) throw new PlumblineError('USAGE', 'no layer to choose from');
  return best;
}

function better(best: LayerChoice | null, searched: SearchedLayer, direction: Vector): LayerChoice {
  const choiceAuroc = projectionAuroc(searched.choice, direction);
  if (best !== null && choiceAuroc <= best.choiceAuroc) return best;
  return { layer: searched.layer, choiceAuroc, reportAuroc: projectionAuroc(searched.report, direction) };
}

/** AUROCs that random directions reach with everything but the fit: the same signs, layer search and report rows. */
export interface SearchNull {
  readonly draws: number;
  readonly mean: number;
  readonly upper: { readonly q90: number; readonly q95: number; readonly q99: number; readonly max: number };
  /** Where the observed AUROC stands among them: the share below it, equals counting one half. */
  readonly quantile: number;
  /** (1 + draws at or above the observed one) / (1 + draws): never zero. */
  readonly p: number;
}

/**
 * The budget-matched null. A draw is one random unit direction per layer, turned so that the compliant TRAIN mean lies
 * on its positive side (the fitted direction owes its sign to the same rows), then the same choice of a layer and the
 * same report. When activations are isotropic noise without a class, the fitted direction is one more such draw, and
 * `quantile` and `p` are uniform.
 */
export function searchNull(
  layers: readonly SearchedLayer[],
  observed: number,
  draws: number,
  seed: number,
): SearchNull {
  if (!(Number.isSafeInteger(draws) && draws > 0)) {
    throw new PlumblineError('USAGE', `random directions: expected a positive integer, got ${draws}`);
  }
  const best: (LayerChoice | null)[] = new Array<null>(draws).fill(null);
  // Layer by layer rather than draw by draw: the rows of one layer stay in the processor's cache.
  for (const searched of layers) {
    const next = unitVectors(searched.direction.length, seed, `null-directions ${searched.layer}`);
    for (let i = 0; i < draws; i++) {
      const random = next();
      const turned = dot(random, searched.direction) < 0 ? random.map(value => -value) : random;
      best[i] = better(best[i] ?? null, searched, turned);
    }
  }
  const areas = Float64Array.from(best, choice => choice?.reportAuroc ?? Number.NaN).sort();
  const below = areas.filter(area => area < observed).length;
  const equal = areas.filter(area => area === observed).length;
  return {
    draws,
    mean: areas.reduce((sum, area) => sum + area, 0) / draws,
    upper: {
      q90: quantile(areas, 0.9),
      q95: quantile(areas, 0.95),
      q99: quantile(areas, 0.99),
      max: areas[draws - 1] ?? Number.NaN,
    },
    quantile: (below + equal / 2) / draws,
    p: (1 + draws - below) / (1 + draws),
  };
}

/** The smallest value that at least this share of the ascending values does not exceed. */
function quantile(ascending: Float64Array, share: number): number {
  return ascending[Math.ceil(share * ascending.length) - 1] ?? Number.NaN;
}
