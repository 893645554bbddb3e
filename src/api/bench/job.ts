import type { TokenEval } from '../../engine/types.js';
import { ALPHAS, benchDirection, type Subjects } from './contestants.js';

/** The job in the shape that contestants of other programs read (bench/peers). */
export interface BenchJob {
  readonly subjects: Subjects;
  readonly file: {
    readonly model: string;
    readonly format: string;
    readonly layer: number;
    readonly direction: readonly number[];
    readonly prompts: readonly { readonly ids: readonly number[]; readonly labels: readonly number[] }[];
    readonly audit: readonly number[];
    readonly ics: readonly number[];
    readonly alphas: { readonly prompts: readonly number[]; readonly values: readonly number[] };
  };
}

/** Prompts by number in the order of their evaluations, so that readings of all contestants come alike. */
export function jobOf(subjects: Subjects, model: string): BenchJob {
  const { audit, alphas, format, layer } = subjects;
  const ordered = [...audit.evals].sort((a, b) => a.id - b.id);
  const at = new Map(ordered.map((item, i) => [item.id, i]));
  const every = ordered.map((_, i) => i);
  const promptOf = ({ prompt, labels }: TokenEval) => ({
    ids: [...prompt],
    labels: labels.map(label => label[0] as number),
  });
  return {
    subjects,
    file: {
      model,
      format,
      layer,
      direction: [...benchDirection(audit.judge.header.nEmbd)],
      prompts: ordered.map(promptOf),
      audit: every,
      ics: every,
      alphas: { prompts: alphas.last.evals.map(({ id }) => at.get(id) as number), values: [...ALPHAS] },
    },
  };
}
