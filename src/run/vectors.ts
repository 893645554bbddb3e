import { type Columns, float32s, identifier, layerOf, required } from './columns.js';
import { type RowFormat, type StreamFile, schemaOf } from './schema.js';
import type { Reading, VectorRow } from './types.js';

/** A stream of vectors: for each reading that was evaluated, one vector for each of `layers`. */
export interface VectorFormat extends RowFormat<VectorRow> {
  readonly layers: readonly number[];
}

export interface VectorPlan {
  readonly layers: readonly number[];
  /** Values in each vector. */
  readonly width: number;
}

function vectorFormat(
  file: StreamFile,
  { layers, width }: VectorPlan,
  about: Readonly<Record<string, string>>,
): VectorFormat {
  const columns: Columns<VectorRow> = {
    key: required(identifier),
    layer: required(layerOf(layers)),
    values: required(float32s(width)),
  };
  const metadata = {
    'plumbline.layers': JSON.stringify(layers),
    'plumbline.width': String(width),
    ...about,
  };
  return Object.freeze({
    file,
    columns,
    schema: schemaOf(columns, metadata),
    keyOf: ({ key, layer }: VectorRow) => `${layer}|${key}`,
    layers,
  });
}

/** activations.arrows: the residual stream as the layers left it. */
export function activationsFormat(plan: VectorPlan): VectorFormat {
  return vectorFormat('activations.arrows', plan, {
    'plumbline.values': 'activation: l_out-<layer> at the last prompt token',
  });
}

/** controls.arrows: projections of activations on the run's direction (value 0) and its control directions (from 1). */
export function controlsFormat(plan: VectorPlan & { readonly seed: number }): VectorFormat {
  return vectorFormat('controls.arrows', plan, {
    'plumbline.values':
      'projections of l_out-<layer> at the last prompt token: 0 on the direction, i on control direction i',
    'plumbline.seed': String(plan.seed),
  });
}

/** A reading of a prompt that went through the model: it has a vector for each layer in each vector stream of its run. */
export function wantsVectors({ applicable, errorCode }: Reading): boolean {
  return applicable && errorCode === null;
}

/** Which vectors are there, over the vector streams of a run. */
export interface Coverage {
  readonly add: (format: VectorFormat, row: VectorRow) => void;
  /** The first stream and layer that has no vector for the key, in words; null when all are there. */
  readonly missing: (key: string) => string | null;
  readonly forget: (key: string) => void;
  readonly keys: () => Iterable<string>;
}

export function createCoverage(formats: readonly VectorFormat[]): Coverage {
  const seen = new Map<string, Map<VectorFormat, Set<number>>>();
  return {
    add: (format, { key, layer }) => {
      const ofKey = seen.get(key) ?? new Map<VectorFormat, Set<number>>();
      seen.set(key, ofKey.set(format, (ofKey.get(format) ?? new Set<number>()).add(layer)));
    },
    missing: key => {
      const ofKey = seen.get(key);
      for (const format of formats) {
        const layer = format.layers.find(index => !ofKey?.get(format)?.has(index));
        if (layer !== undefined) return `no vector of layer ${layer} in ${format.file}`;
      }
      return null;
    },
    forget: key => {
      seen.delete(key);
    },
    keys: () => seen.keys(),
  };
}
