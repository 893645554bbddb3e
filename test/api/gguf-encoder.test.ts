import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { finishVector, openGgufEncoder } from '../../src/api/gguf-encoder.js';
import { ENCODER_DEFAULTS, withScorers } from '../../src/api/scorers.js';
import { type EncoderSession, openEncoderSession } from '../../src/engine/encoder-session.js';
import { cosine, type Encoder } from '../../src/gate/encoder.js';
import { type GgufConfig, PLAIN_SETTINGS, readEncoderConfig } from '../../src/gate/encoder-config.js';
import { ENCODER_PRESETS, presetConfig } from '../../src/gate/encoder-presets.js';
import { TASKS } from '../../src/gate/types.js';
import { runProgram } from '../cli/command.js';
import { gold } from '../gate/gold.js';
import { randomEncoder } from '../models/fixtures.js';
import { temporaryFolder } from '../run/folder.js';
import { shared, skipNote } from '../shared.js';

const running = vi.hoisted(() => ({ processes: 0 }));
// The real engine, in this process: the one that the program forks is JavaScript, which exists only when built.
vi.mock('../../src/engine/process.js', () => ({
  startEngineProcess: () => {
    let session: EncoderSession;
    running.processes++;
    return {
      async ask(request: { type: string; options: never; texts: readonly string[] }) {
        if (request.type === 'embed') return session.embed(request.texts);
        session = await openEncoderSession(request.options);
        return null;
      },
      stop: async () => void running.processes--,
    };
  },
}));

const L6 = shared('models', 'all-MiniLM-L6-v2-F16.gguf');
const L3 = shared('models', 'paraphrase-MiniLM-L3-v2-Q8_0.gguf');
const published = gold();
if (L6 === null || L3 === null) skipNote('GGUF encoders', 'models', '*MiniLM*.gguf');
if (published === null) skipNote('GGUF encoders against the oracle', 'gold', 'gate');

const ENGINE = { gpu: 'off', threads: 1 } as const;
const config = (settings: Partial<GgufConfig> = {}): GgufConfig => ({
  path: L6 ?? '',
  preset: null,
  ...PLAIN_SETTINGS,
  ...settings,
});
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  expect(running.processes).toBe(0);
});

async function encoderOf(settings: Partial<GgufConfig> = {}): Promise<Encoder> {
  const { encoder, close } = await openGgufEncoder(config(settings), ENGINE);
  closing.push(close);
  return encoder;
}

async function vectorsOf(encoder: Encoder, ...texts: readonly string[]): Promise<readonly Float32Array[]> {
  return (await encoder.embed(texts)).map(({ vector }) => {
    if (vector === null) throw new Error('a vector expected');
    return vector;
  });
}

const norm = (vector: Float32Array): number => Math.hypot(...vector);

describe('finishing a vector', () => {
  test('layer norm before the cut, length 1 after it', () => {
    // Mean 1, variance 8: the first two become (2, -4) / sqrt(8), then have length 1.
    const got = finishVector(Float32Array.of(3, -3, 1, 3), { layerNorm: true, dims: 2 });
    expect([...got]).toEqual([2 / Math.sqrt(20), -4 / Math.sqrt(20)].map(value => expect.closeTo(value, 6)));
    const cut = finishVector(Float32Array.of(3, -4, 100), { layerNorm: false, dims: 2 });
    expect([...cut]).toEqual([0.6, -0.8].map(value => expect.closeTo(value, 6)));
  });

  test('zero and what is not finite stay so', () => {
    expect([...finishVector(Float32Array.of(0, 0), PLAIN_SETTINGS)]).toEqual([0, 0]);
    expect([...finishVector(Float32Array.of(5, 5), { layerNorm: true, dims: null })]).toEqual([0, 0]);
    expect(finishVector(Float32Array.of(Number.NaN, 1), PLAIN_SETTINGS).every(Number.isFinite)).toBe(false);
  });
});

describe.skipIf(L6 === null)('a GGUF encoder', () => {
  test('says everything that makes its vectors', async () => {
    const encoder = await encoderOf({ prefix: 'query: ', layerNorm: true, dims: 64 });
    expect(encoder.name).toBe('all-MiniLM-L6-v2-F16 (prefix "query: ", layer norm, 64 dims)');
    expect(encoder.facts).toMatchObject({
      kind: 'GGUF',
      file: 'all-MiniLM-L6-v2-F16.gguf',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      preset: null,
      architecture: 'bert',
      format: 'F16',
      pooling: 'mean',
      prefix: 'query: ',
      layerNorm: true,
      width: 384,
      dims: 64,
      window: 512,
      backend: 'cpu',
    });
  });

  test('normalises, prefixes, cuts and pools as told', async () => {
    const text = 'Approve the transfer.';
    const [plain, written] = await vectorsOf(await encoderOf(), text, `query: ${text}`);
    const [prefixed] = await vectorsOf(await encoderOf({ prefix: 'query: ' }), text);
    expect(norm(plain as Float32Array)).toBeCloseTo(1, 6);
    expect(prefixed).toEqual(written);
    const [cut] = await vectorsOf(await encoderOf({ dims: 100 }), text);
    expect(cut).toHaveLength(100);
    expect(cosine(cut as Float32Array, (plain as Float32Array).subarray(0, 100))).toBeCloseTo(1, 6);
    const [first] = await vectorsOf(await encoderOf({ pooling: 'cls' }), text);
    expect(cosine(first as Float32Array, plain as Float32Array)).toBeLessThan(0.99);
  });

  test('flags empty texts and those beyond the window, prefix included', async () => {
    const words = (n: number): string => Array(n).fill('yes').join(' ');
    const plain = await encoderOf();
    const got = await plain.embed(['', words(510), words(511), ' \t\n', words(5000), 'after']);
    expect(got.map(({ flag }) => flag)).toEqual(['empty', null, 'too-long', 'empty', 'too-long', null]);
    expect(got.map(({ vector }) => vector !== null)).toEqual([false, true, false, false, false, true]);
    expect(got[5]?.vector).toEqual((await vectorsOf(plain, 'after'))[0]);
    const prefixed = await encoderOf({ prefix: 'yes ' });
    expect((await prefixed.embed([words(509), words(510)])).map(({ flag }) => flag)).toEqual([
      null,
      'too-long',
    ]);
  });

  test('refuses more dimensions than there are, and closes what it opened', async () => {
    await expect(openGgufEncoder(config({ dims: 385 }), ENGINE)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/384 numbers, so 385 cannot be kept/),
    });
  });

  test('is closed when another encoder cannot be opened', async () => {
    const specs = [`gguf:${L6}`, 'vectors:/nowhere.jsonl'];
    const options = { ...ENCODER_DEFAULTS, engine: ENGINE };
    await expect(withScorers(specs, options, open => open())).rejects.toMatchObject({
      code: 'VECTORS_INVALID',
    });
  });

  test('a preset and a config file bring their own settings', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'encoder.json');
    writeFileSync(file, JSON.stringify({ kind: 'gguf', path: L6, prefix: 'passage: ', dims: 50 }));
    const specs = [`gguf:${L6}`, `config:${file}`, `preset:e5-base-v2-query=${L6}`];
    const options = { settings: { ...PLAIN_SETTINGS, prefix: 'x: ' }, engine: ENGINE };
    const facts = await withScorers(specs, options, async open => (await open()).map(({ facts }) => facts));
    expect(facts.map(({ prefix, dims, preset }) => [prefix, dims, preset])).toEqual([
      ['x: ', 384, null],
      ['passage: ', 50, null],
      ['query: ', 384, 'e5-base-v2-query'],
    ]);
  });
});

test('a file that does not say its pooling is refused until it is told', async () => {
  const [key, other] = ['bert.pooling_type', 'bert.pooling_typo'];
  const bytes = readFileSync(await randomEncoder()).toString('latin1');
  const path = join(temporaryFolder(), 'silent.gguf');
  expect(bytes).toContain(key);
  writeFileSync(path, bytes.replace(key, other), 'latin1');
  await expect(openGgufEncoder(config({ path }), ENGINE)).rejects.toMatchObject({
    code: 'MODEL_UNSUPPORTED',
    message: expect.stringMatching(/bert\.pooling_type.*--pooling mean, cls or last/),
  });
  const encoder = await encoderOf({ path, pooling: 'mean' });
  const [told] = await vectorsOf(encoder, 'the rule');
  const [stated] = await vectorsOf(await encoderOf({ path: await randomEncoder() }), 'the rule');
  expect(told).toEqual(stated);
});

describe('specifications', () => {
  const configFile = (value: unknown): string => {
    const folder = join(temporaryFolder(), 'nested');
    mkdirSync(folder);
    const file = join(folder, 'encoder.json');
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    return file;
  };

  test('a config file, its path beside it', () => {
    const file = configFile({ kind: 'gguf', path: 'm.gguf', pooling: 'cls', layerNorm: true });
    expect(readEncoderConfig(file)).toEqual({
      path: join(file, '..', 'm.gguf'),
      preset: null,
      pooling: 'cls',
      prefix: '',
      layerNorm: true,
      dims: null,
    });
  });

  test.each([
    ['no JSON', '{', /cannot read/],
    ['another kind', { kind: 'onnx', path: 'm' }, /kind/],
    ['no path', { kind: 'gguf' }, /path/],
    ['an unknown pooling', { kind: 'gguf', path: 'm', pooling: 'max' }, /pooling/],
    ['half a dimension', { kind: 'gguf', path: 'm', dims: 1.5 }, /dims/],
    ['no dimension', { kind: 'gguf', path: 'm', dims: 0 }, /dims/],
    ['a misspelt setting', { kind: 'gguf', path: 'm', layer_norm: true }, /layer_norm/],
  ])('refuses a config file with %s', (_, value, message) => {
    expect(() => readEncoderConfig(configFile(value))).toThrow(message);
  });

  test('nine presets, each of its own name and with a pooling', () => {
    expect(new Set(ENCODER_PRESETS.map(({ name }) => name)).size).toBe(9);
    expect(ENCODER_PRESETS.filter(({ pooling }) => pooling === null)).toEqual([]);
    expect(presetConfig('nomic-v1.5-256=a=b.gguf')).toEqual({
      path: 'a=b.gguf',
      preset: 'nomic-v1.5-256',
      pooling: 'mean',
      prefix: 'search_document: ',
      layerNorm: true,
      dims: 256,
    });
  });

  test.each([
    ['preset:gte-bas=m.gguf', /the nearest is gte-base/],
    ['preset:gte-base', /preset:gte-base=FILE\.gguf/],
    ['gguf:', /gguf:FILE/],
    ['onnx:m', /gguf:FILE/],
  ])('refuses %s', async (spec, message) => {
    await expect(withScorers([spec], ENCODER_DEFAULTS, open => open())).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(message),
    });
  });

  test('refuses settings that no encoder takes', async () => {
    const options = { ...ENCODER_DEFAULTS, settings: { ...PLAIN_SETTINGS, prefix: 'a', dims: 2 } };
    await expect(withScorers(['token-jaccard'], options, open => open())).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(/^--prefix and --dims: only gguf:FILE/),
    });
  });
});

describe.skipIf(L6 === null || L3 === null || published === null)(
  'gate audit on the published corpus',
  () => {
    const BAND = { cosine: 1e-3, auroc: 0.01, balancedAccuracy: 0.025 };
    const near = (got: number | null | undefined, wanted: number | undefined, band: number): void =>
      // The bands are for exact ratios; these are sums of floats.
      expect(Math.abs((got ?? Number.NaN) - (wanted ?? Number.NaN))).toBeLessThanOrEqual(band + 1e-9);

    test('equals the oracle within its bands; another model runs beside it', () => {
      const out = join(temporaryFolder(), 'audit');
      const encoders = [L6, L3].flatMap(file => ['--encoder', `gguf:${file}`]);
      const { stdout, stderr, code } = runProgram(
        ...['gate', 'audit', ...encoders, '--gpu', 'off', '--threads', '1'],
        ...['--corpus', published?.corpus ?? '', '--out', out, '--json'],
      );
      // A busy machine makes it say on stderr how far it is.
      expect(code, stderr).toBe(0);
      const audit = JSON.parse(stdout);
      for (const task of TASKS) {
        const wanted = published?.values.encoders['all-MiniLM-L6-v2']?.[task];
        const got = audit.encoders[0].tasks[task];
        near(got.auroc.close, wanted?.decision_auroc.CLOSE, BAND.auroc);
        near(got.auroc.distant, wanted?.decision_auroc.DISTANT, BAND.auroc);
        near(got.auroc.stratified, wanted?.decision_auroc.stratified, BAND.auroc);
        near(got.auroc.pooled, wanted?.decision_auroc.pooled, BAND.auroc);
        near(got.lexicalAuroc, wanted?.lexical_auroc.mean, BAND.auroc);
        near(got.naiveAuroc, wanted?.naive_confounded_auroc, BAND.auroc);
        expect(got.operatingPoints).toHaveLength(wanted?.shipped.length ?? 0);
        wanted?.shipped.forEach(({ t, ba }, i) => {
          near(got.operatingPoints[i].threshold, t, 0);
          near(got.operatingPoints[i].balancedAccuracy, ba, BAND.balancedAccuracy);
        });
        const { single, CLOSE, DISTANT } = wanted?.one_threshold_deployed_direction ?? {};
        near(got.singleThreshold.pooled.balancedAccuracy, single?.ba, BAND.balancedAccuracy);
        near(got.singleThreshold.close.balancedAccuracy, CLOSE?.ba, BAND.balancedAccuracy);
        near(got.singleThreshold.distant.balancedAccuracy, DISTANT?.ba, BAND.balancedAccuracy);

        const other = audit.encoders[1].tasks[task];
        expect(other.auroc.stratified).toBeGreaterThan(0);
        expect(other.lexicalAuroc).toBeGreaterThan(0.9);
      }
      expect(audit.encoders[1].facts).toMatchObject({ format: 'Q8_0', pooling: 'mean', backend: 'cpu' });

      const rows = tableFromIPC(readFileSync(join(out, 'pairs.arrows'))).toArray();
      const scores = new Map(
        rows.filter(row => row.encoder === audit.encoders[0].encoder).map(row => [row.id, row.score]),
      );
      expect(scores.size).toBe(80);
      for (const { id, cos } of published?.values.pairs ?? [])
        near(scores.get(id), cos['all-MiniLM-L6-v2'], BAND.cosine);
    }, 300_000);
  },
);
