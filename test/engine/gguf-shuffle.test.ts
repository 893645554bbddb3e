import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type GgufHeader, readGgufHeader } from '../../src/engine/gguf-header.js';
import { shuffleModel } from '../../src/engine/gguf-shuffle.js';
import { ggmlTypeNamed } from '../../src/engine/gguf-types.js';
import { FORMATS, modelIn, openModel } from './harness.js';

const READER = fileURLToPath(new URL('../../models/reference/reader.gguf', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-shuffle-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The blocks of one tensor, in file order: as numbers where a block is one word, else as text. */
function blocks(
  file: Buffer,
  { offset, bytes, type }: GgufHeader['tensors'][number],
): ArrayLike<number | string> {
  const size = ggmlTypeNamed(type).bytes;
  const data = file.buffer.slice(file.byteOffset + offset, file.byteOffset + offset + bytes);
  if (size === 4) return new Uint32Array(data);
  if (size === 2) return new Uint16Array(data);
  return Array.from({ length: bytes / size }, (_, i) =>
    file.toString('latin1', offset + i * size, offset + (i + 1) * size),
  );
}

const sorted = (values: ArrayLike<number | string>): ArrayLike<number | string> =>
  Array.isArray(values) ? [...values].sort() : (values as Uint32Array).slice().sort();

const equal = (a: ArrayLike<number | string>, b: ArrayLike<number | string>): boolean =>
  a.length === b.length && Array.prototype.every.call(a, (value, i) => value === b[i]);

describe.each(FORMATS)('a model in %s', format => {
  test('keeps header, norms and the blocks of each tensor, and no order; llama.cpp opens it', async () => {
    const path = await modelIn(format);
    const header = await readGgufHeader(path);
    const shuffled = await shuffleModel(header, folder, 5);
    const [before, after] = [readFileSync(path), readFileSync(shuffled.path)];
    expect(after.length).toBe(before.length);
    const start = Math.min(...header.tensors.map(({ offset }) => offset));
    expect(after.subarray(0, start).equals(before.subarray(0, start))).toBe(true);
    let moved = 0;
    for (const tensor of header.tensors) {
      const [old, now] = [blocks(before, tensor), blocks(after, tensor)];
      const matrix = tensor.dims.filter(size => size > 1).length > 1;
      expect(equal(sorted(now), sorted(old)), tensor.name).toBe(true);
      expect(equal(now, old), tensor.name).toBe(!matrix);
      if (matrix) moved++;
    }
    expect(shuffled).toMatchObject({ shuffled: moved, kept: header.tensors.length - moved });
    expect(moved).toBeGreaterThan(5);
    await openModel(shuffled.path);
  });
});

describe('a shuffled copy', () => {
  test('is the same for the same seed, another for another, and leaves the model alone', async () => {
    const path = READER;
    const header = await readGgufHeader(path);
    const before = readFileSync(path);
    const read = async (seed: number): Promise<Buffer> =>
      readFileSync((await shuffleModel(header, folder, seed)).path);
    const first = await read(1);
    expect(first.equals(await read(1))).toBe(true);
    expect(first.equals(await read(2))).toBe(false);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('no two tensors of one size share a permutation', async () => {
    const path = READER;
    const header = await readGgufHeader(path);
    const { path: copy } = await shuffleModel(header, folder, 3);
    const [before, after] = [readFileSync(path), readFileSync(copy)];
    const placesOf = (name: string): (number | undefined)[] => {
      const tensor = header.tensors.find(one => one.name === name);
      if (tensor === undefined) throw new Error(`no tensor ${name}`);
      const places = new Map(Array.from(blocks(before, tensor), (block, i) => [block, i]));
      return Array.from(blocks(after, tensor), block => places.get(block));
    };
    expect(placesOf('blk.0.attn_q.weight')).not.toEqual(placesOf('blk.1.attn_q.weight'));
  });

  test('is refused where the disk is too small, with what is needed and what is free', async () => {
    const header = await readGgufHeader(READER);
    const huge = { ...header, bytes: 2 ** 60 };
    await expect(shuffleModel(huge, folder, 1)).rejects.toMatchObject({
      code: 'IO',
      message: expect.stringMatching(/needs 1099511627776 MB, and \d+ MB are free/),
    });
  });

  test('stops when asked', async () => {
    const header = await readGgufHeader(READER);
    await expect(shuffleModel(header, folder, 1, AbortSignal.abort())).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
  });
});
