import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { readGgufFileInfo } from 'node-llama-cpp';
import { afterAll, describe, expect, it } from 'vitest';
import { readGgufHeader } from '../../src/engine/gguf-header.js';
import { encodeGguf, type GgufFile, type GgufWriteValue, toF16 } from '../../src/engine/gguf-write.js';
import { PlumblineError } from '../../src/errors.js';
import { shared, skipNote } from '../shared.js';

const folder = mkdtempSync(join(tmpdir(), 'plumbline-gguf-header-'));
afterAll(() => rmSync(folder, { recursive: true }));

const METADATA = {
  'general.architecture': { type: 'string', value: 'llama' },
  'general.name': { type: 'string', value: 'tiny' },
  'llama.block_count': { type: 'u32', value: 2 },
  'llama.embedding_length': { type: 'u32', value: 4 },
  'llama.context_length': { type: 'u32', value: 128 },
  'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
  'tokenizer.ggml.tokens': { type: 'array:string', value: ['a', 'b', 'ab', '<|end|>'] },
  'tokenizer.ggml.scores': { type: 'array:f32', value: [0, 0, 0, 0] },
  'tokenizer.ggml.token_type': { type: 'array:i32', value: [1, 1, 1, 3] },
  'tokenizer.ggml.merges': { type: 'array:string', value: ['a b'] },
  'tokenizer.ggml.bos_token_id': { type: 'u32', value: 3 },
  'tokenizer.ggml.add_bos_token': { type: 'bool', value: true },
  'tokenizer.chat_template': { type: 'string', value: '{{ messages }}' },
} as const satisfies GgufFile['metadata'];

const TINY: GgufFile = {
  metadata: METADATA,
  tensors: [
    { name: 'token_embd.weight', dims: [4, 4], data: toF16(new Float32Array(16)) },
    { name: 'output_norm.weight', dims: [3], data: new Float32Array(3) },
    { name: 'output.weight', dims: [4, 4], data: toF16(new Float32Array(16)) },
  ],
};

/** TINY with some metadata replaced; undefined removes an entry. */
function altered(changes: Readonly<Record<string, GgufWriteValue | undefined>>): GgufFile {
  const metadata = Object.fromEntries(
    Object.entries({ ...METADATA, ...changes }).flatMap(([key, value]) => (value ? [[key, value]] : [])),
  );
  return { ...TINY, metadata };
}

let files = 0;
function put(content: Uint8Array | string, name = `${files++}.gguf`): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function fault(path: string): Promise<PlumblineError> {
  const error = await readGgufHeader(path).catch((thrown: unknown) => thrown);
  if (!(error instanceof PlumblineError)) expect.fail(`expected a PlumblineError, got ${String(error)}`);
  expect(error.message).toContain(path);
  return error;
}

async function expectFault(content: Uint8Array | string, message: RegExp, code = 'GGUF_INVALID') {
  const path = put(content);
  const error = await fault(path);
  expect(error.code).toBe(code);
  expect(error.message.replace(path, 'FILE')).toMatch(message);
}

/** Bytes of TINY with `patch` written at `shift` bytes behind the end of the first occurrence of `text`. */
function patched(text: string, shift: number, patch: Uint8Array): Buffer {
  const bytes = Buffer.from(encodeGguf(TINY));
  const found = bytes.indexOf(text);
  if (found < 0) expect.fail(`${text} is not in the file`);
  bytes.set(patch, found + Buffer.byteLength(text) + shift);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const HOSTILE = [2n ** 63n, 2n ** 64n - 1n, 2n ** 53n, 2n ** 62n + 1n, 2n ** 32n, 2n ** 31n, 2n ** 20n];

describe('a sound file', () => {
  it('gives the facts of the model', async () => {
    const path = put(encodeGguf(TINY));
    const header = await readGgufHeader(path);
    expect(header).toMatchObject({
      path,
      parts: [path],
      version: 3,
      architecture: 'llama',
      name: 'tiny',
      nLayer: 2,
      nEmbd: 4,
      nVocab: 4,
      contextLength: 128,
      chatTemplate: '{{ messages }}',
      parameters: 35,
      dominantType: 'F16',
      bytes: encodeGguf(TINY).length,
    });
    expect([...header.tensorCountByType]).toEqual([
      ['F16', 2],
      ['F32', 1],
    ]);
    expect(header.metadata.get('tokenizer.ggml.merges')).toEqual(['a b']);
    expect(header.metadata.get('tokenizer.ggml.tokens')).toEqual({ type: 'string', length: 4 });
    expect(header.tensors[1]).toMatchObject({ name: 'output_norm.weight', dims: [3], bytes: 12, part: 0 });
  });

  it('says so when there is no name, chat template, tokeniser or tensor', async () => {
    const bare = Object.entries(METADATA).filter(([key]) => /^llama|architecture/.test(key));
    const header = await readGgufHeader(put(encodeGguf({ metadata: Object.fromEntries(bare), tensors: [] })));
    expect(header).toMatchObject({
      name: null,
      chatTemplate: null,
      nVocab: 0,
      dominantType: null,
      tensors: [],
    });
  });

  it('reads a vocabulary of 262,144 tokens well under a second', async () => {
    const tokens = Array.from({ length: 262_144 }, (_, i) => `tok${i}`);
    const path = put(
      encodeGguf(
        altered({
          'tokenizer.ggml.tokens': { type: 'array:string', value: tokens },
          'tokenizer.ggml.scores': { type: 'array:f32', value: tokens.map(() => 0) },
          'tokenizer.ggml.token_type': { type: 'array:i32', value: tokens.map(() => 1) },
          'tokenizer.ggml.merges': { type: 'array:string', value: tokens },
        }),
      ),
    );
    // CPU time, as the clock depends on what else the machine does.
    const start = process.cpuUsage();
    expect((await readGgufHeader(path)).nVocab).toBe(262_144);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(1000);
  });

  it('agrees with an independent reader on real models', async () => {
    const names = [
      'SmolLM2-135M-Instruct-Q4_1.gguf',
      'all-MiniLM-L6-v2-F16.gguf',
      'paraphrase-MiniLM-L3-v2-Q8_0.gguf',
    ];
    for (const name of names) {
      const path = shared('models', name);
      if (path === null) {
        skipNote('header of a real model', 'models', name);
        continue;
      }
      const header = await readGgufHeader(path);
      const info = await readGgufFileInfo(path, { logWarnings: false });
      expect(header.tensors.map(({ name, dims, offset }) => [name, dims, offset])).toEqual(
        info.fullTensorInfo?.map(({ name, dimensions, fileOffset }) => [name, dimensions, fileOffset]),
      );
      // Sizes follow from the formats alone: the last tensor must end where the file ends.
      const last = header.tensors.at(-1);
      expect((last?.offset ?? 0) + (last?.bytes ?? 0)).toBe(header.bytes);
      expect(header.name).toBe(info.metadata.general.name);
      expect(header.nVocab).toBe(info.metadata.tokenizer?.ggml?.tokens.length);
      expect(header.chatTemplate).toBe(info.metadata.tokenizer?.chat_template ?? null);
    }
  });
});

describe('what is no GGUF model', () => {
  it('says what the file is instead', async () => {
    await expectFault('', /byte 0: the file is empty/);
    await expectFault('GGU', /byte 0: this is a text file/);
    await expectFault('A rule is a rule.\n', /this is a text file.*Give the path of a GGUF model/);
    await expectFault('{"model": 1}', /JSON/);
    await expectFault('<!DOCTYPE html><html></html>', /web page/);
    await expectFault('version https://git-lfs.github.com/spec/v1\n', /Git LFS pointer/);
    await expectFault(Buffer.concat([u64(100n), Buffer.from('{"a":{}}')]), /safetensors/);
    await expectFault(Buffer.from('504b030414000000', 'hex'), /ZIP/);
    await expectFault(Buffer.from('lmgg\x01\0\0\0'), /before GGUF/);
    await expectFault(Buffer.from('00010203ff', 'hex'), /the first bytes are 00010203/);
  });

  it('tells a missing file, a folder and a device from a damaged file', async () => {
    expect(await fault(join(folder, 'absent.gguf'))).toMatchObject({ code: 'MODEL_NOT_FOUND' });
    expect((await fault(folder)).message).toContain('is a directory');
    if (process.platform !== 'win32') expect((await fault('/dev/zero')).code).toBe('MODEL_NOT_FOUND');
  });

  it('refuses other versions and byte orders', async () => {
    await expectFault(patched('GGUF', 0, u32(1)), /byte 4: GGUF version 1/);
    await expectFault(patched('GGUF', 0, u32(4)), /GGUF version 4, expected 2 or 3/);
    await expectFault(patched('GGUF', 0, Buffer.from([0, 0, 0, 3])), /big-endian/);
    expect((await readGgufHeader(put(patched('GGUF', 0, u32(2))))).version).toBe(2);
  });

  it('refuses valid files of another kind', async () => {
    const other = (changes: Record<string, GgufWriteValue>, message: RegExp) =>
      expectFault(encodeGguf(altered(changes)), message, 'MODEL_UNSUPPORTED');
    await other({ 'general.architecture': { type: 'string', value: 'clip' } }, /image projector/);
    await other({ 'general.architecture': { type: 'string', value: 'controlvector' } }, /control vector/);
    await other({ 'general.type': { type: 'string', value: 'adapter' } }, /of the kind adapter/);
  });
});

describe('metadata', () => {
  const refuse = (changes: Record<string, GgufWriteValue | undefined>, message: RegExp) =>
    expectFault(encodeGguf(altered(changes)), message);

  it('must state architecture and sizes', async () => {
    await refuse({ 'general.architecture': undefined }, /general.architecture is missing/);
    await refuse({ 'general.architecture': { type: 'u32', value: 1 } }, /is u32, expected a string/);
    await refuse({ 'llama.embedding_length': undefined }, /llama.embedding_length is missing/);
    await refuse({ 'llama.context_length': undefined }, /llama.context_length is missing/);
    await refuse(
      { 'llama.block_count': { type: 'u32', value: 513 } },
      /is u32 513, expected a u32 of 1 to 512/,
    );
    await refuse({ 'llama.block_count': { type: 'u32', value: 0 } }, /is u32 0/);
    await refuse({ 'llama.block_count': { type: 'f32', value: 2 } }, /is f32 2/);
  });

  it('must align by a power of two', async () => {
    for (const value of [0, 1, 24, 33, 2 ** 32 - 1]) {
      await refuse({ 'general.alignment': { type: 'u32', value } }, /general.alignment is u32 \d+, expected/);
    }
    await refuse({ 'general.alignment': { type: 'i32', value: 32 } }, /is i32 32/);
  });

  it('must give the tokeniser arrays their types and lengths', async () => {
    await refuse({ 'tokenizer.ggml.tokens': { type: 'array:i32', value: [1, 2, 3, 4] } }, /array of string/);
    await refuse({ 'tokenizer.ggml.tokens': { type: 'string', value: 'a' } }, /tokens is string/);
    await refuse({ 'tokenizer.ggml.tokens': undefined }, /scores has 4 elements.*each of 0 tokens/);
    await refuse({ 'tokenizer.ggml.scores': { type: 'array:f32', value: [0] } }, /scores has 1 elements/);
    await refuse({ 'tokenizer.ggml.token_type': { type: 'array:f32', value: [1, 1, 1, 1] } }, /array of i32/);
    await refuse({ 'tokenizer.ggml.merges': { type: 'array:i32', value: [1] } }, /merges is an array of i32/);
    await refuse({ 'tokenizer.ggml.bos_token_id': { type: 'u32', value: 4 } }, /bos_token_id is 4/);
    await refuse(
      { 'tokenizer.ggml.tokens': { type: 'array:string', value: ['a', 'b', 'a', 'c'] } },
      /token 2 has the same text/,
    );
    await refuse(
      { 'tokenizer.ggml.tokens': { type: 'array:string', value: ['[EMPTY_1]', '', 'a', 'c'] } },
      /token 1 has the same text/,
    );
    await refuse(
      { 'tokenizer.ggml.tokens': { type: 'array:string', value: ['a', 'b', 'c', 'b\0d'] } },
      /token 3 has the same text/,
    );
    await expectFault(
      patched('general', 0, Buffer.from([0])),
      /the key of metadata entry 0 holds a NUL byte/,
    );
  });

  it('must not nest arrays nor hold other types and other bools than there are', async () => {
    await expectFault(patched('tokenizer.ggml.merges', 4, u32(9)), /array of arrays/);
    await expectFault(patched('tokenizer.ggml.add_bos_token', 4, Buffer.from([2])), /a bool of value 2/);
    await expectFault(patched('general.name', 0, u32(13)), /has type number 13/);
  });
});

describe('doctored numbers', () => {
  it('in counts', async () => {
    for (const value of HOSTILE) {
      await expectFault(patched('GGUF', 4, u64(value)), /byte 8: .*number of tensors/);
      await expectFault(patched('GGUF', 12, u64(value)), /byte 16: .*number of metadata entries/);
    }
    await expectFault(patched('GGUF', 4, u64(4n)), /tensor 3 is empty/);
    await expectFault(patched('GGUF', 12, u64(14n)), /the name of tensor 0 is/);
  });

  it('in string and array lengths', async () => {
    for (const value of HOSTILE) {
      await expectFault(patched('general.name', 4, u64(value)), /general.name/);
      await expectFault(patched('tokenizer.ggml.merges', 8, u64(value)), /tokenizer.ggml.merges/);
      await expectFault(patched('tokenizer.ggml.tokens', 8, u64(value)), /tokenizer.ggml.tokens/);
      await expectFault(patched('tokenizer.ggml.tokens', 16, u64(value)), /token 0/);
      await expectFault(patched('tokenizer.ggml.scores', 8, u64(value)), /tokenizer.ggml.scores/);
    }
  });

  it('in dimensions, types and offsets of tensors', async () => {
    const name = 'token_embd.weight';
    for (const value of HOSTILE) {
      await expectFault(patched(name, 4, u64(value)), /token_embd|output_norm/);
      await expectFault(patched('output_norm.weight', 4 + 8 + 4, u64(value)), /output_norm/);
    }
    // 2^32 x 2^32 wraps to zero in 64 bits; 2^31 x 2^33 likewise.
    await expectFault(patched(name, 4, Buffer.concat([u64(2n ** 32n), u64(2n ** 32n)])), /dimensions/);
    await expectFault(patched(name, 4, Buffer.concat([u64(2n ** 31n), u64(2n ** 33n)])), /dimensions/);
    await expectFault(patched(name, 4, u64(0n)), /expected 1 or more elements/);
    await expectFault(patched(name, 0, u32(5)), /has 5 dimensions, expected at most 4/);
    await expectFault(patched(name, 20, u32(4)), /type number 4/);
    await expectFault(patched(name, 20, u32(99)), /type number 99/);
    await expectFault(patched(name, 20, u32(12)), /rows of 4 elements, expected a multiple of 256/);
    await expectFault(patched(name, 24, u64(32n)), /has offset 32, expected 0/);
    await expectFault(patched('output.weight', 24, u64(32n)), /has offset 32, expected 64/);
    await expectFault(patched('output_norm.weight', -1, Buffer.from([0])), /holds a NUL byte/);
    await expectFault(patched('token_embd.weight', -17, Buffer.from('output.weight\0\0\0\0')), /NUL/);
  });

  it('finds tensors of one name', async () => {
    const bytes = Buffer.from(
      encodeGguf({
        ...TINY,
        tensors: TINY.tensors.map((tensor, i) => ({ ...tensor, name: `blk.${i}` })),
      }),
    );
    bytes.write('blk.0', bytes.indexOf('blk.2'));
    await expectFault(bytes, /the tensor name "blk.0" occurs twice/);
  });

  it('finds a key that occurs twice', async () => {
    const bytes = Buffer.from(encodeGguf(altered({ 'general.abcd': { type: 'u32', value: 1 } })));
    bytes.write('general.name', bytes.indexOf('general.abcd'));
    await expectFault(bytes, /the metadata key "general.name" occurs twice/);
  });
});

describe('damage of any kind gives a typed error or a header, quickly and within 200 MB', () => {
  const sound = Buffer.from(encodeGguf(TINY));

  it('cut off at every byte', async () => {
    const path = put(sound);
    for (let length = sound.length - 1; length >= 0; length--) {
      truncateSync(path, length);
      expect((await fault(path)).code).toBe('GGUF_INVALID');
    }
  });

  it('random bytes changed, swapped or inserted', async () => {
    const before = process.memoryUsage().rss;
    const path = join(folder, 'fuzz.gguf');
    const edit = fc.record({
      at: fc.nat(sound.length - 1),
      bytes: fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 4 }),
        fc.constantFrom(...HOSTILE).map(value => new Uint8Array(u64(value))),
      ),
      insert: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async edits => {
        let bytes = Buffer.from(sound);
        for (const { at, bytes: patch, insert } of edits) {
          const kept = bytes.subarray(at + (insert ? 0 : patch.length));
          bytes = Buffer.concat([bytes.subarray(0, at), patch, kept]);
        }
        writeFileSync(path, bytes);
        try {
          await readGgufHeader(path);
        } catch (error) {
          if (!(error instanceof PlumblineError)) throw error;
        }
      }),
      { numRuns: 1500, seed: 20_240_607 },
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });

  it('a large file whose lengths agree with its size, but with no sense', async () => {
    const before = process.memoryUsage().rss;
    const start = process.cpuUsage();
    const size = 3 * 2 ** 30; // sparse: takes no space on disk
    const strings = put(patched('tokenizer.ggml.tokens', 8, u64(2n ** 28n)));
    truncateSync(strings, size);
    expect((await fault(strings)).message).toMatch(/vocabulary has 268435456 tokens/);
    const merges = put(patched('tokenizer.ggml.merges', 8, u64(2n ** 28n)));
    truncateSync(merges, size);
    expect((await fault(merges)).message).toMatch(/a header no longer than that/);
    const text = put(patched('general.name', 4, u64(2n ** 31n)));
    truncateSync(text, size);
    expect((await fault(text)).message).toMatch(/2147483648 bytes long, expected at most/);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(10_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
  });
});

describe('a model split into several files', () => {
  const split = (no: number, count: number): Record<string, GgufWriteValue> => ({
    'split.no': { type: 'u16', value: no },
    'split.count': { type: 'u16', value: count },
  });
  const tail = (part: number) => ({
    metadata: split(part, 3),
    tensors: [{ name: `blk.${part}.w`, dims: [8], data: new Float32Array(8) }],
  });

  it('is read as one when all parts lie beside the first', async () => {
    const first = put(encodeGguf(altered(split(0, 3))), 'whole-00001-of-00003.gguf');
    const parts = [1, 2].map(i => put(encodeGguf(tail(i)), `whole-0000${i + 1}-of-00003.gguf`));
    const header = await readGgufHeader(first);
    expect(header.parts).toEqual([first, ...parts]);
    expect(header.parameters).toBe(35 + 16);
    expect(header.tensors.at(-1)).toMatchObject({ name: 'blk.2.w', part: 2 });
    expect(await fault(parts[0] ?? '')).toMatchObject({
      code: 'MODEL_UNSUPPORTED',
      message: expect.stringContaining('this is part 2 of a model split into 3 files'),
    });

    rmSync(parts[1] ?? '');
    const missing = await readGgufHeader(first).catch((error: unknown) => error);
    expect(missing).toMatchObject({ code: 'MODEL_NOT_FOUND' });
    expect(String(missing)).toContain(parts[1]);

    put(encodeGguf(tail(1)), 'whole-00003-of-00003.gguf');
    await expect(readGgufHeader(first)).rejects.toMatchObject({
      code: 'GGUF_INVALID',
      message: expect.stringContaining('does not say that it is part 3 of 3'),
    });
  });

  it('must keep its name', async () => {
    const path = put(encodeGguf(altered(split(0, 3))), 'renamed.gguf');
    expect((await fault(path)).message).toContain('Expected a name that ends in -00001-of-00003.gguf');
  });
});
