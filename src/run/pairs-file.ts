import { Table, tableToIPC } from 'apache-arrow';
import type { Label } from '../corpus/types.js';
import { CONDITIONS, type Condition } from '../perturb/types.js';
import { bool, type Columns, float64, identifier, label, oneOf, orNull, required, text } from './columns.js';
import { schemaOf, type TableFormat, toBatch } from './schema.js';

/** The columns of readings.arrows recomputed with its baseline beside it: one row per reading and verdict reader. */
export interface PairRow {
  /** Of the reading in readings.arrows that this row goes with; the other of the pair is the sample's baseline. */
  readonly key: string;
  readonly sampleId: string;
  readonly domain: string;
  readonly condition: Condition;
  readonly reader: 'text' | 'logit';
  /** 1 = the verdict differs from baseline; null when one of the two is missing. */
  readonly flip: Label | null;
  /** Margin here minus baseline margin, nats. */
  readonly marginShift: number | null;
  readonly icsDelta: number | null;
  /** A margin of the pair lies inside the run's noise band; null where flip is. */
  readonly fragile: boolean | null;
}

export const PAIRS_FILE = 'derived.arrow';

const columns: Columns<PairRow> = {
  key: required(identifier),
  sampleId: required(identifier),
  domain: required(text),
  condition: required(oneOf(0, CONDITIONS)),
  reader: required(oneOf(1, ['text', 'logit'])),
  flip: orNull(label),
  marginShift: orNull(float64),
  icsDelta: orNull(float64),
  fragile: orNull(bool),
};

const PAIRS: TableFormat<PairRow> = Object.freeze({ file: PAIRS_FILE, columns, schema: schemaOf(columns) });

/** The bytes of an Arrow IPC file (not a stream) with these rows. */
export function pairsFile(rows: readonly PairRow[]): Uint8Array {
  return tableToIPC(new Table([toBatch(PAIRS, rows)]), 'file');
}
