import { Command } from 'commander';
import { ENCODER_PRESETS } from '../../gate/encoder-presets.js';
import { effective } from '../../gate/gates.js';
import { PRESETS } from '../../gate/presets.js';
import { probeGate } from '../../gate/probe.js';
import { encoderPresetsText } from '../../report/encoder-presets-text.js';
import { presetsText } from '../../report/gate-presets-text.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';

interface Flags {
  readonly encoders?: boolean;
  readonly json?: boolean;
}

export function gatePresetsCommand(): Command {
  return new Command('presets')
    .description('List gates that projects ship, and what their constants mean as a cosine.')
    .option('--encoders', 'list presets of encoders instead, for --encoder preset:NAME=FILE')
    .option('--json', 'print everything as JSON, each gate proven on vectors')
    .addHelpText('after', '\nExample:\n  plumbline gate presets')
    .action(({ encoders, json }: Flags) => {
      if (encoders) {
        if (json) printJson(ENCODER_PRESETS);
        else printData(encoderPresetsText(ENCODER_PRESETS, stdoutStyle()));
        return;
      }
      const presets = PRESETS.map(preset => ({
        ...preset,
        effective: preset.gate === null ? null : effective(preset.gate),
      }));
      if (json) {
        printJson(
          presets.map(preset => ({
            ...preset,
            proven: preset.gate === null ? null : probeGate(preset.gate).proven,
          })),
        );
      } else printData(presetsText(presets, stdoutStyle()));
    });
}
