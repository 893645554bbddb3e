import path from 'node:path';
import { hostFacts } from '../engine/hardware.js';
import { PlumblineError } from '../errors.js';
import { auditGate, type GateAudit, type ScoredEncoder } from '../gate/audit.js';
import { absoluteCorpus, readGateCorpus } from '../gate/corpus.js';
import type { Scorer } from '../gate/encoder.js';
import { isEndpoint } from '../gate/endpoint-encoder.js';
import { findGate } from '../gate/find-gate.js';
import { absoluteSpec } from '../gate/find-scorer.js';
import { effective, type Gate } from '../gate/gates.js';
import type { ScoredPair } from '../gate/measures.js';
import { type GatePairRow, gatePairRows } from '../gate/pair-rows.js';
import { createGateRun, type GateRunWriter, openGateRun } from '../gate/run.js';
import { type GateManifest, gatePlanHash } from '../gate/run-manifest.js';
import { scoreInChunks, scorePairs } from '../gate/score.js';
import type { GateCorpus } from '../gate/types.js';
import { gateFigure } from '../report/gate-figure.js';
import { requireVacant } from '../run/directory.js';
import { nodeFiles, writeAtomically } from '../run/files.js';
import { diffManifest } from '../run/manifest.js';
import { SCHEMA_VERSION } from '../run/schema.js';
import { productVersion } from './manifest.js';
import { ENCODER_DEFAULTS, type EncoderOptions, withScorers } from './scorers.js';

export interface GateAuditRequest {
  readonly corpus: string;
  readonly encoders: readonly string[];
  /** Default: {@link ENCODER_DEFAULTS}. */
  readonly encoderOptions?: EncoderOptions;
  /** Name of a preset or a file; null = none. */
  readonly gate: string | null;
  /** Folder of the run, for summary.json and scores.svg too; null = write nothing. */
  readonly out: string | null;
  readonly force: boolean;
  readonly seed: number;
}

/** When `signal` aborts, what was scored is kept, and the run can be resumed. */
export interface GateAuditEvents {
  readonly signal: AbortSignal | null;
  /** Called when pairs were scored, over all encoders. */
  onPairs(done: number, total: number): void;
}

const SILENT: GateAuditEvents = { signal: null, onPairs() {} };

/**
 * Errors: those of {@link auditGate}; USAGE without an encoder; RUN_EXISTS for a folder with anything in it; INTERRUPTED;
 * IO. What was scored before an error stays in `out`.
 */
export async function runGateAudit(
  request: GateAuditRequest,
  events: GateAuditEvents = SILENT,
): Promise<GateAudit> {
  const { out, force, seed } = request;
  const encoderOptions = request.encoderOptions ?? ENCODER_DEFAULTS;
  const gate = request.gate === null ? null : findGate(request.gate);
  const corpus = await readGateCorpus(request.corpus);
  if (out !== null) requireVacant(out);
  const audit = await withScorers(request.encoders, encoderOptions, openScorers =>
    auditGate({
      corpus,
      gate,
      force,
      seed,
      scoreAll: async () => {
        const scorers = await openScorers();
        const { settings, engine } = encoderOptions;
        const writer =
          out === null
            ? null
            : createGateRun(out, manifestOf({ corpus, scorers, gate, force, seed }), {
                corpus: absoluteCorpus(request.corpus),
                encoders: request.encoders.map(absoluteSpec),
                settings,
                engine,
              });
        return scoreInto({ corpus, scorers, gate, writer, out, earlier: [] }, events);
      },
    }),
  );
  if (out !== null) writeReport(out, audit);
  return audit;
}

/**
 * Goes on with a gate audit; all settings come from its folder. Pairs that have a row are not scored again, except one
 * that an endpoint is asked for to see that it still answers with the same model. Of a complete audit no encoder is
 * opened. Errors: RUN_NOT_FOUND, RUN_LOCKED, RUN_DAMAGED; RUN_MISMATCH when corpus, encoders, build or machine are not
 * what the audit was made with; those of {@link runGateAudit}.
 */
export async function resumeGateAudit(
  dir: string,
  events: GateAuditEvents = SILENT,
): Promise<{ readonly audit: GateAudit; readonly alreadyComplete: boolean }> {
  const run = openGateRun(dir);
  try {
    const { manifest, local, rows: earlier } = run;
    const { gate, force, seed } = manifest;
    const corpus = await readGateCorpus(local.corpus);
    requireSame(dir, manifest, manifestOf({ corpus, scorers: manifest.encoders, gate, force, seed }));
    const scoreAll = async (): Promise<readonly ScoredEncoder[]> => {
      if (run.complete) {
        return manifest.encoders.map(({ name, facts }) => {
          const known = scoresOf(name, corpus, earlier);
          return { name, facts, scored: corpus.pairs.map(({ id }) => known.get(id) as ScoredPair) };
        });
      }
      return withScorers(local.encoders, local, async openScorers => {
        const scorers = await openScorers();
        requireSame(dir, manifest, manifestOf({ corpus, scorers, gate, force, seed }));
        for (const scorer of scorers) await requireSameAnswer(dir, scorer, corpus, earlier);
        return scoreInto({ corpus, scorers, gate, writer: run.openWriter(), out: dir, earlier }, events);
      });
    };
    const audit = await auditGate({ corpus, gate, force, seed, scoreAll });
    writeReport(dir, audit);
    return { audit, alreadyComplete: run.complete };
  } finally {
    run.close();
  }
}

interface Described {
  readonly corpus: GateCorpus;
  readonly scorers: readonly Pick<Scorer, 'name' | 'facts'>[];
  readonly gate: Gate | null;
  readonly force: boolean;
  readonly seed: number;
}

function manifestOf({ corpus, scorers, gate, force, seed }: Described): GateManifest {
  const plan = {
    corpus: { name: corpus.name, sha256: corpus.sha256 },
    pairIds: corpus.pairs.map(({ id }) => id),
    encoders: scorers.map(({ name, facts }) => ({ name, facts })),
    gate,
    force,
    seed,
  };
  const { platform, arch, cpu } = hostFacts();
  return {
    schemaVersion: SCHEMA_VERSION,
    instrument: 'gate',
    planHash: gatePlanHash(plan),
    plannedRows: plan.pairIds.length * plan.encoders.length,
    ...plan,
    host: { platform, arch, cpu },
    version: productVersion(),
  };
}

function requireSame(dir: string, then: GateManifest, now: GateManifest): void {
  const differences = diffManifest(then, now).filter(line => !line.startsWith('planHash:'));
  if (differences.length > 0) {
    throw new PlumblineError(
      'RUN_MISMATCH',
      `${dir} cannot be resumed with what is here now:\n  ${differences.join('\n  ')}\n` +
        'Restore what it was made with, or start a new audit with another --out.',
    );
  }
}

/** Servers answer equal texts with vectors that differ a little from batch to batch; another model differs by more. */
const SAME_ANSWER = 0.01;

/** A name tells nothing of what a server runs under it today. Errors: RUN_MISMATCH; those of scoring a pair. */
async function requireSameAnswer(
  dir: string,
  scorer: Scorer,
  corpus: GateCorpus,
  earlier: readonly GatePairRow[],
): Promise<void> {
  const known = [...scoresOf(scorer.name, corpus, earlier).values()];
  const first = known.find(({ score }) => score !== null);
  if (!isEndpoint(scorer.facts) || first === undefined || known.length === corpus.pairs.length) return;
  const [now] = await scorePairs(scorer, { pairs: [first.pair] });
  const difference = Math.abs((now?.score ?? Number.NaN) - (first.score ?? Number.NaN));
  if (!(difference <= SAME_ANSWER)) {
    throw new PlumblineError(
      'RUN_MISMATCH',
      `${dir}: ${scorer.name} scores the pair ${first.pair.id} with ${now?.score ?? now?.flag} now, it was ${first.score}: ` +
        'the server seems to answer with another model; start a new audit with another --out',
    );
  }
}

/** The pairs of the corpus that rows of this encoder are there for, by id. */
function scoresOf(
  encoder: string,
  corpus: GateCorpus,
  rows: readonly GatePairRow[],
): ReadonlyMap<string, ScoredPair> {
  const byId = new Map(rows.filter(row => row.encoder === encoder).map(row => [row.id, row]));
  return new Map(
    corpus.pairs.flatMap((pair): readonly (readonly [string, ScoredPair])[] => {
      const row = byId.get(pair.id);
      return row === undefined ? [] : [[pair.id, { pair, score: row.score, flag: row.flag }]];
    }),
  );
}

interface Scoring {
  readonly corpus: GateCorpus;
  readonly scorers: readonly Scorer[];
  readonly gate: Gate | null;
  /** null = nothing is kept. Closed when this ends. */
  readonly writer: GateRunWriter | null;
  readonly out: string | null;
  readonly earlier: readonly GatePairRow[];
}

async function scoreInto(
  { corpus, scorers, gate, writer, out, earlier }: Scoring,
  { signal, onPairs }: GateAuditEvents,
): Promise<readonly ScoredEncoder[]> {
  const bound = gate === null ? null : effective(gate);
  const total = corpus.pairs.length * scorers.length;
  let done = earlier.length;
  try {
    const through: ScoredEncoder[] = [];
    for (const scorer of scorers) {
      const { name, facts } = scorer;
      const known = scoresOf(name, corpus, earlier);
      const onChunk = (chunk: readonly ScoredPair[]): void => {
        writer?.append(gatePairRows(name, chunk, bound));
        done += chunk.length;
        onPairs(done, total);
      };
      const scored = await scoreInChunks(scorer, corpus.pairs, known, { onChunk, signal });
      through.push({ name, facts, scored });
    }
    writer?.finish();
    return through;
  } catch (error) {
    if (out === null || !(error instanceof PlumblineError)) throw error;
    throw new PlumblineError(
      error.code,
      `${error.message.replace(/\.$/, '')}. ${done} of ${total} scores are kept: go on with plumbline gate audit --resume ${out}`,
      { cause: error },
    );
  } finally {
    writer?.close();
  }
}

function writeReport(dir: string, audit: GateAudit): void {
  const write = (file: string, text: string): void =>
    writeAtomically(nodeFiles, path.join(dir, file), Buffer.from(text, 'utf8'));
  write('summary.json', `${JSON.stringify(audit, null, 2)}\n`);
  write('scores.svg', gateFigure(audit));
}
