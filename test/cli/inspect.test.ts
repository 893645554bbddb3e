import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { inspectCommand } from '../../src/cli/inspect.js';
import { slowFormatNote } from '../../src/engine/cpu-formats.js';
import { encodeGguf, type GgufWriteValue } from '../../src/engine/gguf-write.js';
import { temporaryFolder } from '../run/folder.js';
import { shared, skipNote } from '../shared.js';
import { controls, type Outcome, runCommand, runProgram } from './command.js';
import { makeRun, sha256, writeCorpus } from './run.js';

const DEMO = fileURLToPath(new URL('../../models/demo-judge.gguf', import.meta.url));

const inspect = (...args: readonly string[]): Promise<Outcome> => runCommand(inspectCommand(), ...args);
const words = (text: string): string => text.replace(/\s+/g, ' ');

describe('a GGUF file', () => {
  test('is shown with its size, formats and template', async () => {
    const { stdout, stderr, code } = await inspect(DEMO);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^demo-judge\.gguf, plumbline demo judge/);
    for (const line of ['architecture llama', 'layers 4', 'width 64', 'trained context 4,096 tokens']) {
      expect(words(stdout)).toContain(line);
    }
    expect(words(stdout)).toContain('formats F16 99.8 % of the parameters, 30 tensors');
    expect(stdout).toContain('No chat template');
    expect(stdout).not.toContain('SHA-256');
  });

  test('as JSON, with its hash when that is asked for', async () => {
    const { stdout } = await inspect(DEMO, '--json', '--hash');
    const bytes = readFileSync(DEMO);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'gguf',
      file: 'demo-judge.gguf',
      bytes: bytes.length,
      sha256: sha256(bytes),
      layers: 4,
      chatTemplate: null,
      slow: null,
    });
    expect(JSON.parse((await inspect(DEMO, '--json')).stdout)).toMatchObject({ sha256: null });
    expect((await inspect(DEMO, '--hash')).stdout).toContain(sha256(bytes));
  });

  test('in several parts is one model, and its texts cannot drive the terminal', async () => {
    const u32 = (value: number): GgufWriteValue => ({ type: 'u32', value });
    const text = (value: string): GgufWriteValue => ({ type: 'string', value });
    const part = (no: number, more: Readonly<Record<string, GgufWriteValue>>): Uint8Array =>
      encodeGguf({
        metadata: {
          ...more,
          'split.no': { type: 'u16', value: no },
          'split.count': { type: 'u16', value: 2 },
        },
        tensors: [{ name: `t${no}`, dims: [8], data: new Float32Array(8) }],
      });
    const first = part(0, {
      'general.architecture': text('llama'),
      'general.name': text('a\u001b[2Jb'),
      'llama.block_count': u32(1),
      'llama.embedding_length': u32(8),
      'llama.context_length': u32(64),
      'tokenizer.chat_template': text(`one\n\u202etwo\n${'x'.repeat(300)}\n4\n5\n6\n7`),
    });
    const second = part(1, {});
    const folder = temporaryFolder();
    const path = join(folder, 'm-00001-of-00002.gguf');
    writeFileSync(path, first);
    writeFileSync(join(folder, 'm-00002-of-00002.gguf'), second);
    const { stdout, code } = await inspect(path, '--hash');
    expect(code).toBe(0);
    expect(controls(stdout)).toEqual([]);
    expect(stdout).toContain('a<U+001B>[2Jb');
    expect(words(stdout)).toContain('in 2 parts parts m-00001-of-00002.gguf m-00002-of-00002.gguf');
    expect(stdout).toContain(sha256(Buffer.concat([first, second])));
    expect(stdout).toContain('  │ <U+202E>two\n');
    expect(stdout).toContain('--json has all of it');
    expect(stdout).not.toContain('│ 7');
  });

  test('in a slow format says so', async () => {
    expect(slowFormatNote('Q4_1', 'x64')).toMatch(/Q4_1 has no repacked kernel on x64 .*Q4_0/);
    expect(slowFormatNote('Q8_0', 'x64')).toContain('Q8_0');
    for (const [format, arch] of [
      ['Q4_0', 'x64'],
      ['Q8_0', 'arm64'],
      ['F16', 'x64'],
      ['Q4_1', 'loong64'],
      [null, 'x64'],
    ] as const) {
      expect(slowFormatNote(format, arch)).toBeNull();
    }
    const model = shared('models', 'SmolLM2-135M-Instruct-Q4_1.gguf');
    if (model === null)
      return skipNote('the facts of a real model', 'models/SmolLM2-135M-Instruct-Q4_1.gguf');
    const { stdout } = await inspect(model);
    expect(words(stdout)).toContain(
      'formats Q4_1 78.9 % of the parameters, 210 tensors, 66.4 MB Q8_0 21.0 %',
    );
    expect(words(stdout)).toContain('layers 30 width 576 vocabulary 49,152 tokens');
    if (['x64', 'arm64'].includes(process.arch)) expect(stdout).toContain('Q4_1 has no repacked kernel');
    expect(stdout).toContain("  │ {% for message in messages %}{% if loop.first and messages[0]['role']");
  });

  test('that is none, or is not there, is a typed error', async () => {
    const folder = temporaryFolder();
    const corpus = writeCorpus(folder);
    const cases = [
      [[corpus], 'GGUF_INVALID', 1],
      [[join(folder, 'nothing')], 'MODEL_NOT_FOUND', 1],
      [[join(corpus, 'below')], 'IO|MODEL_NOT_FOUND', 1],
      [[folder], 'RUN_NOT_FOUND', 1],
      [[DEMO, '--sample', 'x'], 'USAGE', 2],
      [[folder, '--hash'], 'USAGE', 2],
    ] as const;
    for (const [args, expected, exit] of cases) {
      const { stdout, stderr, code } = await inspect(...args);
      expect({ args, stdout, code }).toEqual({ args, stdout: '', code: exit });
      expect(stderr).toMatch(new RegExp(`^plumbline: (${expected}): `));
    }
  });
});

describe('a run', () => {
  test('is shown with its plan, its rows and what was measured', async () => {
    const folder = temporaryFolder();
    const dir = join(folder, 'run');
    await makeRun({
      dir,
      corpus: writeCorpus(folder),
      leaveOut: row => row.domain === 'lab_safety' && row.condition === 'swap',
    });
    const before = await inspect(dir);
    expect(before).toMatchObject({ code: 0, stderr: '' });
    expect(before.stdout).not.toContain('Counted and timed');
    writeFileSync(
      join(dir, 'facts.json'),
      JSON.stringify({
        counters: { tokens: 12345, decodeMs: 1.5 },
        split: { rate: null },
        later: ['\u001b[2J'],
      }),
    );
    const { stdout } = await inspect(dir);
    const text = words(stdout);
    expect(text).toContain('subject judge.gguf');
    expect(text).toContain('corpus jsonl small.jsonl samples 12 conditions baseline, delete');
    expect(text).toContain('exactness exact: 4,096 numbers of 12 prompts equal, bit for bit');
    expect(text).toContain(`incomplete: ${dir} planned rows 60`);
    expect(text).toContain('swap 6 6 6 0 0 0');
    expect(text).toContain('placebo 12 3 3 9 0 0');
    expect(text).toContain('counters.tokens 12,345 counters.decodeMs 1.5 later.0 <U+001B>[2J');
    expect(JSON.parse((await inspect(dir, '--json')).stdout)).toMatchObject({
      kind: 'run',
      manifest: { seed: 7 },
      verification: { state: 'incomplete' },
      measured: { counters: { tokens: 12345 } },
    });
  });

  test('that is damaged, and one whose facts are, is shown as far as it goes', async () => {
    const folder = temporaryFolder();
    const dir = join(folder, 'run');
    await makeRun({
      dir,
      corpus: writeCorpus(folder),
      manifest: { model: null, engine: null, batchPlan: null },
    });
    writeFileSync(join(dir, 'facts.json'), '{');
    writeFileSync(join(dir, 'readings.arrows'), 'short');
    const { stdout, code } = await inspect(dir);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^damaged: /m);
    const json = await inspect(dir, '--json');
    expect(json.code).toBe(4);
    expect(JSON.parse(json.stdout).verification.state).toBe('damaged');
    expect(stdout).not.toMatch(/Rows that are there|Counted and timed/);
  });
});

test('the program shows a file, and its help ends in an example', () => {
  const { stdout, stderr, code } = runProgram('inspect', DEMO);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).not.toContain('\u001b');
  expect(runProgram('inspect', '--help').stdout).toMatch(/Example:\n {2}plumbline inspect [^\n]*\n$/);
});
