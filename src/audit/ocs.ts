import type { Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { ALTERING, type Condition } from '../perturb/types.js';
import type { DerivedRow, Reading } from '../run/types.js';

/** Which of the two verdicts of a reading is meant. */
export type Reader = DerivedRow['reader'];
export const READERS = ['text', 'logit'] as const satisfies readonly Reader[];

/** What a row is, for one reader: the four kinds cover all rows and exclude each other. */
export type RowState = 'verdict' | 'null' | 'not-applicable' | 'error';

/** Verdict of one reader; null for a row without one, whatever the cause. */
export function verdictOf(reading: Reading, reader: Reader): Label | null {
  if (!reading.applicable || reading.errorCode !== null) return null;
  return reader === 'text' ? reading.verdictText : reading.verdictLogit;
}

export function rowState(reading: Reading, reader: Reader): RowState {
  if (!reading.applicable) return 'not-applicable';
  if (reading.errorCode !== null) return 'error';
  return verdictOf(reading, reader) === null ? 'null' : 'verdict';
}

/** The unsteered readings of one sample. */
export type SampleReadings = ReadonlyMap<Condition, Reading>;

/**
 * Groups the readings of one sample by condition. A later row replaces an earlier one that failed (a resumed run tries
 * failed rows again). Throws RUN_DAMAGED for two good rows of one condition, USAGE for rows of two samples or for
 * steered rows.
 */
export function byCondition(readings: readonly Reading[]): SampleReadings {
  const rows = new Map<Condition, Reading>();
  for (const reading of readings) {
    const first = readings[0];
    if (first && first.sampleId !== reading.sampleId) {
      throw new PlumblineError(
        'USAGE',
        `readings of two samples (${first.sampleId}, ${reading.sampleId}) where one was expected`,
      );
    }
    if (reading.alpha !== null) {
      throw new PlumblineError('USAGE', `${reading.key} is steered: OCS is made of unsteered readings`);
    }
    const known = rows.get(reading.condition);
    if (known && known.errorCode === null) {
      if (reading.errorCode !== null) continue;
      throw new PlumblineError(
        'RUN_DAMAGED',
        `two readings of ${reading.key}: one was expected; verify the run`,
      );
    }
    rows.set(reading.condition, reading);
  }
  return rows;
}

/** 1 = the verdict under the condition differs from baseline, 0 = it does not, null = one of the two is missing. */
export function flipOf(rows: SampleReadings, condition: Condition, reader: Reader): Label | null {
  const baseline = rows.get('baseline');
  const altered = rows.get(condition);
  if (!baseline || !altered) return null;
  const before = verdictOf(baseline, reader);
  const after = verdictOf(altered, reader);
  if (before === null || after === null) return null;
  return before === after ? 0 : 1;
}

/** Difference (condition minus baseline) of a number that both rows have; null otherwise. */
function differenceOf(
  rows: SampleReadings,
  condition: Condition,
  value: (reading: Reading) => number | null,
): number | null {
  const before = usable(rows.get('baseline'));
  const after = usable(rows.get(condition));
  const from = before && value(before);
  const to = after && value(after);
  return from === null || to === null ? null : to - from;
}

function usable(reading: Reading | undefined): Reading | null {
  return reading?.applicable && reading.errorCode === null ? reading : null;
}

/** Margin under the condition minus baseline margin, in nats; null when one is missing. */
export function marginShiftOf(rows: SampleReadings, condition: Condition): number | null {
  return differenceOf(rows, condition, reading => reading.margin);
}

/** Distance of ICS under the condition from baseline ICS; null when one is missing. */
export function icsDeltaOf(rows: SampleReadings, condition: Condition): number | null {
  const difference = differenceOf(rows, condition, reading => reading.ics);
  return difference === null ? null : Math.abs(difference);
}

/**
 * Sensitivity group of a sample, from its flips under the altering conditions that apply to it:
 * HIGH = at least two flips; LOW = no flip under any; neither = exactly one flip; null = a missing verdict leaves it open
 * (one that cannot change the answer does not), or no altering condition applies.
 */
export function groupOf(flips: readonly (Label | null)[]): DerivedRow['group'] {
  if (flips.length === 0) return null;
  const changed = flips.filter(flip => flip === 1).length;
  if (changed >= 2) return 'HIGH';
  if (flips.includes(null)) return null;
  return changed === 0 ? 'LOW' : 'neither';
}

/**
 * The derived row of one sample. OCS = mean flip over its applicable altering conditions that have both verdicts; the
 * placebo never counts. Throws USAGE without readings, and as {@link byCondition} does.
 */
export function deriveSample(readings: readonly Reading[], reader: Reader): DerivedRow {
  const rows = byCondition(readings);
  const [any] = rows.values();
  if (!any) throw new PlumblineError('USAGE', 'a derived row of no readings: at least one was expected');
  const baseline = rows.get('baseline');
  const flip = (condition: Condition): Label | null => flipOf(rows, condition, reader);
  const shift = (condition: Condition): number | null => marginShiftOf(rows, condition);
  const icsDelta = (condition: Condition): number | null => icsDeltaOf(rows, condition);
  const flips = ALTERING.filter(condition => rows.get(condition)?.applicable).map(flip);
  const known = flips.filter(value => value !== null);
  return {
    sampleId: any.sampleId,
    domain: any.domain,
    label: any.label,
    reader,
    baselineVerdict: baseline ? verdictOf(baseline, reader) : null,
    flipDelete: flip('delete'),
    flipSwap: flip('swap'),
    flipNegate: flip('negate'),
    flipPlacebo: flip('placebo'),
    shiftDelete: shift('delete'),
    shiftSwap: shift('swap'),
    shiftNegate: shift('negate'),
    shiftPlacebo: shift('placebo'),
    icsDeltaDelete: icsDelta('delete'),
    icsDeltaSwap: icsDelta('swap'),
    icsDeltaNegate: icsDelta('negate'),
    icsDeltaPlacebo: icsDelta('placebo'),
    icsControlDelete: null,
    icsControlSwap: null,
    icsControlNegate: null,
    icsControlPlacebo: null,
    ocs: known.length === 0 ? null : known.reduce<number>((sum, value) => sum + value, 0) / known.length,
    group: groupOf(flips),
  };
}

/** Takes readings as they land, gives a sample's derived row when its last planned reading is there. */
export interface Deriver {
  /** The derived row that this reading completes, else null. Steered readings are let pass. */
  readonly add: (reading: Reading) => DerivedRow | null;
  /** Samples with some, but not all, of their planned readings. */
  readonly unfinished: () => number;
}

/**
 * A streaming deriver. `expected` names the unsteered conditions planned for each sample (a condition that turns out not
 * to apply lands as a row all the same). A failed reading counts as landed; when the same reading succeeds later, the
 * sample's row is given again and replaces the one before. Only samples in flight, or with a failed reading, are held.
 *
 * Throws RUN_MISMATCH for a reading that was not planned, RUN_DAMAGED for one that lands twice.
 */
export function createDeriver(expected: ReadonlyMap<string, readonly Condition[]>, reader: Reader): Deriver {
  const held = new Map<string, Map<Condition, Reading>>();
  const done = new Set<string>();
  return {
    add: reading => {
      if (reading.alpha !== null) return null;
      const { sampleId, condition, key } = reading;
      const planned = expected.get(sampleId);
      if (!planned?.includes(condition)) {
        throw new PlumblineError(
          'RUN_MISMATCH',
          `reading ${key} was not planned: the plan and the rows are of different runs`,
        );
      }
      const rows = held.get(sampleId) ?? new Map<Condition, Reading>();
      const known = rows.get(condition);
      if (done.has(sampleId) || (known && known.errorCode === null)) {
        throw new PlumblineError(
          'RUN_DAMAGED',
          `reading ${key} landed twice: one was expected; verify the run`,
        );
      }
      rows.set(condition, reading);
      held.set(sampleId, rows);
      if (rows.size < planned.length) return null;
      const readings = [...rows.values()];
      if (readings.every(row => row.errorCode === null)) {
        held.delete(sampleId);
        done.add(sampleId);
      }
      return deriveSample(readings, reader);
    },
    unfinished: () =>
      [...held].filter(([sampleId, rows]) => rows.size < (expected.get(sampleId)?.length ?? 0)).length,
  };
}
