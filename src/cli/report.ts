import { Command, Option } from 'commander';
import { buildReport, writeReport } from '../api/report.js';
import { READERS, type Reader } from '../audit/ocs.js';
import { quoted } from '../report/audit-text.js';
import { counted, fileSize } from '../report/facts.js';
import { printable } from '../report/table.js';
import { note, printJson } from './output.js';

interface Flags {
  readonly out: string;
  readonly figures?: string;
  readonly reader: Reader;
  readonly floor: boolean;
  readonly features?: string;
  readonly json?: boolean;
}

export function reportCommand(): Command {
  return new Command('report')
    .description(
      'Make one page of one or many runs: the answer in words and a picture, figures, tables and what they do not say. ' +
        'A single HTML file that needs no network.',
    )
    .argument('<runs...>', 'folders of runs, sweeps among them')
    .option('--out <file>', 'the page', 'report.html')
    .option('--figures <dir>', 'also write each figure as SVG, and its data as CSV, into this folder')
    .addOption(new Option('--reader <name>', 'verdict reader that leads').choices(READERS).default('text'))
    .option(
      '--no-floor',
      'leave out the accuracy of the rule-blind floor, which reads the whole corpus again',
    )
    .option('--features <file>', 'also hold OCS against text features: what features --json printed')
    .option('--json', 'print the names of the files that were written as JSON')
    .addHelpText('after', '\nExample:\n  plumbline report run/ --out report.html --figures figures/')
    .action(async (runs: string[], { out, figures, reader, floor, features, json }: Flags) => {
      const report = await buildReport(runs, { reader, floor, features: features ?? null });
      for (const line of report.notes) note(printable(line));
      const files = writeReport(report, out, figures ?? null);
      if (json === true) return printJson({ files });
      const size = fileSize(Buffer.byteLength(report.html, 'utf8'));
      const beside =
        figures === undefined ? '' : ` ${counted(files.length - 1, 'file')} in ${quoted(figures)}.`;
      note(`Written: ${quoted(out)}, ${size}, ${counted(report.figures.length, 'figure')}.${beside}`);
    });
}
