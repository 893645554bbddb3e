import { join } from 'node:path';
import { z } from 'zod';
import { addCounters, type Counters } from '../engine/types.js';
import { nodeFiles, readWhole, writeAtomically } from '../run/files.js';

/** Counts and times of a run, apart from its rows: two equal runs give equal rows, never equal times. */
export const MEASURED_FILE = 'facts.json';

/** What one stretch of a run did that came to its end: from the start, or from a resume. */
export interface Stretch {
  readonly counters: Counters;
  readonly seconds: number;
  /** Rows that were there when it began, and when it ended. */
  readonly rowsBefore: number;
  readonly rowsAfter: number;
}

const count = z.number();
const known = z.object({
  counters: z.object({
    tokens: count,
    prompt: count,
    label: count,
    generation: count,
    padding: count,
    decodes: count,
    copies: count,
    decodeMs: count,
    cpuMs: count,
  }),
  seconds: z.number(),
  stretches: z.int(),
  rowsCounted: z.int(),
  rowsUncounted: z.int(),
});

/**
 * Adds a stretch to what earlier stretches of the run counted, and writes the file with `facts` of the run beside. An
 * engine process counts when it ends its work, so a stretch that was interrupted or killed counted nothing: its rows are
 * `rowsUncounted`, and the sums are without them. Errors: IO.
 */
export function addStretch(
  dir: string,
  facts: object,
  { counters, seconds, rowsBefore, rowsAfter }: Stretch,
): void {
  const before = earlier(dir);
  const sum = before === null ? counters : addCounters(before.counters, counters);
  const time = (before?.seconds ?? 0) + seconds;
  const seen = (before?.rowsCounted ?? 0) + (before?.rowsUncounted ?? 0);
  const value = {
    counters: sum,
    ...facts,
    seconds: time,
    tokensPerSecond: sum.tokens / time,
    stretches: (before?.stretches ?? 0) + 1,
    rowsCounted: (before?.rowsCounted ?? 0) + rowsAfter - rowsBefore,
    rowsUncounted: (before?.rowsUncounted ?? 0) + Math.max(0, rowsBefore - seen),
  };
  writeAtomically(nodeFiles, join(dir, MEASURED_FILE), Buffer.from(`${JSON.stringify(value, null, 2)}\n`));
}

/** Nothing depends on this file, so one that cannot be understood counts as none. */
function earlier(dir: string): z.infer<typeof known> | null {
  const bytes = readWhole(nodeFiles, join(dir, MEASURED_FILE));
  if (bytes === null) return null;
  try {
    return known.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return null;
  }
}
