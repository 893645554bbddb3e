import { CONDITIONS } from '../../src/perturb/types.js';
import { createRun } from '../../src/run/directory.js';
import type { FileOps } from '../../src/run/files.js';
import { readDerived, readReadings } from '../../src/run/reader.js';
import { openForResume } from '../../src/run/resume.js';
import { derivedKey } from '../../src/run/schema.js';
import type { RunWriter } from '../../src/run/writer.js';
import { derivedRow, LOCAL, manifest, range, reading } from '../run/rows.js';

/** Does what an audit does: all rows of a sample, then its derived row; what is done already is left out. */
export function writeRest(
  writer: RunWriter,
  samples: number,
  done: ReadonlySet<string>,
  derivedDone: ReadonlySet<string>,
): void {
  for (const i of range(samples)) {
    const rows = range(CONDITIONS.length, i * CONDITIONS.length).map(k => reading(k));
    writer.appendReadings(rows.filter(row => !done.has(row.key)));
    if (!derivedDone.has(derivedKey(derivedRow(i)))) writer.appendDerived([derivedRow(i)]);
  }
  writer.finish();
}

export function startRun(dir: string, samples: number, files?: FileOps): void {
  const writer = createRun(dir, manifest(samples), LOCAL, files);
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
  return [...readReadings(dir), ...readDerived(dir)].map(row => JSON.stringify(row)).sort();
}

/** The rows that are there are rows of the plan, as planned. */
export function expectedRows(samples: number): readonly string[] {
  const readings = range(samples * CONDITIONS.length).map(i => reading(i));
  return [...readings, ...range(samples).map(derivedRow)].map(row => JSON.stringify(row)).sort();
}
