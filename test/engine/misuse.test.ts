import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextHandle, ModelHandle, NativeDecodeRequest } from '../../src/engine/native.js';
import { createTokenizer } from '../../src/engine/tokens.js';
import { PlumblineError } from '../../src/errors.js';
import { randomEncoder } from '../models/fixtures.js';
import { binding, modelIn, request, tapOf } from './harness.js';
import { vocabulary } from './vocabularies.js';

const TOKENS = [301, 302, 303, 304];
const UBATCH = 32;
const CELLS = 64;
/** llama.cpp rounds up. */
const CELLS_MADE = 256;
const OUTPUTS = 8;

const folder = mkdtempSync(join(tmpdir(), 'plumbline-misuse-'));
afterAll(() => rmSync(folder, { recursive: true }));

const load = (path: string, vocabOnly = false): Promise<ModelHandle> =>
  binding.loadModel(path, 0, vocabOnly, () => {});
const makeContext = (
  model: ModelHandle,
  more: { sequences?: number; outputs?: number } = {},
): Promise<ContextHandle> =>
  binding.createContext(model, more.sequences ?? 2, CELLS, UBATCH, more.outputs ?? OUTPUTS, 1, false, false);

/** Calls with arguments that the types forbid. */
function untyped(
  name: Exclude<keyof typeof binding, 'compiledRelease'>,
  ...args: readonly unknown[]
): unknown {
  return Reflect.apply(binding[name], binding, args);
}

/** The code of what a call throws or rejects with; a crash would end the test process. */
async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
    return error.code;
  }
  return 'none';
}

describe('misuse of the native binding', () => {
  let model: ModelHandle;
  let context: ContextHandle;
  beforeAll(async () => {
    model = await load(await modelIn('F16'));
    context = await makeContext(model);
    expect(binding.contextInfo(context)).toEqual({
      sequences: 2,
      cellsPerSequence: CELLS_MADE,
      ubatch: UBATCH,
    });
  });
  afterAll(() => {
    binding.disposeContext(context);
    binding.disposeModel(model);
  });

  const decodeCode = (wanted: NativeDecodeRequest): Promise<string> => {
    binding.memoryClear(context);
    return codeOf(() => binding.decode(context, wanted));
  };
  const works = async (): Promise<void> => {
    binding.memoryClear(context);
    const result = await binding.decode(
      context,
      request(TOKENS, { outputsFrom: 0, wantRows: Int32Array.of(3), wantTokens: Int32Array.of(9) }),
    );
    expect(result.argMax.length).toBe(1);
  };

  describe('handles', () => {
    const modelCalls = [
      ['modelInfo'],
      ['specialTokens'],
      ['tokenize', 'text', false],
      ['tokenBytes', Int32Array.of(1), false],
      ['disposeModel'],
      ['createContext', 1, 64, 32, 8, 1, false, false],
    ] as const;
    const contextCalls = [
      ['contextInfo'],
      ['memoryClear'],
      ['memoryRemoveTail', 0, 0],
      ['memoryCopy', 0, 1],
      ['setControlVector', new Float32Array(), 1, 1],
      ['decode', request(TOKENS)],
      ['disposeContext'],
    ] as const;

    it('DISPOSED for every call on a disposed model or context', async () => {
      const goneModel = await load(await modelIn('F16'));
      const goneContext = await makeContext(goneModel);
      binding.disposeContext(goneContext);
      for (const [name, ...args] of contextCalls) {
        expect(await codeOf(() => untyped(name, goneContext, ...args)), name).toBe('DISPOSED');
      }
      binding.disposeModel(goneModel);
      for (const [name, ...args] of modelCalls) {
        expect(await codeOf(() => untyped(name, goneModel, ...args)), name).toBe('DISPOSED');
      }
    });

    it('NATIVE_ARGUMENT for a handle of the other kind and for no handle', async () => {
      const wrong = [undefined, null, 0, 'model', {}, [], () => {}, Symbol('s'), 1n] as const;
      for (const [name, ...args] of modelCalls) {
        for (const handle of [context, ...wrong]) {
          expect(await codeOf(() => untyped(name, handle, ...args)), name).toBe('NATIVE_ARGUMENT');
        }
      }
      for (const [name, ...args] of contextCalls) {
        for (const handle of [model, ...wrong]) {
          expect(await codeOf(() => untyped(name, handle, ...args)), name).toBe('NATIVE_ARGUMENT');
        }
      }
    });

    it('NATIVE_ARGUMENT for arguments left out', async () => {
      for (const [name, ...args] of [...modelCalls, ...contextCalls]) {
        if (args.length === 0) continue;
        const handle = contextCalls.some(([own]) => own === name) ? context : model;
        expect(await codeOf(() => untyped(name, handle)), name).toBe('NATIVE_ARGUMENT');
        const others = args.map(() => ({ not: 'this' }));
        expect(await codeOf(() => untyped(name, handle, ...others)), name).toBe('NATIVE_ARGUMENT');
      }
      for (const name of ['loadModel', 'openLibrary', 'quantize'] as const) {
        // An open library is not opened again, but its arguments are looked at.
        expect(await codeOf(() => untyped(name)), name).toBe('NATIVE_ARGUMENT');
        expect(await codeOf(() => untyped(name, 1, 2, 3, 4)), name).toBe('NATIVE_ARGUMENT');
      }
    });

    it('a model with a living context stays; its context works on', async () => {
      const own = await load(await modelIn('F16'));
      const coming = makeContext(own);
      expect(await codeOf(() => binding.disposeModel(own))).toBe('NATIVE_ARGUMENT');
      const living = await coming;
      expect(await codeOf(() => binding.disposeModel(own))).toBe('NATIVE_ARGUMENT');
      await binding.decode(living, request(TOKENS, { outputsFrom: 0 }));
      binding.disposeContext(living);
      binding.disposeModel(own);
    });
  });

  describe('BUSY', () => {
    it('for every call on a context that is decoding, and the decode ends well', async () => {
      binding.memoryClear(context);
      const long = Array.from({ length: UBATCH }, (_, i) => 300 + i);
      const running = binding.decode(context, request(long));
      const calls = [
        () => binding.decode(context, request(TOKENS)),
        () => binding.memoryClear(context),
        () => binding.memoryRemoveTail(context, 0, 0),
        () => binding.memoryCopy(context, 0, 1),
        () => binding.setControlVector(context, new Float32Array(), 1, 1),
        () => binding.disposeContext(context),
      ];
      for (const call of calls) expect(await codeOf(call)).toBe('BUSY');
      expect((await running).stopped).toBe(false);
      await works();
    });
  });

  describe('decode', () => {
    const n = TOKENS.length;
    const vocabulary = 1 << 20;
    const layer = (more: object): NativeDecodeRequest =>
      request(TOKENS, { outputsFrom: 0, taps: [{ ...tapOf({ layer: 0 }), ...more }] });

    it.each([
      ['no tokens', request([])],
      ['more tokens than the ubatch', request(new Int32Array(UBATCH + 1))],
      ['more outputs than the context has', request(new Int32Array(OUTPUTS + 1), { outputsFrom: 0 })],
      ['a token outside the vocabulary', request([...TOKENS, vocabulary])],
      ['a negative token', request([-1, ...TOKENS])],
      ['a position outside the memory', request(TOKENS, { position: CELLS_MADE - 2 })],
      ['a negative position', request(TOKENS, { position: -1 })],
      ['a sequence too many', request(TOKENS, { sequence: 2 })],
      ['a negative sequence', request(TOKENS, { sequence: -1 })],
      ['lists of unequal length', request(TOKENS, { positions: Int32Array.of(0, 1) })],
      [
        'a wanted row outside',
        request(TOKENS, { outputsFrom: 0, wantRows: Int32Array.of(n), wantTokens: Int32Array.of(0) }),
      ],
      [
        'a negative wanted row',
        request(TOKENS, { outputsFrom: 0, wantRows: Int32Array.of(-1), wantTokens: Int32Array.of(0) }),
      ],
      [
        'a wanted row without output',
        request(TOKENS, { outputsFrom: 2, wantRows: Int32Array.of(1), wantTokens: Int32Array.of(0) }),
      ],
      [
        'a wanted token outside',
        request(TOKENS, {
          outputsFrom: 0,
          wantRows: Int32Array.of(0),
          wantTokens: Int32Array.of(vocabulary),
        }),
      ],
      [
        'wants of unequal length',
        request(TOKENS, { outputsFrom: 0, wantRows: Int32Array.of(0, 1), wantTokens: Int32Array.of(0) }),
      ],
      ['a layer too many', layer({ layer: 4 })],
      ['a negative layer', layer({ layer: -1 })],
      ['half a layer', layer({ layer: 0.5 })],
      ['a tapped row outside', layer({ readRows: Int32Array.of(n) })],
      [
        'an added row outside',
        layer({ addRows: Int32Array.of(-1), addAlphas: Float32Array.of(1), vectors: new Float32Array(256) }),
      ],
      ['a direction of another width', layer({ directions: new Float32Array(255) })],
      [
        'a vector of another width',
        layer({ addRows: Int32Array.of(0), addAlphas: Float32Array.of(1), vectors: new Float32Array(255) }),
      ],
      ['no vector to add', layer({ addRows: Int32Array.of(0), addAlphas: Float32Array.of(1) })],
      [
        'fewer alphas than rows',
        layer({
          addRows: Int32Array.of(0, 1),
          addAlphas: Float32Array.of(1),
          vectors: new Float32Array(256),
        }),
      ],
      [
        'a vector number outside',
        layer({
          addRows: Int32Array.of(0),
          addAlphas: Float32Array.of(1),
          addVectors: Int32Array.of(1),
          vectors: new Float32Array(256),
        }),
      ],
      [
        'fewer vector numbers than rows',
        layer({
          addRows: Int32Array.of(0, 1),
          addAlphas: Float32Array.of(1, 1),
          addVectors: Int32Array.of(0),
          vectors: new Float32Array(256),
        }),
      ],
      ['the same layer twice', request(TOKENS, { taps: [tapOf({ layer: 1 }), tapOf({ layer: 1 })] })],
      ['layers out of order', request(TOKENS, { taps: [tapOf({ layer: 2 }), tapOf({ layer: 1 })] })],
      ['nothing to stop after', request(TOKENS, { stopAfterTaps: true })],
      [
        'an array of another type',
        { ...request(TOKENS), tokens: new Float32Array(n) as unknown as Int32Array },
      ],
      ['a plain array', { ...request(TOKENS), tokens: TOKENS as unknown as Int32Array }],
      ['taps that are none', { ...request(TOKENS), taps: [null] as unknown as [] }],
    ])('NATIVE_ARGUMENT for %s', async (_, wanted) => {
      expect(await decodeCode(wanted)).toBe('NATIVE_ARGUMENT');
      await works();
    });

    it.each([
      ['a gap between the memory and the batch', [0, 1, 2, 3], [5, 6, 7, 8], [0, 0, 0, 0]],
      ['positions that overlap the memory', [0, 1, 2, 3], [3, 4, 5, 6], [0, 0, 0, 0]],
      ['positions that fall', [], [1, 0, 2, 3], [0, 0, 0, 0]],
      ['positions with a gap', [], [0, 1, 3, 4], [0, 0, 0, 0]],
    ])('DECODE for %s', async (_, held, positions, sequences) => {
      binding.memoryClear(context);
      if (held.length > 0) await binding.decode(context, request(TOKENS));
      const wanted = {
        ...request(TOKENS),
        positions: Int32Array.from(positions),
        sequences: Int32Array.from(sequences),
      };
      expect(await codeOf(() => binding.decode(context, wanted))).toBe('DECODE');
      await works();
    });

    it('takes sequences in any order, and no output at all', async () => {
      binding.memoryClear(context);
      const mixed = {
        ...request(TOKENS),
        positions: Int32Array.of(0, 0, 1, 1),
        sequences: Int32Array.of(1, 0, 1, 0),
      };
      expect(await codeOf(() => binding.decode(context, mixed))).toBe('none');
      await works();
    });
  });

  describe('contexts and memory', () => {
    it.each([
      ['no sequence', [0, 64, 32, 8, 1]],
      ['257 sequences', [257, 64, 512, 512, 1]],
      ['no cells', [1, 0, 32, 8, 1]],
      ['cells without end', [256, 1 << 25, 32, 8, 1]],
      ['no ubatch', [1, 64, 0, 8, 1]],
      ['no outputs', [1, 64, 32, 0, 1]],
      ['more outputs than tokens', [1, 64, 32, 33, 1]],
      ['no thread', [1, 64, 32, 8, 0]],
      ['half a thread', [1, 64, 32, 8, 0.5]],
    ])('NATIVE_ARGUMENT for a context with %s', async (_, numbers) => {
      expect(await codeOf(() => untyped('createContext', model, ...numbers, false, false))).toBe(
        'NATIVE_ARGUMENT',
      );
    });

    it('has room for an output per sequence even where fewer were asked for', async () => {
      const many = await makeContext(model, { sequences: 16, outputs: 1 });
      await binding.decode(many, request(TOKENS, { outputsFrom: 0, sequence: 15 }));
      binding.disposeContext(many);
    });

    it('NATIVE_ARGUMENT for memory calls outside the sequences', async () => {
      const calls = [
        () => binding.memoryRemoveTail(context, 2, 0),
        () => binding.memoryRemoveTail(context, -1, 0),
        () => binding.memoryRemoveTail(context, 0, -1),
        () => binding.memoryCopy(context, 0, 0),
        () => binding.memoryCopy(context, 0, 2),
        () => binding.memoryCopy(context, -1, 0),
        () => binding.setControlVector(context, new Float32Array(256), 0, 1),
        () => binding.setControlVector(context, new Float32Array(256), 1, 4),
        () => binding.setControlVector(context, new Float32Array(255), 1, 1),
        () => binding.setControlVector(context, new Float32Array(256 * 4), 1, 1),
        () => binding.tokenBytes(model, Int32Array.of(1 << 20), false),
        () => binding.tokenBytes(model, Int32Array.of(-1), false),
      ];
      for (const call of calls) expect(await codeOf(call)).toBe('NATIVE_ARGUMENT');
    });

    it('copies an empty sequence and removes what is not there', async () => {
      binding.memoryClear(context);
      binding.memoryCopy(context, 0, 1);
      expect(binding.memoryRemoveTail(context, 1, 40)).toBe(true);
      await works();
    });
  });

  describe('files that are no judges', () => {
    it.each([
      ['a text file', 'not a model at all\n'],
      ['an empty file', ''],
      ['four right bytes', 'GGUF'],
    ])('MODEL_LOAD for %s', async (_, content) => {
      const path = join(folder, 'broken.gguf');
      writeFileSync(path, content);
      expect(await codeOf(() => load(path))).toBe('MODEL_LOAD');
      expect(await codeOf(() => binding.quantize(path, join(folder, 'out.gguf'), 7))).toBe('MODEL_LOAD');
    });

    it('MODEL_LOAD for a file that is not there, a folder and a file type that is none', async () => {
      expect(await codeOf(() => load(join(folder, 'missing.gguf')))).toBe('MODEL_LOAD');
      expect(await codeOf(() => load(folder))).toBe('MODEL_LOAD');
      const source = await modelIn('F32');
      expect(await codeOf(() => binding.quantize(source, join(folder, 'out.gguf'), 9999))).toBe('MODEL_LOAD');
    });

    it('a vocabulary alone tokenises, and has no context', async () => {
      const vocab = await load(vocabulary('llama-bpe'), true);
      expect(createTokenizer(binding, vocab).encode([{ kind: 'data', text: 'Rule' }]).length).toBeGreaterThan(
        1,
      );
      expect(await codeOf(() => makeContext(vocab))).toBe('NATIVE_ARGUMENT');
      binding.disposeModel(vocab);
    });

    it('an encoder decodes without a memory', async () => {
      const encoder = await load(await randomEncoder());
      const own = await makeContext(encoder);
      binding.memoryClear(own);
      binding.memoryCopy(own, 0, 1);
      binding.memoryRemoveTail(own, 0, 1);
      const text = binding.tokenize(encoder, 'the rule', false);
      expect(['none', 'DECODE']).toContain(await codeOf(() => binding.decode(own, request(text))));
      binding.disposeContext(own);
      binding.disposeModel(encoder);
    });
  });
});
