import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { packageRoot } from '../../engine/package-root.js';
import { toSarif } from '../../gate/scan/sarif.js';
import { scanTree } from '../../gate/scan/scan-tree.js';
import { scanText } from '../../report/gate-scan-text.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';

const FORMATS = ['text', 'json', 'sarif'] as const;

interface Flags {
  readonly format: (typeof FORMATS)[number];
  readonly json?: boolean;
}

export function gateScanCommand(): Command {
  return new Command('scan')
    .description(
      'Find similarity thresholds in TypeScript, JavaScript and Python code: where, which constant, which cosine, what happens.',
    )
    .argument('<path>', 'a folder or a file')
    .addOption(new Option('--format <name>', 'form of the output').choices(FORMATS).default('text'))
    .option('--json', 'the same as --format json')
    .addHelpText('after', '\nExample:\n  plumbline gate scan src/ --format sarif > gates.sarif')
    .action((path: string, { format, json }: Flags) => {
      const result = scanTree(path);
      if (json || format === 'json') printJson(result);
      else if (format === 'sarif') printJson(toSarif(result, version()));
      else printData(scanText(result, stdoutStyle()));
    });
}

function version(): string {
  return (
    JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string }
  ).version;
}
