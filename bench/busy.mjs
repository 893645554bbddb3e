// The division of cores that is chosen beside a spinning process on every core, against every division measured there.
//   node bench/busy.mjs [rounds] [model.gguf]     (after `npm run build`)
// Each round chooses anew, then measures all divisions in turn. Prints one JSON object; exit code 1 below the bound.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hostFacts } from '../dist/engine/hardware.js';
import { openPool } from '../dist/engine/pool.js';
import { PLAIN } from '../dist/engine/recipe.js';
import { measureSplit } from '../dist/engine/split.js';

/** Share of the throughput of the best division that the choices must reach, as a mean over the rounds. */
const BOUND = 0.8;
const REPEATS = 3;

const rounds = Number(process.argv[2] ?? 5);
const path = process.argv[3] ?? fileURLToPath(new URL('../models/demo-judge.gguf', import.meta.url));
const { cores, cpu } = hostFacts();
const splits = [];
for (let threads = 1; threads <= cores; threads *= 2)
  for (let workers = 1; workers * threads <= cores; workers *= 2) splits.push({ workers, threads });
// What an audit chooses from, the memory being enough.
const candidates = splits.filter(({ workers, threads }) => workers === Math.floor(cores / threads));

const context = {
  ...PLAIN,
  schedule: 'exact',
  lanes: 1,
  parks: 0,
  cells: 512,
  ubatch: 512,
  longestLabel: 1,
  taps: [],
  vectors: new Float32Array(),
  stopAtTaps: false,
};
const nameOf = ({ workers, threads }) => `${workers}x${threads}`;
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const spinners = Array.from({ length: cores }, () => spawn(process.execPath, ['-e', 'for (;;);']));
const pool = await openPool({ path, backend: 'cpu', gpuLayers: 0 }, 1);
try {
  const rates = new Map(splits.map(split => [nameOf(split), []]));
  const chosen = [];
  for (let round = 0; round < rounds; round++) {
    chosen.push(nameOf(await measureSplit(pool, candidates, { ...context, threads: 1 })));
    for (const split of splits) {
      await pool.resize(split.workers);
      await pool.configure({ ...context, threads: split.threads });
      for (let i = 0; i < REPEATS; i++) rates.get(nameOf(split)).push(await pool.measure());
    }
  }
  const medians = Object.fromEntries([...rates].map(([name, all]) => [name, median(all)]));
  const best = Math.max(...Object.values(medians));
  const ratios = chosen.map(name => medians[name] / best);
  const ratio = ratios.reduce((a, b) => a + b) / ratios.length;
  const share = Object.fromEntries(Object.entries(medians).map(([name, rate]) => [name, rate / best]));
  console.log(
    JSON.stringify(
      { cpu, cores, rounds, chosen, shareOfBest: share, ratio, worst: Math.min(...ratios) },
      null,
      2,
    ),
  );
  if (ratio < BOUND) process.exitCode = 1;
} finally {
  await pool.dispose();
  for (const spinner of spinners) spinner.kill();
}
