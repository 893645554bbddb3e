import { alphasOf, planSteps, type SteeringPlan, type SweepStep } from '../../src/audit/sweep-plan.js';
import type { Label } from '../../src/corpus/types.js';
import type { Reading } from '../../src/run/types.js';
import { reading } from './rows.js';

export const STEERING: SteeringPlan = {
  alphas: alphasOf([-1, 1]),
  layers: [{ layer: 3, step: 2, residualNorm: 8, measured: false }],
  scopes: ['last'],
  random: 3,
  nudge: 1e-4,
};

/** What steering does to the margin and the label mass of sample i. */
export interface Response {
  readonly shift: (step: SweepStep, sample: number) => number;
  readonly mass?: (step: SweepStep) => number;
}

export const MARGIN = (sample: number): number => (sample % 2 === 0 ? 0.4 : -0.6);

/** The readings of a sweep of n made-up samples, every one labelled compliant. */
export function sweepRows(
  n: number,
  { shift, mass = () => 0.9 }: Response,
  plan = STEERING,
): readonly Reading[] {
  const verdict = (margin: number): Label => (margin >= 0 ? 1 : 0);
  return Array.from({ length: n }, (_, sample) => sample).flatMap(sample => {
    const id = `s${String(sample).padStart(3, '0')}`;
    const row = (margin: number, step: SweepStep | null): Reading =>
      reading(id, 'baseline', verdict(margin), {
        key:
          step === null
            ? `${id}|baseline||||`
            : `${id}|baseline|${step.alpha}|${step.layer}|${step.scope}|${step.direction}`,
        alpha: step?.alpha ?? null,
        layer: step?.layer ?? null,
        positionScope: step?.scope ?? null,
        direction: step?.direction ?? null,
        stepNorm: step?.stepNorm ?? null,
        residualShare: step?.residualShare ?? null,
        label: 1,
        margin,
        verdictLogit: verdict(margin),
        labelMass: step === null ? 0.9 : mass(step),
        kl: step === null ? null : step.alpha === 0 ? 0 : 0.01,
      });
    return [
      row(MARGIN(sample), null),
      ...planSteps(plan).map(step =>
        row(MARGIN(sample) + (step.alpha === 0 ? 0 : shift(step, sample)), step),
      ),
    ];
  });
}
