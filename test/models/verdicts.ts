import { PROFILES } from '../../src/prompt/profiles.js';
import { binding, openModel, request } from '../engine/harness.js';

/** For each prompt whether the compliant label's first token has the higher logit, in one plain decode each. */
export async function firstLabelVerdicts(path: string, prompts: readonly string[]): Promise<boolean[]> {
  const { model, tokenizer } = await openModel(path);
  const context = await binding.createContext(model, 1, 256, 256, 4, 1, false, false);
  const { compliant, nonCompliant } = PROFILES.standard.labels;
  const verdicts: boolean[] = [];
  for (const text of prompts) {
    const pieces = [{ kind: 'data', text }] as const;
    const tokens = tokenizer.encode(pieces);
    const last = tokens.length - 1;
    const labels = [compliant, nonCompliant].map(
      label => tokenizer.encodeContinuation(pieces, label)[0] ?? 0,
    );
    binding.memoryClear(context);
    const { logit } = await binding.decode(
      context,
      request(tokens, {
        outputsFrom: last,
        wantRows: Int32Array.of(last, last),
        wantTokens: Int32Array.from(labels),
      }),
    );
    verdicts.push((logit[0] as number) > (logit[1] as number));
  }
  binding.disposeContext(context);
  binding.disposeModel(model);
  return verdicts;
}
