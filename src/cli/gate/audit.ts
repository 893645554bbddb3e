import { Command } from 'commander';
import { runGateAudit } from '../../api/gate-audit.js';
import { gateAuditText } from '../../report/gate-audit-text.js';
import { printData, printJson } from '../output.js';
import { stdoutStyle } from '../style.js';
import { finiteNumber, GATE_SEED, repeated } from './options.js';

interface Flags {
  readonly encoder?: readonly string[];
  readonly gate?: string;
  readonly corpus: string;
  readonly out?: string;
  readonly force?: boolean;
  readonly seed: number;
  readonly json?: boolean;
}

export function gateAuditCommand(): Command {
  return new Command('audit')
    .description('Audit encoders, and what a threshold on their scores approves, on a factorial corpus.')
    .option('--encoder <spec>', 'token-jaccard or vectors:FILE; give it once for each encoder', repeated)
    .option('--gate <name>', 'a preset, or a JSON file with a gate of your own')
    .option('--corpus <spec>', 'builtin, held-out, polaritycheck:DIR or jsonl:FILE', 'builtin')
    .option('--out <dir>', 'folder for pairs.arrow and summary.json')
    .option('--force', 'go on with a corpus that is not interpretable')
    .option('--seed <n>', 'seed of the bootstrap', finiteNumber, GATE_SEED)
    .option('--json', 'print everything as JSON')
    .addHelpText('after', '\nExample:\n  plumbline gate audit --encoder vectors:mine.parquet --gate gptcache')
    .action(async (flags: Flags) => {
      const audit = await runGateAudit({
        corpus: flags.corpus,
        encoders: flags.encoder ?? [],
        gate: flags.gate ?? null,
        out: flags.out ?? null,
        force: flags.force === true,
        seed: flags.seed,
      });
      if (flags.json) printJson(audit);
      else printData(gateAuditText(audit, stdoutStyle()));
    });
}
