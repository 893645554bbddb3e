import { type LexicalReading, lexicalFloor } from '../audit/lexical.js';
import {
  evaluatedReading,
  failedReading,
  lexicalReading,
  notApplicableReading,
  unjudgedReading,
} from '../audit/readings.js';
import type { Counters } from '../engine/types.js';
import { type ErrorCode, PlumblineError } from '../errors.js';
import { createRun, requireVacant } from '../run/directory.js';
import { diffManifest } from '../run/manifest.js';
import { readControls, readReadings } from '../run/reader.js';
import { openForResume } from '../run/resume.js';
import { isRetried } from '../run/retry.js';
import type { Exactness, Reading, VectorRow } from '../run/types.js';
import type { RunWriter } from '../run/writer.js';
import { unlessAborted } from './aborted.js';
import { requireSame, runAgainst } from './against.js';
import { keepDirection, type OpenDirection, openDirection } from './direction.js';
import { type JudgeEvents, openJudge, type ReadyJudge, readyJudge } from './judge.js';
import { localOf, manifestOf, optionsOf } from './manifest.js';
import { addStretch } from './measured.js';
import type { AuditOptions } from './options.js';
import { type PreparedAudit, prepareAudit } from './prepare.js';
import { createSink, type Sink } from './sink.js';

/** When `signal` aborts, what has landed is written, and the run can be resumed. */
export interface AuditEvents extends JudgeEvents {
  /** Called whenever a row has landed. */
  onRow(done: number, total: number): void;
  /** What was chosen, before the first evaluation; null for a subject without a model. */
  onReady(prepared: PreparedAudit, judge: ReadyJudge | null): void;
}

export interface AuditResult {
  readonly dir: string;
  readonly rows: number;
  /** Rows that failed, those among them that no resume can mend too. */
  readonly errors: number;
  /** Prompts that do not fit; rows with PROMPT_TOO_LONG. */
  readonly tooLong: number;
  readonly interrupted: boolean;
  /** true: a resumed run had nothing left to do. */
  readonly alreadyComplete: boolean;
  readonly exactness: Exactness | null;
  readonly counters: Counters | null;
  readonly nodes: number | null;
  readonly seconds: number;
}

/**
 * Runs an audit into a new run directory. Throws what the stages throw; a row that fails is a row with an error code,
 * not an error.
 */
export async function audit(
  options: AuditOptions,
  dir: string,
  argv: readonly string[],
  events: AuditEvents,
): Promise<AuditResult> {
  requireVacant(dir);
  const prepared = await prepareAudit(options);
  return withJudge(prepared, null, events, (judge, direction) => {
    const manifest = manifestOf(prepared, judge, direction, argv);
    const writer = createRun(dir, manifest, localOf(options, argv));
    try {
      if (options.direction !== null) keepDirection(dir, options.direction.path);
    } catch (error) {
      writer.close();
      throw error;
    }
    const fresh = { earlier: [], earlierProjections: [], derivedDone: new Set<string>() };
    return execute({ prepared, judge, direction, writer, dir, ...fresh }, events);
  });
}

/**
 * Goes on with a run; all settings come from its manifest. Throws RUN_MISMATCH with the differences when model, corpus,
 * build or machine are not what the run was made with.
 */
export async function resumeAudit(dir: string, events: AuditEvents): Promise<AuditResult> {
  const run = openForResume(dir);
  try {
    if (run.complete) return finished(dir, run.done.size);
    const { manifest } = run;
    const prepared = await prepareAudit(optionsOf(manifest, run.local, dir), manifest.sampleIds);
    const split = { workers: manifest.workers, threads: manifest.threads };
    return await withJudge(prepared, split, events, (judge, direction) => {
      const differences = diffManifest(manifest, manifestOf(prepared, judge, direction, manifest.argv));
      if (differences.length > 0) {
        throw new PlumblineError(
          'RUN_MISMATCH',
          `${dir} cannot be resumed with what is here now:\n  ${differences.join('\n  ')}\n` +
            'Restore what it was made with, or start a new run with another --out.',
        );
      }
      const earlier = readReadings(dir);
      const earlierProjections = direction === null ? [] : readControls(dir);
      const { derivedDone } = run;
      const writer = run.openWriter();
      return execute(
        { prepared, judge, direction, writer, dir, earlier, earlierProjections, derivedDone },
        events,
      );
    });
  } finally {
    run.close();
  }
}

async function withJudge<T>(
  prepared: PreparedAudit,
  split: { readonly workers: number; readonly threads: number } | null,
  events: AuditEvents,
  use: (judge: ReadyJudge | null, direction: OpenDirection | null) => Promise<T>,
): Promise<T> {
  const { options, rows } = prepared;
  if (options.subject === 'lexical') {
    events.onReady(prepared, null);
    return use(null, null);
  }
  if (options.model === null) {
    throw new PlumblineError(
      'USAGE',
      'No model was named: give --model FILE.gguf, or --subject lexical for the floor.',
    );
  }
  const opened = await unlessAborted(events.signal, () =>
    openJudge(options.model as string, rows, options.profile, options.engine, events),
  );
  try {
    const other = runAgainst(options);
    if (other !== null) requireSame(other, { modelSha256: opened.sha256 });
    const direction =
      options.direction === null ? null : await openDirection(options.direction, opened, options.seed);
    const judge = await unlessAborted(events.signal, () =>
      readyJudge(opened, options.engine, events, {
        ...(split === null ? {} : { split }),
        taps: direction?.taps ?? [],
        stopAtTaps: options.icsOnly,
      }),
    );
    events.onReady(prepared, judge);
    return await use(judge, direction);
  } finally {
    await opened.pool.dispose();
  }
}

interface Execution {
  readonly prepared: PreparedAudit;
  readonly judge: ReadyJudge | null;
  readonly direction: OpenDirection | null;
  readonly writer: RunWriter;
  /** Rows of earlier sessions of this run, with their projections. */
  readonly earlier: readonly Reading[];
  readonly earlierProjections: Iterable<VectorRow>;
  /** Keys of derived rows that are written already. */
  readonly derivedDone: ReadonlySet<string>;
  readonly dir: string;
}

async function execute(execution: Execution, events: AuditEvents): Promise<AuditResult> {
  const { prepared, judge, writer, earlier, dir } = execution;
  const began = performance.now();
  try {
    const { rows, options } = prepared;
    const done = new Set(
      earlier.filter(reading => !isRetried(reading.errorCode)).map(reading => reading.key),
    );
    const sink = createSink({ ...execution, rows, onRow: events.onRow });
    for (const [id, row] of rows.entries()) {
      if (done.has(row.key)) continue;
      if (!row.applicable) sink.land(notApplicableReading(row, options.profile));
      else if (judge?.tooLong.has(id))
        sink.land(failedReading(row, options.profile, judge.facts.get(id) ?? null, 'PROMPT_TOO_LONG'));
    }
    const counters =
      judge === null
        ? judgeLexically(prepared, done, sink)
        : await judgeByModel(judge, prepared, done, sink, events);
    sink.flush();
    const interrupted = events.signal?.aborted ?? false;
    if (!interrupted) writer.finish();
    const seconds = (performance.now() - began) / 1000;
    const result: AuditResult = {
      dir,
      rows: rows.length,
      errors: sink.errors(),
      tooLong: judge?.tooLong.size ?? 0,
      interrupted,
      alreadyComplete: false,
      exactness: judge?.exactness ?? null,
      counters,
      nodes: judge?.plan.nodes ?? null,
      seconds,
    };
    if (judge !== null && counters !== null && !interrupted) {
      const rowsBefore = new Set(earlier.map(reading => reading.key)).size;
      addStretch(dir, factsOf(judge), { counters, seconds, rowsBefore, rowsAfter: sink.rows() });
    }
    return result;
  } finally {
    writer.close();
  }
}

async function judgeByModel(
  judge: ReadyJudge,
  { rows, options }: PreparedAudit,
  done: ReadonlySet<string>,
  sink: Sink,
  events: AuditEvents,
): Promise<Counters> {
  const rowOf = (id: number) => rows[id] as (typeof rows)[number];
  const factsOf = (id: number) => {
    const facts = judge.facts.get(id);
    if (facts === undefined) throw new Error(`row ${id} has no prompt`);
    return facts;
  };
  const jobs = judge.plan.jobs
    .map(job => ({ ...job, evals: job.evals.filter(item => !done.has(rowOf(item.id).key)) }))
    .filter(job => job.evals.length > 0);
  return judge.pool.run(jobs, {
    onOutcome: outcome =>
      sink.land(
        options.icsOnly
          ? unjudgedReading(rowOf(outcome.id), options.profile, factsOf(outcome.id))
          : evaluatedReading(rowOf(outcome.id), options.profile, factsOf(outcome.id), outcome),
        outcome,
      ),
    onFailure: (id, error) => {
      events.onStage(`${rowOf(id).key}: ${error.message}`);
      sink.land(failedReading(rowOf(id), options.profile, factsOf(id), error.code as ErrorCode));
    },
  });
}

function judgeLexically(
  { rows, corpus, options }: PreparedAudit,
  done: ReadonlySet<string>,
  sink: Sink,
): null {
  const domains = new Set(rows.map(row => row.item.domain));
  // The floor learns from all cases of a domain, not from the sampled ones alone.
  const judged = new Map<string, LexicalReading>(
    lexicalFloor(
      corpus.cases.filter(item => domains.has(item.domain)),
      { seed: options.seed },
    ).map(reading => [reading.id, reading]),
  );
  for (const row of rows) {
    if (!row.applicable || done.has(row.key)) continue;
    const reading = judged.get(row.item.id);
    if (reading === undefined) throw new Error(`the floor has no reading of ${row.item.id}`);
    sink.land(lexicalReading(row, options.profile, reading));
  }
  return null;
}

/** What the plan and the engine of a run are, beside what it counted. */
function factsOf({ plan, sizing, split }: ReadyJudge): object {
  return {
    nodes: plan.nodes,
    sequenceTokens: plan.sequenceTokens,
    sharedPrefixes: plan.sharedPrefixes,
    jobs: plan.jobs.length,
    lanes: sizing.lanes,
    parks: sizing.parks,
    cells: sizing.cells,
    kvBytes: sizing.kvBytes,
    split,
  };
}

function finished(dir: string, rows: number): AuditResult {
  return {
    dir,
    rows,
    errors: 0,
    tooLong: 0,
    interrupted: false,
    alreadyComplete: true,
    exactness: null,
    counters: null,
    nodes: null,
    seconds: 0,
  };
}
