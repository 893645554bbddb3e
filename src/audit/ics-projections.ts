import type { Label } from '../corpus/types.js';
import type { Condition } from '../perturb/types.js';
import type { Reading, VectorRow } from '../run/types.js';
import { isAltering, type Sample } from './analyze-samples.js';

/** What is kept of a run's projections, block by block. */
export interface Projections {
  /** Blocks, ascending. */
  readonly layers: readonly number[];
  /** Random control directions beside the direction. */
  readonly controls: number;
  /** Value 0 is the projection on the direction, the others are those on the controls; null = none is there. */
  readonly at: (layer: number, key: string) => Float32Array | null;
}

/** One column of floats per block: a run has many more vectors than can be kept one by one. */
export function collectProjections(
  vectors: Iterable<VectorRow>,
  plan: { readonly layers: readonly number[]; readonly width: number },
  keys: Iterable<string>,
): Projections {
  const { layers, width } = plan;
  const rows = new Map<string, number>();
  for (const key of keys) rows.set(key, rows.size);
  const columns = new Map(layers.map(layer => [layer, new Float32Array(rows.size * width).fill(Number.NaN)]));
  for (const { key, layer, values } of vectors) {
    const row = rows.get(key);
    // A vector without a reading is what an interruption left.
    if (row !== undefined) columns.get(layer)?.set(values, row * width);
  }
  return {
    layers: [...layers].sort((a, b) => a - b),
    controls: width - 1,
    at(layer, key) {
      const row = rows.get(key);
      const column = columns.get(layer);
      if (row === undefined || column === undefined || Number.isNaN(column[row * width])) return null;
      return column.subarray(row * width, (row + 1) * width);
    },
  };
}

/** How far one sample moved from its baseline under one condition. */
export interface Shift {
  readonly condition: Exclude<Condition, 'baseline'>;
  /** false: an altering condition that left the shown text as it was. */
  readonly visible: boolean;
  /** |ICS(baseline) − ICS(condition)|. */
  readonly delta: number;
  /** Mean over the control directions of the same distance; null without controls. */
  readonly control: number | null;
}

/** One sample at one block. */
export interface ProjectedSample {
  readonly id: string;
  readonly domain: string;
  readonly label: Label;
  readonly baseline: Reading;
  readonly ics: number;
  /** Mean over the control directions of |projection at baseline|; null without controls. */
  readonly control: number | null;
  readonly shifts: readonly Shift[];
}

/** ICS of a row, and its projections on the controls; null = it has none. */
export type Look = (row: Reading) => { readonly ics: number; readonly controls: ArrayLike<number> } | null;

/** The anchor block: ICS as the readings have it, in double precision. */
export function anchorLook(projections: Projections | null, anchor: number | null): Look {
  return row => {
    if (row.ics === null) return null;
    const values = anchor === null ? null : (projections?.at(anchor, row.key) ?? null);
    return { ics: row.ics, controls: values?.subarray(1) ?? [] };
  };
}

/** Any other block, from the stream of projections. */
export function blockLook(projections: Projections, layer: number): Look {
  return ({ key }) => {
    const values = projections.at(layer, key);
    return values === null ? null : { ics: values[0] as number, controls: values.subarray(1) };
  };
}

/** The samples that have ICS at baseline, with their shifts, in the order given. */
export function projectSamples(samples: readonly Sample[], look: Look): readonly ProjectedSample[] {
  const seen = (row: Reading | undefined): ReturnType<Look> =>
    row?.applicable && row.errorCode === null ? look(row) : null;
  return samples.flatMap(({ id, domain, label, rows }) => {
    const baseline = rows.get('baseline');
    const before = seen(baseline);
    if (!baseline || before === null) return [];
    const shifts: Shift[] = [];
    for (const [condition, row] of rows) {
      const after = condition === 'baseline' ? null : seen(row);
      if (condition === 'baseline' || after === null) continue;
      shifts.push({
        condition,
        visible: row.visible || !isAltering(condition),
        delta: Math.abs(before.ics - after.ics),
        control: meanOver(before.controls, (value, i) => Math.abs(value - (after.controls[i] ?? Number.NaN))),
      });
    }
    const control = meanOver(before.controls, Math.abs);
    return [{ id, domain, label, baseline, ics: before.ics, control, shifts }];
  });
}

function meanOver(values: ArrayLike<number>, of: (value: number, i: number) => number): number | null {
  if (values.length === 0) return null;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += of(values[i] as number, i);
  return sum / values.length;
}
