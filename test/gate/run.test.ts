import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { resumeGateAudit, runGateAudit } from '../../src/api/gate-audit.js';
import { gateRunFacts } from '../../src/api/gate-run-facts.js';
import { verifyAnyRun } from '../../src/api/verify.js';
import { readGatePairs } from '../../src/gate/run.js';
import { chunksOf } from '../../src/gate/score.js';
import { readReadings } from '../../src/run/reader.js';
import { temporaryFolder } from '../run/folder.js';
import { type Answer, json, serve } from './embeddings-server.js';

/** Vectors of letter counts: any text has one, unlike texts have unlike ones. */
const lettersOf = (text: string): number[] => {
  const counts = Array.from({ length: 27 }, () => 1);
  for (const letter of text.toLowerCase()) {
    const at = 'abcdefghijklmnopqrstuvwxyz'.indexOf(letter);
    counts[at < 0 ? 26 : at] = (counts[at < 0 ? 26 : at] ?? 0) + 1;
  }
  return counts;
};
const good: Answer = ({ input }, response) =>
  json(response, { data: input.map((text, index) => ({ index, embedding: lettersOf(text) })) });
const broken: Answer = (_, response) => {
  response.writeHead(401);
  response.end('no money left');
};

const request = (address: string, out: string | null) => ({
  corpus: 'builtin',
  encoders: ['token-jaccard', `${address}#letters`],
  gate: 'gptcache',
  out,
  force: false,
  seed: 1,
});

/** An audit whose server gives up after two batches, and the server of another session at the same address. */
async function interrupted(...later: readonly Answer[]) {
  const { address, asked } = await serve(good, good, broken, ...later);
  const out = join(temporaryFolder(), 'audit');
  const failure: unknown = await runGateAudit(request(address, out)).catch((error: unknown) => error);
  return { address, asked, out, failure };
}

describe('an audit whose endpoint gives up', () => {
  test('keeps what was scored, says how to go on, and asks for nothing twice', async () => {
    const { address, asked, out, failure } = await interrupted(good);
    expect(failure).toMatchObject({ code: 'ENDPOINT' });
    expect(String(failure)).toMatch(/no money left.*go on with plumbline gate audit --resume .*audit$/);
    const before = readGatePairs(out);
    const first = asked.slice(0, 2).flatMap(({ input }) => input);
    expect(before.filter(({ encoder }) => encoder === 'letters').length).toBeGreaterThan(40);
    expect(verifyAnyRun(out)).toMatchObject({
      state: 'incomplete',
      exitCode: 3,
      details: { plannedRows: 384, goodRows: before.length, missingRows: 384 - before.length },
    });

    const { audit, alreadyComplete } = await resumeGateAudit(out);
    expect(alreadyComplete).toBe(false);
    expect(verifyAnyRun(out)).toMatchObject({ state: 'complete', exitCode: 0, findings: [] });
    // After the request that failed: one known pair, to see that the model is the same, then what is left.
    const [probe, ...rest] = asked.slice(3).map(({ input }) => input);
    expect(probe).toEqual(first.slice(0, 2));
    expect(rest.flat().filter(text => first.includes(text))).toEqual([]);

    const whole = join(temporaryFolder(), 'whole');
    expect(await runGateAudit(request(address, whole))).toEqual(audit);
    expect(readFileSync(join(out, 'summary.json'))).toEqual(readFileSync(join(whole, 'summary.json')));
    expect(readFileSync(join(out, 'pairs.arrows'))).toEqual(readFileSync(join(whole, 'pairs.arrows')));
    expect(await runGateAudit(request(address, null))).toEqual(audit);
  });

  test('is only reported when it is complete: no encoder is asked', async () => {
    const { address, asked } = await serve(good, good, good, good, broken);
    const out = join(temporaryFolder(), 'audit');
    const audit = await runGateAudit(request(address, out));
    expect(await resumeGateAudit(out)).toEqual({ audit, alreadyComplete: true });
    expect(asked).toHaveLength(4);
  });

  test('is refused when another model answers, or the corpus is another', async () => {
    const other: Answer = ({ input }, response) =>
      json(response, {
        data: input.map((text, index) => ({ index, embedding: lettersOf(text).map(n => n - 1.5) })),
      });
    const { out } = await interrupted(other);
    await expect(resumeGateAudit(out)).rejects.toMatchObject({
      code: 'RUN_MISMATCH',
      message: expect.stringMatching(/answer with another model/),
    });
    const local = join(out, 'local.json');
    writeFileSync(local, readFileSync(local, 'utf8').replace('"builtin"', '"held-out"'));
    await expect(resumeGateAudit(out)).rejects.toMatchObject({
      code: 'RUN_MISMATCH',
      message: expect.stringMatching(/corpus\.sha256/),
    });
    expect(verifyAnyRun(out).state).toBe('incomplete');
  });
});

describe('the folder of an audit', () => {
  const small = async (): Promise<string> => {
    const out = join(temporaryFolder(), 'audit');
    await runGateAudit({
      ...request('', out),
      corpus: 'held-out',
      encoders: ['token-jaccard', 'token-jaccard'],
    });
    return out;
  };

  test('says what was audited, and tells encoders of one name apart', async () => {
    const out = await small();
    const { manifest, encoders } = gateRunFacts(out);
    expect(manifest.encoders.map(({ name }) => name)).toEqual(['token-jaccard', 'token-jaccard #2']);
    expect(manifest).toMatchObject({ instrument: 'gate', seed: 1, gate: { name: 'gptcache' } });
    expect(encoders).toEqual(
      manifest.encoders.map(({ name }) => ({ encoder: name, rows: 96, scored: 96, flagged: {} })),
    );
    expect(JSON.stringify(manifest)).not.toContain(temporaryFolder().split('/').slice(0, -1).join('/'));
    const table = tableFromIPC(readFileSync(join(out, 'pairs.arrows')));
    expect(table.numRows).toBe(192);
  });

  test('is damaged by any change of a byte', async () => {
    const out = await small();
    const file = join(out, 'pairs.arrows');
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(verifyAnyRun(out)).toMatchObject({ state: 'damaged', exitCode: 4 });
    await expect(resumeGateAudit(out)).rejects.toMatchObject({ code: 'RUN_DAMAGED' });
  });

  test('is damaged by a manifest of another plan', async () => {
    const out = await small();
    const file = join(out, 'manifest.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"seed": 1', '"seed": 2'));
    expect(verifyAnyRun(out)).toMatchObject({ state: 'damaged', findings: [expect.stringMatching(/plan/)] });
  });

  test('is no run of a judge', async () => {
    const out = await small();
    expect(() => readReadings(out)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  test('keeps what was scored before it was stopped', async () => {
    const out = join(temporaryFolder(), 'audit');
    const stop = new AbortController();
    const events = { signal: stop.signal, onPairs: () => stop.abort() };
    const { address } = await serve(good);
    await expect(runGateAudit(request(address, out), events)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const kept = readGatePairs(out).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(384);
    await resumeGateAudit(out);
    expect(verifyAnyRun(out).state).toBe('complete');
  });
});

test('chunks hold whole anchors and at most 64 texts', () => {
  const pairs = Array.from({ length: 200 }, (_, i) => ({
    id: `${i}`,
    task: 'distinctness' as const,
    decision: 'same' as const,
    stratum: 'close' as const,
    anchor: `${i % 50}`,
    subclass: 'negation',
    register: null,
    textA: `anchor ${i % 50}`,
    textB: `text ${i}`,
  }));
  const chunks = chunksOf(pairs);
  expect(chunks.flat().length).toBe(200);
  // Twelve anchors of five texts.
  expect(chunks.map(chunk => chunk.length)).toEqual([48, 48, 48, 48, 8]);
  for (const chunk of chunks) expect(new Set(chunk.map(({ anchor }) => anchor)).size).toBe(chunk.length / 4);
});
