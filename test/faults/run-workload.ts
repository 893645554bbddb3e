import { CONDITIONS } from '../../src/perturb/types.js';
import { createRun } from '../../src/run/directory.js';
import type { FileOps } from '../../src/run/files.js';
import { readActivations, readControls, readDerived, readReadings } from '../../src/run/reader.js';
import { openForResume } from '../../src/run/resume.js';
import { derivedKey } from '../../src/run/schema.js';
import type { VectorRow } from '../../src/run/types.js';
import type { RunWriter } from '../../src/run/writer.js';
import {
  appendMeasured,
  derivedRow,
  LOCAL,
  manifest,
  range,
  reading,
  VECTORS,
  vectorRows,
} from '../run/rows.js';

/**
 * Does what an audit that keeps vectors does: the vectors of a sample, its readings, then its derived row; what is done
 * already is left out.
 */
export function writeRest(
  writer: RunWriter,
  samples: number,
  done: ReadonlySet<string>,
  derivedDone: ReadonlySet<string>,
): void {
  for (const i of range(samples)) {
    const rows = range(CONDITIONS.length, i * CONDITIONS.length).map(k => reading(k));
    appendMeasured(
      writer,
      rows.filter(row => !done.has(row.key)),
    );
    if (!derivedDone.has(derivedKey(derivedRow(i)))) writer.appendDerived([derivedRow(i)]);
  }
  writer.finish();
}

export function startRun(dir: string, samples: number, files?: FileOps): void {
  const writer = createRun(dir, manifest(samples, VECTORS), LOCAL, files);
  try {
    writeRest(writer, samples, new Set(), new Set());
  } finally {
    writer.close();
  }
}

export function resumeRun(dir: string, samples: number, files?: FileOps): void {
  const run = openForResume(dir, files);
  try {
    if (run.complete) return;
    const writer = run.openWriter();
    try {
      writeRest(writer, samples, run.done, run.derivedDone);
    } finally {
      writer.close();
    }
  } finally {
    run.close();
  }
}

/** All rows of a run, sorted: what two runs of one plan have in common whatever happened to them. */
export function sortedRows(dir: string): readonly string[] {
  const rows = [...readReadings(dir), ...readDerived(dir)].map(row => JSON.stringify(row));
  return [...rows, ...[...readActivations(dir), ...readControls(dir)].map(vectorText)].sort();
}

/** To the bit: JSON has no NaN and no minus zero. */
function vectorText({ key, layer, values }: VectorRow): string {
  return `${key} ${layer} ${Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex')}`;
}

/** The rows that a whole run has. */
export function expectedRows(samples: number): readonly string[] {
  const readings = range(samples * CONDITIONS.length).map(i => reading(i));
  const rows = [...readings, ...range(samples).map(derivedRow)].map(row => JSON.stringify(row));
  const vectors = [
    ...vectorRows(VECTORS.activations, readings),
    ...vectorRows(VECTORS.controls, readings),
  ].map(vectorText);
  return [...rows, ...vectors].sort();
}
