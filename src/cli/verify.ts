import { Command } from 'commander';
import { verifyAnyRun } from '../api/verify.js';
import { verifyText } from '../report/verify-text.js';
import { printData, printJson } from './output.js';
import { stdoutStyle } from './style.js';

export function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'Check every byte and every row of a run or a gate audit, change nothing, and exit with 0 when it is complete, 3 when it is ' +
        'incomplete and 4 when it is damaged.',
    )
    .argument('<run>', 'folder of the run')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample:\n  plumbline verify run/')
    .action((run: string, { json }: { readonly json?: boolean }) => {
      const verification = verifyAnyRun(run);
      if (json) printJson(verification);
      else printData(verifyText(run, verification, stdoutStyle()));
      process.exitCode = verification.exitCode;
    });
}
