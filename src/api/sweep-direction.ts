import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { SteeredLayer, StepScale } from '../audit/sweep-plan.js';
import { resolveLayer } from '../direction/layers.js';
import { norm, unitVectors } from '../direction/vector.js';
import { checkDirection, type Direction, readDirection } from '../direction/vector-file.js';
import { PlumblineError } from '../errors.js';
import type { Manifest } from '../run/manifest.js';
import { moments } from '../stats/moments.js';
import { type Judge, type JudgeEvents, type ReadyJudge, readyJudge } from './judge.js';
import type { EngineOptions } from './options.js';
import type { SweepOptions } from './sweep-options.js';

/** A direction of an open model, and where it is applied. */
export interface SweepDirection {
  readonly layers: readonly number[];
  /** For each layer the fitted direction and its random ones, unit vectors of n_embd values, row-major. */
  readonly vectors: Float32Array;
  readonly manifest: NonNullable<Manifest['direction']>;
  /** What the file tells of a layer, as far as it was fitted on this very model. */
  readonly residualNorms: ReadonlyMap<number, number>;
  /** Standard deviation of ICS on the rows of the fit. */
  readonly icsSds: ReadonlyMap<number, number>;
}

/** A norm within rounding of 1: such a vector is used as it is, so that its bits are those that other tools add. */
const UNIT = 1e-5;

/**
 * Reads a direction for an open model. Throws DIRECTION_INVALID, DIRECTION_MISMATCH; USAGE for layers that the file or
 * the model does not have.
 */
export async function openSweepDirection(
  {
    direction: path,
    layers: wanted,
    force,
    random,
  }: Pick<SweepOptions, 'direction' | 'layers' | 'force' | 'random'>,
  judge: Judge,
  seed: number,
): Promise<SweepDirection> {
  const { nEmbd, nLayer } = judge.header;
  const given = wanted?.map(layer => resolveLayer(layer, nLayer)) ?? null;
  const direction = await readDirection(path, given?.length === 1 ? (given[0] ?? null) : null);
  checkDirection(direction, { nEmbd, nLayer, modelSha256: judge.sha256 }, { force });
  const layers = [...new Set(given ?? [anchorOf(direction)])].sort((a, b) => a - b);
  const lacking = layers.find(layer => !direction.layers.has(layer));
  if (lacking !== undefined) {
    throw new PlumblineError(
      'USAGE',
      `${path} has no direction for block ${lacking}; it has ${[...direction.layers.keys()].join(', ')}. ` +
        'Name some of these with --layers.',
    );
  }
  const vectors = new Float32Array(layers.length * (1 + random) * nEmbd);
  let at = 0;
  const push = (vector: Float32Array): void => {
    vectors.set(vector, at);
    at += nEmbd;
  };
  for (const layer of layers) {
    push(unit(direction.layers.get(layer) as Float32Array));
    const next = unitVectors(nEmbd, seed, `steering-controls ${layer}`);
    for (let i = 0; i < random; i++) push(next());
  }
  const fit = direction.provenance?.fit;
  const anchor = fit !== undefined && direction.layers.has(fit.anchor) ? fit.anchor : (layers[0] as number);
  const own = direction.provenance?.model.sha256 === judge.sha256;
  return {
    layers,
    vectors,
    manifest: {
      name: basename(path),
      sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
      layer: anchor,
      norm: norm(direction.layers.get(anchor) as Float32Array),
      modelSha256: direction.provenance?.model.sha256 ?? null,
      source: direction.kind,
    },
    // Another model has other norms; the spread of ICS is the only one there is, and the file's own.
    residualNorms: new Map(own ? fit?.layers.map(layer => [layer.layer, layer.residualNorm]) : []),
    icsSds: new Map(fit?.layers.map(layer => [layer.layer, layer.icsSd])),
  };
}

function anchorOf(direction: Direction): number {
  const blocks = [...direction.layers.keys()];
  const anchor = direction.provenance?.fit.anchor ?? (blocks.length === 1 ? blocks[0] : undefined);
  if (anchor === undefined) {
    throw new PlumblineError(
      'USAGE',
      `${direction.path} has directions for the blocks ${blocks.join(', ')} and does not say which is the anchor; ` +
        'name some of them with --layers.',
    );
  }
  return anchor;
}

function unit(vector: Float32Array): Float32Array {
  const length = norm(vector);
  return Math.abs(length - 1) < UNIT ? vector : Float32Array.from(vector, value => value / length);
}

/**
 * How long a step is at each layer. The mean norm of the residual stream comes from the direction file when it was
 * fitted on this model, else it is measured on the prompts of the run. Throws USAGE for `sd` without its figures.
 */
export async function steeredLayers(
  direction: SweepDirection,
  scale: StepScale,
  judge: Judge,
  engine: EngineOptions,
  events: JudgeEvents,
): Promise<readonly SteeredLayer[]> {
  const { layers, residualNorms, icsSds } = direction;
  const unknown = layers.filter(layer => !residualNorms.has(layer));
  const measured = unknown.length === 0 ? null : await measureNorms(judge, unknown, engine, events);
  return layers.map(layer => {
    const told = residualNorms.get(layer);
    const residualNorm = told ?? measured?.get(layer);
    if (residualNorm === undefined) throw new Error(`block ${layer} was not measured`);
    const sd = icsSds.get(layer);
    if (scale === 'sd' && sd === undefined) {
      throw new PlumblineError(
        'USAGE',
        `${direction.manifest.name} does not tell the standard deviation of ICS at block ${layer}, which --scale sd ` +
          'multiplies by; take a direction that `plumbline fit` wrote, or another scale.',
      );
    }
    const step = scale === 'unit' ? 1 : scale === 'residual' ? residualNorm : (sd as number);
    return { layer, step, residualNorm, measured: told === undefined };
  });
}

/** Mean norm of the residual stream after blocks, at the last token of every prompt that fits. */
async function measureNorms(
  judge: Judge,
  layers: readonly number[],
  engine: EngineOptions,
  events: JudgeEvents,
): Promise<ReadonlyMap<number, number>> {
  const taps = layers.map(layer => ({ layer, directions: new Float32Array(), keepActivations: false }));
  const ready: ReadyJudge = await readyJudge(judge, engine, events, { taps, stopAtTaps: true });
  events.onStage(`measuring the residual norm after the blocks ${layers.join(', ')}`);
  const norms = new Map<number, number[]>(layers.map(layer => [layer, []]));
  await ready.pool.run(ready.plan.jobs, {
    onOutcome(outcome) {
      for (const tap of outcome.taps) norms.get(tap.layer)?.push(tap.norm);
    },
    onFailure(_id, error) {
      throw error;
    },
  });
  return new Map([...norms].map(([layer, values]) => [layer, moments(values).mean ?? Number.NaN]));
}
