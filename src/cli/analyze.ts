import { Command, Option } from 'commander';
import {
  analyzeRun,
  type Coverage,
  type RunSummary,
  writeAnalysis,
  writePartition,
} from '../api/analyze-run.js';
import { isSweepRun } from '../api/sweep-analysis.js';
import { READERS, type Reader } from '../audit/ocs.js';
import { PlumblineError } from '../errors.js';
import { analysisText } from '../report/analysis-text.js';
import { whole } from '../report/format.js';
import { interventionsText } from '../report/interventions.js';
import { paint, printable, type Style, wrap } from '../report/table.js';
import { note, printData, printJson } from './output.js';
import { stdoutStyle } from './style.js';
import { printSweep } from './sweep.js';

interface Flags {
  readonly reader: Reader;
  readonly partition?: string;
  readonly writePartition?: string;
  readonly floor: boolean;
  readonly against: readonly string[];
  readonly json?: boolean;
}

export function analyzeCommand(): Command {
  return new Command('analyze')
    .description(
      'Say what the rows of a run show, whether the judge does the task and how often its verdict depends on the ' +
        'rule, and write summary.json and derived.arrow into the run. Of a sweep: what steering does, into sweep.json.',
    )
    .argument('<run>', 'folder of the run')
    .addOption(
      new Option('--reader <name>', 'verdict reader of the leading tables').choices(READERS).default('text'),
    )
    .option('--partition <file>', 'also show the judge on the LOW and HIGH samples that this file fixed')
    .option('--write-partition <file>', 'write the LOW and HIGH samples of this run to a file')
    .option(
      '--against <run>',
      'also say what the prompt changes against this run of the same samples; again for further profiles',
      (run: string, earlier: readonly string[]) => [...earlier, run],
      [],
    )
    .option(
      '--no-floor',
      'leave out the accuracy of the rule-blind floor, which reads the whole corpus again',
    )
    .option('--json', 'print what summary.json holds instead of the tables')
    .addHelpText('after', '\nExample:\n  plumbline analyze run/ --reader logit')
    .action(async (run: string, flags: Flags) => {
      const { reader, floor, against, partition = null } = flags;
      if (isSweepRun(run)) {
        if (partition !== null || flags.writePartition !== undefined)
          throw new PlumblineError('USAGE', `${run} is a sweep: it has no groups; leave the partition out.`);
        if (against.length > 0)
          throw new PlumblineError(
            'USAGE',
            `${run} is a sweep: no prompt is compared in it; leave out --against.`,
          );
        return printSweep(run, reader, flags.json === true);
      }
      const analyzed = await analyzeRun(run, { reader, floor, partition, against });
      for (const line of analyzed.notes) note(printable(line));
      const style = stdoutStyle();
      if (flags.json) printJson(analyzed.summary);
      else printData(tables(run, analyzed.summary, style));
      writeAnalysis(run, analyzed);
      if (flags.writePartition !== undefined) writePartition(flags.writePartition, run, analyzed);
    });
}

function tables(run: string, summary: RunSummary, style: Style): string {
  const { coverage, interventions } = summary;
  const compared =
    interventions === null ? '' : `\n${interventionsText(interventions, interventions.cautions, style)}`;
  return gaps(run, coverage, style) + analysisText(summary, style) + compared;
}

/** What stands before the tables of a run that is not whole. */
function gaps(run: string, { plannedRows, missingRows, errorRows }: Coverage, style: Style): string {
  if (missingRows + errorRows === 0) return '';
  const text =
    `Not complete: ${whole(missingRows)} of ${whole(plannedRows)} planned rows are missing and ${whole(errorRows)} hold an ` +
    `error. The tables are of what is there; go on with --resume ${printable(run)}`;
  return `${paint(wrap(text, undefined, ''), 'warn', style)}\n\n`;
}
