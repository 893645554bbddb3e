import { extname } from 'node:path';
import { Command, Option } from 'commander';
import {
  EXPORT_FORMATS,
  EXPORT_TABLES,
  type ExportFormat,
  type ExportTable,
  exportTable,
  openTable,
  requireFree,
} from '../api/export.js';
import { PlumblineError } from '../errors.js';
import { quoted } from '../report/audit-text.js';
import { counted, fileSize } from '../report/facts.js';
import { printable } from '../report/table.js';
import type { Verification } from '../run/verify.js';
import { note, printBytes, printJson } from './output.js';

interface Flags {
  readonly table?: ExportTable;
  readonly format?: ExportFormat;
  readonly out?: string;
  readonly stdout?: boolean;
  readonly json?: boolean;
}

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'Write a table of a run as Parquet, CSV or JSONL, or stream it as Arrow. The run is checked as verify does; ' +
        'of an incomplete run, what is there is exported, and the exit code is 3.',
    )
    .argument('<run>', 'folder of a run or a gate audit')
    .addOption(
      new Option(
        '--table <name>',
        'which table (default: readings, of a gate audit pairs); activations and controls where a run keeps them',
      ).choices(EXPORT_TABLES),
    )
    .addOption(
      new Option('--format <name>', 'format of the file (default: the ending of its name)').choices(
        EXPORT_FORMATS,
      ),
    )
    .option('--out <file>', 'the file, which must not be there yet')
    .addOption(
      new Option('--stdout', 'stream the table to stdout as Arrow IPC').conflicts(['out', 'format', 'json']),
    )
    .option('--json', 'print what was written as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  plumbline export run/ --out readings.parquet\n' +
        '  plumbline export run/ --table derived --format csv --out derived.csv\n' +
        '  plumbline export run/ --stdout | python3 -c "import sys, polars; print(polars.read_ipc_stream(sys.stdin.buffer))"',
    )
    .action(async (run: string, flags: Flags) => {
      if (flags.stdout === true) return stream(run, flags.table ?? null);
      const { out } = flags;
      if (out === undefined)
        throw new PlumblineError('USAGE', 'Nowhere to export to: give --out or --stdout.');
      const format = flags.format ?? formatOf(out);
      requireFree(out);
      const table = openTable(run, flags.table ?? null);
      const bytes = exportTable(table, format, out);
      const rows = table.rows();
      if (flags.json === true) {
        printJson({ file: out, table: table.table, format, rows, bytes, state: table.verification.state });
      } else {
        note(`Written: ${quoted(out)}, ${counted(rows, 'row')} of ${table.table}, ${fileSize(bytes)}.`);
      }
      conclude(run, table.verification);
    });
}

async function stream(run: string, wanted: ExportTable | null): Promise<void> {
  if (process.stdout.isTTY) {
    throw new PlumblineError(
      'USAGE',
      '--stdout gives bytes that no terminal shows: send them to a program or a file.',
    );
  }
  const table = openTable(run, wanted);
  for (const piece of table.pieces('arrow')) await printBytes(piece);
  conclude(run, table.verification);
}

/** Errors: USAGE. */
function formatOf(out: string): ExportFormat {
  const ending = extname(out).slice(1).toLowerCase();
  const format = EXPORT_FORMATS.find(name => name === ending);
  if (format === undefined) {
    throw new PlumblineError(
      'USAGE',
      `${out} does not end in ${EXPORT_FORMATS.map(name => `.${name}`).join(', ')}: give --format.`,
    );
  }
  return format;
}

/** Says what an incomplete run lacks, and sets the exit code. */
function conclude(run: string, { state, findings, exitCode }: Verification): void {
  if (state === 'incomplete') {
    note(
      `Not complete: ${printable(run)}: ${findings.map(printable).join('; ')}. What is there was exported.`,
    );
  }
  process.exitCode = exitCode;
}
