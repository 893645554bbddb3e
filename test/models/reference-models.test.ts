import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextHandle, NativeTap } from '../../src/engine/native.js';
import { readNpy } from '../engine/gold.js';
import { binding, type OpenModel, openModel, request, tapOf } from '../engine/harness.js';

const FOLDER = process.env.REF_DIR ?? fileURLToPath(new URL('../../models/reference/', import.meta.url));
const NAMES = (process.env.REF_NAMES ?? 'reader,shortcut,suppressed,biased,natural').split(',');

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

    it('gives the logits and residual streams of the training framework', async () => {
      const off = { logit: 0, logZ: 0, hidden: 0 };
      for (const [i, { tokens }] of prompts.entries()) {
        const last = tokens.length - 1;
        const taps = Array.from({ length: layers }, (_, layer) =>
          tapOf({ layer, readRows: Int32Array.of(last) }),
        );
        const result = await read(tokens, taps);
        const expected = oracle.readings[i] as Oracle['readings'][number];
        off.logit = Math.max(off.logit, largest(result.logit, expected.logits));
        off.logZ = Math.max(off.logZ, Math.abs((result.logSumExp[0] as number) - expected.logZ));
        for (const [layer, { activations }] of result.taps.entries()) {
          const at = (i * layers + layer) * width;
          const stream = hidden.data.subarray(at, at + width);
          off.hidden = Math.max(off.hidden, largest(activations, stream) / Math.hypot(...stream));
        }
      }
      console.log(name, format, off);
    });

    it('gives the steered logits of the training framework', async () => {
      const { layer, direction, scopes } = oracle.steering;
      const off: Record<string, number> = {};
      for (const scope of ['last', 'all'] as const) {
        for (const { alpha, logits } of scopes[scope]) {
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
            const key = `${scope} ${alpha.toFixed(2)}`;
            off[key] = Math.max(off[key] ?? 0, largest(result.logit, logits[i] ?? []));
          }
        }
      }
      console.log(name, format, off);
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
