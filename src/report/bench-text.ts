import type { Bench } from '../api/bench.js';
import { whole } from './format.js';
import { left, printable, renderTable, right } from './table.js';

export function benchText(bench: Bench): string {
  const { model, host } = bench;
  const table = renderTable(
    {
      columns: [
        left('schedule'),
        right('job tokens/s'),
        right('samples/s'),
        right('CPU s'),
        right('wall ×'),
        right('CPU ×'),
        right('tokens/node'),
        right('decodes'),
      ],
      rows: bench.schedules.map(row => [
        row.schedule,
        whole(Math.round(row.jobTokensPerSecond)),
        row.samplesPerSecond.toFixed(2),
        row.cpuSeconds.toFixed(2),
        row.wallRatio.toFixed(2),
        row.cpuRatio.toFixed(2),
        row.tokensPerNode.toFixed(3),
        whole(Math.round(row.counters.decodes / bench.rounds)),
      ]),
    },
    { colour: false },
  );
  return [
    `${printable(model.name)}, ${model.format}, on ${host.cpu}, ${host.cores} cores; 1 process × ${bench.threads} thread(s), ${bench.rounds} interleaved rounds`,
    `${whole(bench.samples)} samples, ${whole(bench.evaluations)} evaluations, ${whole(bench.sequenceTokens)} tokens, ${whole(bench.nodes)} prefix-tree nodes`,
    '',
    table,
    '',
    `Steering at the last token, five alphas against one, ${bench.alphas.prompts} prompts of ${Math.round(bench.alphas.promptTokens)} tokens: ` +
      `${bench.alphas.tokenRatio.toFixed(2)} × tokens, ${bench.alphas.wallRatio.toFixed(2)} × wall, ${bench.alphas.cpuRatio.toFixed(2)} × CPU`,
    '',
    'Medians over the rounds. "job tokens" counts the tokens of every prompt and label, shared or not, so it is the same',
    'job for all; × is the speed against single. single and exact give equal bits, unified does not.',
  ].join('\n');
}
