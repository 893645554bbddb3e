import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { binding, FORMATS, modelIn, openModel, request } from '../engine/harness.js';
import { randomModel, randomSlidingModel } from '../models/fixtures.js';
import { startChild } from './peers.js';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const PYTHON = path('build/peers/torch/bin/python');
const WEIGHTS = path('bench/peers/weights.py');
const THERE = existsSync(path('build/peers/torch/torch.txt.stamp'));
if (!THERE)
  console.warn('skipped: weights for other frameworks (needs what the benchmark installs for its peers)');
/** llama_ftype number. */
const ALL_F32 = 0;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-weights-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function converted(model: string, name: string): string {
  const target = join(folder, name);
  execFileSync(PYTHON, [WEIGHTS, model, target]);
  return target;
}

describe.skipIf(!THERE)('weights.py', () => {
  it.each(FORMATS.filter(format => format !== 'F32'))(
    'takes out of a %s file what llama.cpp takes out of it',
    async format => {
      const model = await modelIn(format);
      const copy = join(folder, `${format}.gguf`);
      binding.quantize(model, copy, ALL_F32);
      const read = (name: string) => readFileSync(join(folder, name, 'model.safetensors'));
      converted(model, format);
      converted(copy, `${format}-F32`);
      expect(read(format).equals(read(`${format}-F32`))).toBe(true);
    },
  );

  it('keeps grouped keys and values and an output matrix of its own: Hugging Face gives our logits', async () => {
    const model = await randomModel('F32');
    const open = await openModel(model);
    const context = await binding.createContext(open.model, 1, 512, 512, 512, 1, false, false);
    const labels = [5, 800];
    const prompts = [97, 30, 260].map((length, k) =>
      Array.from({ length }, (_, i) => (i * 31 + 7 * k) % (open.tokenizer.info.nVocab - 1)),
    );
    const own: number[] = [];
    for (const tokens of prompts) {
      binding.memoryClear(context);
      const last = tokens.length - 1;
      const wants = { wantRows: Int32Array.of(last, last), wantTokens: Int32Array.from(labels) };
      const { logit } = await binding.decode(context, request(tokens, { outputsFrom: last, ...wants }));
      own.push((logit[0] as number) - (logit[1] as number));
    }
    binding.disposeContext(context);
    const jobFile = join(folder, 'job.json');
    const { nEmbd } = open.tokenizer.info;
    binding.disposeModel(open.model);
    writeFileSync(
      jobFile,
      JSON.stringify({
        layer: 1,
        direction: Array.from({ length: nEmbd }, () => 1),
        prompts: prompts.map(ids => ({ ids, labels })),
        audit: [0, 1, 2],
      }),
    );
    const worker = [path('bench/peers/worker.py'), 'hf', 'f32', jobFile, converted(model, 'random')];
    const child = await startChild(PYTHON, worker);
    const { margins } = (await child.request('audit')) as { margins: readonly number[] };
    await child.close();
    expect(margins).toHaveLength(own.length);
    expect(Math.max(...own.map(Math.abs))).toBeGreaterThan(1);
    // Our keys and values are F16.
    expect(Math.max(...own.map((value, i) => Math.abs(value - (margins[i] as number))))).toBeLessThan(0.02);
  });

  it('refuses a model that Hugging Face would not compute alike, and leaves nothing behind', async () => {
    const target = join(folder, 'gemma2');
    const { status, stderr } = spawnSync(PYTHON, [WEIGHTS, await randomSlidingModel('F16'), target], {
      encoding: 'utf8',
    });
    expect(stderr.trim()).toBe('architecture gemma2: only llama is carried over to Hugging Face');
    expect(status).toBe(1);
    expect(existsSync(target)).toBe(false);
  });
});
