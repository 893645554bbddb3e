import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fitDirections } from '../../src/direction/fit.js';
import { hashRows, type Provenance, summariseFit } from '../../src/direction/provenance.js';
import {
  checkDirection,
  type Direction,
  readDirection,
  writeControlVector,
} from '../../src/direction/vector-file.js';
import { encodeGguf, type GgufWriteTensor, type GgufWriteValue } from '../../src/engine/gguf-write.js';
import { findLibrary } from '../../src/engine/library.js';
import { PlumblineError } from '../../src/errors.js';
import { world } from './synthetic.js';

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plumbline-direction-'));
afterAll(() => rmSync(folder, { recursive: true }));

function at(name: string): string {
  return join(folder, name);
}

async function errorOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    if (error instanceof PlumblineError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'no error';
}

const rows = world({ seed: 4, perClass: 30, nEmbd: 600, layers: [0, 1, 5], delta: new Map([[5, 3]]) });
const fit = fitDirections(rows, { seed: 42, pairs: 10, nullDraws: 9 });
const layers = new Map(fit.layers.map(({ layer, direction }) => [layer, direction]));
const provenance: Provenance = {
  version: '1.2.3',
  model: { name: 'judge.gguf', sha256: 'ab'.repeat(32) },
  profile: { name: 'standard', sha256: 'cd'.repeat(32) },
  corpus: { name: 'omnicompliance', sha256: 'ef'.repeat(32) },
  idsSha256: hashRows(rows.rows),
  contrast: 'label',
  fit: summariseFit(fit),
};

describe('writeControlVector', () => {
  it('comes back bit for bit, block 0 and provenance too', async () => {
    await writeControlVector(at('own.gguf'), { layers, architecture: 'llama', provenance });
    const read = await readDirection(at('own.gguf'));
    expect(read).toEqual({
      path: at('own.gguf'),
      kind: 'control-vector',
      nEmbd: 600,
      layers,
      modelHint: 'llama',
      provenance,
    });
    expect([...read.layers.keys()]).toEqual([0, 1, 5]);
    expect(read.provenance?.fit.threshold).toBe(fit.threshold);
    expect(readdirSync(folder)).toEqual(['own.gguf']);
  });

  it('odd float32 bits survive: subnormals, the largest, a negative zero', async () => {
    const odd = Float32Array.of(2 ** -149, -3.4028234663852886e38, -0, 1 / 3);
    await writeControlVector(at('odd.gguf'), {
      layers: new Map([
        [0, odd],
        [3, odd],
      ]),
      architecture: 'x',
      provenance: null,
    });
    const read = await readDirection(at('odd.gguf'));
    for (const layer of [0, 3]) {
      expect(new Uint32Array(read.layers.get(layer)?.buffer ?? new ArrayBuffer(0))).toEqual(
        new Uint32Array(odd.buffer),
      );
    }
    expect(read.provenance).toBeNull();
  });

  it('equal input gives equal bytes, in whatever order the layers come', async () => {
    for (const [name, entries] of [
      ['a', [...layers]],
      ['b', [...layers].reverse()],
    ] as const) {
      await writeControlVector(at(`${name}.gguf`), {
        layers: new Map(entries),
        architecture: 'llama',
        provenance,
      });
    }
    expect(readFileSync(at('a.gguf')).equals(readFileSync(at('b.gguf')))).toBe(true);
  });

  it('refuses what is no direction', async () => {
    const write = (entries: readonly (readonly [number, Float32Array])[]) =>
      errorOf(() =>
        writeControlVector(at('bad.gguf'), { layers: new Map(entries), architecture: 'x', provenance: null }),
      );
    const one = Float32Array.of(1, 0);
    expect(await write([])).toMatch(/^USAGE: .*no direction/);
    expect(
      await write([
        [1, one],
        [2, Float32Array.of(1)],
      ]),
    ).toMatch(/layer 2 has 1 values, but layer 1 has 2/);
    expect(await write([[1, Float32Array.of(Number.NaN)]])).toMatch(/layer 1, value 0 is NaN/);
    expect(await write([[1, Float32Array.of(0, 0)]])).toMatch(/layer 1 is zero/);
    expect(await write([[-1, one]])).toMatch(/layer -1/);
    expect(readdirSync(folder)).not.toContain('bad.gguf');
  });

  it('ids hash: order aside, ids and labels are in it', () => {
    expect(hashRows(rows.rows.toReversed())).toBe(hashRows(rows.rows));
    expect(hashRows(rows.rows.map(row => ({ ...row, label: 1 })))).not.toBe(hashRows(rows.rows));
    expect(hashRows(rows.rows.slice(1))).not.toBe(hashRows(rows.rows));
  });
});

describe('what numpy, safetensors and repeng wrote', () => {
  const expected: Record<string, number[][]> = JSON.parse(
    readFileSync(join(FIXTURES, 'expected.json'), 'utf8'),
  );
  const first: Record<string, number> = { 'repeng.gguf': 0, 'vector.npy': 7 };

  for (const [name, matrix] of Object.entries(expected)) {
    it(name, async () => {
      const read = await readDirection(join(FIXTURES, name), name === 'vector.npy' ? 7 : null);
      const start = first[name] ?? 0;
      // repeng has no block 0; its direction.N is the output of block N.
      const wanted = matrix.map((row, i) => [start + i, Float32Array.from(row)] as const);
      expect(read.layers).toEqual(new Map(name === 'repeng.gguf' ? wanted.slice(1) : wanted));
      expect([...read.layers.keys()]).toEqual([...read.layers.keys()].toSorted((a, b) => a - b));
      expect(read.nEmbd).toBe(5);
      expect(read.modelHint).toBe(name === 'repeng.gguf' ? 'llama' : null);
      expect(read.provenance).toBeNull();
    });
  }

  it('what is not a direction is refused by name, with what was expected', async () => {
    const read = (name: string) => errorOf(() => readDirection(join(FIXTURES, name)));
    expect(await read('vector.npy')).toMatch(
      /^DIRECTION_INVALID: .*vector.npy: one vector of 5 values without its layer/,
    );
    expect(await read('fortran.npy')).toMatch(/^DIRECTION_INVALID: .*Fortran order, expected C order/);
    expect(await read('integers.npy')).toMatch(
      /^DIRECTION_INVALID: .*type "<i8", expected float16, 32 or 64/,
    );
    expect(await read('cube.npy')).toMatch(
      /^DIRECTION_INVALID: .*shape \[2, 3, 4\], expected \[layers, n_embd\]/,
    );
    expect(await read('make.py')).toMatch(
      /^DIRECTION_INVALID: .*make.py: not a direction file: expected a control-vector/,
    );
    expect(await read('absent.npy')).toMatch(/^DIRECTION_INVALID: .*absent.npy cannot be opened \(ENOENT/);
    expect(await errorOf(() => readDirection(FIXTURES))).toMatch(/^DIRECTION_INVALID: .*no regular file/);
    writeFileSync(at('vector.pt'), 'PK\x03\x04 and so on');
    expect(await errorOf(() => readDirection(at('vector.pt')))).toMatch(/PyTorch file must be saved/);
  });

  it('every cut of every file is a typed error, and nothing else', async () => {
    for (const name of ['matrix-le-f4.npy', 'layers-f32.safetensors', 'repeng.gguf']) {
      const whole = readFileSync(join(FIXTURES, name));
      for (let length = 0; length < whole.length; length++) {
        writeFileSync(at('cut'), whole.subarray(0, length));
        const error = await errorOf(() => readDirection(at('cut'), 1));
        if (/^(DIRECTION_INVALID|GGUF_INVALID): .*cut/.test(error)) continue;
        // gguf-py pads its last tensor: without the padding the file is whole.
        expect([name, length >= whole.length - 12, error]).toEqual(['repeng.gguf', true, 'no error']);
      }
    }
  });

  it('damaged headers of safetensors and npy', async () => {
    const safetensors = (header: unknown, data = Buffer.alloc(0)) => {
      const text = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(text.length));
      writeFileSync(at('x.safetensors'), Buffer.concat([length, text, data]));
      return errorOf(() => readDirection(at('x.safetensors')));
    };
    const float = { dtype: 'F32', shape: [2], data_offsets: [0, 8] };
    const data = Buffer.from(Float32Array.of(1, 2).buffer);
    expect(await safetensors({ 'layers.0': float }, data)).toBe('no error');
    expect(await safetensors('{nonsense', data)).toMatch(/header is not JSON/);
    expect(await safetensors({ 'layers.0': { ...float, dtype: 'I64' } }, data)).toMatch(
      /"layers.0" is I64, expected F64/,
    );
    expect(await safetensors({ 'layers.0': { ...float, dtype: 'toString' } }, data)).toMatch(
      /is toString, expected/,
    );
    expect(await safetensors({ 'layers.0': { ...float, shape: [3] } }, data)).toMatch(
      /takes 12 bytes, but it spans 8/,
    );
    expect(await safetensors({ 'layers.0': { ...float, data_offsets: [4, 12] } }, data)).toMatch(
      /ends at byte/,
    );
    expect(await safetensors({ 'layers.0': { ...float, data_offsets: [-4, 4] } }, data)).toMatch(
      /layers.0.data_offsets/,
    );
    expect(await safetensors({ 'layers.0': float, bias: float }, data)).toMatch(
      /tensor "bias" of shape \[2\], expected/,
    );
    expect(await safetensors({ 'layers.0': float, 'direction.0': float }, data)).toMatch(/each once/);
    expect(await safetensors({}, data)).toMatch(/no direction in it/);
    expect(
      await safetensors({ 'layers.0': float }, Buffer.from(Float32Array.of(1, Number.NaN).buffer)),
    ).toMatch(/layer 0, value 1 is NaN/);
    const npy = readFileSync(join(FIXTURES, 'matrix-le-f4.npy'));
    for (const [from, to, message] of [
      ['(3, 5)', '(3, 6)', /shape \(3, 6\) of <f4 takes 72 bytes, but 60 follow/],
      ["'shape'", "'shope'", /lacks 'descr'/],
      ['\x01\x00', '\x09\x00', /format 9, expected 1, 2 or 3/],
    ] as const) {
      writeFileSync(at('x.npy'), Buffer.from(npy.toString('latin1').replace(from, to), 'latin1'));
      expect(await errorOf(() => readDirection(at('x.npy')))).toMatch(message);
    }
  });

  it('a row of zeros is a layer without a direction', async () => {
    const npy = readFileSync(join(FIXTURES, 'matrix-le-f4.npy'));
    npy.fill(0, npy.length - 40, npy.length - 20);
    writeFileSync(at('gap.npy'), npy);
    expect([...(await readDirection(at('gap.npy'))).layers.keys()]).toEqual([0, 2]);
    npy.fill(0, npy.length - 60);
    writeFileSync(at('zero.npy'), npy);
    expect(await errorOf(() => readDirection(at('zero.npy')))).toMatch(/zeros alone/);
  });
});

describe('other GGUF files', () => {
  const vector = Float32Array.of(1, 2);
  const read = (
    tensors: readonly GgufWriteTensor[],
    metadata: Readonly<Record<string, GgufWriteValue>> = {},
  ) => {
    writeFileSync(at('other.gguf'), encodeGguf({ metadata, tensors }));
    return errorOf(() => readDirection(at('other.gguf')));
  };
  const tensor = (name: string, data: Float32Array | Uint16Array = vector, dims = [data.length]) => ({
    name,
    dims,
    data,
  });

  it('are refused by what they hold', async () => {
    const text = (value: string): GgufWriteValue => ({ type: 'string', value });
    expect(await read([tensor('token_embd.weight')], { 'general.architecture': text('llama') })).toMatch(
      /^DIRECTION_INVALID: .*architecture "llama".*is this the model itself/,
    );
    expect(await read([tensor('direction.1'), tensor('bias.1')])).toMatch(/"bias.1": a control vector has/);
    expect(await read([tensor('direction.1x')])).toMatch(/"direction.1x"/);
    expect(await read([tensor('direction.1', Float32Array.of(1, 2, 3, 4), [2, 2])])).toMatch(
      /2 x 2, expected one/,
    );
    expect(await read([])).toMatch(/no direction.N tensor/);
    expect(
      await read([tensor('direction.1')], { 'plumbline.format_version': { type: 'u32', value: 2 } }),
    ).toMatch(/format_version 2, expected 1/);
    expect(
      await read([tensor('direction.1')], { 'plumbline.format_version': { type: 'u32', value: 1 } }),
    ).toMatch(/provenance: version: /);
    expect(await read([tensor('direction.1')], { 'plumbline.direction.0': text('x') })).toMatch(
      /array of f32/,
    );
    expect(await read([tensor('direction.0'), tensor('direction.2')])).toBe('no error');
    expect(await read([tensor('direction.1', Uint16Array.of(0x3c00))])).toBe('no error');
  });
});

describe('checkDirection', () => {
  const target = { nEmbd: 600, nLayer: 6, modelSha256: provenance.model.sha256 };
  const own: Direction = {
    path: 'd.gguf',
    kind: 'control-vector',
    nEmbd: 600,
    layers,
    modelHint: 'llama',
    provenance,
  };
  const check = (direction: Direction, change: Partial<typeof target> = {}, force = false) =>
    errorOf(() => checkDirection(direction, { ...target, ...change }, { force }));

  it('takes its own model, and files that do not say', async () => {
    expect(await check(own)).toBe('no error');
    expect(await check({ ...own, provenance: null }, { modelSha256: '00' })).toBe('no error');
  });

  it('refuses another width with both numbers, forced or not', async () => {
    for (const force of [false, true]) {
      expect(await check(own, { nEmbd: 576 }, force)).toMatch(
        /^DIRECTION_MISMATCH: d.gguf: .*600 values.* has 576.*"llama"/,
      );
    }
  });

  it('refuses layers that the model has not, forced or not', async () => {
    expect(await check(own, { nLayer: 5 }, true)).toMatch(/^DIRECTION_MISMATCH: .*block 5, .*blocks 0 to 4/);
    expect(await check({ ...own, kind: 'npy' }, { nLayer: 5 })).toMatch(/hidden_states/);
  });

  it('refuses another model unless forced', async () => {
    const other = { modelSha256: '12'.repeat(32) };
    expect(await check(own, other)).toMatch(
      /^DIRECTION_MISMATCH: .*judge.gguf \(SHA-256 abababababab…; this one is 121212121212…/,
    );
    expect(await check(own, other, true)).toBe('no error');
  });
});

describe("llama.cpp's own loader", () => {
  const library = findLibrary('cpu');
  const program = at('load-control-vector');
  let ready = false;

  beforeAll(() => {
    if (library === null || process.platform !== 'linux') return;
    const source = fileURLToPath(new URL('load-control-vector.cc', import.meta.url));
    ready = spawnSync('c++', ['-std=c++17', '-O1', '-o', program, source, '-ldl']).status === 0;
    if (!ready) console.warn("skipped: llama.cpp's loader on our control vectors (needs a C++ compiler)");
  });

  function load(path: string): { readonly nEmbd: number; readonly data: Uint32Array } | string {
    const run = spawnSync(program, [library?.folder ?? '', path], { encoding: 'utf8' });
    if (run.status === 1) return 'refused';
    expect([run.status, run.stderr]).toEqual([0, '']);
    const [head = '', ...bits] = run.stdout.trim().split('\n');
    const [nEmbd = '', count = ''] = head.split(' ');
    expect(bits).toHaveLength(Number(count));
    return { nEmbd: Number(nEmbd), data: Uint32Array.from(bits, word => Number.parseInt(word, 16)) };
  }

  it('reads our file: block k at k − 1, nothing for the layers between', async ({ skip }) => {
    skip(!ready);
    await writeControlVector(at('loaded.gguf'), { layers, architecture: 'llama', provenance });
    const wanted = new Float32Array(600 * 5);
    for (const layer of [1, 5]) wanted.set(layers.get(layer) ?? [], 600 * (layer - 1));
    expect(load(at('loaded.gguf'))).toEqual({ nEmbd: 600, data: new Uint32Array(wanted.buffer) });
  });

  it('and would refuse it with block 0 as a tensor, or with any other tensor', ({ skip }) => {
    skip(!ready);
    for (const name of ['direction.0', 'plumbline.direction.0']) {
      const tensors = ['direction.1', name].map(n => ({ name: n, dims: [2], data: Float32Array.of(1, 2) }));
      writeFileSync(at('refused.gguf'), encodeGguf({ metadata: {}, tensors }));
      expect(load(at('refused.gguf'))).toBe('refused');
    }
  });
});
