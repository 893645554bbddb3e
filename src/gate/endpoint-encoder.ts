import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';
import type { Embedding, Encoder, EncoderFacts } from './encoder.js';

export interface EndpointPatience {
  /** Longest wait for one answer, its body included. */
  readonly timeoutMs: number;
  /** Wait before the second attempt; it doubles from attempt to attempt. */
  readonly backOffMs: number;
  /** Longest wait that the server may ask for with Retry-After. */
  readonly longestWaitMs: number;
}

const PATIENCE: EndpointPatience = { timeoutMs: 120_000, backOffMs: 500, longestWaitMs: 60_000 };
const KIND = 'endpoint';
const ATTEMPTS = 5;
const TEXTS_PER_REQUEST = 64;
const QUOTED_CHARACTERS = 300;
/** Statuses with which servers refuse a text, for its length for example, rather than the request as such. */
const REFUSES_INPUT: readonly number[] = [400, 413, 422];
const KEY_VARIABLE = 'PLUMBLINE_API_KEY';

const ANSWER = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })),
});

interface Endpoint {
  readonly url: URL;
  /** The address without its query, which may hold a secret. */
  readonly shown: string;
  readonly model: string;
  readonly key: string | null;
  readonly patience: EndpointPatience;
}

type Reply =
  | { readonly kind: 'vectors'; readonly vectors: readonly Float32Array[] }
  /** The server does not take these texts; `why` quotes it. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * An OpenAI-compatible embeddings address with its model, `https://host/v1/embeddings#MODEL`. A key is read from
 * PLUMBLINE_API_KEY and never shown. A text of white space only is flagged `empty` and not sent; one that the server
 * refuses on its own is flagged `refused`. How the server pools, cuts and normalises cannot be seen from here.
 * Errors: USAGE for an address without a model; ENDPOINT when the server cannot be reached, goes on failing, refuses
 * everything or answers with something else than one vector of one width for each text.
 */
export function endpointEncoder(spec: string, patience: EndpointPatience = PATIENCE): Encoder {
  const endpoint: Endpoint = { ...parseAddress(spec), key: apiKey(), patience };
  let width: number | null = null;

  async function vectorsOf(texts: readonly string[]): Promise<Reply> {
    const reply = await ask(endpoint, texts);
    if (reply.kind === 'refused') return reply;
    for (const vector of reply.vectors) {
      width ??= vector.length;
      if (vector.length !== width)
        throw fault(endpoint, `gave vectors of ${width} and of ${vector.length} numbers: one width expected`);
    }
    return reply;
  }

  return {
    name: endpoint.model,
    facts: { kind: KIND, address: endpoint.shown, model: endpoint.model },
    async embed(texts) {
      const asked = texts.filter(text => !isEmpty(text));
      const embeddings: Embedding[] = [];
      let refusal: string | null = null;
      for (let from = 0; from < asked.length; from += TEXTS_PER_REQUEST) {
        const batch = asked.slice(from, from + TEXTS_PER_REQUEST);
        const together = await vectorsOf(batch);
        // One text too many can make a server refuse all of its batch.
        const replies =
          together.kind === 'vectors' || batch.length === 1
            ? [together]
            : await inTurn(batch, text => vectorsOf([text]));
        for (const reply of replies) {
          if (reply.kind === 'vectors')
            embeddings.push(...reply.vectors.map(vector => ({ vector, flag: null })));
          else {
            refusal = reply.why;
            embeddings.push({ vector: null, flag: 'refused' });
          }
        }
      }
      if (refusal !== null && width === null) throw fault(endpoint, `refused every text: ${refusal}`);
      const answers = embeddings.values();
      return texts.map(text => {
        const empty: Embedding = { vector: null, flag: 'empty' };
        return isEmpty(text) ? empty : (answers.next().value ?? empty);
      });
    },
  };
}

/** Whether facts are those of an {@link endpointEncoder}. */
export function isEndpoint({ kind }: EncoderFacts): boolean {
  return kind === KIND;
}

const isEmpty = (text: string): boolean => text.trim() === '';

async function inTurn<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await each(item));
  return results;
}

function parseAddress(spec: string): Pick<Endpoint, 'url' | 'shown' | 'model'> {
  if (!URL.canParse(spec)) throw new PlumblineError('USAGE', `${JSON.stringify(spec)} is no address`);
  const url = new URL(spec);
  const shown = `${url.origin}${url.pathname}`;
  const model = decodedOrSame(url.hash.slice(1));
  if (model === '') {
    throw new PlumblineError(
      'USAGE',
      `${shown} names no model: write ${shown}#MODEL, with the name that the server knows it by`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new PlumblineError(
      'USAGE',
      `${shown} was given with a name or a password: put a key into ${KEY_VARIABLE} instead`,
    );
  }
  url.hash = '';
  return { url, shown, model };
}

function decodedOrSame(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function apiKey(): string | null {
  const key = process.env[KEY_VARIABLE]?.trim() ?? '';
  if (key === '') return null;
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new PlumblineError('USAGE', `${KEY_VARIABLE} has white space or characters that no key has in it`);
  return key;
}

/** One batch, with retries. */
async function ask(endpoint: Endpoint, texts: readonly string[]): Promise<Reply> {
  const { patience } = endpoint;
  for (let attempt = 1; ; attempt++) {
    const { trouble, retryAfterMs, reply } = await attemptOnce(endpoint, texts);
    if (reply !== null) return reply;
    if (attempt === ATTEMPTS) throw fault(endpoint, `${trouble}, and so ${ATTEMPTS} times`);
    if (retryAfterMs !== null && retryAfterMs > patience.longestWaitMs) {
      throw fault(
        endpoint,
        `${trouble}, and asks to wait ${Math.ceil(retryAfterMs / 1000)} s: try again later`,
      );
    }
    await delay(retryAfterMs ?? patience.backOffMs * 2 ** (attempt - 1));
  }
}

interface Attempt {
  /** null = worth another attempt. */
  readonly reply: Reply | null;
  readonly trouble: string;
  readonly retryAfterMs: number | null;
}

async function attemptOnce(endpoint: Endpoint, texts: readonly string[]): Promise<Attempt> {
  const { url, model, key, patience } = endpoint;
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      // The key and the texts are for this address only.
      redirect: 'manual',
      signal: AbortSignal.timeout(patience.timeoutMs),
    });
    body = await response.text();
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') {
      throw fault(
        endpoint,
        `gave no answer to ${texts.length} texts within ${patience.timeoutMs / 1000} s`,
        error,
      );
    }
    const cause =
      error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
    return { reply: null, trouble: `cannot be reached (${cause})`, retryAfterMs: null };
  }
  const trouble = `answered ${response.status}${quoted(body, key)}`;
  if (response.status === 429 || response.status >= 500)
    return { reply: null, trouble, retryAfterMs: retryAfter(response.headers.get('retry-after')) };
  if (REFUSES_INPUT.includes(response.status))
    return { reply: { kind: 'refused', why: trouble }, trouble, retryAfterMs: null };
  if (response.status >= 300 && response.status < 400) {
    throw fault(
      endpoint,
      `answered ${response.status}: redirections are not followed, give the address where it is`,
    );
  }
  if (!response.ok) throw fault(endpoint, trouble);
  return {
    reply: { kind: 'vectors', vectors: parse(endpoint, body, texts.length) },
    trouble,
    retryAfterMs: null,
  };
}

/** Vectors in the order of the texts, whatever the order in the answer. */
function parse(endpoint: Endpoint, body: string, count: number): readonly Float32Array[] {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw fault(endpoint, `answered with something else than JSON${quoted(body, endpoint.key)}`, error);
  }
  const checked = ANSWER.safeParse(json);
  if (!checked.success) {
    throw fault(
      endpoint,
      `answered with no embeddings: ${faultsOf(checked.error)}; expected ` +
        '{"data": [{"index": 0, "embedding": [numbers]}, …]}',
    );
  }
  const { data } = checked.data;
  const vectors = new Map(data.map(({ index, embedding }) => [index, Float32Array.from(embedding)]));
  const ordered = Array.from({ length: count }, (_, i) => vectors.get(i));
  if (data.length !== count || !ordered.every(vector => vector !== undefined)) {
    throw fault(
      endpoint,
      `gave ${data.length} vectors with ${vectors.size} indices for ${count} texts: indices 0 to ${count - 1} expected, each once`,
    );
  }
  return ordered;
}

/** Milliseconds of a Retry-After header, in seconds or as a date; null when there is none that can be read. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function quoted(body: string, key: string | null): string {
  // The key goes first: a cut through it would leave a part.
  const text = (key === null ? body : body.replaceAll(key, '[key]')).replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `: ${text.slice(0, QUOTED_CHARACTERS)}`;
}

function fault(endpoint: Endpoint, what: string, cause?: unknown): PlumblineError {
  return new PlumblineError('ENDPOINT', `${endpoint.shown}, model ${endpoint.model}, ${what}`, { cause });
}
