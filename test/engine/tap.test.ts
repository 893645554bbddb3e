import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ContextHandle,
  NativeDecodeRequest,
  NativeDecodeResult,
  NativeTap,
} from '../../src/engine/native.js';
import { randomEncoder } from '../models/fixtures.js';
import {
  binding,
  differing,
  type Format,
  modelIn,
  type OpenModel,
  openModel,
  request,
  tapOf,
} from './harness.js';

const LAYERS = 4;
const WIDTH = 256;
const ROWS = 24;
const LAST = ROWS - 1;

const generator = xoroshiro128plus(23);
const tokens = Int32Array.from({ length: ROWS }, () => 300 + ((generator.next() >>> 0) % 700));
const direction = Float32Array.from({ length: WIDTH }, () => generator.next() * 2 ** -32);
const every = Int32Array.from({ length: ROWS }, (_, row) => row);

const plain = (more: Partial<NativeDecodeRequest> = {}): NativeDecodeRequest =>
  request(tokens, {
    outputsFrom: ROWS - 4,
    wantRows: Int32Array.of(LAST),
    wantTokens: Int32Array.of(500),
    keepRows: Int32Array.of(0),
    ...more,
  });

describe.each(['F32', 'Q4_K'] as const)('the tap on a random model in %s', (format: Format) => {
  let open: OpenModel;
  let context: ContextHandle;
  let bare: NativeDecodeResult;

  /** On an empty memory. */
  const fresh = (wanted: NativeDecodeRequest): Promise<NativeDecodeResult> => {
    binding.memoryClear(context);
    return binding.decode(context, wanted);
  };
  const equal = (a: Float32Array, b: Float32Array, what: string): void => {
    expect(a.length, what).toBeGreaterThan(0);
    expect(differing(a, b), what).toEqual({ count: 0, largest: 0 });
  };

  beforeAll(async () => {
    open = await openModel(await modelIn(format));
    expect(open.tokenizer.info).toMatchObject({ nLayer: LAYERS, nEmbd: WIDTH });
    context = await binding.createContext(open.model, 4, 128, 64, 64, 1, false, false);
    bare = await fresh(plain());
  });
  afterAll(() => {
    binding.disposeContext(context);
    binding.disposeModel(open.model);
  });

  describe('reading', () => {
    it('leaves the logits as they are', async () => {
      const taps = Array.from({ length: LAYERS }, (_, layer) =>
        tapOf({ layer, readRows: Int32Array.of(LAST) }),
      );
      const read = await fresh(plain({ taps }));
      equal(bare.rows, read.rows, 'logits');
      expect(read.taps.map(({ layer }) => layer)).toEqual([0, 1, 2, 3]);
    });

    it('gives norm, projections and activation of the row that was asked for', async () => {
      const directions = new Float32Array(2 * WIDTH);
      directions.set(direction);
      directions[WIDTH + 7] = 1;
      const readRows = Int32Array.of(5, 0, LAST);
      const { taps } = await fresh(plain({ taps: [tapOf({ layer: 1, readRows, directions })] }));
      const [tap] = taps;
      if (tap === undefined) throw new Error('no tap');
      for (const [i] of readRows.entries()) {
        const row = tap.activations.subarray(i * WIDTH, (i + 1) * WIDTH);
        const dot = row.reduce((sum, value, j) => sum + value * (direction[j] as number), 0);
        expect(tap.norms[i]).toBeCloseTo(Math.hypot(...row), 4);
        expect(tap.projections[2 * i]).toBeCloseTo(dot, 9);
        expect(tap.projections[2 * i + 1]).toBe(row[7]);
        // The same row, read alone.
        const alone = await fresh(
          plain({ taps: [tapOf({ layer: 1, readRows: readRows.subarray(i, i + 1) })] }),
        );
        equal(row, alone.taps[0]?.activations ?? new Float32Array(), `row ${readRows[i]}`);
      }
    });

    it('stops early with the rows of the full pass, and without logits', async () => {
      const taps = [0, 2].map(layer => tapOf({ layer, readRows: every }));
      const full = await fresh(plain({ taps }));
      const early = await fresh(plain({ taps, stopAfterTaps: true }));
      expect([full.stopped, early.stopped]).toEqual([false, true]);
      expect(early.logit.length + early.rows.length).toBe(0);
      for (const [i, tap] of full.taps.entries()) {
        equal(tap.activations, early.taps[i]?.activations ?? new Float32Array(), `block ${tap.layer}`);
      }
      equal(bare.rows, (await fresh(plain())).rows, 'logits of the next decode');
    });
  });

  describe('adding', () => {
    const added = (layer: number, alpha: number, addRows: Int32Array = every): NativeDecodeRequest =>
      plain({
        taps: [
          tapOf({
            layer,
            addRows,
            addAlphas: new Float32Array(addRows.length).fill(alpha),
            vectors: direction,
          }),
        ],
      });

    it.each([1, 2])('to every row equals the control vector of block %i at equal alpha', async layer => {
      for (const alpha of [0.75, -3, 31.3]) {
        const data = new Float32Array((LAYERS - 1) * WIDTH);
        data.set(
          direction.map(value => Math.fround(alpha) * value),
          (layer - 1) * WIDTH,
        );
        binding.setControlVector(context, data, layer, layer);
        const controlled = await fresh(plain());
        binding.setControlVector(context, new Float32Array(), layer, layer);
        const steered = await fresh(added(layer, alpha));
        equal(controlled.rows, steered.rows, `alpha ${alpha}`);
        expect(differing(bare.rows, steered.rows).count).toBeGreaterThan(0);
      }
    });

    it('alpha 0 is no steering, at every block', async () => {
      for (let layer = 0; layer < LAYERS; layer++) {
        const rows = layer === LAYERS - 1 ? every.subarray(ROWS - 4) : every;
        equal(bare.rows, (await fresh(added(layer, 0, rows))).rows, `block ${layer}`);
      }
    });

    it('leaves nothing behind for the next decode', async () => {
      await fresh(added(2, 40));
      equal(bare.rows, (await fresh(plain())).rows, 'logits');
    });

    it('changes the rows that are named, and those alone', async () => {
      const layer = 2;
      const read = tapOf({ layer: layer + 1, readRows: Int32Array.of(LAST - 1, LAST) });
      const [before] = (await fresh(plain({ taps: [read] }))).taps;
      const [steer] = added(layer, 9, Int32Array.of(LAST)).taps;
      if (steer === undefined || before === undefined) throw new Error('no tap');
      const [, after] = (await fresh(plain({ taps: [steer, read] }))).taps;
      if (after === undefined) throw new Error('no tap');
      // The row in front cannot see the last one.
      equal(before.activations.subarray(0, WIDTH), after.activations.subarray(0, WIDTH), 'the row in front');
      expect(
        differing(before.activations.subarray(WIDTH), after.activations.subarray(WIDTH)).count,
      ).toBeGreaterThan(WIDTH / 2);
    });

    it('takes a vector per row, and vector 0 where none is named', async () => {
      const other = direction.map((value, i) => (i % 2 === 0 ? -value : value * 3));
      const both = new Float32Array(2 * WIDTH);
      both.set(direction);
      both.set(other, WIDTH);
      const addRows = Int32Array.of(6, LAST);
      const addAlphas = Float32Array.of(4, -7);
      const layer = 1;
      const steer = (more: Partial<NativeTap>) =>
        fresh(plain({ taps: [tapOf({ layer, addRows, addAlphas, vectors: both, ...more })] }));
      const crossed = await steer({ addVectors: Int32Array.of(1, 0) });
      const swapped = new Float32Array(2 * WIDTH);
      swapped.set(other);
      swapped.set(direction, WIDTH);
      equal(
        crossed.rows,
        (await steer({ vectors: swapped, addVectors: Int32Array.of(0, 1) })).rows,
        'numbers, not places',
      );
      equal(
        (await steer({ addVectors: Int32Array.of(0, 0) })).rows,
        (await steer({ vectors: direction })).rows,
        'vector 0',
      );
      expect(
        differing(crossed.rows, (await steer({ addVectors: Int32Array.of(0, 1) })).rows).count,
      ).toBeGreaterThan(0);
    });

    it('takes an alpha per row, and reads before it adds', async () => {
      const layer = 1;
      const readRows = Int32Array.of(3, LAST);
      const [tap] = (
        await fresh(
          plain({
            taps: [
              tapOf({
                layer,
                readRows,
                addRows: readRows,
                addAlphas: Float32Array.of(5, -2),
                vectors: direction,
              }),
            ],
          }),
        )
      ).taps;
      const [before] = (await fresh(plain({ taps: [tapOf({ layer, readRows })] }))).taps;
      equal(before?.activations ?? new Float32Array(), tap?.activations ?? new Float32Array(), 'rows');
    });
  });

  describe('refuses', () => {
    /** Whether a decode that failed changed anything that the next one sees. */
    const refused = async (wanted: NativeDecodeRequest, message: RegExp): Promise<void> => {
      binding.memoryClear(context);
      await expect(binding.decode(context, wanted)).rejects.toMatchObject({
        code: 'TAP',
        message: expect.stringMatching(message),
      });
      // Without clearing: the failed decode has left no cell.
      equal(bare.rows, (await binding.decode(context, plain())).rows, 'logits after a refusal');
    };

    it('rows without output at the last block', async () => {
      const layer = LAYERS - 1;
      await refused(plain({ taps: [tapOf({ layer, readRows: Int32Array.of(0) })] }), /token 0 has no output/);
      await refused(
        plain({
          taps: [
            tapOf({ layer, addRows: Int32Array.of(2), addAlphas: Float32Array.of(1), vectors: direction }),
          ],
        }),
        /token 2 has no output/,
      );
    });

    it('a batch that the library takes apart: sequences of unequal length', async () => {
      const sequences = Int32Array.from(tokens, (_, i) => (i < 16 ? 0 : 1));
      const positions = Int32Array.from(tokens, (_, i) => (i < 16 ? i : i - 16));
      await refused(
        plain({
          sequences,
          positions,
          taps: [
            tapOf({
              layer: 1,
              readRows: Int32Array.of(LAST),
              addRows: every,
              addAlphas: new Float32Array(ROWS).fill(3),
              vectors: direction,
            }),
          ],
        }),
        /another order or in several parts/,
      );
    });
  });

  it('reads the row of each sequence of a batch', async () => {
    // Three sequences of 8 tokens that end in tokens of their own.
    const batch = Int32Array.from(tokens);
    const positions = Int32Array.from(tokens, (_, i) => i % 8);
    const sequences = Int32Array.from(tokens, (_, i) => Math.floor(i / 8));
    const ends = Int32Array.of(7, 15, 23);
    const outputs = Int8Array.from(tokens, (_, i) => (i % 8 >= 4 ? 1 : 0));
    const taps = [0, LAYERS - 1].map(layer => tapOf({ layer, readRows: ends }));
    const together = await fresh(plain({ tokens: batch, positions, sequences, outputs, taps }));
    for (let s = 0; s < 3; s++) {
      const own = await fresh(
        request(batch.subarray(s * 8, (s + 1) * 8), {
          outputsFrom: 4,
          taps: [0, LAYERS - 1].map(layer => tapOf({ layer, readRows: Int32Array.of(7) })),
        }),
      );
      for (const [i, tap] of together.taps.entries()) {
        equal(
          tap.activations.subarray(s * WIDTH, (s + 1) * WIDTH),
          own.taps[i]?.activations ?? new Float32Array(),
          `sequence ${s}, block ${tap.layer}`,
        );
      }
    }
  });
});

describe('the tap on an encoder', () => {
  it('is refused: an encoder names no residual stream', async () => {
    const model = await binding.loadModel(await randomEncoder(), 0, false, () => {});
    const context = await binding.createContext(model, 1, 64, 64, 64, 1, false, false);
    const text = binding.tokenize(model, 'the rule a b c', false);
    const taps = [
      tapOf({
        layer: 0,
        readRows: Int32Array.of(0),
        addRows: Int32Array.of(0),
        addAlphas: Float32Array.of(1),
        vectors: new Float32Array(binding.modelInfo(model).nEmbd).fill(1),
      }),
    ];
    await expect(binding.decode(context, request(text, { outputsFrom: 0, taps }))).rejects.toMatchObject({
      code: 'TAP',
      message: expect.stringContaining('block 0'),
    });
    binding.disposeContext(context);
    binding.disposeModel(model);
  });
});
