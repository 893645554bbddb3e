import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RuleUse, ruleUse } from '../audit/rule-use.js';
import { packageRoot } from '../engine/package-root.js';
import { PlumblineError } from '../errors.js';
import { PROFILES } from '../prompt/profiles.js';
import { requireVacant } from '../run/directory.js';
import type { Exactness } from '../run/types.js';
import { analyzeRun, type RunSummary, writeAnalysis } from './analyze-run.js';
import { audit } from './audit.js';
import { DEFAULT_CONTROLS } from './direction.js';
import { type AuditOptions, DEFAULTS } from './options.js';
import { fitReference, referenceAudit, referenceFile } from './reference.js';
import { buildReport, writeReport } from './report.js';

/** The judges that `demo` compares, with one accuracy where wording gives the label away. */
export const DEMO_JUDGES = ['reader', 'shortcut', 'suppressed'] as const;

/** What `demo` read of one judge. */
export interface DemoJudge {
  readonly name: string;
  /** Folders of its runs: every condition on the confounded corpus, the baseline alone on the crossed one. */
  readonly run: string;
  readonly crossedRun: string;
  readonly summary: RunSummary;
  readonly use: RuleUse;
}

export interface Demo {
  readonly judges: readonly DemoJudge[];
  /** The page over the runs on the confounded corpus. */
  readonly report: string;
}

export interface DemoEvents {
  onStage(text: string): void;
  onExact(judge: string, exactness: Exactness): void;
  onRow(done: number, total: number): void;
  readonly signal?: AbortSignal;
}

/**
 * Audits three reference models into run directories under `folder`, along directions fitted on scenarios that stand
 * under two rules, and writes a page over them. Throws RUN_EXISTS when the folder is not free, INTERRUPTED when stopped, and what the stages throw.
 */
export async function demo(folder: string, argv: readonly string[], events: DemoEvents): Promise<Demo> {
  requireVacant(folder);
  const scratch = mkdtempSync(join(tmpdir(), 'plumbline-demo-'));
  const judges: DemoJudge[] = [];
  try {
    for (const name of DEMO_JUDGES) judges.push(await demoJudge(name, folder, scratch, argv, events));
    events.onStage('writing the report');
    const runs = judges.map(({ run }) => run);
    const report = join(folder, 'report.html');
    writeReport(await buildReport(runs, { reader: 'text', floor: true }), report, null);
    return { judges, report };
  } catch (error) {
    throw events.signal?.aborted ? stopped(folder) : error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function stopped(folder: string): PlumblineError {
  const kept = existsSync(folder)
    ? `Stopped. What was evaluated is in ${folder}; the demo itself starts anew, in another folder`
    : 'Stopped; nothing was written. Start again with';
  return new PlumblineError('INTERRUPTED', `${kept}: npx plumbline demo`);
}

async function demoJudge(
  name: string,
  folder: string,
  scratch: string,
  argv: readonly string[],
  { onStage, onExact, onRow, signal }: DemoEvents,
): Promise<DemoJudge> {
  const model = referenceFile(`${name}.gguf`);
  const path = join(scratch, `${name}.gguf`);
  const { seed } = DEFAULTS;
  const quiet = { onStage() {}, onLoad() {}, onRow, ...(signal === undefined ? {} : { signal }) };
  onStage(`${name}: fitting a direction of compliance`);
  await fitReference(model, seed, path, quiet);
  const direction = { path, layer: null, controls: DEFAULT_CONTROLS, activations: false, force: false };

  const run = async (corpus: 'crossed' | 'confounded', dir: string, more: Partial<AuditOptions>) => {
    const options = { ...referenceAudit(model, corpus, seed), direction, ...more };
    const { interrupted, exactness } = await audit(options, dir, argv, { ...quiet, onReady() {} });
    if (interrupted) throw stopped(folder);
    const analyzed = await analyzeRun(dir, { reader: 'text', floor: true, partition: null });
    writeAnalysis(dir, analyzed);
    return { summary: analyzed.summary, exactness };
  };

  const crossedRun = join(folder, `${name}-crossed`);
  onStage(`${name}: the crossed corpus, as it is`);
  const crossed = await run('crossed', crossedRun, { conditions: ['baseline'], placebo: 'off' });
  const dir = join(folder, name);
  onStage(`${name}: the confounded corpus, rules deleted, swapped and negated`);
  const { summary, exactness } = await run('confounded', dir, {});
  if (exactness !== null) onExact(name, exactness);
  return { name, run: dir, crossedRun, summary, use: ruleUse(summary, crossed.summary) };
}

/** A judge with random weights, for whatever needs a small model and no meaning. */
export function demoModel(): string {
  return join(packageRoot(), 'models', 'demo-judge.gguf');
}

/** An audit of {@link demoModel} on the embedded corpus `demo`: for examples and trials. */
export function demoOptions(): AuditOptions {
  return { ...DEFAULTS, model: demoModel(), corpus: 'demo', perDomain: 'all', profile: PROFILES.standard };
}

/** The first of `plumbline-demo`, `plumbline-demo-2`, … that is not there yet: nothing of the user's is overwritten. */
export function freeDemoFolder(base: string): string {
  for (let n = 1; ; n++) {
    const dir = join(base, n === 1 ? 'plumbline-demo' : `plumbline-demo-${n}`);
    if (!existsSync(dir)) return dir;
  }
}
