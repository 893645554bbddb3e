import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.mjs';
import { checkpoint, python } from './install.mjs';

const file = name => fileURLToPath(new URL(name, import.meta.url));
/** Peers are compared on the CPU. */
const ENV = { ...process.env, CUDA_VISIBLE_DEVICES: '' };

/** A peer in PyTorch, on the weights of the GGUF in float32 or bfloat16. */
function torchPeer(name, module, dtype, requirements = []) {
  return {
    name,
    format: () => (dtype === 'f32' ? 'F32' : 'BF16'),
    async start(job, jobFile, log) {
      const program = await python('torch', ['torch.txt', ...requirements], log);
      const weights = await checkpoint(program, job.model, log);
      return startChild(program, [file('worker.py'), module, dtype, jobFile, weights], ENV);
    },
  };
}

/** node-llama-cpp, which this project has installed, on the GGUF itself. */
function nodePeer(name, mode) {
  return {
    name,
    format: job => job.format,
    start: (_, jobFile) => startChild(process.execPath, [file('node-llama-cpp.mjs'), jobFile, mode], ENV),
  };
}

const LLAMA_CPP_PYTHON = {
  name: 'llama-cpp-python',
  format: job => job.format,
  async start(job, jobFile, log) {
    const program = await python('llama-cpp-python', ['llama-cpp-python.txt'], log);
    return startChild(program, [file('worker.py'), 'llama_cpp_python', '-', jobFile, job.model], ENV);
  },
};

export const PEERS = [
  torchPeer('hf-f32', 'hf', 'f32'),
  torchPeer('hf-bf16', 'hf', 'bf16'),
  nodePeer('node-llama-cpp', 'fresh'),
  nodePeer('node-llama-cpp-reuse', 'reuse'),
  torchPeer('transformer-lens-f32', 'lens', 'f32', ['transformer-lens.txt']),
  torchPeer('nnsight-f32', 'nnsight_trace', 'f32', ['nnsight.txt']),
  torchPeer('repeng-f32', 'repeng_control', 'f32', ['repeng.txt']),
  torchPeer('repeng-bf16', 'repeng_control', 'bf16', ['repeng.txt']),
  LLAMA_CPP_PYTHON,
];

/**
 * Installs and starts the peers of README.md, one after another, for the prompts of a job file; `only` names some of them.
 * Gives those that are ready, and the others with the reason in one line. Every contestant must be closed.
 */
export async function openPeers(jobFile, { only = null, log = () => {}, peers = PEERS } = {}) {
  const job = JSON.parse(readFileSync(jobFile, 'utf8'));
  const contestants = [];
  const skipped = [];
  for (const peer of peers.filter(({ name }) => only === null || only.includes(name))) {
    try {
      log(`starting ${peer.name}`);
      const child = await peer.start(job, jobFile, log);
      contestants.push(contestant(peer.name, peer.format(job), child));
    } catch (error) {
      skipped.push({ name: peer.name, reason: error.message });
    }
  }
  return { contestants, skipped };
}

function contestant(name, format, child) {
  const { ready, workloads, loadSeconds } = child.ready;
  return {
    name,
    format,
    version: ready,
    workloads,
    loadSeconds,
    /** Prompts or sequences in one batch; null until a request has tried it out. */
    batch: null,
    /** Throws with the reason when the peer has ended: it stays out from then on. */
    async measure(workload) {
      const { batch, cpuSeconds, wallSeconds, margins, projections } = await child.request(workload);
      this.batch ??= batch;
      return { cpuSeconds, wallSeconds, batch, margins, projections };
    },
    close: () => child.close(),
  };
}
