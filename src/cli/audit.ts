import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { type AuditEvents, type AuditResult, audit, resumeAudit } from '../api/audit.js';
import { dryRun } from '../api/dry-run.js';
import { FIT_DEFAULTS, fitDirection } from '../api/fit.js';
import { SUBJECTS } from '../api/options.js';
import { requireSanity } from '../api/sanity.js';
import { PlumblineError } from '../errors.js';
import { audited, dryRunText, issuesLine, readyText } from '../report/audit-text.js';
import { fitText } from '../report/fit-text.js';
import { requireVacant } from '../run/directory.js';
import { onInterrupt } from './interrupt.js';
import {
  type AuditFlags,
  addConditionOptions,
  addCorpusOptions,
  addDirectionOptions,
  addEngineOptions,
  auditOptions,
  auditOptionsAgainst,
} from './options.js';
import { EXIT, note, printData, printJson } from './output.js';
import { createProgress } from './progress.js';
import { refuse, refuseAllBut } from './refuse.js';
import { sanityChecks } from './sanity.js';

interface Flags extends AuditFlags {
  readonly out?: string;
  readonly resume?: string;
  readonly against?: string;
  readonly sanity?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  const command = new Command('audit')
    .description('Change the rule that a judge is given, and record whether its verdicts move.')
    .option('--model <file>', 'the judge, a GGUF file')
    .addOption(
      new Option('--subject <kind>', 'what is audited: a model, or the rule-blind word floor')
        .choices(SUBJECTS)
        .default('model'),
    )
    .option('--out <dir>', 'folder of the new run')
    .option(
      '--resume <dir>',
      'go on with a run that was interrupted; takes no other option but --sanity and --json',
    )
    .option(
      '--against <run>',
      'audit the samples of this run, with its corpus, seed and model, under another --profile (default: the baseline alone)',
    )
    .option(
      '--sanity',
      'then shuffle weights, labels and rules, on at most 120 samples, and see whether each number falls to its null',
    )
    .option('--dry-run', 'print the plan and stop')
    .option('--json', 'print the result as JSON');
  return addEngineOptions(addDirectionOptions(addConditionOptions(addCorpusOptions(command))))
    .addHelpText(
      'after',
      '\nExample:\n  plumbline audit --model judge.gguf --corpus omnicompliance:DIR --domains ccpa,gdpr --per-domain 25 --out run/\n',
    )
    .action(async (flags: Flags, self: Command) => {
      if (flags.resume !== undefined)
        return runAndPrint(
          flags,
          () =>
            refuseAllBut(
              self,
              ['resume', 'sanity', 'json'],
              '--resume takes its settings from the run and no other option',
            ),
          events => resumeAudit(flags.resume as string, events),
        );
      const { against } = flags;
      if (against !== undefined) refuse(self, TAKEN, `--against takes these from ${against}`);
      if (flags.fit === true)
        refuse(self, ['direction', 'force', 'against', 'resume', 'dryRun'], '--fit makes the direction');
      const options =
        against === undefined ? await auditOptions(flags) : await auditOptionsAgainst(against, flags);
      if (flags.dryRun === true) {
        refuse(self, ['sanity'], '--dry-run plans the audit alone');
        const plan = await dryRun(options, note);
        if (flags.json === true) printJson(plan);
        else printData(dryRunText(plan));
        return;
      }
      const { out } = flags;
      if (out === undefined)
        throw new PlumblineError('USAGE', 'No folder for the run was named: give --out DIR, or --dry-run.');
      if (flags.sanity === true) await requireSanity(options, out);
      if (flags.fit === true) return auditFitted(flags, out);
      await runAndPrint(
        flags,
        () => {},
        events => audit(options, out, process.argv.slice(2), events),
      );
    });
}

/** Fits a direction on the samples of the audit, then audits along it; the run keeps the direction. */
async function auditFitted({ layer, activations, icsOnly, ...flags }: Flags, out: string): Promise<void> {
  requireVacant(out);
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-fit-'));
  const direction = join(folder, 'fitted.gguf');
  try {
    const progress = createProgress('prompts');
    const interrupt = onInterrupt('Stopping; nothing is written.');
    try {
      const report = await fitDirection({ ...FIT_DEFAULTS, audit: await auditOptions(flags) }, direction, {
        signal: interrupt.signal,
        onStage: text => progress.say(text),
        onLoad() {},
        onRow: (done, total) => progress.update(done, total),
      });
      progress.stop();
      note(`${fitText(report, { colour: false })}\n`);
    } finally {
      progress.stop();
      interrupt.release();
    }
    const along = { layer, activations, icsOnly };
    const given = Object.fromEntries(Object.entries(along).filter(([, value]) => value !== undefined));
    const options = await auditOptions({ ...flags, ...given, direction });
    await runAndPrint(
      flags,
      () => {},
      events => audit(options, out, process.argv.slice(2), events),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What an audit against another run takes from it. */
const TAKEN: readonly string[] = ['subject', 'columns', 'domains', 'perDomain', 'ids', 'seed'];

async function runAndPrint(
  flags: Flags,
  check: () => void,
  run: (events: AuditEvents) => Promise<AuditResult>,
): Promise<void> {
  check();
  const progress = createProgress('rows');
  const interrupt = onInterrupt('Stopping; what has been evaluated is kept. Once more to stop at once.');
  try {
    const result = await run({
      signal: interrupt.signal,
      onStage: text => progress.say(text),
      onLoad() {},
      onReady(prepared, judge) {
        for (const line of [...issuesLine(prepared.corpus), ...readyText(prepared, judge)])
          progress.say(line);
      },
      onRow: (done, total) => progress.update(done, total),
    });
    progress.stop();
    interrupt.release();
    if (flags.json !== true) note(audited(result));
    const checked =
      flags.sanity === true && !result.interrupted ? { sanity: await sanityChecks(result.dir) } : {};
    if (flags.json === true) printJson({ ...result, ...checked });
    if (result.interrupted) process.exitCode = EXIT.interrupted;
  } finally {
    progress.stop();
    interrupt.release();
  }
}
