import { PlumblineError } from '../errors.js';
import type { Labelled } from './split.js';

/** Residual streams at the last prompt token, one row per labelled prompt. */
export interface Activations {
  /** Block indices from 0, ascending. */
  readonly layers: readonly number[];
  readonly nEmbd: number;
  readonly rows: readonly ActivationRow[];
}

export interface ActivationRow extends Labelled {
  /** nEmbd values for each of `layers`, in that order. */
  readonly activation: readonly Float32Array[];
}

/** The row's residual stream at the layer that stands at this place of `layers`. */
export function atLayer(row: ActivationRow, at: number): Float32Array {
  const activation = row.activation[at];
  if (activation === undefined) {
    throw new PlumblineError('USAGE', `row ${JSON.stringify(row.id)} has no activation at place ${at}`);
  }
  return activation;
}

/**
 * The same activations, checked, with their rows by id and label: sums over rows then do not depend on the order in
 * which the rows came, to the last bit.
 * @throws PlumblineError USAGE for layers or rows of a wrong shape, DIRECTION_FIT for a value that is not finite.
 */
export function orderedActivations(activations: Activations): Activations {
  const { layers, nEmbd, rows } = activations;
  layers.forEach((layer, i) => {
    if (!Number.isSafeInteger(layer) || layer <= (layers[i - 1] ?? -1)) {
      throw new PlumblineError(
        'USAGE',
        `layers ${layers.join(', ')}: expected ascending block indices, 0 or more`,
      );
    }
  });
  if (layers.length === 0) throw new PlumblineError('USAGE', 'no layer was captured: expected one at least');
  for (const row of rows) checkRow(row, layers, nEmbd);
  const ordered = rows.toSorted((a, b) => (a.id === b.id ? a.label - b.label : a.id < b.id ? -1 : 1));
  return { layers, nEmbd, rows: ordered };
}

function checkRow(row: ActivationRow, layers: readonly number[], nEmbd: number): void {
  const name = `row ${JSON.stringify(row.id)}`;
  if (row.activation.length !== layers.length) {
    throw new PlumblineError(
      'USAGE',
      `${name} has activations of ${row.activation.length} layers, expected ${layers.length}`,
    );
  }
  row.activation.forEach((values, i) => {
    if (values.length !== nEmbd) {
      throw new PlumblineError(
        'USAGE',
        `${name}, layer ${layers[i]}: ${values.length} values, expected ${nEmbd}`,
      );
    }
    const bad = values.findIndex(value => !Number.isFinite(value));
    if (bad >= 0) {
      throw new PlumblineError(
        'DIRECTION_FIT',
        `${name}, layer ${layers[i]}: value ${bad} is ${values[bad]}, expected a finite number; the model's residual ` +
          'stream overflows there: leave the layer out, or use another quantisation',
      );
    }
  });
}
