import { Command } from 'commander';
import { runGateRepair } from '../../api/gate-repair.js';
import { repairsText } from '../../report/gate-repair-text.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { addEncoderOptions, type EncoderFlags, encoderOptions } from './encoder-options.js';
import { GATE_SEED } from './options.js';

interface Flags extends EncoderFlags {
  readonly fit: string;
  readonly judge: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export function gateRepairCommand(): Command {
  const command = new Command('repair')
    .description(
      'Fit repairs of a gate once (I1: best threshold; I2: logistic on cosine and token Jaccard) and judge them on pairs that no fit has seen.',
    )
    .argument('[program...]', 'after --: a second gate to judge as well, which reads and answers JSONL');
  return addEncoderOptions(command, 'of several, the strongest is repaired')
    .option('--fit <corpus>', 'corpus to fit on', 'builtin')
    .option('--judge <corpus>', 'corpus to judge on, of other anchors', 'held-out')
    .option('--force', 'go on with corpora that are not interpretable')
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline gate repair --encoder vectors:mine.parquet -- python3 nli.py',
    )
    .action(async (program: readonly string[], flags: Flags) => {
      const repairs = await runGateRepair({
        fitOn: flags.fit,
        judgeOn: flags.judge,
        encoders: flags.encoder ?? [],
        encoderOptions: encoderOptions(flags),
        program: program.length === 0 ? null : program,
        force: flags.force === true,
        seed: GATE_SEED,
      });
      if (flags.json) return printJson(repairs);
      const texts = Object.entries(repairs.tasks).map(([task, { encoder, results }]) =>
        repairsText(task, encoder, results, stdoutStyle()),
      );
      printData(texts.join('\n\n'));
    });
}
