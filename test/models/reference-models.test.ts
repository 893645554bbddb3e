import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextHandle, NativeTap } from '../../src/engine/native.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { readNpy } from '../engine/gold.js';
import { binding, labelLogprobs, type OpenModel, openModel, request, tapOf } from '../engine/harness.js';

const FOLDER = fileURLToPath(new URL('../../models/reference/', import.meta.url));
const NAMES = readdirSync(FOLDER)
  .filter(file => file.endsWith('.gguf'))
  .map(file => file.slice(0, -'.gguf'.length));
const FIVE = ['reader', 'shortcut', 'suppressed', 'biased', 'natural'];

/**
 * Differences over the size of what is compared: the norm of a residual stream, the largest label logit. The engine
 * keeps keys and values in half precision, and multiplies F16 weights in half precision where the processor does that.
 */
const TOLERANCE = { F16: 3e-3, F32: 1e-3 } as const;

interface OraclePrompt {
  readonly text: string;
  readonly tokens: readonly number[];
}

interface Oracle {
  readonly labelTokens: readonly number[];
  readonly readings: readonly {
    readonly logits: readonly number[];
    readonly logZ: number;
    readonly labelLogprobs: readonly number[];
  }[];
  readonly steering: {
    readonly layer: number;
    readonly direction: readonly number[];
    readonly residualNorm: number;
    readonly scopes: Readonly<
      Record<
        'last' | 'all',
        readonly { readonly alpha: number; readonly logits: readonly (readonly number[])[] }[]
      >
    >;
  };
}

interface Card {
  readonly sha256: string;
  readonly bytes: number;
  readonly shape: { readonly layers: number; readonly width: number };
}

function json<T>(name: string): T {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as T;
}

const prompts = json<readonly OraclePrompt[]>('oracle-prompts.json');

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'plumbline-reference-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

describe('the reference models', () => {
  it('are all here, the five of the demo in less than 4 MB', () => {
    expect(NAMES).toEqual(expect.arrayContaining(FIVE));
    const bytes = FIVE.map(name => json<Card>(`${name}.json`).bytes);
    expect(bytes.reduce((a, b) => a + b)).toBeLessThan(4_000_000);
  });
});

describe.each(NAMES)('%s', name => {
  const card = json<Card>(`${name}.json`);
  const oracle = json<Oracle>(`${name}.oracle.json`);
  const hidden = readNpy(join(FOLDER, `${name}.oracle.npy`));
  const path = join(FOLDER, `${name}.gguf`);
  const { layers, width } = card.shape;

  it('is the file of its card', () => {
    const bytes = readFileSync(path);
    expect(bytes.length).toBe(card.bytes);
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(card.sha256);
    expect(readFileSync(join(FOLDER, `${name}.md`), 'utf8')).toContain(card.sha256);
  });

  it('has oracle values for every prompt and block', () => {
    expect(prompts.length).toBe(50);
    expect(oracle.readings.length).toBe(prompts.length);
    expect(hidden.shape).toEqual([prompts.length, layers, width]);
  });

  describe.each(['F16', 'F32'] as const)('in %s', format => {
    let open: OpenModel;
    let context: ContextHandle;

    beforeAll(async () => {
      const file = format === 'F16' ? path : join(scratch, `${name}.gguf`);
      if (!existsSync(file)) binding.quantize(path, file, ALL_F32);
      open = await openModel(file);
      context = await binding.createContext(open.model, 1, 256, 256, 4, 1, false, false);
    });
    afterAll(() => {
      binding.disposeContext(context);
      binding.disposeModel(open.model);
    });

    const read = (tokens: readonly number[], taps: readonly NativeTap[]) => {
      binding.memoryClear(context);
      const last = tokens.length - 1;
      return binding.decode(
        context,
        request(tokens, {
          outputsFrom: last,
          wantRows: Int32Array.from(oracle.labelTokens, () => last),
          wantTokens: Int32Array.from(oracle.labelTokens),
          taps,
        }),
      );
    };

    it('turns text into the same tokens', () => {
      for (const { text, tokens } of prompts) {
        expect([...open.tokenizer.encode([{ kind: 'data', text }])]).toEqual(tokens);
      }
      expect(open.tokenizer.info.addBos).toBe(false);
    });

    const scale = Math.max(...oracle.readings.flatMap(reading => reading.logits.map(Math.abs)));

    it('gives the logits and residual streams of the training framework', async () => {
      const off = { logit: 0, logZ: 0, stream: 0 };
      for (const [i, { tokens }] of prompts.entries()) {
        const last = tokens.length - 1;
        const taps = Array.from({ length: layers }, (_, layer) =>
          tapOf({ layer, readRows: Int32Array.of(last) }),
        );
        const result = await read(tokens, taps);
        const expected = oracle.readings[i] as Oracle['readings'][number];
        off.logit = Math.max(off.logit, largest(result.logit, expected.logits) / scale);
        off.logZ = Math.max(off.logZ, Math.abs((result.logSumExp[0] as number) - expected.logZ) / scale);
        for (const [layer, { activations }] of result.taps.entries()) {
          const at = (i * layers + layer) * width;
          const stream = hidden.data.subarray(at, at + width);
          off.stream = Math.max(off.stream, largest(activations, stream) / Math.hypot(...stream));
        }
      }
      expect(off.logit).toBeLessThan(TOLERANCE[format]);
      expect(off.logZ).toBeLessThan(TOLERANCE[format]);
      expect(off.stream).toBeLessThan(TOLERANCE[format]);
    });

    it('gives the log-probabilities of whole labels', async () => {
      const { compliant, nonCompliant } = PROFILES.standard.labels;
      for (const [i, { text, tokens }] of prompts.entries()) {
        const labels = [compliant, nonCompliant].map(label =>
          open.tokenizer.encodeContinuation([{ kind: 'data', text }], label),
        );
        const sums = await labelLogprobs(context, Int32Array.from(tokens), labels, 1);
        const { labelLogprobs: expected } = oracle.readings[i] as Oracle['readings'][number];
        expect(largest(sums, expected)).toBeLessThan(TOLERANCE[format] * scale);
      }
    });

    it('gives the steered logits of the training framework', async () => {
      const { layer, direction, scopes } = oracle.steering;
      for (const scope of ['last', 'all'] as const) {
        for (const { alpha, logits } of scopes[scope]) {
          let off = 0;
          for (const [i, { tokens }] of prompts.entries()) {
            const rows = scope === 'all' ? tokens.map((_, row) => row) : [tokens.length - 1];
            const result = await read(tokens, [
              tapOf({
                layer,
                keepActivations: false,
                addRows: Int32Array.from(rows),
                addAlphas: Float32Array.from(rows, () => alpha),
                vectors: Float32Array.from(direction),
              }),
            ]);
            off = Math.max(off, largest(result.logit, logits[i] ?? []) / scale);
          }
          expect(off, `${scope}, alpha ${alpha}`).toBeLessThan(TOLERANCE[format]);
        }
      }
    });
  });
});

/** llama.cpp's file type for float32 throughout. */
const ALL_F32 = 0;

function largest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs((a[i] as number) - (b[i] as number)));
  return most;
}
