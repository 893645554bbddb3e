/**
 * node-llama-cpp through its own API, in its own process: node node-llama-cpp.mjs JOB.json fresh|reuse
 *
 * `fresh` evaluates every prompt from its start; `reuse` sorts the prompts, so that neighbours begin alike, and lets each
 * sequence keep what its next prompt begins with. Speaks the JSON lines of worker.py.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { getLlama } from 'node-llama-cpp';
import { packageFolder } from '../../scripts/process.mjs';

/** As in worker.py. */
const SIZES = [1, 4, 8, 16];
const TRIAL = 16;
const WORSE = 1.05;

const [jobFile, mode] = process.argv.slice(2);
const job = JSON.parse(readFileSync(jobFile, 'utf8'));
const reuse = mode === 'reuse';
const say = message => process.stdout.write(`${JSON.stringify(message)}\n`);

const began = performance.now();
const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: 'error' });
const model = await llama.loadModel({ modelPath: job.model });
const longest = job.audit.reduce((most, index) => Math.max(most, job.prompts[index].ids.length), 0);

async function open(sequences) {
  const context = await model.createContext({
    sequences,
    contextSize: longest,
    threads: 1,
    flashAttention: true,
  });
  return { context, sequences: Array.from({ length: sequences }, () => context.getSequence()) };
}

/** Label A minus label B at the last token of one prompt. */
async function margin(sequence, { ids, labels }) {
  if (reuse) await sequence.adaptStateToTokens(ids.slice(0, -1), false);
  else await sequence.clearHistory();
  const rest = ids.slice(sequence.nextTokenIndex);
  const generateNext = { logits: { filter: { tokens: labels } } };
  const answers = await sequence.controlledEvaluate([...rest.slice(0, -1), [rest.at(-1), { generateNext }]]);
  const { logits } = answers.at(-1).next;
  return logits.get(labels[0]) - logits.get(labels[1]);
}

const idsOf = index => job.prompts[index].ids;

/** Prompts by length; for reuse in the order of their tokens, where neighbours share most. */
const byLength = (a, b) => idsOf(a).length - idsOf(b).length;
function byTokens(a, b) {
  const [one, other] = [idsOf(a), idsOf(b)];
  const at = one.findIndex((id, i) => id !== other[i]);
  return at === -1 ? one.length - other.length : one[at] - (other[at] ?? -1);
}
const sorted = indices => [...indices].sort(reuse ? byTokens : byLength);

/** By index of the prompt. Fresh sequences take from one queue; reusing ones go through a stretch of neighbours each. */
async function margins(sequences, indices) {
  const queue = sorted(indices);
  const stretch = Math.ceil(queue.length / sequences.length);
  const found = new Map();
  await Promise.all(
    sequences.map(async (sequence, k) => {
      const own = reuse ? queue.slice(k * stretch, (k + 1) * stretch) : queue;
      for (let index = own.shift(); index !== undefined; index = own.shift())
        found.set(index, await margin(sequence, job.prompts[index]));
    }),
  );
  return found;
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** CPU seconds of a few prompts with so many sequences. */
async function trial(size, indices) {
  const { context, sequences } = await open(size);
  await margin(sequences[0], job.prompts[indices[0]]);
  const before = cpuSeconds();
  await margins(sequences, indices);
  const spent = cpuSeconds() - before;
  await context.dispose();
  return spent;
}

/** The number of sequences that costs least CPU time: on prompts of all lengths, or on neighbours where these share. */
async function bestSize() {
  const stride = reuse ? 1 : Math.max(1, Math.floor(job.audit.length / TRIAL));
  const chosen = sorted(job.audit)
    .filter((_, i) => i % stride === 0)
    .slice(0, TRIAL);
  let [best, least] = [SIZES[0], Number.POSITIVE_INFINITY];
  for (const size of SIZES) {
    const spent = await trial(size, chosen);
    if (spent < least) [best, least] = [size, spent];
    else if (spent > WORSE * least) break;
  }
  return best;
}

const packageFile = join(
  packageFolder(fileURLToPath(new URL('../..', import.meta.url)), 'node-llama-cpp'),
  'package.json',
);
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
say({ ready: version, workloads: ['audit'], loadSeconds: (performance.now() - began) / 1000 });
let opened = null;
for await (const line of createInterface({ input: process.stdin })) {
  const { workload } = JSON.parse(line);
  opened ??= await open(await bestSize());
  const [cpu, wall] = [cpuSeconds(), performance.now()];
  const found = await margins(opened.sequences, job.audit);
  say({
    workload,
    cpuSeconds: cpuSeconds() - cpu,
    wallSeconds: (performance.now() - wall) / 1000,
    batch: opened.sequences.length,
    margins: job.audit.map(index => found.get(index)),
  });
}
process.exit(0);
