import { Command, Option } from 'commander';
import { type FeatureOptions, ruleFeatures } from '../api/features.js';
import { CORPUS_SPECS } from '../corpus/load.js';
import { domainFile, rounded, ruleFile } from '../features/files.js';
import { domainFeaturesText, ruleFeaturesText } from '../report/features-text.js';
import { nodeFiles, writeAtomically } from '../run/files.js';
import { list, readColumnMap } from './options.js';
import { note, printData } from './output.js';
import { createProgress } from './progress.js';
import { stdoutStyle } from './style.js';

interface Flags {
  readonly corpus: string;
  readonly columns?: string;
  readonly domains?: string[];
  readonly parser?: string;
  readonly conllu?: string;
  readonly perRule?: boolean;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly arrow?: string;
}

export function featuresCommand(): Command {
  return new Command('features')
    .description(
      'Measure the texts of the rules that the cases use: exceptions, cross-references, modals, depth of the ' +
        'dependency trees, reading grade.',
    )
    .requiredOption('--corpus <spec>', `cases: ${CORPUS_SPECS}`)
    .option(
      '--columns <file>',
      'JSON file that names the columns and labels of a jsonl, csv, parquet or arrow corpus',
    )
    .option('--domains <list>', 'domains, separated by commas (default: all)', list)
    .addOption(
      new Option(
        '--parser <dir>',
        'directory of spaCy en_core_web_sm 3.8, which parses for the depth',
      ).conflicts('conllu'),
    )
    .option('--conllu <file>', 'parses made elsewhere, "# newdoc id = RULE_ID" before each rule')
    .option('--per-rule', 'a row for each rule instead of each domain')
    .addOption(
      new Option('--json', 'print the domains as JSON, with --per-rule the rules too').conflicts([
        'csv',
        'arrow',
      ]),
    )
    .addOption(new Option('--csv', 'print the rows as CSV').conflicts('arrow'))
    .option('--arrow <file>', 'write the rows to an Arrow IPC file')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline features --corpus omnicompliance:DIR --parser en_core_web_sm-3.8.0/',
    )
    .action(async (flags: Flags) => {
      const progress = createProgress('rules');
      const report = await ruleFeatures(optionsOf(flags), { onRule: progress.update }).finally(progress.stop);
      if (flags.json === true) {
        const { rules, ...ofDomains } = report;
        const shown = flags.perRule === true ? { ...ofDomains, rules } : ofDomains;
        return printData(JSON.stringify(shown, (_, value) => rounded(value), 2));
      }
      const table = (kind: 'arrow' | 'csv'): Uint8Array =>
        flags.perRule === true
          ? ruleFile(kind, report.rules, report.methods)
          : domainFile(kind, report.domains, report.methods);
      if (flags.arrow !== undefined) writeAtomically(nodeFiles, flags.arrow, table('arrow'));
      if (flags.arrow !== undefined || flags.csv === true) {
        if (report.mddMissing !== null) note(`MDD is missing: ${report.mddMissing}`);
        if (flags.csv === true) printData(Buffer.from(table('csv')).toString('utf8'));
        return;
      }
      printData((flags.perRule === true ? ruleFeaturesText : domainFeaturesText)(report, stdoutStyle()));
    });
}

function optionsOf({ corpus, columns, domains, parser, conllu }: Flags): FeatureOptions {
  return {
    corpus,
    columnMap: columns === undefined ? null : readColumnMap(columns),
    domains: domains ?? null,
    parses:
      parser !== undefined
        ? { kind: 'spacy', path: parser }
        : conllu !== undefined
          ? { kind: 'conllu', path: conllu }
          : null,
  };
}
