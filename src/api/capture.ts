import type { PlannedRow } from '../audit/plan.js';
import type { ActivationRow, Activations } from '../direction/activations.js';
import type { EvalOutcome, TapSpec } from '../engine/types.js';
import { PlumblineError } from '../errors.js';
import type { ReadyJudge } from './judge.js';

/** Taps that keep whole residual rows of these blocks. */
export function captureTaps(layers: readonly number[]): readonly TapSpec[] {
  return layers.map(layer => ({ layer, directions: new Float32Array(), keepActivations: true }));
}

export interface Captured {
  readonly activations: Activations;
  /** By sample id; empty where the judge was stopped at its taps. */
  readonly outcomes: ReadonlyMap<string, EvalOutcome>;
}

/**
 * Runs every prompt of a judge that was made ready with {@link captureTaps} and collects the residual rows at the last
 * prompt token. Prompts that do not fit (`judge.tooLong`) are not among them. Throws the first other failure: a fit on a
 * part of the prompts would be a fit on other data.
 */
export async function captureRows(
  judge: ReadyJudge,
  rows: readonly PlannedRow[],
  layers: readonly number[],
  onRow: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<Captured> {
  const outcomes = new Map<string, EvalOutcome>();
  const captured: ActivationRow[] = [];
  await judge.pool.run(judge.plan.jobs, {
    ...(signal === undefined ? {} : { signal }),
    onOutcome(outcome) {
      const { item } = rows[outcome.id] as PlannedRow;
      outcomes.set(item.id, outcome);
      captured.push({
        id: item.id,
        domain: item.domain,
        label: item.label,
        activation: outcome.taps.map(tap => tap.activation),
      });
      onRow(outcomes.size, judge.evals.length);
    },
    onFailure(id, error) {
      throw new PlumblineError(error.code, `${rows[id]?.key}: ${error.message}`, { cause: error });
    },
  });
  if (signal?.aborted)
    throw new PlumblineError('INTERRUPTED', 'Stopped before all prompts were read; nothing was written.');
  return { activations: { layers, nEmbd: judge.header.nEmbd, rows: captured }, outcomes };
}
