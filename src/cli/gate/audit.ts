import { Command } from 'commander';
import { runGateAudit } from '../../api/gate-audit.js';
import { gateAuditText } from '../../report/gate-audit-text.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { addEncoderOptions, type EncoderFlags, encoderOptions } from './encoder-options.js';
import { finiteNumber, GATE_SEED } from './options.js';

interface Flags extends EncoderFlags {
  readonly gate?: string;
  readonly corpus: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly seed: number;
  readonly json?: boolean;
}

export function gateAuditCommand(): Command {
  const command = new Command('audit').description(
    'Audit encoders, and what a threshold on their scores approves, on a factorial corpus.',
  );
  return addEncoderOptions(command, 'give it once for each encoder')
    .option('--gate <name>', 'a preset, or a JSON file with a gate of your own')
    .option('--corpus <spec>', 'builtin, held-out, polaritycheck:DIR or jsonl:FILE', 'builtin')
    .option('--out <dir>', 'folder for pairs.arrow, summary.json and the picture scores.svg')
    .option('--force', 'go on with a corpus that is not interpretable')
    .option('--seed <n>', 'seed of the bootstrap', finiteNumber, GATE_SEED)
    .option('--json', 'print everything as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  plumbline gate audit --encoder gguf:all-MiniLM-L6-v2-F16.gguf --gate gptcache',
    )
    .action(async (flags: Flags) => {
      const audit = await runGateAudit({
        corpus: flags.corpus,
        encoders: flags.encoder ?? [],
        encoderOptions: encoderOptions(flags),
        gate: flags.gate ?? null,
        out: flags.out ?? null,
        force: flags.force === true,
        seed: flags.seed,
      });
      if (flags.json) printJson(audit);
      else printData(gateAuditText(audit, stdoutStyle()));
    });
}
