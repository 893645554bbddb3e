import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { NativeBinding } from '../../src/engine/native.js';
import { proveSchedule } from '../../src/engine/proof.js';
import { PLAIN } from '../../src/engine/recipe.js';
import type { TokenEval } from '../../src/engine/types.js';
import { binding, openModel } from './harness.js';

const READER = fileURLToPath(new URL('../../models/reference/reader.gguf', import.meta.url));

test('the proof tries what a run does: several lanes in a decode, and parked prefixes', async () => {
  const { model, tokenizer } = await openModel(READER);
  const context = await binding.createContext(model, 8, 256, 512, 64, 1, false, false);
  const seen = { lanes: 0, copies: 0 };
  const watched = {
    ...binding,
    memoryCopy(...copy: Parameters<NativeBinding['memoryCopy']>) {
      seen.copies++;
      binding.memoryCopy(...copy);
    },
    decode(...[of, request]: Parameters<NativeBinding['decode']>) {
      seen.lanes = Math.max(seen.lanes, new Set(request.sequences).size);
      return binding.decode(of, request);
    },
  };
  const evals = Array.from({ length: 6 }, (_, id): TokenEval => {
    const text = `Rule: The door must stay shut. Scenario: Anna went in at ${id} and left.`;
    return {
      id,
      prompt: tokenizer.encode([{ kind: 'data', text }]),
      labels: [' Compliant', ' Non-compliant'].map(label =>
        tokenizer.encode([{ kind: 'data', text: label }]),
      ),
      generate: null,
    };
  });
  const options = {
    schedule: 'exact',
    lanes: 4,
    parks: 4,
    cells: 256,
    ubatch: 512,
    ...PLAIN,
    threads: 1,
    longestLabel: 4,
    taps: [],
    vectors: new Float32Array(),
    stopAtTaps: false,
  } as const;
  const exactness = await proveSchedule(watched, context, tokenizer, options, [0], evals);
  expect(exactness).toMatchObject({ kind: 'exact', tile: 4, prompts: 6 });
  expect(seen.lanes).toBe(4);
  expect(seen.copies).toBeGreaterThan(1);
  binding.disposeContext(context);
  binding.disposeModel(model);
});
