import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { runGateAudit } from '../../src/api/gate-audit.js';
import { type EncoderSession, openEncoderSession } from '../../src/engine/encoder-session.js';
import { type EndpointPatience, endpointEncoder } from '../../src/gate/endpoint-encoder.js';
import { findScorer } from '../../src/gate/find-scorer.js';
import { shared, skipNote } from '../shared.js';
import { type Answer, closeServers, json, serve } from './embeddings-server.js';
import { gold } from './gold.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const IMPATIENT: EndpointPatience = { timeoutMs: 20_000, backOffMs: 2, longestWaitMs: 1500 };

const vectorOf = (text: string): number[] => [text.length, 1, -2];
const item = (text: string, index: number) => ({ object: 'embedding', index, embedding: vectorOf(text) });
const good: Answer = ({ input }, response) => json(response, { object: 'list', data: input.map(item) });
const status =
  (code: number, body = '', headers: Readonly<Record<string, string>> = {}): Answer =>
  (_, response) => {
    response.writeHead(code, headers);
    response.end(body);
  };
const data =
  (make: (input: readonly string[]) => unknown): Answer =>
  ({ input }, response) =>
    json(response, { data: make(input) });

const embedVia = async (texts: readonly string[], ...answers: readonly Answer[]) => {
  const { address, asked } = await serve(...answers);
  const encoder = endpointEncoder(`${address}#some-model`, IMPATIENT);
  return { embedded: await encoder.embed(texts), asked, encoder };
};
const TEXTS = ['a', 'bb', 'ccc'];
const expected = (texts: readonly string[]) =>
  texts.map(text => ({ vector: Float32Array.from(vectorOf(text)), flag: null }));

describe('answers that are used', () => {
  test('vectors of a batch, with the model named', async () => {
    const { embedded, asked, encoder } = await embedVia(TEXTS, good);
    expect(embedded).toEqual(expected(TEXTS));
    expect(asked).toEqual([{ model: 'some-model', input: TEXTS, authorization: undefined }]);
    expect(encoder.facts).toMatchObject({ kind: 'endpoint', model: 'some-model' });
  });

  test('in any order', async () => {
    const shuffled = data(input => input.map(item).reverse());
    expect((await embedVia(TEXTS, shuffled)).embedded).toEqual(expected(TEXTS));
  });

  test('in batches, with empty texts flagged and never sent', async () => {
    const texts = Array.from({ length: 150 }, (_, i) => (i % 50 === 7 ? ' \n' : 'x'.repeat(i + 1)));
    const { embedded, asked } = await embedVia(texts, good);
    expect(asked.map(({ input }) => input.length)).toEqual([64, 64, 19]);
    expect(embedded).toEqual(
      texts.map(text => (text.trim() === '' ? { vector: null, flag: 'empty' } : expected([text])[0])),
    );
  });

  test('after 500, 429 and a broken connection', async () => {
    const broken: Answer = (_, response) => void response.destroy();
    const { embedded, asked } = await embedVia(TEXTS, status(500), status(429), broken, good);
    expect(embedded).toEqual(expected(TEXTS));
    expect(asked).toHaveLength(4);
  });

  test('not before Retry-After', async () => {
    const start = performance.now();
    await embedVia(TEXTS, status(429, '', { 'retry-after': '1' }), good);
    expect(performance.now() - start).toBeGreaterThan(950);
  });

  test('of a batch that is refused for one text: that text is flagged', async () => {
    const picky: Answer = (asked, response) =>
      asked.input.includes('ccc') ? status(400, 'too long')(asked, response) : good(asked, response);
    const { embedded } = await embedVia(['a', 'ccc', 'bb'], picky);
    expect(embedded).toEqual([...expected(['a']), { vector: null, flag: 'refused' }, ...expected(['bb'])]);
  });
});

describe('answers that are refused', () => {
  test.each<[string, Answer, RegExp, number]>([
    ['500 for ever', status(500, 'no memory'), /answered 500: no memory, and so 5 times/, 5],
    ['429 for ever', status(429), /answered 429, and so 5 times/, 5],
    ['a long Retry-After', status(429, '', { 'retry-after': '3600' }), /asks to wait 3600 s/, 1],
    [
      'a late Retry-After',
      status(503, '', { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }),
      /asks to wait \d{9,} s/,
      1,
    ],
    ['a vector too few', data(input => input.slice(1).map(item)), /gave 2 vectors .* for 3 texts/, 1],
    ['a vector too many', data(input => [...input, 'x'].map(item)), /gave 4 vectors/, 1],
    ['an index twice', data(input => input.map(text => item(text, 0))), /3 vectors with 1 indices/, 1],
    ['no index', data(input => input.map(text => ({ embedding: vectorOf(text) }))), /data\[0\]\.index/, 1],
    [
      'two widths',
      data(input => input.map((text, i) => ({ ...item(text, i), embedding: i === 2 ? [1] : [1, 2] }))),
      /vectors of 2 and of 1 numbers/,
      1,
    ],
    [
      'a vector of words',
      data(input => input.map((text, i) => ({ ...item(text, i), embedding: ['1', '2'] }))),
      /embedding\[0\]/,
      1,
    ],
    [
      'null for a number',
      data(input => input.map((text, i) => ({ ...item(text, i), embedding: [1, null] }))),
      /embedding\[1\]/,
      1,
    ],
    [
      'empty vectors',
      data(input => input.map((text, i) => ({ ...item(text, i), embedding: [] }))),
      /embedding/,
      1,
    ],
    ['no JSON', status(200, '<html>'), /something else than JSON: <html>/, 1],
    ['404', status(404, 'no such model'), /answered 404: no such model/, 1],
    ['a redirection', status(302, '', { location: 'http://localhost/' }), /redirections are not followed/, 1],
    ['400 for everything', status(400, 'bad request'), /refused every text: answered 400: bad request/, 4],
  ])('%s', async (_, answer, message, requests) => {
    const { address, asked } = await serve(answer);
    await expect(endpointEncoder(`${address}#m`, IMPATIENT).embed(TEXTS)).rejects.toMatchObject({
      code: 'ENDPOINT',
      message: expect.stringMatching(message),
    });
    expect(asked).toHaveLength(requests);
  });

  test.each<[string, Answer]>([
    ['no answer', () => {}],
    ['an answer that stops', (_, response) => void response.write('{"data": [')],
  ])('%s in time', async (_, answer) => {
    const { address, asked } = await serve(answer);
    const encoder = endpointEncoder(`${address}#m`, { ...IMPATIENT, timeoutMs: 500 });
    await expect(encoder.embed(TEXTS)).rejects.toMatchObject({
      code: 'ENDPOINT',
      message: expect.stringMatching(/no answer to 3 texts within 0.5 s/),
    });
    expect(asked.length).toBeLessThanOrEqual(1);
  });

  test('two widths from batch to batch', async () => {
    const texts = Array.from({ length: 65 }, (_, i) => `text ${i}`);
    const narrow = data(input => input.map((text, i) => ({ ...item(text, i), embedding: [1] })));
    await expect(embedVia(texts, good, narrow)).rejects.toMatchObject({ code: 'ENDPOINT' });
  });

  test('a server that is not there', async () => {
    const { address } = await serve(good);
    closeServers();
    await expect(endpointEncoder(`${address}#m`, IMPATIENT).embed(TEXTS)).rejects.toMatchObject({
      code: 'ENDPOINT',
      message: expect.stringMatching(/cannot be reached \(.*ECONNREFUSED/),
    });
  });
});

describe('the key and the address', () => {
  test('the key is sent, and is in neither facts nor messages', async () => {
    vi.stubEnv('PLUMBLINE_API_KEY', 'sk-secret');
    const { encoder, asked } = await embedVia(TEXTS, good);
    expect(asked[0]?.authorization).toBe('Bearer sk-secret');
    expect(JSON.stringify(encoder.facts)).not.toContain('secret');
    const { address } = await serve(status(401, 'wrong key sk-secret'));
    const error: unknown = await endpointEncoder(`${address}?token=hidden#m`)
      .embed(TEXTS)
      .catch((error: unknown) => error);
    expect(String(error)).toContain('answered 401: wrong key [key]');
    expect(String(error)).not.toMatch(/sk-secret|hidden/);
  });

  test.each([
    ['http://localhost/v1/embeddings', /#MODEL/],
    ['http://localhost/v1/embeddings#', /#MODEL/],
    ['https://name:word@localhost/v1/embeddings#m', /PLUMBLINE_API_KEY/],
    ['http://#m', /no address/],
  ])('refuses %s', async (spec, message) => {
    const opener = {
      settings: { pooling: null, prefix: '', layerNorm: false, dims: null },
      openGguf: () => Promise.reject(new Error('not asked')),
    };
    await expect(findScorer(spec, opener)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(message),
    });
  });

  test('refuses a key that no header can carry, without showing it', () => {
    vi.stubEnv('PLUMBLINE_API_KEY', 'sk-secret\nx: y');
    expect(() => endpointEncoder('http://localhost/#m')).toThrow(/PLUMBLINE_API_KEY/);
    expect(() => endpointEncoder('http://localhost/#m')).not.toThrow(/secret/);
  });
});

const published = gold();
const model = shared('models', 'all-MiniLM-L6-v2-F16.gguf');
const at = published === null || model === null ? null : { ...published, model };
if (at === null)
  skipNote('an endpoint with vectors of a real encoder', 'models', 'all-MiniLM-L6-v2-F16.gguf');

describe.skipIf(at === null)('a server with the vectors of a GGUF encoder', () => {
  let session: EncoderSession;
  beforeAll(async () => {
    session = await openEncoderSession({
      path: at?.model ?? '',
      backend: 'cpu',
      gpuLayers: 0,
      pooling: 'mean',
      window: 512,
      threads: 1,
    });
  });

  test('gives the AUROCs of the oracle', async () => {
    const answer: Answer = async ({ input }, response) => {
      const encoded = await session.embed(input);
      const items = encoded.map(({ vector }, index) => ({ index, embedding: [...(vector ?? [])] }));
      json(response, { data: items.reverse() });
    };
    const { address } = await serve(status(503), answer);
    const audit = await runGateAudit({
      corpus: at?.corpus ?? '',
      encoders: [`${address}#MiniLM`],
      gate: null,
      out: null,
      force: false,
      seed: 1,
    });
    for (const task of ['distinctness', 'constraint'] as const) {
      const wanted = at?.values.encoders['gguf MiniLM-L6 F16']?.[task].decision_auroc;
      const got = audit.encoders[0]?.tasks[task]?.auroc;
      expect(got?.close).toBeCloseTo(wanted?.CLOSE ?? Number.NaN, 10);
      expect(got?.distant).toBeCloseTo(wanted?.DISTANT ?? Number.NaN, 10);
    }
  }, 240_000);
});
