import { PlumblineError } from '../errors.js';
import { openAppender } from './appender.js';
import type { FileOps } from './files.js';
import type { Journal } from './journal.js';
import type { Manifest } from './manifest.js';
import type { RunStreams } from './streams.js';
import type { DerivedRow, Reading, VectorRow } from './types.js';
import { createCoverage, wantsVectors } from './vectors.js';

/**
 * Appends to a run. Each call is one record batch, on the device with its journal line when the call returns. After an
 * error the run holds what it held before the call, and every later call gives the same error. Errors: IO; USAGE for a
 * value that its column cannot hold (nothing is written then).
 */
export interface RunWriter {
  readonly dir: string;
  /**
   * The activations of evaluations whose readings come next. In a run that keeps vectors, the vectors of an evaluation
   * are written before its reading, so that no interruption leaves a reading without them; vectors that were left
   * without their reading are superseded when a resumed run makes them again. Errors: also USAGE in a run whose manifest
   * plans none.
   */
  readonly appendActivations: (rows: readonly VectorRow[]) => void;
  /** The projections on the control directions, as {@link RunWriter.appendActivations}. */
  readonly appendControls: (rows: readonly VectorRow[]) => void;
  /**
   * No rows: nothing is written. Errors: also USAGE for the reading of an evaluated prompt without an error, one of
   * whose planned vectors this writer has not written.
   */
  readonly appendReadings: (rows: readonly Reading[]) => void;
  readonly appendDerived: (rows: readonly DerivedRow[]) => void;
  /** Ends all streams: everything that this process had to write is there. Rows with errors may remain. */
  readonly finish: () => void;
  /** Closes the files and gives the lock back; the run can be resumed. Safe to call twice. */
  readonly close: () => void;
}

/** Opens the run of a judge for writing, as {@link openAppender} does. Errors: IO. */
export function openWriter(
  files: FileOps,
  dir: string,
  streams: RunStreams,
  journal: Journal,
  release: () => void,
): RunWriter {
  const { ready, append, finish, close } = openAppender(files, dir, streams.all, journal, release);
  /** Vectors of this process whose readings have not come yet. */
  const waiting = createCoverage(streams.vectors);
  const appendVectors = (name: keyof Manifest['vectors'], rows: readonly VectorRow[]): void => {
    const format = streams[name];
    if (format === null) {
      throw new PlumblineError('USAGE', `${dir} keeps no ${name}: its manifest plans none (vectors.${name})`);
    }
    append(format, rows);
    for (const row of rows) waiting.add(format, row);
  };
  return {
    dir,
    appendActivations: rows => appendVectors('activations', rows),
    appendControls: rows => appendVectors('controls', rows),
    appendReadings: rows => {
      ready();
      for (const reading of rows.filter(wantsVectors)) {
        const missing = waiting.missing(reading.key);
        if (missing !== null) {
          throw new PlumblineError(
            'USAGE',
            `${dir}: the reading ${reading.key} comes before its vectors: ${missing}`,
          );
        }
      }
      append(streams.readings, rows);
      for (const { key } of rows) waiting.forget(key);
    },
    appendDerived: rows => append(streams.derived, rows),
    finish,
    close,
  };
}
