import { STEP_SCALES } from '../run/manifest.js';
import type { PlannedRow } from './plan.js';

/** `last`: the last prompt token is steered. `all`: every token, those of the answer included. */
export const SCOPES = ['last', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

export { STEP_SCALES };
export type StepScale = (typeof STEP_SCALES)[number];

/** A block that is steered. */
export interface SteeredLayer {
  /** Block index from 0. */
  readonly layer: number;
  /** Norm of what alpha 1 adds to the residual stream. */
  readonly step: number;
  /** Mean norm of the residual stream after this block at the last prompt token. */
  readonly residualNorm: number;
  /** true: measured on the prompts of this run; false: the direction file told it. */
  readonly measured: boolean;
}

export interface SteeringPlan {
  /** Ascending, 0 among them. */
  readonly alphas: readonly number[];
  readonly layers: readonly SteeredLayer[];
  readonly scopes: readonly Scope[];
  /** Random directions beside the fitted one. */
  readonly random: number;
  /** Vanishing alpha along the fitted direction; 0 = none. */
  readonly nudge: number;
}

/** Name of the direction that was asked for; the controls are `random-1`, `random-2`, … */
export const FITTED = 'fitted';
export const randomName = (number: number): string => `random-${number}`;
export const isRandom = (direction: string): boolean => direction.startsWith('random-');

/** One steered evaluation of every sample. */
export interface SweepStep {
  readonly direction: string;
  readonly alpha: number;
  readonly layer: number;
  readonly scope: Scope;
  /** Place among the run's vectors: for each layer the fitted one, then its random ones. */
  readonly vector: number;
  /** What the unit vector is multiplied by: alpha · step. */
  readonly factor: number;
  readonly stepNorm: number;
  readonly residualShare: number;
}

/** The given alphas ascending, each once, with 0: it is what all others are held against. */
export function alphasOf(given: readonly number[]): readonly number[] {
  // -0 is 0.
  return [...new Set([...given, 0].map(alpha => alpha + 0))].sort((a, b) => a - b);
}

/**
 * Every steered evaluation of a sample: alpha 0 first, then the fitted direction, the nudge and the random directions
 * at the same norms. `last` comes before `all`, whose evaluations leave no prefix to share.
 */
export function planSteps(plan: SteeringPlan): readonly SweepStep[] {
  const perLayer = 1 + plan.random;
  const scopes = SCOPES.filter(scope => plan.scopes.includes(scope));
  return scopes.flatMap(scope =>
    plan.layers.flatMap((at, index) => {
      const step = (direction: string, offset: number, alpha: number): SweepStep => ({
        direction,
        alpha,
        layer: at.layer,
        scope,
        vector: index * perLayer + offset,
        factor: alpha * at.step,
        stepNorm: Math.abs(alpha) * at.step,
        residualShare: (Math.abs(alpha) * at.step) / at.residualNorm,
      });
      const moving = plan.alphas.filter(alpha => alpha !== 0);
      const nudges = plan.nudge === 0 || moving.includes(plan.nudge) ? [] : [plan.nudge];
      return [
        ...[0, ...moving, ...nudges].map(alpha => step(FITTED, 0, alpha)),
        ...Array.from({ length: plan.random }, (_, i) => i + 1).flatMap(number =>
          moving.map(alpha => step(randomName(number), number, alpha)),
        ),
      ];
    }),
  );
}

/** `sampleId|baseline|alpha|layer|positionScope|direction`. */
export function stepKey({ item }: PlannedRow, { alpha, layer, scope, direction }: SweepStep): string {
  return `${item.id}|baseline|${alpha}|${layer}|${scope}|${direction}`;
}
