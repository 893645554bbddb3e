import { Command } from 'commander';
import { runGateDilute } from '../../api/gate-dilute.js';
import { DILUTIONS } from '../../gate/dilute.js';
import { gateDiluteText } from '../../report/gate-dilute-text.js';
import { integerList } from '../options.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { addEncoderOptions, type EncoderFlags, encoderOptions } from './encoder-options.js';
import { finiteNumber, GATE_SEED } from './options.js';

interface Flags extends EncoderFlags {
  readonly gate?: string;
  readonly corpus: string;
  readonly lengths?: readonly number[];
  readonly force?: boolean;
  readonly seed: number;
  readonly json?: boolean;
}

export function gateDiluteCommand(): Command {
  const command = new Command('dilute').description(
    'Put reversals and paraphrases inside neutral text of growing length: what is still told apart, what is approved.',
  );
  return addEncoderOptions(command, 'give it once for each encoder')
    .option('--gate <name>', 'a preset, or a JSON file with a gate of your own')
    .option('--corpus <spec>', 'builtin, held-out, polaritycheck:DIR or jsonl:FILE', 'builtin')
    .option(
      '--lengths <list>',
      `words of neutral text, separated by commas (default: ${DILUTIONS.join(',')})`,
      integerList,
    )
    .option('--force', 'go on with a corpus that is not interpretable')
    .option('--seed <n>', 'seed of the neutral text and of the bootstrap', finiteNumber, GATE_SEED)
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline gate dilute --encoder gguf:all-MiniLM-L6-v2-F16.gguf --lengths 16,64,256',
    )
    .action(async (flags: Flags) => {
      const dilution = await runGateDilute({
        corpus: flags.corpus,
        encoders: flags.encoder ?? [],
        encoderOptions: encoderOptions(flags),
        gate: flags.gate ?? null,
        lengths: flags.lengths ?? DILUTIONS,
        force: flags.force === true,
        seed: flags.seed,
      });
      if (flags.json) printJson(dilution);
      else printData(gateDiluteText(dilution, stdoutStyle()));
    });
}
