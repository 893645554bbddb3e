import type { EvalOutcome } from '../../engine/types.js';
import { PlumblineError } from '../../errors.js';

type Outcomes = ReadonlyMap<number, EvalOutcome>;

/** Every float and token of two runs of one job. Throws BENCH_MISMATCH naming the first that differs in a bit. */
export function requireEqualBits(found: Outcomes, wanted: Outcomes, name: string): void {
  const mismatch = (what: string): PlumblineError =>
    new PlumblineError(
      'BENCH_MISMATCH',
      `${name}: ${what}. It claims the bits of one prompt per decode; its speed would mean nothing.`,
    );
  if (wanted.size === 0) throw mismatch('there is nothing to compare it with');
  if (found.size !== wanted.size) {
    throw mismatch(`${found.size} outcomes where ${wanted.size} were expected`);
  }
  for (const [id, outcome] of wanted) {
    const other = found.get(id);
    if (other === undefined) throw mismatch(`evaluation ${id} has no outcome`);
    const [ours, theirs] = [floatsOf(other), floatsOf(outcome)];
    const at = theirs.findIndex((value, i) => !Object.is(value, ours[i]));
    if (ours.length !== theirs.length || at >= 0) {
      throw mismatch(`evaluation ${id} gives ${ours[at]} where ${theirs[at]} was expected`);
    }
    if (other.generatedText !== outcome.generatedText) {
      throw mismatch(`evaluation ${id} generates another text`);
    }
  }
}

function floatsOf({ firstLogits, labelLogprobs, logSumExp, argMax, taps }: EvalOutcome): number[] {
  const read = taps.flatMap(({ norm, projections, activation }) => [norm, ...projections, ...activation]);
  return [...firstLogits, ...labelLogprobs, logSumExp, argMax, ...read];
}

/** First label minus second at the end of the prompt; null when labels were not scored. */
export function marginsOf(outcomes: readonly EvalOutcome[]): number[] | null {
  if (outcomes.some(({ firstLogits }) => firstLogits.length < 2)) return null;
  return outcomes.map(({ firstLogits: [a = 0, b = 0] }) => a - b);
}

/** Along the first direction of the first tap; null when nothing was tapped. */
export function projectionsOf(outcomes: readonly EvalOutcome[]): number[] | null {
  const values = outcomes.map(({ taps }) => taps[0]?.projections[0]);
  return values.every(value => value !== undefined) ? values : null;
}

/** null when one of the two has no readings; NaN when they are not of one job. */
export function largestDifference(a: readonly number[] | null, b: readonly number[] | null): number | null {
  if (a === null || b === null) return null;
  if (a.length !== b.length) return Number.NaN;
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] as number))), 0);
}
