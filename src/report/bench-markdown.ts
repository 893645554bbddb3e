import { type Bench, WORKLOADS } from '../api/bench/types.js';
import {
  BENCH_COLUMNS,
  benchCells,
  benchFacts,
  benchHead,
  TARGET_COLUMNS,
  targetCells,
} from './bench-text.js';

/** The same figures as Markdown tables, without a heading of their own. */
export function benchMarkdown(bench: Bench): string {
  const paragraphs = benchHead(bench).map(escaped);
  const tables = WORKLOADS.flatMap(workload => {
    const rows = bench.rows.filter(row => row.workload === workload);
    return rows.length === 0 ? [] : [table([workload, ...BENCH_COLUMNS], rows.map(benchCells))];
  });
  const facts = benchFacts(bench)
    .map(line => `- ${escaped(line)}`)
    .join('\n');
  const targets = table(['target', ...TARGET_COLUMNS], bench.targets.map(targetCells));
  return [...paragraphs, ...tables, facts, targets].join('\n\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `|${head.map((_, i) => (i === 0 ? '---' : '---:')).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function escaped(text: string): string {
  return text.replace(/[|<*_`[\]\\]/g, character => `\\${character}`);
}
