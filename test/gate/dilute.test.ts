import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runGateDilute } from '../../src/api/gate-dilute.js';
import { type EncoderSession, openEncoderSession } from '../../src/engine/encoder-session.js';
import { auditGate, type ScoredEncoder } from '../../src/gate/audit.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { type DilutionOptions, diluteGate, dilutePair, longestDilution } from '../../src/gate/dilute.js';
import { cosineScorer, type Encoder, type Scorer, TOKEN_JACCARD } from '../../src/gate/encoder.js';
import { PLAIN_SETTINGS } from '../../src/gate/encoder-config.js';
import { type Filler, readFiller } from '../../src/gate/filler.js';
import { PRESETS } from '../../src/gate/presets.js';
import { scorePairs } from '../../src/gate/score.js';
import { TASKS } from '../../src/gate/types.js';
import { temporaryFolder } from '../run/folder.js';
import { shared, skipNote } from '../shared.js';

// The real engine, in this process: the one that the program forks is JavaScript, which exists only when built.
vi.mock('../../src/engine/process.js', () => ({
  startEngineProcess: () => {
    let session: EncoderSession;
    return {
      async ask(request: { type: string; options: never; texts: readonly string[] }) {
        if (request.type === 'embed') return session.embed(request.texts);
        session = await openEncoderSession(request.options);
        return null;
      },
      stop: async () => {},
    };
  },
}));

const SEED = 20_260;
const corpus = await readGateCorpus('held-out');
const filler = await readFiller();
const wordsIn = (text: string): number => text.split(/\s+/).length;

const dilute = (options: Partial<DilutionOptions>) =>
  diluteGate({
    corpus,
    filler,
    lengths: [16, 64],
    openScorers: async () => [],
    gate: null,
    force: false,
    seed: SEED,
    ...options,
  });

/** Counts of words as a vector; a text of more than `window` words has none. */
function bagOfWords(window: number): { readonly encoder: Encoder; readonly seen: string[] } {
  const seen: string[] = [];
  const width = 256;
  const encoder: Encoder = {
    name: 'bag of words',
    facts: { window },
    embed: async texts => {
      seen.push(...texts);
      return texts.map(text => {
        if (wordsIn(text) > window) return { vector: null, flag: 'too-long' };
        const vector = new Float32Array(width);
        for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
          let hash = 0;
          for (const char of word) hash = (hash * 31 + char.charCodeAt(0)) % width;
          vector[hash] = (vector[hash] ?? 0) + 1;
        }
        return { vector, flag: null };
      });
    },
  };
  return { encoder, seen };
}

describe('the neutral text', () => {
  test('has several registers with words for every length that is offered', () => {
    expect(filler.registers.length).toBeGreaterThanOrEqual(4);
    expect(longestDilution(filler)).toBeGreaterThanOrEqual(512);
    for (const { sentences } of filler.registers) {
      expect(new Set(sentences).size).toBe(sentences.length);
      for (const sentence of sentences) expect(sentence).toMatch(/^\S+( \S+)+[.]$/);
    }
  });

  test('shares no sentence with a corpus and gives no order', () => {
    const told = new Set(corpus.pairs.flatMap(({ textA, textB }) => [textA, textB]));
    for (const sentence of filler.registers.flatMap(({ sentences }) => sentences)) {
      expect(told.has(sentence)).toBe(false);
      expect(sentence).not.toMatch(/\b(must|shall|should|never|not|allowed|forbidden|do|don't|please)\b/i);
    }
  });

  test('is the same on both sides, of exactly so many words, half of them before the sentence', () => {
    for (const length of [1, 16, 33, 512]) {
      for (const pair of corpus.pairs) {
        const { textA, textB } = dilutePair(pair, length, filler, SEED);
        const [around, other] = [textA.split(pair.textA), textB.split(pair.textB)];
        expect(around).toEqual(other);
        const [before = '', after = ''] = around.map(part => part.trim());
        expect(before === '' ? 0 : wordsIn(before)).toBe(Math.floor(length / 2));
        expect(wordsIn(after)).toBe(Math.ceil(length / 2));
      }
    }
  });

  test('grows at its outer ends, uses no sentence twice and leaves length 0 alone', () => {
    for (const pair of corpus.pairs.slice(0, 24)) {
      const of = (length: number): string => dilutePair(pair, length, filler, SEED).textB;
      expect(of(0)).toBe(pair.textB);
      for (const [shorter, longer] of [
        [16, 32],
        [32, 256],
        [256, 512],
      ] as const)
        expect(of(longer)).toContain(of(shorter));
      const sentences = filler.registers.flatMap(({ sentences }) => sentences);
      for (const sentence of sentences) expect(of(512).split(sentence).length).toBeLessThanOrEqual(2);
    }
  });

  test('is one for all variants of an anchor', () => {
    const around = (pair: (typeof corpus.pairs)[number]): string =>
      dilutePair(pair, 64, filler, SEED).textA.replace(pair.textA, '');
    const texts = new Map<string, Set<string>>();
    for (const pair of corpus.pairs) {
      const anchor = `${pair.task} ${pair.anchor}`;
      texts.set(anchor, (texts.get(anchor) ?? new Set<string>()).add(around(pair)));
    }
    expect([...texts.values()].every(({ size }) => size === 1)).toBe(true);
    expect(new Set([...texts.values()].flatMap(of => [...of])).size).toBe(texts.size);
  });

  test('is drawn by seed and anchor alone, from every register', () => {
    const texts = (seed: number) => corpus.pairs.map(pair => dilutePair(pair, 64, filler, seed).textA);
    expect(texts(1)).toEqual(texts(1));
    expect(texts(1)).not.toEqual(texts(2));
    const [pair] = corpus.pairs;
    if (pair === undefined) throw new Error('empty corpus');
    expect(dilutePair({ ...pair, textA: 'Other.', textB: 'Else.' }, 64, filler, 1).textA).toBe(
      texts(1)[0]?.replace(pair.textA, 'Other.'),
    );
    const used = filler.registers.map(
      ({ sentences }) => texts(1).filter(text => sentences.some(sentence => text.includes(sentence))).length,
    );
    expect(Math.min(...used)).toBeGreaterThan(0);
    expect(used.reduce((all, n) => all + n, 0)).toBe(corpus.pairs.length);
  });
});

async function scoredBy(openScorers: () => Promise<readonly Scorer[]>): Promise<readonly ScoredEncoder[]> {
  const scorers = await openScorers();
  return Promise.all(scorers.map(async scorer => ({ ...scorer, scored: await scorePairs(scorer, corpus) })));
}

describe('the measurement', () => {
  test('has the audit of the corpus as its first row', async () => {
    const { encoder } = bagOfWords(1000);
    const gate = PRESETS.find(({ name }) => name === 'gptcache')?.gate ?? null;
    const openScorers = async () => [cosineScorer(encoder)];
    const dilution = await dilute({ openScorers, gate });
    const audit = await auditGate({
      corpus,
      scoreAll: () => scoredBy(openScorers),
      gate,
      force: false,
      seed: SEED,
    });
    expect(dilution.lengths).toEqual([0, 16, 64]);
    for (const task of TASKS) {
      const row = dilution.encoders[0]?.tasks[task]?.[0];
      const expected = audit.encoders[0]?.tasks[task];
      expect(row).toMatchObject({ length: 0, pairs: 48, flagged: {}, auroc: expected?.auroc });
      expect(row?.gate).toEqual(expected?.gate);
      expect(row?.interval).toEqual(expected?.intervals.stratified);
      expect(row?.operatingPoints).toEqual(expected?.operatingPoints.slice(2));
      expect(dilution.floor.tasks[task]?.[0]?.auroc).toEqual(audit.floor.tasks[task]?.auroc);
    }
  });

  test('of the floor counts what it approves by hand, more and more of it', async () => {
    const { floor } = await dilute({ lengths: [512, 16, 512, 64] });
    for (const task of TASKS) {
      const rows = floor.tasks[task] ?? [];
      expect(rows.map(({ length }) => length)).toEqual([0, 16, 64, 512]);
      for (const { length, operatingPoints, overFloor } of rows) {
        const reversals = corpus.pairs
          .filter(pair => pair.task === task && pair.decision === 'opposite')
          .map(pair => dilutePair(pair, length, filler, SEED));
        const scores = (await TOKEN_JACCARD.score(reversals)).map(({ score }) => score ?? Number.NaN);
        expect(operatingPoints.map(({ approveReversals }) => approveReversals)).toEqual(
          [0.8, 0.85, 0.95].map(t => scores.filter(score => score >= t).length / scores.length),
        );
        expect(overFloor.difference).toBe(0);
      }
      const approved = rows.map(({ operatingPoints: [lowest] }) => lowest?.approveReversals ?? Number.NaN);
      expect(approved).toEqual([...approved].sort((a, b) => a - b));
      expect(approved.at(-1)).toBe(1);
      expect(approved[0]).toBeLessThan(0.5);
    }
  });

  test('counts texts beyond the window, cuts none, and compares with the floor of the pairs that are left', async () => {
    const { encoder, seen } = bagOfWords(74);
    const { encoders } = await dilute({
      lengths: [16, 64, 128],
      openScorers: async () => [cosineScorer(encoder)],
    });
    for (const task of TASKS) {
      const [bare, , some, none] = encoders[0]?.tasks[task] ?? [];
      expect(bare?.flagged).toEqual({});
      const long = corpus.pairs.filter(
        ({ task: of, textA, textB }) => of === task && Math.max(wordsIn(textA), wordsIn(textB)) > 10,
      ).length;
      expect(long).toBeGreaterThan(0);
      expect(long).toBeLessThan(48);
      expect(some?.flagged).toEqual({ 'too-long': long });
      const counted = some?.operatingPoints[0]?.strata;
      expect(
        (counted?.close.reversals ?? 0) +
          (counted?.close.paraphrases ?? 0) +
          (counted?.distant.reversals ?? 0) +
          (counted?.distant.paraphrases ?? 0),
      ).toBe(48 - long);
      expect(none).toMatchObject({
        pairs: 48,
        flagged: { 'too-long': 48 },
        auroc: { close: null, distant: null, stratified: null },
        interval: null,
        overFloor: { difference: null, interval: null },
      });
      expect(none?.operatingPoints.map(({ approveReversals }) => approveReversals)).toEqual([
        null,
        null,
        null,
      ]);
    }
    expect(Math.max(...seen.map(wordsIn))).toBeGreaterThan(128);
  });

  test('stops at a corpus that is not interpretable before an encoder is opened, unless forced', async () => {
    const bad = { ...corpus, pairs: corpus.pairs.filter(({ stratum }) => stratum === 'close') };
    const openScorers = vi.fn(async () => []);
    await expect(dilute({ corpus: bad, openScorers })).rejects.toMatchObject({ code: 'NOT_INTERPRETABLE' });
    expect(openScorers).not.toHaveBeenCalled();
    expect(await dilute({ corpus: bad, openScorers, force: true })).toMatchObject({ forced: true });
  });

  test('offers no more words than the shortest register has', () => {
    const short: Filler = {
      sha256: '',
      registers: [...filler.registers, { register: 'short', sentences: ['Two words.', 'And three more.'] }],
    };
    expect(longestDilution(short)).toBe(5);
  });
});

const model = shared('models', 'all-MiniLM-L6-v2-F16.gguf');
if (model === null)
  skipNote('dilution with a real encoder and its window', 'models', 'all-MiniLM-L6-v2-F16.gguf');

test.skipIf(model === null)(
  'a real encoder approves diluted reversals, and texts beyond its window are counted',
  async () => {
    const file = join(temporaryFolder(), 'pairs.jsonl');
    const lines = readFileSync(new URL('../../models/gate-held-out.jsonl', import.meta.url), 'utf8').split(
      '\n',
    );
    writeFileSync(file, lines.filter(line => line.includes('"distinctness"')).join('\n'));
    const { encoders } = await runGateDilute({
      corpus: `jsonl:${file}`,
      encoders: [`gguf:${model}`],
      encoderOptions: { settings: PLAIN_SETTINGS, engine: { gpu: 'off', threads: 2 } },
      gate: null,
      lengths: [32, 512],
      force: false,
      seed: SEED,
    });
    const [bare, diluted, beyond] = encoders[0]?.tasks.distinctness ?? [];
    expect([bare?.flagged, diluted?.flagged]).toEqual([{}, {}]);
    expect(diluted?.operatingPoints[0]?.approveReversals).toBeGreaterThan(
      bare?.operatingPoints[0]?.approveReversals ?? Number.NaN,
    );
    expect(beyond?.flagged).toEqual({ 'too-long': 48 });
  },
  300_000,
);
