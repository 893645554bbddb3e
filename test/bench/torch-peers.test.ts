import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readNpy } from '../engine/gold.js';
import { startChild } from './peers.js';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const PYTHON = path('build/peers/torch/bin/python');
const WORKER = path('bench/peers/worker.py');
const MODEL = path('models/reference/reader.gguf');
/** Modules of bench/peers with the requirement file that brings what they need. */
const MODULES = [
  ['hf', 'torch.txt'],
  ['lens', 'transformer-lens.txt'],
  ['nnsight_trace', 'nnsight.txt'],
  ['repeng_control', 'repeng.txt'],
] as const;

function installed(requirements: string): boolean {
  const there = existsSync(path(`build/peers/torch/${requirements}.stamp`));
  if (!there)
    console.warn(`skipped: readings of a peer (needs ${requirements}, which the benchmark installs)`);
  return there;
}

/** Both are float32; they sum in different orders. */
const BAND = 1e-3;

interface Steered {
  readonly alpha: number;
  readonly logits: readonly (readonly [number, number])[];
}
interface Oracle {
  readonly labelTokens: readonly number[];
  readonly readings: readonly { readonly logits: readonly [number, number] }[];
  readonly steering: {
    readonly layer: number;
    readonly direction: readonly number[];
    readonly scopes: Readonly<Record<'last' | 'all', readonly Steered[]>>;
  };
}
const oracle: Oracle = JSON.parse(readFileSync(MODEL.replace('.gguf', '.oracle.json'), 'utf8'));
const prompts: readonly { readonly tokens: readonly number[] }[] = JSON.parse(
  readFileSync(path('models/reference/oracle-prompts.json'), 'utf8'),
);
const { layer, direction, scopes } = oracle.steering;
const margin = ([a, b]: readonly [number, number]) => a - b;
/** A few prompts of all lengths, not in their order. */
const STEERED = [40, 3, 21, 7, 11];

/** The readings of the framework that trained the model, by workload. */
function expected(): Readonly<Record<string, readonly number[]>> {
  const { shape, data } = readNpy(MODEL.replace('.gguf', '.oracle.npy'));
  const [, blocks = 0, width = 0] = shape;
  const projections = prompts.map((_, i) =>
    direction.reduce((sum, d, k) => sum + d * (data[(i * blocks + layer) * width + k] as number), 0),
  );
  const steered = (scope: 'last' | 'all') =>
    STEERED.flatMap(i => scopes[scope].map(({ logits }) => margin(logits[i] as readonly [number, number])));
  return {
    margins: oracle.readings.map(reading => margin(reading.logits)),
    projections,
    'alphas-separate': steered('last'),
    'alphas-shared-prefix': steered('last'),
    'alphas-all': steered('all'),
  };
}

let folder = '';
let jobFile = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-torch-peers-'));
  jobFile = join(folder, 'job.json');
  const all = prompts.map((_, i) => i);
  const job = {
    model: MODEL,
    format: 'F16',
    layer,
    direction,
    prompts: prompts.map(({ tokens }) => ({ ids: tokens, labels: oracle.labelTokens })),
    audit: all,
    ics: all,
    alphas: { prompts: STEERED, values: scopes.last.map(({ alpha }) => alpha) },
  };
  writeFileSync(jobFile, JSON.stringify(job));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const largest = (a: readonly number[], b: readonly number[]) =>
  Math.max(...a.map((value, i) => Math.abs(value - (b[i] as number))));

for (const [module, requirements] of MODULES) {
  it.skipIf(!installed(requirements))(
    `${module}.py on the weights of a GGUF reads what the framework that trained them read`,
    async () => {
      const weights = join(folder, `weights-${module}`);
      execFileSync(PYTHON, [path('bench/peers/weights.py'), MODEL, weights]);
      const child = await startChild(PYTHON, [WORKER, module, 'f32', jobFile, weights]);
      const gold = expected();
      for (const workload of child.ready.workloads as readonly string[]) {
        const { margins, projections } = (await child.request(workload)) as Record<string, readonly number[]>;
        expect(margins !== undefined || projections !== undefined, workload).toBe(true);
        if (margins !== undefined) {
          const other = gold[workload === 'audit' ? 'margins' : workload] as readonly number[];
          expect(margins).toHaveLength(other.length);
          expect(largest(margins, other), `${workload}: margins`).toBeLessThan(BAND);
        }
        if (projections !== undefined) {
          const other = gold.projections as readonly number[];
          expect(projections).toHaveLength(other.length);
          expect(largest(projections, other), `${workload}: projections`).toBeLessThan(BAND);
        }
      }
      await child.close();
    },
  );
}
