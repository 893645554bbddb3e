import { bool, type Columns, float64, identifier, oneOf, orNull, required, text } from '../run/columns.js';
import { type RowFormat, schemaOf } from '../run/schema.js';
import { approvesCosine, type Effective } from './gates.js';
import type { ScoredPair } from './measures.js';
import { tokenJaccard } from './overlap.js';
import {
  CELLS,
  type Cell,
  cellOf,
  DECISIONS,
  type Decision,
  STRATA,
  type Stratum,
  TASKS,
  type Task,
} from './types.js';

/** One pair as one encoder scored it. */
export interface GatePairRow {
  readonly encoder: string;
  readonly id: string;
  readonly task: Task;
  readonly cell: Cell;
  readonly decision: Decision;
  readonly stratum: Stratum;
  readonly anchor: string;
  readonly subclass: string;
  readonly register: string | null;
  readonly textA: string;
  readonly textB: string;
  readonly tokenJaccard: number;
  readonly score: number | null;
  /** Why there is no score; null when there is one. */
  readonly flag: string | null;
  /** By the user's gate; null without a gate or a score. */
  readonly approved: boolean | null;
}

const columns: Columns<GatePairRow> = {
  encoder: required(identifier),
  id: required(identifier),
  task: required(oneOf(0, TASKS)),
  cell: required(oneOf(1, CELLS)),
  decision: required(oneOf(2, DECISIONS)),
  stratum: required(oneOf(3, STRATA)),
  anchor: required(text),
  subclass: required(text),
  register: orNull(text),
  textA: required(text),
  textB: required(text),
  tokenJaccard: required(float64),
  score: orNull(float64),
  flag: orNull(text),
  approved: orNull(bool),
};

/** Finds a row: one for each encoder and pair. */
export function gatePairKey({ encoder, id }: Pick<GatePairRow, 'encoder' | 'id'>): string {
  return JSON.stringify([encoder, id]);
}

export const GATE_PAIRS: RowFormat<GatePairRow> = Object.freeze({
  file: 'pairs.arrows',
  columns,
  schema: schemaOf(columns),
  keyOf: gatePairKey,
});

export function gatePairRows(
  encoder: string,
  scored: readonly ScoredPair[],
  bound: Effective | null,
): readonly GatePairRow[] {
  return scored.map(({ pair, score, flag }) => ({
    encoder,
    id: pair.id,
    task: pair.task,
    cell: cellOf(pair),
    decision: pair.decision,
    stratum: pair.stratum,
    anchor: pair.anchor,
    subclass: pair.subclass,
    register: pair.register,
    textA: pair.textA,
    textB: pair.textB,
    tokenJaccard: tokenJaccard(pair.textA, pair.textB),
    score,
    flag,
    approved: score === null || bound === null ? null : approvesCosine(bound, score),
  }));
}
