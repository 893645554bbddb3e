import { join } from 'node:path';
import { packageRoot } from '../engine/package-root.js';
import { PROFILES } from '../prompt/profiles.js';
import { FIT_DEFAULTS, type FitEvents, type FitReport, fitDirection } from './fit.js';
import { type AuditOptions, DEFAULT_ENGINE, DEFAULTS } from './options.js';

/** Random directions that a fit on a reference model is held against; its figures come from audits. */
const NULL_DRAWS = 1;

/** A file of models/reference. */
export function referenceFile(name: string): string {
  return join(packageRoot(), 'models', 'reference', name);
}

/** An audit of a reference model on one of its corpora: all of it, under every condition. */
export function referenceAudit(model: string, corpus: 'crossed' | 'confounded', seed: number): AuditOptions {
  return {
    ...DEFAULTS,
    model,
    corpus,
    perDomain: 'all',
    profile: PROFILES.standard,
    seed,
    // The models are smaller than what a second process or a GPU costs.
    engine: { ...DEFAULT_ENGINE, gpu: 'off', workers: 1, threads: 1 },
  };
}

/**
 * Fits the direction of a reference model on scenarios under two rules: all of them, for a draw would tear apart the
 * pairs. Throws what a fit throws.
 */
export function fitReference(
  model: string,
  seed: number,
  path: string,
  events: FitEvents,
): Promise<FitReport> {
  return fitDirection(
    {
      ...FIT_DEFAULTS,
      audit: referenceAudit(model, 'crossed', seed),
      contrast: 'rule',
      nullDraws: NULL_DRAWS,
    },
    path,
    events,
  );
}
