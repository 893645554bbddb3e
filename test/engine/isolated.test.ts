import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { TokenEval } from '../../src/engine/types.js';
import { binding, openModel, planned, runSchedule } from './harness.js';

const READER = fileURLToPath(new URL('../../models/reference/reader.gguf', import.meta.url));

test('an isolated evaluation takes nothing from the stream that it runs on, and leaves nothing', async () => {
  const open = await openModel(READER);
  const context = await binding.createContext(open.model, 1, 256, 512, 64, 1, false, false);
  const encode = (text: string) => open.tokenizer.encode([{ kind: 'data', text }]);
  const prompt = encode('Rule: The door must stay shut. Scenario: Anna shut the door. Answer:');
  const item = (id: number): TokenEval => ({ id, prompt, labels: [encode(' Compliant')], generate: null });
  const tokensOf = async (isolated: readonly boolean[]) => {
    const evals = isolated.map((alone, id) => planned(item(id), id, alone));
    const { counters } = await runSchedule(open, context, evals, { schedule: 'exact', lanes: 1, parks: 0 });
    return counters.prompt;
  };
  const n = prompt.length;
  expect(await tokensOf([false, false])).toBe(n + 1);
  expect(await tokensOf([false, true])).toBe(2 * n);
  expect(await tokensOf([true, false])).toBe(2 * n);
  binding.disposeContext(context);
  binding.disposeModel(open.model);
});
