/** distinctness: same / opposite decision; constraint: faithful / violation. */
export const TASKS = ['distinctness', 'constraint'] as const;
export type Task = (typeof TASKS)[number];

/** `same` stands for SAME and FAITHFUL, `opposite` for OPPOSITE and VIOLATION. */
export const DECISIONS = ['opposite', 'same'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Lexical overlap of a variant with its anchor: the stratum within which decisions are compared. */
export const STRATA = ['close', 'distant'] as const;
export type Stratum = (typeof STRATA)[number];

/** A opposite-close, B opposite-distant, C same-close, D same-distant. */
export const CELLS = ['A', 'B', 'C', 'D'] as const;
export type Cell = (typeof CELLS)[number];

/** One anchor and one of its variants. */
export interface GatePair {
  readonly id: string;
  readonly task: Task;
  readonly decision: Decision;
  readonly stratum: Stratum;
  /** Names the anchor within its task: the unit of every interval and test. */
  readonly anchor: string;
  /** How the decision was turned (negation, antonym verb, quantity drift, …); of the anchor, so of all its variants. */
  readonly subclass: string;
  /** Field that the sentences are from; null where the corpus does not say. */
  readonly register: string | null;
  readonly textA: string;
  readonly textB: string;
}

export interface GateCorpus {
  /** What it was read from, without the folder: `jsonl factorial.jsonl`. */
  readonly name: string;
  readonly sha256: string;
  readonly pairs: readonly GatePair[];
}

export function cellOf({ decision, stratum }: Pick<GatePair, 'decision' | 'stratum'>): Cell {
  if (decision === 'opposite') return stratum === 'close' ? 'A' : 'B';
  return stratum === 'close' ? 'C' : 'D';
}

/** The word that a corpus file has for a decision of a task. */
export const LABELS: Readonly<Record<Task, Readonly<Record<Decision, string>>>> = {
  distinctness: { same: 'SAME', opposite: 'OPPOSITE' },
  constraint: { same: 'FAITHFUL', opposite: 'VIOLATION' },
};
