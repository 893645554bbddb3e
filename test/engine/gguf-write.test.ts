import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGgufFileInfo } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeGguf, toF16, writeGguf } from '../../src/engine/gguf-write.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-gguf-write-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Value of half-precision bits, by the definition of the format. */
function halfValue(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : Number.NaN;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

function half(value: number): number {
  return toF16(Float32Array.of(value))[0] as number;
}

/** The float32 next to a positive one, away from or towards zero. */
function neighbour(value: number, step: 1 | -1): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] = (bits[0] as number) + step;
  return new Float32Array(bits.buffer)[0] as number;
}

describe('toF16', () => {
  it('gives every half back, with its sign', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = halfValue(bits);
      if (Number.isNaN(value)) expect(halfValue(half(value))).toBeNaN();
      else expect(half(value)).toBe(bits);
    }
  });

  it('rounds to the nearest, ties to even, between every two halves', () => {
    for (let bits = 0; bits < 0x7bff; bits++) {
      const middle = (halfValue(bits) + halfValue(bits + 1)) / 2;
      const even = bits % 2 === 0 ? bits : bits + 1;
      if (half(middle) !== even) expect.fail(`tie above ${bits} gave ${half(middle)}`);
      if (half(-middle) !== (even | 0x8000)) expect.fail(`negative tie above ${bits}`);
      if (half(neighbour(middle, -1)) !== bits) expect.fail(`just below the tie above ${bits}`);
      if (half(neighbour(middle, 1)) !== bits + 1) expect.fail(`just above the tie above ${bits}`);
    }
  });

  it('goes to infinity from 65,520 on and to zero below half of the smallest', () => {
    expect(half(65_519.996)).toBe(0x7bff);
    expect(half(65_520)).toBe(0x7c00);
    expect(half(3e38)).toBe(0x7c00);
    expect(half(-Infinity)).toBe(0xfc00);
    expect(half(2 ** -25)).toBe(0);
    expect(half(1e-40)).toBe(0);
    expect(half(-1e-40)).toBe(0x8000);
  });

  it('reads a view into a larger buffer', () => {
    expect([...toF16(Float32Array.of(9, 1, 2).subarray(1))]).toEqual([0x3c00, 0x4000]);
  });
});

describe('writeGguf', () => {
  const file = {
    metadata: {
      'general.architecture': { type: 'string', value: 'llama' },
      'general.name': { type: 'string', value: 'Prüfling' },
      'split.no': { type: 'u16', value: 65_535 },
      'llama.block_count': { type: 'u32', value: 4_294_967_295 },
      'test.negative': { type: 'i32', value: -5 },
      'test.real': { type: 'f32', value: 0.5 },
      'test.flag': { type: 'bool', value: true },
      'test.words': { type: 'array:string', value: ['a', '', 'ß'] },
      'test.ints': { type: 'array:i32', value: [1, -2] },
      'test.reals': { type: 'array:f32', value: [0.25] },
    },
    tensors: [
      { name: 'one', dims: [3], data: Float32Array.of(1, 2, 3) },
      { name: 'two', dims: [2, 2], data: toF16(Float32Array.of(1, -1, 0.5, 2)) },
      { name: 'three', dims: [1], data: Float32Array.of(-7) },
    ],
  } as const;

  it('is read back by an independent reader', async () => {
    const path = join(folder, 'plain.gguf');
    await writeGguf(path, file);
    const info = await readGgufFileInfo(path, { logWarnings: false });
    expect(info.version).toBe(3);
    expect(info.metadata).toMatchObject({
      general: { architecture: 'llama', name: 'Prüfling' },
      split: { no: 65_535 },
      llama: { block_count: 4_294_967_295 },
      test: {
        negative: -5,
        real: 0.5,
        flag: true,
        words: ['a', '', 'ß'],
        ints: [1, -2],
        reals: [0.25],
      },
    });
    const tensors = info.fullTensorInfo ?? [];
    expect(tensors.map(({ name, dimensions, ggmlType }) => [name, dimensions, ggmlType])).toEqual([
      ['one', [3], 0],
      ['two', [2, 2], 1],
      ['three', [1], 0],
    ]);
    const bytes = await readFile(path);
    const at = (i: number) => Number(tensors[i]?.fileOffset);
    expect(bytes.readFloatLE(at(0) + 8)).toBe(3);
    expect(halfValue(bytes.readUInt16LE(at(1) + 4))).toBe(0.5);
    expect(bytes.readFloatLE(at(2))).toBe(-7);
  });

  it('gives equal bytes for equal input', () => {
    expect(Buffer.compare(encodeGguf(file), encodeGguf(structuredClone(file)))).toBe(0);
  });

  it('refuses data that does not fill its dimensions, and names that llama.cpp cannot hold', () => {
    const tensor = { name: 'w', dims: [2, 3], data: new Float32Array(6) };
    const refuse = (...tensors: (typeof tensor)[]) =>
      expect(() => encodeGguf({ metadata: {}, tensors })).toThrow(expect.objectContaining({ code: 'USAGE' }));
    refuse({ ...tensor, dims: [2, 2] });
    refuse({ ...tensor, dims: [1, 1, 1, 2, 3] });
    refuse({ ...tensor, dims: [0], data: new Float32Array(0) });
    refuse({ ...tensor, name: 'w'.repeat(64) });
    refuse(tensor, tensor);
  });

  it('leaves nothing behind when the folder does not exist', async () => {
    await expect(writeGguf(join(folder, 'no', 'x.gguf'), file)).rejects.toMatchObject({ code: 'IO' });
    expect(await readdir(folder)).toEqual(['plain.gguf']);
  });
});
