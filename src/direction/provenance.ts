import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DirectionFit } from './fit.js';
import { SPLITS } from './split.js';

const number = z.number();
const count = z.number().int().nonnegative();
const named = z.object({ name: z.string(), sha256: z.string() });

const fitSchema = z.object({
  seed: z.number().int(),
  domains: z.array(z.object({ domain: z.string(), pairs: count })),
  rows: z.record(z.enum(SPLITS), count),
  /** Block index, as in {@link DirectionFit}. */
  anchor: count,
  threshold: number,
  layers: z.array(
    z.object({ layer: count, distance: number, valLayerAuroc: number, residualNorm: number, icsSd: number }),
  ),
  test: z.object({
    auroc: number,
    interval: z.object({ low: number, high: number }),
    accuracy: number,
  }),
  null: z.object({
    draws: count,
    mean: number,
    upper: z.object({ q90: number, q95: number, q99: number, max: number }),
    quantile: number,
    p: number,
  }),
});

export const provenanceSchema = z.object({
  /** Of plumbline. */
  version: z.string(),
  model: named,
  profile: named,
  corpus: named,
  /** {@link hashRows} of the labelled rows that were given to the fit. */
  idsSha256: z.string(),
  /** What told the positive rows from the negative ones. */
  contrast: z.string(),
  fit: fitSchema,
});

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** Where a direction comes from: what must be equal to repeat the fit, and what the fit showed. */
export type Provenance = DeepReadonly<z.infer<typeof provenanceSchema>>;
export type FitSummary = Provenance['fit'];

/** The figures of a fit that travel with its directions. */
export function summariseFit(fit: DirectionFit): FitSummary {
  return {
    seed: fit.seed,
    domains: fit.pairs.map(({ domain, compliant }) => ({ domain, pairs: compliant.length })),
    rows: fit.counts,
    anchor: fit.anchor,
    threshold: fit.threshold,
    layers: fit.layers.map(({ direction: _, ...figures }) => figures),
    test: fit.test,
    null: fit.null,
  };
}

/** SHA-256 over ids and labels, whatever their order. */
export function hashRows(rows: readonly { readonly id: string; readonly label: number }[]): string {
  const lines = rows.map(({ id, label }) => JSON.stringify([id, label])).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
