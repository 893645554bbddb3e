import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownContestants } from '../dist/api/bench/contestants.js';
import { sameJob } from '../dist/api/bench/run.js';
import { quotient, target } from '../dist/api/bench/targets.js';
import { DEFAULT_ENGINE } from '../dist/api/options.js';
import { openLibrary } from '../dist/engine/library.js';
import { packageRoot } from '../dist/engine/package-root.js';
import { openPeers } from './peers/index.mjs';

const FOLDER = join(packageRoot(), 'build', 'bench');
/** Numbers of llama.cpp's file types. */
const FILE_TYPES = { F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q8_0: 7, Q4_K: 15 };

/** A copy of a model in another format, made once. */
export function copyOf(model, format) {
  const type = FILE_TYPES[format];
  if (type === undefined)
    throw new Error(`--as ${format}: give one of ${Object.keys(FILE_TYPES).join(', ')}`);
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${basename(model, '.gguf')}-${format}.gguf`);
  if (!existsSync(path)) {
    openLibrary('cpu').binding.quantize(model, `${path}.part`, type);
    renameSync(`${path}.part`, path);
  }
  return path;
}

/**
 * Where a peer's workload stands in the table, and whose readings its own are held against: in the model's own format
 * llama.cpp in sequence, in other precisions our row in F32.
 */
const PLACES = {
  audit: { workload: 'audit', against: 'audit/llama.cpp', near: 'audit/exact/capture' },
  ics: { workload: 'ICS only', against: 'audit/llama.cpp', near: 'ICS only/exact' },
  'alphas-separate': { workload: 'alphas', against: 'alphas/llama.cpp/separate', near: 'alphas/exact/last' },
  'alphas-shared-prefix': {
    workload: 'alphas',
    against: 'alphas/llama.cpp/separate',
    near: 'alphas/exact/last',
  },
  'alphas-all': { workload: 'alphas', against: 'alphas/llama.cpp/separate', near: 'alphas/exact/all' },
};

const WORK_NAMES = {
  audit: '',
  ics: '',
  'alphas-separate': ', five, last',
  'alphas-shared-prefix': ', own prefix, last',
  'alphas-all': ', five, all',
};

/** What of our own work is shown in F32 beside the peers that compute in it. */
const F32_ROWS = [
  'audit/single/capture',
  'audit/exact/capture',
  'ICS only/single',
  'ICS only/exact',
  'alphas/exact/last',
  'alphas/exact/all',
];
const f32 = id => `F32/${id}`;

/** The peers, and our own rows on a float32 copy of the model, for the rounds of a benchmark. */
export async function openOthers(job, { only, threads, say }) {
  mkdirSync(FOLDER, { recursive: true });
  const jobFile = join(FOLDER, `job-${process.pid}.json`);
  writeFileSync(jobFile, JSON.stringify(job.file));
  say('making a copy in F32');
  const copy = copyOf(job.file.model, 'F32');
  const engine = { ...DEFAULT_ENGINE, gpu: 'off', workers: 1, threads };
  const other = await sameJob(job.subjects, copy, engine, { onStage: say, onLoad() {} });
  const { contestants, skipped } = await openPeers(jobFile, { only, log: say });
  const ready = contestants.flatMap(peer => peer.workloads.map(name => peerRow(peer, name, skipped)));
  return {
    contestants: [...f32Rows(other.subjects), ...ready],
    skipped,
    targets: rows => peerTargets(rows),
    async close() {
      for (const peer of contestants) await peer.close();
      await other.close();
      rmSync(jobFile);
    },
  };
}

function f32Rows(subjects) {
  return ownContestants(subjects)
    .filter(({ id }) => F32_ROWS.includes(id))
    .map(one => ({
      ...one,
      id: f32(one.id),
      // Alphas are compared bit by bit in the model's own format; here their reference would cost the most of all rows.
      equals: F32_ROWS.includes(one.equals) ? f32(one.equals) : null,
      // Other weights than those of the sequence.
      near: null,
    }));
}

function peerRow(peer, name, skipped) {
  const { workload, against, near } = PLACES[name];
  return {
    id: `${peer.name}/${name}`,
    workload,
    against,
    name: `${peer.name}${WORK_NAMES[name]}`,
    format: peer.format,
    equals: null,
    near: peer.format === 'F32' || peer.format === 'BF16' ? f32(near) : 'audit/llama.cpp/capture',
    nodes: null,
    async measure() {
      try {
        const { cpuSeconds, wallSeconds, margins = null, projections = null } = await peer.measure(name);
        return { cpuSeconds, wallSeconds, margins, projections, ...UNCOUNTED };
      } catch (error) {
        skipped.push({ name: `${peer.name}, ${name}`, reason: error.message });
        return null;
      }
    },
  };
}

const UNCOUNTED = { counters: null, parentCpuSeconds: null, outcomes: null };

/** What the project holds itself to beside what a user might pick instead. */
export function peerTargets(rows) {
  const cpu = id => rows.find(row => row.id === id)?.cpuSeconds.median ?? null;
  const faster = (what, limit, peer, own) => target(what, 'at least', limit, quotient(cpu(peer), cpu(own)));
  const own = 'audit/exact/capture';
  const last = 'alphas/exact/last';
  return [
    faster('audit beside node-llama-cpp, same file', 1.1, 'node-llama-cpp/audit', own),
    faster('audit beside node-llama-cpp with reuse, same file', 1.1, 'node-llama-cpp-reuse/audit', own),
    faster('audit beside Hugging Face hooks in F32', 2.7, 'hf-f32/audit', own),
    faster('audit beside TransformerLens in F32', 3.5, 'transformer-lens-f32/audit', own),
    faster('five alphas at last beside repeng in F32 (at all)', 10, 'repeng-f32/alphas-all', last),
    faster('five alphas at last beside Hugging Face, own prefix', 2.5, 'hf-f32/alphas-shared-prefix', last),
    faster('audit in F32 beside Hugging Face hooks in F32', 1, 'hf-f32/audit', f32(own)),
  ];
}
