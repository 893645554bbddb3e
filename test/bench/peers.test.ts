import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPeers, startChild } from './peers.js';

let folder = '';
let jobFile = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-peers-'));
  jobFile = join(folder, 'job.json');
  writeFileSync(jobFile, JSON.stringify({ model: 'none.gguf', format: 'F16' }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const READY = `console.log(JSON.stringify({ ready: '1.0', workloads: ['audit'], loadSeconds: 1 }));`;
/** Answers every request with its number. */
const COUNTS = `${READY} let n = 0; require('node:readline').createInterface({ input: process.stdin })
  .on('line', () => console.log(JSON.stringify({ workload: 'audit', batch: 4, cpuSeconds: ++n, wallSeconds: n, margins: [n] })));`;
/** Does this at the first request. */
const asked = (code: string) => `${READY} process.stdin.once('data', () => { ${code} });`;

const start = (code: string) => startChild(process.execPath, ['-e', code]);

it('answers requests one after another and ends when its input does', async () => {
  const child = await start(COUNTS);
  expect(child.ready).toMatchObject({ ready: '1.0', workloads: ['audit'] });
  expect(await child.request('audit')).toMatchObject({ cpuSeconds: 1 });
  expect(await child.request('audit')).toMatchObject({ cpuSeconds: 2 });
  await child.close();
  await expect(child.request('audit')).rejects.toThrow('ended with exit code 0');
});

it.each([
  [
    'a crash',
    `process.stderr.write('Traceback\\nValueError: no such model\\n'); process.exit(3)`,
    'ended with exit code 3: ValueError: no such model',
  ],
  ['an end without a word', '', 'ended with exit code 0'],
  ['a signal', `process.kill(process.pid, 'SIGABRT')`, 'ended with SIGABRT'],
  [
    'a line that is no JSON',
    `console.log('Loading weights: 100%'); setInterval(() => {}, 1000)`,
    'said something that is no answer: Loading weights: 100%',
  ],
  [
    'JSON that is no object',
    `console.log('null'); setInterval(() => {}, 1000)`,
    'said something that is no answer: null',
  ],
])('%s before it is ready, or at a request, gives its reason', async (_, code, reason) => {
  await expect(start(code)).rejects.toThrow(reason);
  const child = await start(asked(code === '' ? 'process.exit(0)' : code));
  await expect(child.request('audit')).rejects.toThrow(reason);
  await expect(child.request('audit')).rejects.toThrow(reason);
  await child.close();
});

it('does not take an answer to another request for its own', async () => {
  const child = await start(asked(`console.log('{"workload": "ics"}'); setInterval(() => {}, 1000)`));
  await expect(child.request('audit')).rejects.toThrow(
    'said something that is no answer: {"workload": "ics"}',
  );
  await child.close();
});

it('does not keep an answer that nobody asked for', async () => {
  // Both lines in one write: the second is there before anything can be asked.
  const lines = `${JSON.stringify({ ready: '1.0' })}\n${JSON.stringify({ workload: 'audit' })}\n`;
  const child = await start(`process.stdout.write(${JSON.stringify(lines)}); setInterval(() => {}, 1000)`);
  await expect(child.request('audit')).rejects.toThrow('said something that is no answer');
  await child.close();
});

it('says that a program is not there', async () => {
  await expect(startChild(join(folder, 'nobody'), [])).rejects.toThrow(/could not be started: .*ENOENT/);
});

it('skips a peer that does not start with its reason, and goes on with the others', async () => {
  const peer = (name: string, code: string) => ({ name, format: () => 'F32', start: () => start(code) });
  const peers = [
    peer('gone', `process.stderr.write('no memory\\n'); process.exit(1)`),
    peer('counts', COUNTS),
    peer('dies', asked('process.exit(7)')),
    peer('unwanted', COUNTS),
  ];
  const { contestants, skipped } = await openPeers(jobFile, { only: ['gone', 'counts', 'dies'], peers });
  expect(skipped).toEqual([{ name: 'gone', reason: 'ended with exit code 1: no memory' }]);
  expect(contestants.map(({ name }) => name)).toEqual(['counts', 'dies']);
  const [counts, dies] = contestants as [(typeof contestants)[number], (typeof contestants)[number]];
  expect(counts.batch).toBeNull();
  await expect(dies.measure('audit')).rejects.toThrow('ended with exit code 7');
  expect(await counts.measure('audit')).toMatchObject({ cpuSeconds: 1, wallSeconds: 1, margins: [1] });
  expect(counts).toMatchObject({
    version: '1.0',
    format: 'F32',
    workloads: ['audit'],
    loadSeconds: 1,
    batch: 4,
  });
  await Promise.all(contestants.map(one => one.close()));
});

it('node-llama-cpp has both of its peers open and says what it cannot do by not offering it', async () => {
  const names = ['node-llama-cpp', 'node-llama-cpp-reuse'];
  const model = new URL('../../models/reference/reader.gguf', import.meta.url).pathname;
  const { labelTokens, readings } = JSON.parse(readFileSync(model.replace('.gguf', '.oracle.json'), 'utf8'));
  const prompts = JSON.parse(
    readFileSync(new URL('../../models/reference/oracle-prompts.json', import.meta.url), 'utf8'),
  );
  const job = {
    model,
    format: 'F16',
    prompts: prompts.map(({ tokens }: { tokens: number[] }) => ({ ids: tokens, labels: labelTokens })),
    audit: prompts.map((_: unknown, i: number) => i).reverse(),
  };
  const file = join(folder, 'reader.json');
  writeFileSync(file, JSON.stringify(job));
  const { contestants, skipped } = await openPeers(file, { only: names });
  expect(skipped).toEqual([]);
  expect(contestants.map(({ name, workloads }) => [name, ...workloads])).toEqual(
    names.map(name => [name, 'audit']),
  );
  for (const contestant of contestants) {
    const { margins = [] } = await contestant.measure('audit');
    const gold = job.audit.map((i: number) => readings[i].logits[0] - readings[i].logits[1]);
    expect(margins).toHaveLength(gold.length);
    expect(Math.max(...margins.map((margin, i) => Math.abs(margin - gold[i])))).toBeLessThan(0.05);
    await contestant.close();
  }
});
