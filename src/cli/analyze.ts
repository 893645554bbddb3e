import { Command, Option } from 'commander';
import { type Coverage, type RunSummary, writeAnalysis, writePartition } from '../api/analyze-run.js';
import { type AnalyzedRuns, analyzeRuns } from '../api/analyze-runs.js';
import { isSweepRun } from '../api/sweep-analysis.js';
import { READERS, type Reader } from '../audit/ocs.js';
import { PUBLISHED, type PublishedName, type PublishedStudy } from '../audit/published.js';
import { PlumblineError } from '../errors.js';
import { acrossText } from '../report/across-text.js';
import { analysisText } from '../report/analysis-text.js';
import { featuresOcsText } from '../report/features-ocs-text.js';
import { gapsAndResume } from '../report/gaps.js';
import { interventionsText } from '../report/interventions.js';
import { publishedText } from '../report/published-text.js';
import { sanitySection } from '../report/sanity-text.js';
import { paint, printable, type Style, wrap } from '../report/table.js';
import { note, printData, printJson } from './output.js';
import { refuse } from './refuse.js';
import { stdoutStyle } from './style.js';
import { printSweep } from './sweep.js';

interface Flags {
  readonly reader: Reader;
  readonly partition?: string;
  readonly writePartition?: string;
  readonly floor: boolean;
  readonly compare?: PublishedName;
  readonly against: readonly string[];
  readonly features?: string;
  readonly json?: boolean;
}

export function analyzeCommand(): Command {
  return new Command('analyze')
    .description(
      'Say what the rows of a run show, whether the judge does the task and how often its verdict depends on the ' +
        'rule, and write summary.json and derived.arrow into the run. Of a sweep: what steering does, into sweep.json.',
    )
    .argument('<run...>', 'folder of the run; of several runs: tables with a row for each')
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
      '--features <file>',
      'also hold OCS of the domains against the text features that `features --json` printed into this file',
    )
    .option(
      '--no-floor',
      'leave out the accuracy of the rule-blind floor, which reads the whole corpus again',
    )
    .addOption(
      new Option('--compare <study>', 'also set published numbers beside the runs').choices(
        Object.keys(PUBLISHED),
      ),
    )
    .option(
      '--json',
      'print what summary.json holds instead of the tables; of several runs or with --compare: of each run, and across them',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  plumbline analyze run/ --reader logit\n  plumbline analyze judge-a/ judge-b/ --compare verdict-without-the-rule',
    )
    .action(async (runs: readonly string[], flags: Flags, command: Command) => {
      const { reader, floor, against, partition = null, features = null } = flags;
      const [run = '', ...more] = runs;
      if (more.length > 0) {
        refuse(
          command,
          ['partition', 'writePartition', 'against', 'features'],
          'Several runs are named, and these are of one run',
        );
      } else if (isSweepRun(run)) {
        if (partition !== null || flags.writePartition !== undefined)
          throw new PlumblineError('USAGE', `${run} is a sweep: it has no groups; leave the partition out.`);
        if (against.length > 0)
          throw new PlumblineError(
            'USAGE',
            `${run} is a sweep: no prompt is compared in it; leave out --against.`,
          );
        if (features !== null)
          throw new PlumblineError('USAGE', `${run} is a sweep: it has no OCS; leave out --features.`);
        refuse(command, ['compare'], `${run} is a sweep: nothing published is set beside it`);
        return printSweep(run, reader, flags.json === true);
      }
      const found = await analyzeRuns(runs, { reader, floor, partition, against, features });
      for (const { dir, analyzed } of found.runs) {
        const whose = more.length === 0 ? '' : `${dir}: `;
        for (const line of analyzed.notes) note(printable(`${whose}${line}`));
      }
      const study = flags.compare === undefined ? null : PUBLISHED[flags.compare];
      if (flags.json) printJson(asJson(found, study));
      else printData(asText(found, study, stdoutStyle()));
      for (const { dir, analyzed } of found.runs) writeAnalysis(dir, analyzed);
      const [only] = found.runs;
      if (only !== undefined && flags.writePartition !== undefined)
        writePartition(flags.writePartition, only.dir, only.analyzed);
    });
}

/** Of one run what summary.json holds; of several, or beside a study, each of these and what is across them. */
function asJson({ runs, across }: AnalyzedRuns, study: PublishedStudy | null): unknown {
  const summaries = runs.map(({ analyzed }) => analyzed.summary);
  return summaries.length === 1 && study === null ? summaries[0] : { summaries, across, published: study };
}

function asText({ runs, across }: AnalyzedRuns, study: PublishedStudy | null, style: Style): string {
  const [only, ...more] = runs;
  const own =
    only === undefined || more.length > 0
      ? acrossText(across, style)
      : tables(only.dir, only.analyzed.summary, style);
  return study === null ? own : `${own}\n${publishedText(study, across.runs, style)}`;
}

function tables(run: string, summary: RunSummary, style: Style): string {
  const { coverage, interventions, sanity, features } = summary;
  const compared =
    interventions === null ? '' : `\n${interventionsText(interventions, interventions.cautions, style)}`;
  const texts = features === null ? '' : `\n${featuresOcsText(features, style)}`;
  const checked = sanity === null ? '' : `\n${sanitySection(sanity, style)}\n`;
  return gaps(run, coverage, style) + analysisText(summary, style) + checked + compared + texts;
}

/** What stands before the tables of a run that is not whole. */
function gaps(run: string, coverage: Coverage, style: Style): string {
  const text = gapsAndResume(coverage, `--resume ${printable(run)}`);
  return text === null ? '' : `${paint(wrap(text, undefined, ''), 'warn', style)}\n\n`;
}
