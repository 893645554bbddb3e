import { bool, type Columns, float64, identifier, oneOf, orNull, required, text } from '../run/columns.js';
import { type RowFormat, schemaOf } from '../run/schema.js';
import { approvesCosine, type Effective } from './gates.js';
import type { ScoredPair } from './measures.js';
import { tokenJaccard } from './overlap.js';
import { CELLS, type Cell, cellOf, DECISIONS, type GatePair, STRATA, TASKS } from './types.js';

/** One pair as one encoder scored it. */
export interface GatePairRow extends GatePair {
  readonly encoder: string;
  readonly cell: Cell;
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
    ...pair,
    cell: cellOf(pair),
    tokenJaccard: tokenJaccard(pair.textA, pair.textB),
    score,
    flag,
    approved: score === null || bound === null ? null : approvesCosine(bound, score),
  }));
}
