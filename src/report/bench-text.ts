import { BASELINE } from '../api/bench/contestants.js';
import type { Bench, BenchRow, Spread, Target } from '../api/bench/types.js';
import { WORKLOADS } from '../api/bench/types.js';
import { whole } from './format.js';
import { left, printable, renderTable, right } from './table.js';

export function benchText(bench: Bench): string {
  const sections = WORKLOADS.flatMap(workload => {
    const rows = bench.rows.filter(row => row.workload === workload);
    return rows.length === 0 ? [] : [section(workload, rows), ''];
  });
  return [
    ...benchHead(bench),
    '',
    ...sections,
    ...benchFacts(bench),
    '',
    targetTable(bench.targets),
    '',
    ...LEGEND,
  ].join('\n');
}

const RECIPE_JOBS: Readonly<Record<keyof Bench['recipes'], string>> = {
  audit: 'audit',
  whole: 'whole audit',
  scenarioFirst: 'scenario first',
  last: 'alphas at last',
  all: 'alphas at all',
};

/** What was measured, and where. */
export function benchHead({ model, host, ...bench }: Bench): string[] {
  return [
    `${printable(model.name)}, ${model.format}, on ${host.cpu}, ${host.cores} cores; llama.cpp ${host.release}, Node ${host.node}; 1 process × ${bench.threads} thread(s), ${bench.rounds} interleaved rounds`,
    `${printable(bench.corpus)}: ${whole(bench.samples)} samples, ${whole(bench.evaluations)} evaluations, ${whole(bench.sequenceTokens)} tokens, ${whole(bench.nodes)} prefix-tree nodes; ${bench.alphaPrompts} prompts steered; block ${bench.layer}`,
    `recipes chosen: ${Object.entries(bench.recipes)
      .map(([job, recipe]) => `${RECIPE_JOBS[job as keyof Bench['recipes']]} ${recipe}`)
      .join(', ')}`,
  ];
}

/** What is no row: start, memory, who was not there. */
export function benchFacts({ startup, memory, skipped, rows }: Bench): string[] {
  const { load, version, inspect } = startup;
  const lines = [
    `start, wall time: model loaded in a new process ${seconds(load)}; plumbline --version ${seconds(version)}; plumbline inspect MODEL ${seconds(inspect)}`,
  ];
  const exact = rows.find(({ id }) => id === BASELINE.exact);
  if (exact?.outsideDecodes && exact.parentCpu) {
    lines.push(
      `audit, exact, capture: ${percent(exact.outsideDecodes.median)} of the time outside decodes; the calling process takes ${percent(exact.parentCpu.median)} of the engine's CPU time; ${exact.copies} copies of prefixes in ${exact.decodes} decodes`,
    );
  }
  if (memory !== null) {
    lines.push(
      `memory of the engine: at most ${megabytes(memory.mostBytes)}, of which weights ${megabytes(memory.weightBytes)}, keys and values at most ${megabytes(memory.kvBytes)}`,
    );
  }
  return [...lines, ...skipped.map(({ name, reason }) => `${name}: skipped, ${printable(reason)}`)];
}

export const LEGEND: readonly string[] = [
  'Medians over the rounds, in brackets the smallest and largest. "llama.cpp" is called as it is: flash attention, one',
  'prompt per decode, nothing shared. "speed": CPU seconds of the first row of the job by those of this row, above 1 is',
  'faster; for ICS only the first row is the full pass of llama.cpp without capture. "outside": share of the time outside',
  'decodes. "equal": every float had the bits of one prompt per decode. "off": largest difference of label margins (of',
  'projections for ICS only) from llama.cpp; of other programs in F32 or BF16 from the exact row in F32.',
];

/** The cells of a row, as text and as Markdown. */
export function benchCells(row: BenchRow): readonly string[] {
  const { tokensPerNode, outsideDecodes, margin, projection, bitsEqual } = row;
  const off = margin ?? projection;
  return [
    row.name,
    row.format,
    row.cpuSeconds.median.toFixed(2),
    row.wallSeconds.median.toFixed(2),
    spread(row.speed),
    tokensPerNode === null ? '' : tokensPerNode.toFixed(3),
    outsideDecodes === null ? '' : percent(outsideDecodes.median),
    bitsEqual === null ? '' : 'equal',
    off === null ? '' : small(off),
  ];
}

export const BENCH_COLUMNS = ['format', 'CPU s', 'wall s', 'speed', 'tokens/node', 'outside', 'bits', 'off'];

function section(workload: string, rows: readonly BenchRow[]): string {
  const columns = [left(workload), ...BENCH_COLUMNS.map(right)];
  return renderTable({ columns, rows: rows.map(benchCells) }, { colour: false });
}

/** A target's cells: what, bound, found, verdict and by how much. */
export function targetCells({ what, bound, limit, found, met }: Target): readonly string[] {
  const verdict = met === null ? 'not measured' : met ? 'met' : 'missed';
  const by = found === null || limit === 0 ? '' : ` by ${percent(Math.abs(found / limit - 1))}`;
  return [what, `${bound} ${limit}`, found === null ? '' : found.toFixed(found < 0.1 ? 3 : 2), verdict + by];
}

export const TARGET_COLUMNS = ['wanted', 'found', 'verdict'];

function targetTable(targets: readonly Target[]): string {
  const columns = [left('target'), ...TARGET_COLUMNS.map(right)];
  return renderTable({ columns, rows: targets.map(targetCells) }, { colour: false });
}

function small(value: number): string {
  if (value === 0) return '0';
  return value < 0.001 ? value.toExponential(1) : value.toPrecision(2);
}

function spread({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}

function seconds({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} s (${min.toFixed(2)}–${max.toFixed(2)})`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
