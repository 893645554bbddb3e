import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { resolveLayer } from '../direction/layers.js';
import { norm, randomDirections } from '../direction/vector.js';
import { checkDirection, type Direction, readDirection } from '../direction/vector-file.js';
import type { EvalOutcome, TapSpec } from '../engine/types.js';
import { PlumblineError } from '../errors.js';
import { attempt } from '../run/files.js';
import type { Manifest } from '../run/manifest.js';
import type { Reading, VectorRow } from '../run/types.js';
import type { Judge } from './judge.js';

/** Along what an audit projects the residual stream. */
export interface DirectionOptions {
  /** Control-vector GGUF, .npy or safetensors. */
  readonly path: string;
  /** Block whose projection is ICS; null = the file's anchor, or its only block. Negative from the end. */
  readonly layer: number | null;
  /** Random unit directions beside it, per block. */
  readonly controls: number;
  /** true: keep the residual rows of the anchor block as well. */
  readonly activations: boolean;
  /** true: take a direction that was fitted on another model. */
  readonly force: boolean;
}

/** Random control directions per block, unless told otherwise. */
export const DEFAULT_CONTROLS = 8;

/** A direction that belongs to an open model, as the taps and the run need it. */
export interface OpenDirection {
  readonly anchor: number;
  readonly taps: readonly TapSpec[];
  readonly manifest: NonNullable<Manifest['direction']>;
  readonly vectors: Manifest['vectors'];
  /** The columns of a reading that an outcome gives. */
  columns(outcome: EvalOutcome): Pick<Reading, 'ics' | 'icsCos' | 'residualNorm'>;
  /** Per block: the projection on the direction, then those on the controls. */
  projections(key: string, outcome: EvalOutcome): VectorRow[];
  activations(key: string, outcome: EvalOutcome): VectorRow[];
}

/**
 * Reads a direction for an open model. Its vectors are normalised: ICS is a projection on a unit vector, whatever the
 * file's own scale. Throws DIRECTION_INVALID, DIRECTION_MISMATCH, USAGE.
 */
export async function openDirection(
  options: DirectionOptions,
  judge: Judge,
  seed: number,
): Promise<OpenDirection> {
  const { nEmbd, nLayer } = judge.header;
  const direction = await readDirection(options.path);
  checkDirection(direction, { nEmbd, nLayer, modelSha256: judge.sha256 }, { force: options.force });
  const anchor = anchorOf(direction, options.layer, nLayer);
  const layers = [...direction.layers.keys()];
  const controls = randomDirections(options.controls, nEmbd, seed);
  const taps = layers.map(layer => {
    const directions = new Float32Array((1 + options.controls) * nEmbd);
    directions.set(unit(direction.layers.get(layer) as Float32Array));
    directions.set(controls, nEmbd);
    return { layer, directions, keepActivations: options.activations && layer === anchor };
  });
  const tapOf = (outcome: EvalOutcome) => {
    const tap = outcome.taps.find(candidate => candidate.layer === anchor);
    if (tap === undefined) throw new Error(`the outcome ${outcome.id} has no tap of block ${anchor}`);
    return tap;
  };
  return {
    anchor,
    taps,
    manifest: {
      name: basename(options.path),
      sha256: createHash('sha256').update(readFileSync(options.path)).digest('hex'),
      layer: anchor,
      norm: norm(direction.layers.get(anchor) as Float32Array),
      modelSha256: direction.provenance?.model.sha256 ?? null,
      source: direction.kind,
    },
    vectors: {
      activations: options.activations ? { layers: [anchor], width: nEmbd } : null,
      controls: { layers: layers as [number, ...number[]], width: 1 + options.controls, seed },
    },
    columns(outcome) {
      const tap = tapOf(outcome);
      const ics = tap.projections[0] as number;
      return { ics, icsCos: tap.norm === 0 ? null : ics / tap.norm, residualNorm: tap.norm };
    },
    projections: (key, outcome) =>
      outcome.taps.map(tap => ({ key, layer: tap.layer, values: Float32Array.from(tap.projections) })),
    activations: (key, outcome) =>
      options.activations ? [{ key, layer: anchor, values: tapOf(outcome).activation }] : [],
  };
}

function anchorOf(direction: Direction, wanted: number | null, nLayer: number): number {
  const layers = [...direction.layers.keys()];
  const anchor =
    wanted !== null
      ? resolveLayer(wanted, nLayer)
      : (direction.provenance?.fit.anchor ?? (layers.length === 1 ? layers[0] : undefined));
  if (anchor === undefined || !direction.layers.has(anchor)) {
    throw new PlumblineError(
      'USAGE',
      `${direction.path} has directions for the blocks ${layers.join(', ')}` +
        (anchor === undefined ? ' and does not say which is the anchor' : `, not for block ${anchor}`) +
        '; name one of them with --layer.',
    );
  }
  return anchor;
}

function unit(vector: Float32Array): Float32Array {
  const length = norm(vector);
  return Float32Array.from(vector, value => value / length);
}

/** Folder of a run that holds the direction it was made with. */
export const DIRECTION_FOLDER = 'direction';

/** The run keeps its direction: it is read from there when the run is resumed. Errors: IO. */
export function keepDirection(dir: string, path: string): void {
  const folder = join(dir, DIRECTION_FOLDER);
  attempt('create', folder, () => mkdirSync(folder, { recursive: true }));
  attempt('write', folder, () => copyFileSync(path, join(folder, basename(path))));
}
