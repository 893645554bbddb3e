import { Command } from 'commander';
import { benchSchedules } from '../api/bench.js';
import { demoModel } from '../api/demo.js';
import { DEFAULT_ENGINE, DEFAULTS } from '../api/options.js';
import { PROFILES } from '../prompt/profiles.js';
import { benchText } from '../report/bench-text.js';
import { positiveInteger, threadCount } from './options.js';
import { note, printData, printJson } from './output.js';

interface Flags {
  readonly model?: string;
  readonly corpus: string;
  readonly domains?: string;
  readonly perDomain: number;
  readonly rounds: number;
  readonly threads: number;
  readonly json?: boolean;
}

export function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Run the same audit under every schedule, interleaved, and print the ratios of their speeds.',
    )
    .option('--model <file>', 'GGUF file (default: the embedded demo judge)')
    .option('--corpus <spec>', 'cases, as for audit', 'demo')
    .option('--domains <list>', 'domains, separated by commas (default: all)')
    .option('--per-domain <n>', 'cases from each domain', positiveInteger, 6)
    .option('--rounds <n>', 'times that each schedule runs', positiveInteger, 3)
    .option('--threads <n>', 'threads of the one engine process', threadCount, 1)
    .option('--json', 'print the figures as JSON')
    .addHelpText('after', '\nExample:\n  plumbline bench --model judge.gguf --rounds 5\n')
    .action(async (flags: Flags) => {
      const bench = await benchSchedules(
        {
          ...DEFAULTS,
          placebo: 'off',
          corpus: flags.corpus,
          domains: flags.domains?.split(',') ?? null,
          perDomain: flags.perDomain,
          model: flags.model ?? demoModel(),
          profile: PROFILES.standard,
          engine: { ...DEFAULT_ENGINE, threads: flags.threads },
        },
        flags.rounds,
        { onStage: note, onLoad() {} },
      );
      if (flags.json === true) printJson(bench);
      else printData(benchText(bench));
    });
}
