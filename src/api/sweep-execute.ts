import type { PromptFacts } from '../audit/readings.js';
import {
  difference,
  failedSweptReading,
  type SweepRow,
  sweepKey,
  sweptReading,
} from '../audit/sweep-readings.js';
import type { Counters, EvalOutcome } from '../engine/types.js';
import { type ErrorCode, PlumblineError } from '../errors.js';
import type { Reading } from '../run/types.js';
import type { RunWriter } from '../run/writer.js';
import { addStretch } from './measured.js';
import { createSink, type Sink } from './sink.js';
import type { ReadySweep, SweepEvents, SweepResult } from './sweep.js';
import { isIdentity, jobsLeft } from './sweep-plan.js';

export interface SweepExecution extends ReadySweep {
  readonly writer: RunWriter;
  /** Rows of earlier sessions of this run. */
  readonly earlier: readonly Reading[];
  /** Keys of derived rows that are written already. */
  readonly derivedDone: ReadonlySet<string>;
  readonly dir: string;
}

/** Evaluates what of a sweep is not done yet, and writes it. */
export async function executeSweep(execution: SweepExecution, events: SweepEvents): Promise<SweepResult> {
  const { prepared, judge, plan, writer, earlier, dir } = execution;
  const began = performance.now();
  try {
    const total = plan.rows.length;
    const sink = createSink({
      writer,
      // Only the unsteered rows make derived ones.
      rows: prepared.rows,
      earlier,
      earlierProjections: [],
      derivedDone: execution.derivedDone,
      direction: null,
      onRow: done => events.onRow(done, total),
    });
    const landed = new Map(
      earlier.filter(reading => reading.errorCode === null).map(reading => [reading.key, reading]),
    );
    for (const [id, row] of plan.rows.entries()) {
      const base = Math.floor(id / plan.family);
      if (!judge.tooLong.has(base) || landed.has(sweepKey(row))) continue;
      const facts = judge.facts.get(base) ?? null;
      sink.land(failedSweptReading(row, prepared.options.profile, facts, 'PROMPT_TOO_LONG'));
    }
    const counters = await evaluate(execution, landed, sink, events);
    sink.flush();
    const interrupted = events.signal?.aborted ?? false;
    if (!interrupted) writer.finish();
    const seconds = (performance.now() - began) / 1000;
    if (!interrupted) {
      const rowsBefore = new Set(earlier.map(reading => reading.key)).size;
      addStretch(dir, factsOf(execution), { counters, seconds, rowsBefore, rowsAfter: sink.rows() });
    }
    return {
      dir,
      rows: total,
      errors: sink.errors(),
      interrupted,
      alreadyComplete: false,
      exactness: judge.exactness,
      counters,
      seconds,
    };
  } finally {
    writer.close();
  }
}

async function evaluate(
  { prepared, judge, plan, dir }: SweepExecution,
  landed: ReadonlyMap<string, Reading>,
  sink: Sink,
  events: SweepEvents,
): Promise<Counters> {
  const { profile } = prepared.options;
  const rowOf = (id: number) => plan.rows[id] as SweepRow;
  const batchOf = new Map(
    plan.jobs.jobs.flatMap((job, batch) => job.evals.map(item => [item.id, batch] as const)),
  );
  const factsOf = (id: number): PromptFacts => {
    const facts = judge.facts.get(Math.floor(id / plan.family));
    if (facts === undefined) throw new Error(`row ${id} has no prompt`);
    return { ...facts, batchId: batchOf.get(id) ?? -1 };
  };
  /** Unsteered readings of this session, by row, as long as their families are being evaluated. */
  const unsteered = new Map<number, Reading>();

  function check(id: number, reading: Reading): void {
    const row = rowOf(id);
    const exact = judge.exactness.kind === 'exact';
    if (row.step === null) {
      const before = landed.get(reading.key);
      unsteered.set(id, before ?? reading);
      const differs = before === undefined || !exact ? null : difference(before, reading);
      if (differs !== null) {
        throw new PlumblineError(
          'DECODE',
          `${reading.key}: evaluated again it differs (${differs}) in a run that was proven exact; nothing of ${dir} ` +
            'can be compared any more. Run `plumbline doctor`, and start a new run.',
        );
      }
      return;
    }
    const base = unsteered.get(id - (id % plan.family));
    const differs = !exact || !isIdentity(row.step) || base === undefined ? null : difference(base, reading);
    if (differs !== null) {
      throw new PlumblineError(
        'DECODE',
        `${reading.key}: steering by alpha 0 is not the unsteered evaluation (${differs}); no figure of this sweep ` +
          'could be trusted. Run `plumbline doctor`, and try --schedule single.',
      );
    }
  }

  function land(id: number, outcome: EvalOutcome): void {
    const row = rowOf(id);
    const reading = sweptReading(row, profile, factsOf(id), outcome);
    check(id, reading);
    // The unsteered evaluation of a resumed family is there already; it was needed as the reference.
    if (landed.has(reading.key)) return;
    // After a crash evaluations are tried one by one, away from their reference; a resumed run has both again.
    if (row.step !== null && outcome.kl === null)
      sink.land(failedSweptReading(row, profile, factsOf(id), 'ENGINE_CRASH'));
    else sink.land(reading);
  }

  const jobs = jobsLeft(plan, row => landed.has(sweepKey(row)));
  return judge.pool.run(jobs, {
    onOutcome: outcome => land(outcome.id, outcome),
    onFailure: (id, error) => {
      const row = rowOf(id);
      if (landed.has(sweepKey(row))) return;
      events.onStage(`${sweepKey(row)}: ${error.message}`);
      sink.land(failedSweptReading(row, profile, factsOf(id), error.code as ErrorCode));
    },
  });
}

/** What the plan and the engine of a sweep are, beside what it counted. */
function factsOf({ judge, plan, cost }: SweepExecution): object {
  return {
    cost,
    nodes: plan.jobs.nodes,
    sequenceTokens: plan.jobs.sequenceTokens,
    sharedPrefixes: plan.jobs.sharedPrefixes,
    jobs: plan.jobs.jobs.length,
    lanes: judge.sizing.lanes,
    parks: judge.sizing.parks,
    cells: judge.sizing.cells,
    kvBytes: judge.sizing.kvBytes,
    split: judge.split,
  };
}
