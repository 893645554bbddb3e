import { Command, InvalidArgumentError, Option } from 'commander';
import { drySweep, resumeSweep, type SweepEvents, type SweepResult, sweep } from '../api/sweep.js';
import { analyzeSweepRun, writeSweepAnalysis } from '../api/sweep-analysis.js';
import { GROUPS, SWEEP_DEFAULTS, type SweepGroup, type SweepOptions } from '../api/sweep-options.js';
import { READERS, type Reader } from '../audit/ocs.js';
import { SCOPES, type Scope, STEP_SCALES, type StepScale } from '../audit/sweep-plan.js';
import { PlumblineError } from '../errors.js';
import { issuesLine } from '../report/audit-text.js';
import { drySweepText, sweepReadyText, sweepText, swept } from '../report/sweep-text.js';
import { onInterrupt } from './interrupt.js';
import {
  type AuditFlags,
  addCorpusOptions,
  addEngineOptions,
  auditOptions,
  integerList,
  list,
} from './options.js';
import { EXIT, note, printData, printJson } from './output.js';
import { createProgress } from './progress.js';
import { refuseAllBut } from './refuse.js';
import { stdoutStyle } from './style.js';

interface Flags extends Omit<AuditFlags, 'direction' | 'force'> {
  readonly direction?: string;
  readonly force?: boolean;
  readonly layers: 'anchor' | number[];
  readonly alphas: readonly number[];
  readonly scope: Scope | 'both';
  readonly scale: StepScale;
  readonly random: number;
  readonly nudge: number;
  readonly partition?: string;
  readonly group?: SweepGroup;
  readonly reader: Reader;
  readonly out?: string;
  readonly resume?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

function numbers(text: string): number[] {
  const values = list(text).map(Number);
  if (values.some(value => !Number.isFinite(value)))
    throw new InvalidArgumentError('Expected numbers separated by commas.');
  return values;
}

function nonNegative(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Expected a number of at least 0.');
  return value;
}

const MAX_RANDOM = 100;

function randomCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > MAX_RANDOM)
    throw new InvalidArgumentError(`Expected a whole number from 0 to ${MAX_RANDOM}.`);
  return value;
}

const layerList = (text: string): 'anchor' | number[] => (text === 'anchor' ? 'anchor' : integerList(text));

export function sweepCommand(): Command {
  const command = new Command('sweep')
    .description(
      'Steer the judge along a direction at several strengths, and tell what moves its verdicts from what is noise of ' +
        'its arithmetic.',
    )
    .option('--model <file>', 'the judge, a GGUF file')
    .option('--direction <file>', 'control-vector GGUF, .npy or safetensors; used as a unit vector')
    .option('--force', 'take a direction that was fitted on another model')
    .option('--alphas <list>', 'strengths; 0 is always among them', numbers, [...SWEEP_DEFAULTS.alphas])
    .option('--layers <list>', 'blocks from 0, negative from the end, or anchor', layerList, 'anchor')
    .addOption(
      new Option('--scope <where>', 'steered tokens: the last of the prompt, all, or both in turn')
        .choices([...SCOPES, 'both'])
        .default('last'),
    )
    .addOption(
      new Option('--scale <length>', 'what alpha 1 is as long as: 1, the mean residual, one sd of ICS')
        .choices(STEP_SCALES)
        .default(SWEEP_DEFAULTS.scale),
    )
    .option('--random <k>', 'random directions at the same norms', randomCount, SWEEP_DEFAULTS.random)
    .option(
      '--nudge <alpha>',
      'vanishing alpha that shows the numeric floor; 0 = none',
      nonNegative,
      SWEEP_DEFAULTS.nudge,
    )
    .option('--partition <file>', 'partition that fixes the samples, instead of --domains and --per-domain')
    .addOption(new Option('--group <name>', 'group of the partition (default: all)').choices(GROUPS))
    .addOption(new Option('--reader <name>', 'verdict reader of the tables').choices(READERS).default('text'))
    .option('--out <dir>', 'folder of the new run')
    .option(
      '--resume <dir>',
      'go on with a sweep that was interrupted; takes no other option but --reader and --json',
    )
    .option('--dry-run', 'print the plan with its cost in tokens, and stop')
    .option('--json', 'print what sweep.json holds instead of the tables');
  return addEngineOptions(addCorpusOptions(command))
    .addHelpText(
      'after',
      '\nExample:\n  plumbline sweep --model judge.gguf --direction compliance.gguf --corpus demo --alphas -8,-4,0,4,8 --out sweep/\n',
    )
    .action(async (flags: Flags, self: Command) => {
      if (flags.resume !== undefined) {
        refuseAllBut(self, ['resume', 'json', 'reader'], '--resume takes its settings from the run');
        const { resume } = flags;
        return runAndPrint(flags, events => resumeSweep(resume, events));
      }
      const options = await sweepOptions(flags, self);
      if (flags.dryRun === true) {
        const plan = await drySweep(options, note);
        if (flags.json === true) printJson(plan);
        else printData(drySweepText(plan));
        return;
      }
      const { out } = flags;
      if (out === undefined)
        throw new PlumblineError('USAGE', 'No folder for the run was named: give --out DIR, or --dry-run.');
      await runAndPrint(flags, events => sweep(options, out, process.argv.slice(2), events));
    });
}

async function sweepOptions(flags: Flags, self: Command): Promise<SweepOptions> {
  const { direction, partition, group } = flags;
  if (direction === undefined)
    throw new PlumblineError(
      'USAGE',
      'No direction was named: give --direction FILE (plumbline fit writes one).',
    );
  if (group !== undefined && partition === undefined)
    throw new PlumblineError('USAGE', '--group needs --partition FILE.');
  const drawn = ['domains', 'perDomain'].find(name => self.getOptionValueSource(name) === 'cli');
  if (partition !== undefined && drawn !== undefined) {
    throw new PlumblineError(
      'USAGE',
      `--partition fixes the samples; leave --${drawn === 'domains' ? 'domains' : 'per-domain'} out, or name a part of them with --ids.`,
    );
  }
  // The direction of the audit options is what ICS is read along; a sweep adds to it instead.
  const { direction: _, force: __, ...audit } = flags;
  return {
    audit: await auditOptions(audit),
    direction,
    force: flags.force ?? false,
    layers: flags.layers === 'anchor' ? null : flags.layers,
    alphas: flags.alphas,
    scopes: flags.scope === 'both' ? SCOPES : [flags.scope],
    scale: flags.scale,
    random: flags.random,
    nudge: flags.nudge,
    partition: partition ?? null,
    group: group ?? SWEEP_DEFAULTS.group,
  };
}

async function runAndPrint(flags: Flags, run: (events: SweepEvents) => Promise<SweepResult>): Promise<void> {
  const progress = createProgress('rows');
  const interrupt = onInterrupt('Stopping; what has been evaluated is kept. Once more to stop at once.');
  try {
    const result = await run({
      signal: interrupt.signal,
      onStage: text => progress.say(text),
      onLoad() {},
      onReady(ready) {
        for (const line of [...issuesLine(ready.prepared.corpus), ...sweepReadyText(ready)])
          progress.say(line);
      },
      onRow: (done, total) => progress.update(done, total),
    });
    progress.stop();
    note(swept(result));
    if (result.interrupted) {
      process.exitCode = EXIT.interrupted;
      return;
    }
    printSweep(result.dir, flags.reader, flags.json === true);
  } finally {
    progress.stop();
    interrupt.release();
  }
}

/** Analyzes a sweep, prints its tables and writes sweep.json into it. */
export function printSweep(dir: string, reader: Reader, json: boolean): void {
  const summary = analyzeSweepRun(dir, reader);
  if (json) printJson(summary);
  else printData(sweepText(summary, dir, stdoutStyle()));
  writeSweepAnalysis(dir, summary);
}
