import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextHandle, NativeDecodeResult } from '../../src/engine/native.js';
import type { EvalOutcome, TokenEval } from '../../src/engine/types.js';
import { shared, skipNote } from '../shared.js';
import { type GoldRow, goldRows, LABELS, readNpy, SMOLLM2 } from './gold.js';
import {
  AVX512,
  binding,
  type OpenModel,
  openModel,
  padded,
  planned,
  request,
  runSchedule,
  tapOf,
} from './harness.js';

const files = {
  residual: shared('gold', 'llm', 'residual.npy'),
  keys: shared('gold', 'llm', 'residual_keys.json'),
  steer: shared('gold', 'llm', 'steer.json'),
  direction: shared('gold', 'llm', 'direction.npy'),
};
const STEERED_LAYER = 27;
/** On the oracle's kind of CPU the readings are equal to their last printed digit. */
const PRINTED = 0.500001e-5;
/**
 * Q4_1 rounds activations, so kinds of CPU differ: on AVX2 32 of 36 rows by less than the first, the last by .43. What holds on every kind is held in float32: gold-float32.test.ts.
 */
const LOGIT_BANDS = { most: 0.4, all: 0.8 } as const;
/** Of margins; steps of three quarters of the residual norm double what rounding does to them. */
const MARGIN_BAND = (alpha: number): number => (Math.abs(alpha) > 100 ? 1.4 : 0.7);

interface SteerRow {
  readonly id: string;
  readonly scope: string;
  readonly alpha: number;
  readonly margin: number;
  readonly mass: number;
}

describe("the oracle's readings of SmolLM2", () => {
  const gold = goldRows();
  if (
    gold === null ||
    SMOLLM2 === null ||
    files.residual === null ||
    files.keys === null ||
    files.steer === null ||
    files.direction === null
  ) {
    skipNote('agreement with the oracle', 'gold', 'llm');
    it.skip('needs the reference material', () => {});
    return;
  }
  const [model, residualFile, keysFile, steerFile, directionFile] = [
    SMOLLM2,
    files.residual,
    files.keys,
    files.steer,
    files.direction,
  ];
  const residual = readNpy(residualFile);
  const [, layers = 0, width = 0] = residual.shape;
  const byKey = new Map(gold.map(row => [row.key, row]));
  /** The rows that the oracle kept residual streams of, in its order. */
  const rows: readonly GoldRow[] = (JSON.parse(readFileSync(keysFile, 'utf8')) as string[][]).map(
    ([id, condition]) => {
      const row = byKey.get(`${id}|${condition}`);
      if (row === undefined) throw new Error(`no reading for ${id} ${condition}`);
      return row;
    },
  );

  let open: OpenModel;
  let evals: readonly TokenEval[];
  let outcomes: ReadonlyMap<number, EvalOutcome>;
  let plain: ContextHandle;

  beforeAll(async () => {
    open = await openModel(model);
    evals = rows.map(({ prompt }, id) => {
      const pieces = [{ kind: 'data', text: prompt }] as const;
      return {
        id,
        prompt: open.tokenizer.encode(pieces),
        labels: LABELS.map(label => open.tokenizer.encodeContinuation(pieces, label)),
        generate: { maxTokens: 8, stop: null, scoreAfter: null },
      };
    });
    const context = await binding.createContext(open.model, 12, 512, 512, 512, 1, false, false);
    const every = Array.from({ length: layers }, (_, layer) => ({
      layer,
      directions: new Float32Array(),
      keepActivations: true,
    }));
    ({ outcomes } = await runSchedule(
      open,
      context,
      evals.map((item, i) => planned(item, i)),
      { schedule: 'exact', lanes: 8, parks: 4, taps: every },
    ));
    binding.disposeContext(context);
    plain = await binding.createContext(open.model, 1, 512, 512, 512, 1, false, false);
  }, 300_000);
  afterAll(() => {
    binding.disposeContext(plain);
    binding.disposeModel(open.model);
  });

  const each = (visit: (row: GoldRow, outcome: EvalOutcome, index: number) => void): void => {
    for (const [index, row] of rows.entries()) {
      const outcome = outcomes.get(index);
      if (outcome === undefined) throw new Error(`no outcome for ${row.key}`);
      visit(row, outcome, index);
    }
  };

  it('label logits, log-sum-exp, label mass and arg-max', () => {
    expect(rows.length).toBe(residual.shape[0]);
    let beyond = 0;
    each((row, { firstLogits, logSumExp, argMax, labelLogprobs }, index) => {
      expect(evals[index]?.prompt.length, row.key).toBe(row.n_tokens);
      expect(
        LABELS.map((_, k) => evals[index]?.labels[k]?.[0]),
        row.key,
      ).toEqual(row.label_tokens);
      const distances = [
        ...row.logits.map((logit, k) => (firstLogits[k] as number) - logit),
        logSumExp - row.logZ,
      ].map(Math.abs);
      const largest = Math.max(...distances);
      expect(largest, row.key).toBeLessThanOrEqual(AVX512 ? PRINTED : LOGIT_BANDS.all);
      if (largest > LOGIT_BANDS.most) beyond++;
      if (!AVX512) return;
      const mass = [...firstLogits].reduce((sum, logit) => sum + Math.exp(logit - logSumExp), 0);
      expect(mass, row.key).toBeCloseTo(row.label_mass, 12);
      expect(argMax, row.key).toBe(row.top5[0]?.[0]);
      // " Non-compliant": its tail is several tokens long.
      expect(labelLogprobs[1], row.key).toBeCloseTo(row.full_logprob[1] as number, 4.9);
    });
    expect(beyond / rows.length).toBeLessThan(0.2);
  });

  it.runIf(AVX512)('greedy tokens, one lone row after the other as the oracle decoded them', async () => {
    const departed: number[] = [];
    each((row, { generated, generatedText }, index) => {
      const end = row.greedy_tokens.findIndex(token => open.tokenizer.endOfGeneration.has(token));
      const expected = end < 0 ? row.greedy_tokens : row.greedy_tokens.slice(0, end);
      if (generated.join() === expected.join()) expect(generatedText, row.key).toBe(row.greedy_text);
      else departed.push(index);
    });
    // A lone row goes through another kernel than the whole tiles of ours, so near ties may fall the other way.
    console.log('departed', departed.length, rows.length);
    expect(departed.length).toBeLessThan(rows.length / 4);
    for (const index of [0, ...departed]) {
      const [row, item] = [rows[index] as GoldRow, evals[index] as TokenEval];
      binding.memoryClear(plain);
      let fed = item.prompt;
      let position = 0;
      const answer: number[] = [];
      while (answer.length < row.greedy_tokens.length) {
        const result = await binding.decode(
          plain,
          request(fed, {
            position,
            outputsFrom: fed.length - 1,
            wantRows: Int32Array.of(fed.length - 1),
            wantTokens: Int32Array.of(0),
          }),
        );
        position += fed.length;
        fed = result.argMax;
        answer.push(...fed);
      }
      expect(answer, row.key).toEqual([...row.greedy_tokens]);
    }
  });

  it('residual streams of all blocks at the last prompt token, captured in one pass', () => {
    each((row, { taps }, index) => {
      expect(taps.map(tap => tap.layer)).toEqual(Array.from({ length: layers }, (_, layer) => layer));
      for (const { layer, activation } of taps) {
        const start = (index * layers + layer) * width;
        const own = residual.data.subarray(start, start + width);
        let [dot, a, b, largest] = [0, 0, 0, 0];
        for (let i = 0; i < width; i++) {
          const [x, y] = [activation[i] as number, own[i] as number];
          dot += x * y;
          a += x * x;
          b += y * y;
          largest = Math.max(largest, Math.abs(x - y));
        }
        expect(dot / Math.sqrt(a * b), `${row.key}, block ${layer}`).toBeGreaterThanOrEqual(0.999);
        if (AVX512) expect(largest, `${row.key}, block ${layer}`).toBe(0);
      }
    });
  });

  it.runIf(AVX512)('whole-label log-probabilities, its lone token included', async () => {
    // The oracle evaluated what follows the prompt as a chunk of its own. " Compliant" leaves one token for that, and a
    // lone row goes through another kernel: its number is met that way only, ours keeps whole tiles.
    for (const index of [0, 1, 2, 3]) {
      const [row, item] = [rows[index] as GoldRow, evals[index] as TokenEval];
      const label = item.labels[0] as Int32Array;
      expect(label.length).toBe(2);
      const n = item.prompt.length;
      binding.memoryClear(plain);
      const first = await binding.decode(
        plain,
        request(item.prompt, {
          outputsFrom: n - 1,
          wantRows: Int32Array.of(n - 1),
          wantTokens: label.subarray(0, 1),
        }),
      );
      const alone = await binding.decode(
        plain,
        request(label.subarray(0, 1), {
          position: n,
          outputsFrom: 0,
          wantRows: Int32Array.of(0),
          wantTokens: label.subarray(1),
        }),
      );
      const logprob = [first, alone].reduce(
        (sum, result) => sum + ((result.logit[0] as number) - (result.logSumExp[0] as number)),
        0,
      );
      expect(logprob, row.key).toBeCloseTo(row.full_logprob[0] as number, 4.9);
      expect(Math.abs((outcomes.get(index)?.labelLogprobs[0] as number) - logprob), row.key).toBeLessThan(
        0.05,
      );
    }
  });

  describe('steered at block 27', () => {
    const steered = (JSON.parse(readFileSync(steerFile, 'utf8')) as { rows: readonly SteerRow[] }).rows;
    const direction = readNpy(directionFile).data.subarray(
      STEERED_LAYER * width,
      (STEERED_LAYER + 1) * width,
    );

    async function steer(row: GoldRow, alpha: number): Promise<NativeDecodeResult> {
      const tokens = padded(open.tokenizer.encode([{ kind: 'data', text: row.prompt }]), 4);
      const last = row.n_tokens - 1;
      binding.memoryClear(plain);
      return binding.decode(
        plain,
        request(tokens, {
          outputsFrom: tokens.length - 4,
          wantRows: Int32Array.of(last, last),
          wantTokens: Int32Array.from(row.label_tokens),
          taps: [
            tapOf({
              layer: STEERED_LAYER,
              addRows: Int32Array.of(last),
              addAlphas: Float32Array.of(alpha),
              vectors: Float32Array.from(direction),
            }),
          ],
        }),
      );
    }

    it('margins and label mass, the last row alone', async () => {
      const samples = [...new Set(steered.map(({ id }) => id))].slice(0, 2);
      for (const id of samples) {
        const row = byKey.get(`${id}|baseline`);
        if (row === undefined) throw new Error(`no reading for ${id}`);
        for (const alpha of [-512, -32, 0, 64, 512]) {
          const own = steered.find(
            candidate => candidate.id === id && candidate.scope === 'last' && candidate.alpha === alpha,
          );
          if (own === undefined) throw new Error(`not steered: ${id} at ${alpha}`);
          const { logit, logSumExp } = await steer(row, alpha);
          const [yes, no, all] = [logit[0] as number, logit[1] as number, logSumExp[0] as number];
          const exact = AVX512 && alpha === 0;
          expect(Math.abs(yes - no - own.margin), `${id} at ${alpha}`).toBeLessThanOrEqual(
            exact ? 0 : MARGIN_BAND(alpha),
          );
          expect(
            Math.abs(Math.exp(yes - all) + Math.exp(no - all) - own.mass),
            `${id} at ${alpha}`,
          ).toBeLessThan(exact ? 1e-12 : 0.05);
        }
      }
    });
  });
});
