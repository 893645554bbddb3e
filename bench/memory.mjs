// Memory of one engine process over many evaluations of short prompts. Reads /proc, so it runs on Linux only.
//   node bench/memory.mjs [evaluations] [model.gguf]     (after `npm run build`)
// Prints one JSON object; bytes, and CPU seconds of the engine process. Exit code 1 when memory is above the bound.
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { readGgufHeader } from '../dist/engine/gguf-header.js';
import { planJobs } from '../dist/engine/jobs.js';
import { openPool } from '../dist/engine/pool.js';
import { PLAIN } from '../dist/engine/recipe.js';
import { chooseSizing } from '../dist/engine/sizing.js';

const ROUND = 1000;
const FAMILY = 4;
/** What a process may take beside weights and key-value memory. */
const ALLOWANCE = 150e6;

const evaluations = Number(process.argv[2] ?? 100_000);
const path = process.argv[3] ?? fileURLToPath(new URL('../models/demo-judge.gguf', import.meta.url));
if (!Number.isInteger(evaluations / ROUND)) throw new Error(`Give a multiple of ${ROUND} evaluations.`);

const generator = xoroshiro128plus(1);
const below = limit => (generator.next() >>> 0) % limit;

/** Families of prompts that share their beginning; no two rounds share a text, so nothing can be remembered with profit. */
function round(vocabulary) {
  const tokens = length => Array.from({ length }, () => below(vocabulary));
  const labels = [Int32Array.from(tokens(1)), Int32Array.from(tokens(2))];
  let shared = [];
  return Array.from({ length: ROUND }, (_, id) => {
    if (id % FAMILY === 0) shared = tokens(4 + below(20));
    const generate = id % 5 === 0 ? { maxTokens: 3, stop: 'compliant', scoreAfter: null } : null;
    const prompt = Int32Array.from([...shared, ...tokens(1 + below(12))]);
    return { item: { id, prompt, labels, generate }, order: id, isolated: id % 50 === 0 };
  });
}

function status(pid, field) {
  const found = new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found[1]) * 1024;
}

const pool = await openPool({ path, backend: 'cpu', gpuLayers: 0 }, 1);
try {
  const engine = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  const { nVocab, nEmbd, nLayer } = pool.facts;
  const header = await readGgufHeader(path);
  const sizing = chooseSizing(
    header,
    round(nVocab).map(({ item }) => item),
    'exact',
    64,
    Number.POSITIVE_INFINITY,
  );
  await pool.configure({
    ...PLAIN,
    ...sizing,
    schedule: 'exact',
    threads: 1,
    taps: [{ layer: nLayer - 1, directions: new Float32Array(nEmbd).fill(1), keepActivations: true }],
    vectors: new Float32Array(),
    stopAtTaps: false,
  });
  const resident = [];
  let done = 0;
  let cpuMs = 0;
  const fail = (id, error) => {
    throw new Error(`evaluation ${id}: ${error.message}`);
  };
  while (done < evaluations) {
    const { jobs } = planJobs(round(nVocab));
    const counters = await pool.run(jobs, { onOutcome: () => done++, onFailure: fail });
    cpuMs += counters.cpuMs;
    resident.push(status(engine, 'VmRSS'));
    if (done % (10 * ROUND) === 0) console.error(`${done} evaluations: ${resident.at(-1)} bytes`);
  }
  const bound = statSync(path).size + sizing.kvBytes + ALLOWANCE;
  const most = status(engine, 'VmHWM');
  const tenth = resident.slice(0, Math.ceil(resident.length / 10));
  const report = {
    evaluations: done,
    engineCpuSeconds: cpuMs / 1000,
    weightBytes: statSync(path).size,
    kvBytes: sizing.kvBytes,
    boundBytes: bound,
    mostBytes: most,
    afterFirstRound: resident[0],
    mostInFirstTenth: Math.max(...tenth),
    mostInLastTenth: Math.max(...resident.slice(-tenth.length)),
    everyTenth: resident.filter((_, i) => (i + 1) % tenth.length === 0),
    parentBytes: process.memoryUsage.rss(),
  };
  console.log(JSON.stringify(report, null, 2));
  if (most > bound) process.exitCode = 1;
} finally {
  await pool.dispose();
}
