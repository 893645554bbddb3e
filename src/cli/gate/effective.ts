import { Command, Option } from 'commander';
import { PlumblineError } from '../../errors.js';
import { findGate } from '../../gate/find-gate.js';
import { COMPARISONS, type Comparison, type Gate, METRICS, type Metric } from '../../gate/gates.js';
import { probeGate } from '../../gate/probe.js';
import { effectiveText } from '../../report/gate-presets-text.js';
import { EXIT, printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { finiteNumber } from './options.js';

interface Flags {
  readonly metric?: Metric;
  readonly comparison?: Comparison;
  readonly threshold?: number;
  readonly json?: boolean;
}

export function gateEffectiveCommand(): Command {
  return new Command('effective')
    .description('Say which cosine a gate really asks for, and prove it on vectors of known cosine.')
    .argument('[gate]', 'a preset, or a JSON file with a gate; or say it with the options')
    .addOption(new Option('--metric <name>', 'what is compared').choices(METRICS))
    .addOption(new Option('--comparison <sign>', 'how it stands to the threshold').choices(COMPARISONS))
    .option('--threshold <number>', 'the constant', finiteNumber)
    .option('--json', 'print the boundary and every point as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline gate effective --metric distance --comparison "<=" --threshold 0.1',
    )
    .action((name: string | undefined, flags: Flags) => {
      const gate = gateOf(name, flags);
      const probe = probeGate(gate);
      if (flags.json) printJson({ gate, ...probe });
      else printData(effectiveText(gate, probe, stdoutStyle()));
      if (!probe.proven) process.exitCode = EXIT.failed;
    });
}

function gateOf(name: string | undefined, { metric, comparison, threshold }: Flags): Gate {
  const given = [metric, comparison, threshold].filter(value => value !== undefined).length;
  if (name !== undefined && given === 0) return findGate(name);
  if (name === undefined && metric !== undefined && comparison !== undefined && threshold !== undefined)
    return { name: 'gate', metric, comparison, threshold, action: 'take as the same' };
  throw new PlumblineError(
    'USAGE',
    'Name a preset or a file, or give all of --metric, --comparison and --threshold, but not both.',
  );
}
