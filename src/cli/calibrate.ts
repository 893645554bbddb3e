import { Command } from 'commander';
import { calibrate } from '../api/calibrate.js';
import { DEFAULTS } from '../api/options.js';
import { calibrationClosing, modelCalibrationText } from '../report/calibrate-text.js';
import { onInterrupt } from './interrupt.js';
import { integer } from './options.js';
import { EXIT, note, printData, printJson } from './output.js';
import { stdoutStyle } from './style.js';

interface Flags {
  readonly model?: string;
  readonly seed: number;
  readonly json?: boolean;
}

export function calibrateCommand(): Command {
  return new Command('calibrate')
    .description(
      'Measure the shipped reference models, whose relation to the rule is known: the self-test of the instrument.',
    )
    .option('--model <name>', 'one reference model (default: all)')
    .option('--seed <n>', 'seed of every draw', integer, DEFAULTS.seed)
    .option('--json', 'print the figures as JSON')
    .addHelpText('after', '\nExample:\n  plumbline calibrate --model reader\n')
    .action(async ({ model, seed, json }: Flags) => {
      const style = stdoutStyle();
      const interrupt = onInterrupt('Stopping; nothing is kept.');
      const results = await calibrate(
        { model: model ?? null, seed },
        {
          signal: interrupt.signal,
          onStage: note,
          onModel(result) {
            if (json !== true) printData(modelCalibrationText(result, style));
          },
        },
      ).finally(() => interrupt.release());
      if (json === true) printJson(results);
      else printData(calibrationClosing(results, style));
      if (results.some(({ pass }) => !pass)) process.exitCode = EXIT.failed;
    });
}
