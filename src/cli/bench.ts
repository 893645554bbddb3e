import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type BenchOptions, bench } from '../api/bench/run.js';
import { referenceFile } from '../api/reference.js';
import { benchMarkdown } from '../report/bench-markdown.js';
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
  readonly markdown?: string;
}

export function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Run one audit in every way, interleaved, beside llama.cpp as it is, and print the ratios of CPU seconds.',
    )
    .option('--model <file>', 'GGUF file (default: the embedded judge "reader")')
    .option('--corpus <spec>', 'cases, as for audit', 'demo')
    .option('--domains <list>', 'domains, separated by commas (default: all)')
    .option('--per-domain <n>', 'cases from each domain', positiveInteger, 6)
    .option('--rounds <n>', 'times that each way runs', positiveInteger, 3)
    .option('--threads <n>', 'threads of the one engine process', threadCount, 1)
    .option('--json', 'print the figures as JSON')
    .option('--markdown <file>', 'write the figures as Markdown tables too')
    .addHelpText('after', '\nExample:\n  plumbline bench --model judge.gguf --rounds 5\n')
    .action(async (flags: Flags) => {
      const found = await bench(benchOptions(flags), { onStage: note, onLoad() {} });
      if (flags.markdown !== undefined) writeFileSync(flags.markdown, `${benchMarkdown(found)}\n`);
      if (flags.json === true) printJson(found);
      else printData(benchText(found));
    });
}

function benchOptions({ model, corpus, domains, perDomain, rounds, threads }: Flags): BenchOptions {
  return {
    model: model ?? referenceFile('reader.gguf'),
    corpus,
    domains: domains?.split(',') ?? null,
    perDomain,
    rounds,
    threads,
  };
}
