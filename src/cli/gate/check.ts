import { Command } from 'commander';
import { checkCorpus } from '../../gate/check.js';
import { readGateCorpus } from '../../gate/corpus.js';
import { gateCheckText } from '../../report/gate-check-text.js';
import { EXIT, printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { GATE_SEED } from './options.js';

export function gateCheckCommand(): Command {
  return new Command('check')
    .description(
      'Check a factorial corpus before any encoder: measured overlap, manipulation, balance. Exits with 5 when scores on it would not be interpretable.',
    )
    .argument('<corpus>', 'builtin, held-out, polaritycheck:DIR or jsonl:FILE')
    .option('--json', 'print the check as JSON')
    .addHelpText('after', '\nExample:\n  plumbline gate check jsonl:pairs.jsonl')
    .action(async (corpus: string, { json }: { readonly json?: boolean }) => {
      const check = checkCorpus(await readGateCorpus(corpus), GATE_SEED);
      if (json) printJson(check);
      else printData(gateCheckText(check, stdoutStyle()));
      if (!check.interpretable) process.exitCode = EXIT.notInterpretable;
    });
}
