import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { TokenEval } from '../../src/engine/types.js';
import { skipNote } from '../shared.js';
import { goldRows, LABELS, SMOLLM2 } from './gold.js';
import { binding, openModel, planned, runSchedule } from './harness.js';

const gold = goldRows('F32');
if (gold === null || SMOLLM2 === null) skipNote('agreement with the oracle in float32', 'gold', 'llm');

/** Every so manieth row: in float32 each takes a CPU second. */
const STRIDE = 17;
/** llama_ftype number. */
const ALL_F32 = 0;
/**
 * The oracle's margins are within .01 of another framework's, and ours should be: .02 between the two. The keys and values
 * in F16 round what kinds of CPU sum in different orders.
 */
const BAND = 0.02;

/** Path of the float32 copy of a model, made when it is not there. */
function float32(path: string): string {
  const folder = fileURLToPath(new URL('../../build/test-models', import.meta.url));
  const copy = join(folder, 'SmolLM2-135M-F32.gguf');
  if (existsSync(copy)) return copy;
  mkdirSync(folder, { recursive: true });
  const scratch = `${copy}.${process.pid}`;
  binding.quantize(path, scratch, ALL_F32);
  renameSync(scratch, copy);
  return copy;
}

it.skipIf(gold === null || SMOLLM2 === null)(
  'label logits, log-sum-exp and margins of a float32 copy are those of the oracle, on any kind of CPU',
  async () => {
    const rows = (gold ?? []).filter((_, i) => i % STRIDE === 0);
    expect(rows.length).toBeGreaterThan(9);
    const open = await openModel(float32(SMOLLM2 as string));
    const evals = rows.map(({ prompt }, id): TokenEval => {
      const pieces = [{ kind: 'data', text: prompt }] as const;
      return {
        id,
        prompt: open.tokenizer.encode(pieces),
        labels: LABELS.map(label => open.tokenizer.encodeContinuation(pieces, label)),
        generate: null,
      };
    });
    const context = await binding.createContext(open.model, 8, 512, 512, 512, 1, false, false);
    const plan = evals.map((item, i) => planned(item, i));
    const { outcomes } = await runSchedule(open, context, plan, { schedule: 'exact', lanes: 8, parks: 0 });
    for (const [index, row] of rows.entries()) {
      const outcome = outcomes.get(index);
      if (outcome === undefined) throw new Error(`no outcome for ${row.key}`);
      const [yes = Number.NaN, no = Number.NaN] = outcome.firstLogits;
      const [goldYes = Number.NaN, goldNo = Number.NaN] = row.logits;
      expect(Math.abs(yes - no - (goldYes - goldNo)), row.key).toBeLessThan(BAND);
      expect(Math.abs(outcome.logSumExp - row.logZ), row.key).toBeLessThan(BAND);
      for (const [k, logprob] of row.full_logprob.entries())
        expect(Math.abs((outcome.labelLogprobs[k] as number) - logprob), row.key).toBeLessThan(BAND);
    }
    binding.disposeContext(context);
    binding.disposeModel(open.model);
  },
);
