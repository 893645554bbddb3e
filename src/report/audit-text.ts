import type { AuditResult } from '../api/audit.js';
import type { DryRun } from '../api/dry-run.js';
import type { ReadyJudge } from '../api/judge.js';
import type { Prediction } from '../api/predict.js';
import type { PreparedAudit } from '../api/prepare.js';
import type { Corpus, CorpusIssue } from '../corpus/types.js';
import { CONDITIONS } from '../perturb/types.js';
import type { Exactness } from '../run/types.js';
import { counted } from './facts.js';
import { duration, NONE, whole } from './format.js';
import { printable, renderTable } from './table.js';

/** Issues of one kind shown one by one; the rest are counted. */
const ISSUES_SHOWN = 3;

/** How much a corpus reader reported, in a line; empty when nothing. */
export function issuesLine({ issues }: Pick<Corpus, 'issues'>): string[] {
  if (issues.length === 0) return [];
  const kinds = [...new Set(issues.map(issue => issue.kind))];
  const counts = kinds.map(kind => `${issues.filter(issue => issue.kind === kind).length} ${kind}`);
  const skipped = issues.filter(issue => issue.skipped).length;
  return [
    `the whole corpus reports ${counts.join(', ')}; ${skipped} cases are skipped (--dry-run shows them)`,
  ];
}

/** What a corpus reader reported, by kind. */
export function issuesText({ issues }: Pick<Corpus, 'issues'>): string[] {
  const kinds = new Map<CorpusIssue['kind'], CorpusIssue[]>();
  for (const issue of issues) kinds.set(issue.kind, [...(kinds.get(issue.kind) ?? []), issue]);
  return [...kinds].flatMap(([kind, list]) => {
    const skipped = list.filter(issue => issue.skipped).length;
    const shown = list.slice(0, ISSUES_SHOWN).map(issue => `  ${printable(issue.message)}`);
    const more = list.length > ISSUES_SHOWN ? [`  … and ${list.length - ISSUES_SHOWN} more`] : [];
    return [`corpus: ${kind}: ${list.length} reported, ${skipped} of them skipped`, ...shown, ...more];
  });
}

export function exactnessText(exactness: Exactness): string {
  return exactness.kind === 'exact'
    ? `exact: ${whole(exactness.floats)} floats of ${exactness.prompts} prompts equal to one prompt per decode, bit for bit (tile ${exactness.tile})`
    : `inexact: margins moved by up to ${exactness.band.toFixed(4)} on ${exactness.prompts} prompts (${exactness.why}); flips inside that band are fragile`;
}

/** What was chosen, before the first evaluation. */
export function readyText({ cases, rows, options }: PreparedAudit, judge: ReadyJudge | null): string[] {
  const domains = new Set(cases.map(item => item.domain)).size;
  const evaluated = rows.filter(row => row.applicable).length;
  const job = `${counted(cases.length, 'sample')} of ${counted(domains, 'domain')}, ${counted(evaluated, 'evaluation')}, profile ${options.profile.name}`;
  if (judge === null) return [job];
  const { split, sizing, plan, pool, exactness, tooLong } = judge;
  const rate =
    split.rate === null
      ? ''
      : ` (${split.remembered ? 'remembered' : 'measured'}: ${whole(Math.round(split.rate))} tokens/s)`;
  return [
    job,
    `${whole(plan.sequenceTokens)} tokens, ${whole(plan.nodes)} after sharing prefixes`,
    `${split.workers} ${split.workers === 1 ? 'process' : 'processes'} × ${split.threads} ${split.threads === 1 ? 'thread' : 'threads'}${rate}, ${sizing.lanes} streams + ${sizing.parks} parked, llama.cpp ${pool.facts.release}, ${judge.backend}`,
    exactnessText(exactness),
    ...(tooLong.size > 0
      ? [`${tooLong.size} prompts are longer than ${judge.limit} tokens: their rows say PROMPT_TOO_LONG`]
      : []),
  ];
}

/** The last words of an audit. */
export function audited(result: AuditResult): string {
  const dir = printable(result.dir);
  if (result.alreadyComplete) return `${dir} is complete: ${whole(result.rows)} rows, nothing left to do.`;
  if (result.interrupted)
    return `Interrupted. Go on with: npx plumbline audit --resume ${quoted(result.dir)}`;
  const speed =
    result.counters === null || result.nodes === null
      ? ''
      : `, ${whole(Math.round(result.counters.tokens / result.seconds))} tokens/s`;
  const failed = result.errors - result.tooLong;
  const errors = failed > 0 ? `\n${failed} rows failed; --resume tries them again.` : '';
  const tooLong =
    result.tooLong > 0
      ? `\n${result.tooLong} prompts did not fit (PROMPT_TOO_LONG): a new run with a larger --ctx, or a model trained for longer texts, is what helps.`
      : '';
  return `${whole(result.rows)} rows in ${result.seconds.toFixed(1)} s${speed}.${errors}${tooLong}\nNext: npx plumbline analyze ${quoted(result.dir)}`;
}

export function dryRunText(plan: DryRun): string {
  const conditions = CONDITIONS.filter(name =>
    Object.values(plan.domains).some(domain => domain.conditions[name]),
  );
  const table = renderTable(
    {
      columns: [
        { header: 'domain', align: 'left' },
        { header: 'samples', align: 'right' },
        ...conditions.map(header => ({ header, align: 'right' as const })),
      ],
      rows: Object.entries(plan.domains).map(([name, domain]) => [
        printable(name),
        whole(domain.samples),
        ...conditions.map(condition => {
          const counts = domain.conditions[condition];
          if (counts === undefined) return NONE;
          const hidden = counts.applicable - counts.visible;
          return hidden === 0
            ? whole(counts.applicable)
            : `${whole(counts.applicable)} (${whole(hidden)} not shown)`;
        }),
      ]),
    },
    { colour: false },
  );
  const lines = [table, '', `${whole(plan.samples)} samples, ${whole(plan.rows)} rows`, ...issuesText(plan)];
  const { engine } = plan;
  if (engine === null) lines.push('Tokens and memory: name a model with --model.');
  else {
    lines.push(
      `tokens: ${whole(engine.sequenceTokens)} in all sequences, ${whole(engine.treeNodes)} nodes in the prefix tree, ` +
        `${whole(engine.tokens)} evaluated (${(engine.tokens / engine.treeNodes).toFixed(3)} per node; generation not counted)`,
      `decodes: ${whole(engine.decodes)}, copies of prefixes: ${whole(engine.copies)}`,
      `memory: weights ${megabytes(engine.memory.weightBytes)}, keys and values ${megabytes(engine.memory.kvBytes)} per process`,
      timeLine(engine.time),
    );
    if (engine.tooLong > 0) lines.push(`${engine.tooLong} prompts do not fit the context`);
  }
  return lines.join('\n');
}

function timeLine(time: Prediction | null): string {
  if (time === null) return 'time: not predicted, because a minute was not enough for the smallest sample';
  const { sample, split } = time;
  const each = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
  return (
    `time: about ${duration(time.seconds)} of evaluation (${duration(time.cpuSeconds)} of CPU time) with ` +
    `${each(split.workers, 'process', 'processes')} of ${each(split.threads, 'thread', 'threads')}; from ${whole(sample.evaluations)} evaluations ` +
    `just now: ${whole(Math.round(sample.tokensPerSecond))} tokens/s with ${sample.generatedPerEvaluation.toFixed(1)} generated per evaluation. ` +
    'It assumes that the machine stays as busy and that the other answers are as long; loading, proof and analysis come on top'
  );
}

/** A path as a shell takes it back. */
export function quoted(path: string): string {
  const shown = printable(path);
  return /^[\w./@%+=:,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}

function megabytes(bytes: number): string {
  return `${whole(Math.ceil(bytes / 2 ** 20))} MB`;
}
