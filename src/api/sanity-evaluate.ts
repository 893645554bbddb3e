import type { PlannedRow } from '../audit/plan.js';
import { evaluatedReading, failedReading, unjudgedReading } from '../audit/readings.js';
import { type ErrorCode, PlumblineError } from '../errors.js';
import type { Manifest } from '../run/manifest.js';
import type { Reading } from '../run/types.js';
import { openDirection } from './direction.js';
import { type JudgeEvents, openJudge, readyJudge } from './judge.js';
import type { AuditOptions } from './options.js';

export interface EvaluateBaselines {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly options: AuditOptions;
  /** true: the file must be the model of the run; false: it is a copy with other weights. */
  readonly own: boolean;
  onRow(): void;
}

/**
 * Readings of rows by a model, with the profile, direction, processes and threads of a run; nothing is written. Throws
 * RUN_MISMATCH when the model should be that of the run and is not, INTERRUPTED, and what opening a judge throws.
 */
export async function evaluateBaselines(
  path: string,
  rows: readonly PlannedRow[],
  { dir, manifest, options, own, onRow }: EvaluateBaselines,
  { signal, onLoad }: JudgeEvents,
): Promise<readonly Reading[]> {
  const { profile, engine, seed } = options;
  const events = { onStage() {}, onLoad, ...(signal === undefined ? {} : { signal }) };
  const opened = await openJudge(path, rows, profile, engine, events);
  try {
    if (own && opened.sha256 !== manifest.model?.sha256) {
      throw new PlumblineError(
        'RUN_MISMATCH',
        `${path} is not the model that ${dir} was made with: its SHA-256 is ${opened.sha256}, the run has ${manifest.model?.sha256}. Restore that file.`,
      );
    }
    const direction =
      options.direction === null
        ? null
        : await openDirection({ ...options.direction, force: true }, opened, seed);
    const judge = await readyJudge(opened, engine, events, {
      split: { workers: manifest.workers, threads: manifest.threads },
      taps: direction?.taps ?? [],
      stopAtTaps: options.icsOnly,
    });
    const rowOf = (id: number): PlannedRow => rows[id] as PlannedRow;
    const factsOf = (id: number) => {
      const facts = judge.facts.get(id);
      if (facts === undefined) throw new Error(`row ${id} has no prompt`);
      return facts;
    };
    const readings: Reading[] = [];
    const land = (reading: Reading): void => {
      readings.push(reading);
      onRow();
    };
    for (const id of judge.tooLong.keys())
      land(failedReading(rowOf(id), profile, factsOf(id), 'PROMPT_TOO_LONG'));
    await judge.pool.run(judge.plan.jobs, {
      onOutcome(outcome) {
        const { id } = outcome;
        const reading = options.icsOnly
          ? unjudgedReading(rowOf(id), profile, factsOf(id))
          : evaluatedReading(rowOf(id), profile, factsOf(id), outcome);
        land({ ...reading, ...direction?.columns(outcome) });
      },
      onFailure(id, error) {
        land(failedReading(rowOf(id), profile, factsOf(id), error.code as ErrorCode));
      },
    });
    if (signal?.aborted) throw new PlumblineError('INTERRUPTED', 'Stopped.');
    return readings;
  } finally {
    await opened.pool.dispose();
  }
}
