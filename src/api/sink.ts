import { createDeriver, READERS } from '../audit/ocs.js';
import type { PlannedRow } from '../audit/plan.js';
import { readingKey } from '../audit/plan.js';
import type { EvalOutcome } from '../engine/types.js';
import { ALTERING, type Condition } from '../perturb/types.js';
import { isRetried } from '../run/retry.js';
import { derivedKey } from '../run/schema.js';
import type { DerivedRow, Reading, VectorRow } from '../run/types.js';
import type { RunWriter } from '../run/writer.js';
import type { OpenDirection } from './direction.js';

/** Rows that are written together at most, and how long the first of them waits at most. */
const FLUSH_ROWS = 256;
const FLUSH_MS = 1000;

export interface SinkOptions {
  readonly writer: RunWriter;
  /** All rows of the run. */
  readonly rows: readonly PlannedRow[];
  /** Rows of earlier sessions of this run, with their projections. */
  readonly earlier: readonly Reading[];
  readonly earlierProjections: Iterable<VectorRow>;
  /** Keys of derived rows that are written already. */
  readonly derivedDone: ReadonlySet<string>;
  readonly direction: OpenDirection | null;
  onRow(done: number, total: number): void;
}

export interface Sink {
  /** `outcome` is given for an evaluated row: what the direction reads of it is added. */
  land(reading: Reading, outcome?: EvalOutcome): void;
  flush(): void;
  errors(): number;
  /** Rows of the run that are there, a row that was tried again counting once. */
  rows(): number;
}

/** Takes readings as they land; writes them in batches, and each sample's derived rows as soon as it is complete. */
export function createSink(options: SinkOptions): Sink {
  const { writer, rows, earlier, derivedDone, direction } = options;
  const expected = new Map<string, Condition[]>();
  for (const row of rows) {
    const conditions = expected.get(row.item.id) ?? [];
    expected.set(row.item.id, conditions);
    conditions.push(row.condition);
  }
  const derivers = READERS.map(reader => createDeriver(expected, reader));
  /** By key: the projections at the anchor block, for the control shifts of the derived rows. */
  const projections = new Map<string, Float32Array>();
  let waiting: Reading[] = [];
  let vectors: VectorRow[] = [];
  let activations: VectorRow[] = [];
  let firstWaits = 0;
  let errors = 0;
  const keys = new Set(earlier.map(reading => reading.key));
  const keep = (row: VectorRow): void => {
    if (row.layer === direction?.anchor) projections.set(row.key, row.values);
  };
  const derive = (readings: readonly Reading[]): DerivedRow[] =>
    readings
      .flatMap(reading => derivers.map(deriver => deriver.add(reading)))
      .filter(row => row !== null)
      .map(row => ({ ...row, ...controlShifts(row.sampleId, projections) }));
  const flush = (): void => {
    // Vectors first: a reading that is there has its vectors.
    if (direction !== null) {
      writer.appendControls(vectors);
      if (activations.length > 0) writer.appendActivations(activations);
    }
    writer.appendReadings(waiting);
    writer.appendDerived(derive(waiting));
    waiting = [];
    vectors = [];
    activations = [];
  };
  for (const row of options.earlierProjections) keep(row);
  // A crash between a sample's last reading and its derived rows left these out.
  writer.appendDerived(derive(earlier).filter(row => !derivedDone.has(derivedKey(row))));
  let landed = earlier.filter(reading => !isRetried(reading.errorCode)).length;
  return {
    land(reading, outcome) {
      if (waiting.length === 0) firstWaits = performance.now();
      if (direction === null || outcome === undefined) waiting.push(reading);
      else {
        waiting.push({ ...reading, ...direction.columns(outcome) });
        const own = direction.projections(reading.key, outcome);
        for (const row of own) keep(row);
        vectors.push(...own);
        activations.push(...direction.activations(reading.key, outcome));
      }
      landed++;
      keys.add(reading.key);
      if (reading.errorCode !== null) errors++;
      options.onRow(landed, rows.length);
      if (waiting.length >= FLUSH_ROWS || performance.now() - firstWaits >= FLUSH_MS) flush();
    },
    flush,
    errors: () => errors,
    rows: () => keys.size,
  };
}

const SHIFT_COLUMNS = {
  delete: 'icsControlDelete',
  swap: 'icsControlSwap',
  negate: 'icsControlNegate',
  placebo: 'icsControlPlacebo',
} as const satisfies Record<Exclude<Condition, 'baseline'>, keyof DerivedRow>;

/** Mean absolute shift along the control directions, per condition; null where a side has no projections. */
function controlShifts(
  sampleId: string,
  projections: ReadonlyMap<string, Float32Array>,
): Pick<DerivedRow, (typeof SHIFT_COLUMNS)[keyof typeof SHIFT_COLUMNS]> {
  const baseline = projections.get(readingKey(sampleId, 'baseline'));
  const shift = (condition: Condition): number | null => {
    const altered = projections.get(readingKey(sampleId, condition));
    if (baseline === undefined || altered === undefined || baseline.length < 2) return null;
    let sum = 0;
    // Value 0 is the direction itself.
    for (let i = 1; i < baseline.length; i++)
      sum += Math.abs((altered[i] as number) - (baseline[i] as number));
    return sum / (baseline.length - 1);
  };
  const names = [...ALTERING, 'placebo'] as const;
  return Object.fromEntries(names.map(name => [SHIFT_COLUMNS[name], shift(name)])) as ReturnType<
    typeof controlShifts
  >;
}
