import { Command, Option } from 'commander';
import { type Check, doctor } from '../api/doctor.js';
import { GPU_OPTIONS, type GpuOption } from '../engine/hardware.js';
import { paint, printable, type Tone } from '../report/table.js';
import { EXIT, note, printData, printJson } from './output.js';
import { stdoutStyle } from './style.js';

const TONES: Readonly<Record<Check['state'], Tone>> = { ok: 'good', warn: 'warn', fail: 'bad' };

export function doctorCommand(): Command {
  return new Command('doctor')
    .description(
      'Say what this machine can do, and test the instrument on it: less than a minute with the embedded judge.',
    )
    .option('--model <file>', 'test with this GGUF file instead of the embedded judge')
    .addOption(new Option('--gpu <backend>', 'where to compute').choices(GPU_OPTIONS).default('auto'))
    .option('--json', 'print the checks as JSON')
    .addHelpText('after', '\nExample:\n  plumbline doctor --model judge.gguf\n')
    .action(async (flags: { readonly model?: string; readonly gpu: GpuOption; readonly json?: boolean }) => {
      const style = stdoutStyle();
      const checks = await doctor({ model: flags.model ?? null, gpu: flags.gpu }, ({ name, state, text }) => {
        if (flags.json !== true)
          printData(`${paint(state.padEnd(4), TONES[state], style)}  ${name.padEnd(20)} ${printable(text)}`);
      });
      if (flags.json === true) printJson(checks);
      if (checks.some(check => check.state === 'fail')) process.exitCode = EXIT.failed;
      else if (flags.json !== true)
        note(
          '\nNext: npx plumbline calibrate measures judges whose relation to the rule is known, in about a minute.',
        );
    });
}
