import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/errors.js';
import { readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import { vocabulary } from '../engine/vocabularies.js';
import { DEMO_CORPUS, DEMO_MODEL, randomEncoder } from '../models/fixtures.js';
import type { Outcome } from './command.js';
import { keptFolder } from './folder.js';
import { program, startProgram } from './program.js';

const folder = keptFolder();
afterAll(folder.remove);

let made = 0;
const fresh = (name = 'thing'): string => join(folder.path, `${made++}-${name}`);
const written = (name: string, content: string | Uint8Array): string => {
  const file = fresh(name);
  writeFileSync(file, content);
  return file;
};
const POISON = pathToFileURL(fileURLToPath(new URL('../engine/poison.mjs', import.meta.url))).href;
const DEMO = readFileSync(DEMO_MODEL);

/** An audit of one demo case in each domain; later options override earlier ones. */
function audit(...more: readonly string[]): Promise<Outcome> {
  const engine = ['--gpu', 'off', '--workers', '1', '--threads', '1'];
  return program('audit', '--model', DEMO_MODEL, '--corpus', 'demo', '--per-domain', '1', ...engine, ...more);
}

const EXITS: Readonly<Partial<Record<ErrorCode, number>>> = { USAGE: 2, RUN_INCOMPLETE: 3, RUN_DAMAGED: 4 };

/** A typed error as the last words, the exit code of its kind, no data, no stack. */
function expectError(
  { stdout, stderr, code }: Outcome,
  wanted: ErrorCode,
  ...words: readonly string[]
): void {
  expect(ERROR_CODES).toContain(wanted);
  expect(stderr).toContain(`plumbline: ${wanted}: `);
  expect(code, stderr).toBe(EXITS[wanted] ?? 1);
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
  expect(stderr).not.toContain('internal error');
  for (const word of words) expect(stderr).toContain(word);
}

/** As {@link expectError}, and that nothing was left that looks like a run. */
async function refused(
  more: readonly string[],
  wanted: ErrorCode,
  ...words: readonly string[]
): Promise<void> {
  const dir = fresh('run');
  expectError(await audit('--out', dir, ...more), wanted, ...words);
  expect(existsSync(dir)).toBe(false);
}

describe('models', () => {
  const cut = (bytes: number): string => written('cut.gguf', DEMO.subarray(0, bytes));

  test.each([0, 3, 20, 5000, 40_000, DEMO.length - 100])('truncated to %i bytes', async bytes => {
    const file = cut(bytes);
    await refused(['--model', file], 'GGUF_INVALID', file);
  });

  test('random bytes, a text file, a folder, nothing', async () => {
    const noise = Uint8Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 3) * 31) & 255);
    await refused(['--model', written('noise.gguf', noise)], 'GGUF_INVALID', 'noise.gguf');
    await refused(['--model', DEMO_CORPUS], 'GGUF_INVALID', 'demo-corpus.jsonl');
    await refused(['--model', folder.path], 'MODEL_NOT_FOUND');
    await refused(['--model', join(folder.path, 'no.gguf')], 'MODEL_NOT_FOUND', 'no.gguf');
  });

  test('doctored counts and sizes', async () => {
    const doctor = (at: number, value: bigint): string => {
      const bytes = Buffer.from(DEMO);
      bytes.writeBigUInt64LE(value, at);
      return written('doctored.gguf', bytes);
    };
    await refused(['--model', doctor(8, 1n << 60n)], 'GGUF_INVALID', 'doctored.gguf');
    await refused(['--model', doctor(16, 1n << 40n)], 'GGUF_INVALID', 'doctored.gguf');
    await refused(['--model', doctor(24, 1n << 62n)], 'GGUF_INVALID', 'doctored.gguf');
  });

  test('doctored where only llama.cpp sees it: what it refuses or dies of is a typed error', async () => {
    const bytes = Buffer.from(DEMO);
    const name = Buffer.from('blk.0.attn_q.weight');
    const at = bytes.indexOf(name);
    expect(at).toBeGreaterThan(0);
    bytes.write('blk.0.attn_Q.weight', at);
    const dir = fresh('run');
    const outcome = await audit('--model', written('renamed.gguf', bytes), '--out', dir);
    expectError(outcome, 'MODEL_LOAD', 'renamed.gguf');
    expect(existsSync(dir)).toBe(false);
  });

  test('an encoder and a vocabulary are no judges', async () => {
    await refused(['--model', await randomEncoder()], 'MODEL_UNSUPPORTED');
    await refused(['--model', vocabulary('llama-bpe')], 'MODEL_UNSUPPORTED', 'no weights');
  });

  test('no chat template', async () => {
    const profile = written(
      'chat.json',
      JSON.stringify({
        name: 'chat',
        parts: [{ field: 'rule' }, { field: 'scenario' }],
        labels: { compliant: 'yes', nonCompliant: 'no' },
        reader: { kind: 'words', compliant: ['yes'], nonCompliant: ['no'] },
        chat: 'model',
      }),
    );
    await refused(['--profile', profile], 'NO_CHAT_TEMPLATE');
  });

  test('a GPU that is not here', async () => {
    const { code, stderr } = await audit('--gpu', 'metal', '--out', fresh('run'));
    if (process.platform === 'darwin') return;
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toMatch(/^plumbline: LIBRARY_NOT_FOUND: --gpu metal: .*Use --gpu auto or --gpu off/m);
  });
});

describe('corpora', () => {
  const CASE = { domain: 'd', rule: 'Staff must knock.', scenario: 'Ana knocked.', label: 'compliant' };
  const line = (more: object = {}): string => JSON.stringify({ ...CASE, ...more });

  test('a line of broken JSON is named', async () => {
    const file = written('cases.jsonl', `${line()}\n${line()}\n{"domain": "d", "rule"\n`);
    await refused(['--corpus', `jsonl:${file}`], 'CORPUS_FORMAT', `${file}:3`);
  });

  test('a file, a folder and a format that are not there', async () => {
    await refused(['--corpus', `jsonl:${join(folder.path, 'no.jsonl')}`], 'CORPUS_NOT_FOUND', 'no.jsonl');
    await refused(['--corpus', `omnicompliance:${join(folder.path, 'no')}`], 'CORPUS_NOT_FOUND');
    await refused(['--corpus', 'xml:a.xml'], 'USAGE', 'xml:a.xml');
    await refused(['--corpus', `jsonl:${written('empty.jsonl', '')}`], 'CORPUS_EMPTY');
  });

  test('unknown domains and samples, with the closest names', async () => {
    await refused(['--domains', 'lab_saftey'], 'UNKNOWN_DOMAIN', '"lab_saftey"; it has lab_safety,');
    const ids = written('ids.txt', 'building_access/demo#0\nlab_safety/demo#999999\n');
    await refused(['--ids', ids], 'UNKNOWN_SAMPLE', `${ids}:2`);
  });

  test('unknown labels are reported and skipped, the rest is audited', async () => {
    const file = written(
      'cases.jsonl',
      [line(), line({ label: 'maybe' }), line({ rule: 'Other.' })].join('\n'),
    );
    const dir = fresh('run');
    const { code, stderr } = await audit('--corpus', `jsonl:${file}`, '--per-domain', 'all', '--out', dir);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('1 unknown-label');
    expect(new Set(readReadings(dir).map(row => row.sampleId)).size).toBe(2);
    const plan = await audit('--corpus', `jsonl:${file}`, '--per-domain', 'all', '--dry-run', '--json');
    expect(JSON.parse(plan.stdout)).toMatchObject({
      issues: [{ kind: 'unknown-label', at: 2, unit: 'line', skipped: true }],
    });
  });

  test('a prompt that does not fit is a row that says so; the rest runs', async () => {
    const scenario = 'Ana knocked and waited, and then she knocked again. '.repeat(60);
    const file = written('cases.jsonl', [line({ scenario }), line({ rule: 'Other.' })].join('\n'));
    const dir = fresh('run');
    const run = await audit('--corpus', `jsonl:${file}`, '--per-domain', 'all', '--ctx', '300', '--out', dir);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain('prompts are longer than 300 tokens: their rows say PROMPT_TOO_LONG');
    expect(run.stderr).toContain('did not fit (PROMPT_TOO_LONG)');
    expect(run.stderr).not.toContain('--resume');
    const rows = readReadings(dir).filter(row => row.applicable);
    const long = rows.filter(row => row.errorCode === 'PROMPT_TOO_LONG');
    expect(new Set(long.map(row => row.sampleId)).size).toBe(1);
    for (const row of long) expect(row).toMatchObject({ margin: null, generated: null });
    expect(long[0]?.nTokens).toBeGreaterThan(300);
    expect(rows.filter(row => row.errorCode === null && row.margin !== null).length).toBe(
      rows.length - long.length,
    );
    expect(long.length).toBeLessThan(rows.length);
    // No resume can mend it, so the run is as complete as it can be.
    expect(verifyRun(dir)).toMatchObject({ state: 'complete', exitCode: 0 });
    const before = readFileSync(join(dir, 'readings.arrows'));
    expect((await program('audit', '--resume', dir)).stderr).toContain('nothing left to do');
    expect(readFileSync(join(dir, 'readings.arrows'))).toEqual(before);
    await refused(['--ctx', '3'], 'PROMPT_TOO_LONG', 'Give a larger --ctx');
  });
});

describe('options', () => {
  test.each([
    ['--workers', '-1'],
    ['--workers', '0'],
    ['--workers', '100000'],
    ['--threads', '0'],
    ['--threads', '1e3'],
    ['--threads', '99999'],
    ['--ctx', '-5'],
    ['--ctx', '0'],
    ['--gpu-layers', '-3'],
    ['--per-domain', '0'],
    ['--per-domain', '2.5'],
    ['--per-domain', '99999999999999999999'],
    ['--seed', 'abc'],
    ['--seed', '1e400'],
    ['--placebo', '-2'],
    ['--gpu', 'abacus'],
    ['--schedule', 'fast'],
    ['--conditions', 'delete,negate'],
    ['--conditions', 'baseline,invert'],
    ['--domains', 'lab_safety,,gdpr'],
    ['--no-such-option', '1'],
  ])('%s %s', async (name, value) => {
    const dir = fresh('run');
    const { code, stdout, stderr } = await audit('--out', dir, name, value);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^error: /);
    expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(dir)).toBe(false);
  });

  test('what has to be named', async () => {
    const dir = fresh('run');
    expectError(await program('audit', '--corpus', 'demo', '--out', dir), 'USAGE', '--model FILE.gguf');
    expectError(await program('audit', '--model', DEMO_MODEL, '--out', dir), 'USAGE', '--corpus');
    expectError(await program('audit', '--model', DEMO_MODEL, '--corpus', 'demo'), 'USAGE', '--out DIR');
    expect(existsSync(dir)).toBe(false);
  });

  test('wrong profile and column map files', async () => {
    const file = written('profile.json', '{"name": "x", "parts": []}');
    await refused(['--profile', file], 'PROFILE_INVALID', 'profile.json');
    await refused(['--profile', 'standrad'], 'PROFILE_INVALID', 'standrad');
    await refused(['--columns', written('map.json', '{"columns": {"rul": "x"}}')], 'USAGE', 'map.json');
    await refused(['--columns', written('map.json', '{}')], 'USAGE', 'only jsonl');
  });
});

describe('output folders', () => {
  test('that cannot be made', async () => {
    const file = written('file', 'x');
    expectError(await audit('--out', join(file, 'run')), 'IO', file, 'choose another folder');
    expect(readFileSync(file, 'utf8')).toBe('x');
    if (process.platform === 'linux')
      expectError(await audit('--out', '/proc/plumbline'), 'IO', '/proc/plumbline');
  });

  test('that hold something already', async () => {
    const dir = fresh('run');
    expect((await audit('--out', dir)).code).toBe(0);
    const before = readFileSync(join(dir, 'readings.arrows'));
    expectError(await audit('--out', dir), 'RUN_EXISTS', `--resume ${dir}`);
    expect(readFileSync(join(dir, 'readings.arrows')).equals(before)).toBe(true);
    const other = fresh('other');
    mkdirSync(other);
    writeFileSync(join(other, 'thesis.txt'), 'mine');
    expectError(await audit('--out', other), 'RUN_EXISTS', 'choose another --out');
    expect(readdirSync(other)).toEqual(['thesis.txt']);
  });

  const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const args = [
    '--model',
    DEMO_MODEL,
    '--corpus',
    'demo',
    '--per-domain',
    '12',
    '--workers',
    '2',
    '--threads',
    '1',
  ];

  /** An audit of 96 samples under a shell command that comes first. */
  function limited(before: string, dir: string): Outcome {
    const command = `${before}exec "$0" "$@"`;
    const node = [process.execPath, MAIN, 'audit', ...args, '--gpu', 'off', '--out', dir];
    const { stdout, stderr, status } = spawnSync('sh', ['-c', command, ...node], { encoding: 'utf8' });
    return { stdout, stderr, code: status ?? -1 };
  }

  async function resumes(dir: string): Promise<void> {
    expect(verifyRun(dir)).toMatchObject({ state: 'incomplete', exitCode: 3 });
    expect(readdirSync(dir)).not.toContain('run.lock');
    const { code, stderr } = await program('audit', '--resume', dir);
    expect(code, stderr).toBe(0);
    expect(verifyRun(dir).state).toBe('complete');
  }

  test.skipIf(process.platform === 'win32')(
    'a file that may not grow on: what was written is valid',
    async () => {
      const dir = fresh('run');
      // Blocks of 512 bytes in a POSIX shell, of 1,024 in some: either is less than the readings need.
      expectError(limited('ulimit -f 60; ', dir), 'IO', 'readings.arrows', '--resume');
      await resumes(dir);
    },
  );

  test('a full disk: what was written is valid, and once there is room, --resume completes it', async () => {
    const disk = fresh('disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100k', 'none', disk]).status === 0;
    if (!mounted) {
      console.warn('skipped: a full disk (needs the right to mount a tmpfs)');
      return;
    }
    try {
      const dir = join(disk, 'run');
      expectError(limited('', dir), 'IO', 'free some space');
      expect(spawnSync('mount', ['-o', 'remount,size=4m', disk]).status).toBe(0);
      await resumes(dir);
      expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
      expectError(await audit('--out', join(disk, 'other')), 'IO', 'writable file system');
    } finally {
      spawnSync('umount', ['-l', disk]);
    }
  });
});

describe('--resume', () => {
  let dir = '';
  let model = '';
  let corpus = '';

  /** An incomplete run whose model and corpus are copies. */
  beforeAll(async () => {
    dir = fresh('run');
    model = fresh('judge.gguf');
    corpus = fresh('cases.jsonl');
    copyFileSync(DEMO_MODEL, model);
    copyFileSync(DEMO_CORPUS, corpus);
    // An evaluation that ends its engine process leaves a row to be tried again.
    const run = await startProgram(
      [
        ...['audit', '--model', model, '--corpus', `jsonl:${corpus}`, '--per-domain', '4', '--out', dir],
        ...['--gpu', 'off', '--workers', '1', '--threads', '1'],
      ],
      { NODE_OPTIONS: `--import ${POISON}`, POISON_IDS: '1' },
    ).ended;
    expect(run.code, run.stderr).toBe(0);
    expect(verifyRun(dir).state).toBe('incomplete');
  });

  const unchanged = async (check: () => Promise<void>): Promise<void> => {
    const bytes = () =>
      readdirSync(dir)
        .sort()
        .map(name => [name, readFileSync(join(dir, name)).toString('base64')]);
    const before = bytes();
    await check();
    expect(bytes()).toEqual(before);
  };

  test('takes no other option', async () => {
    await unchanged(async () => {
      for (const more of [['--ctx', '500'], ['--out', 'x'], ['--workers', '1'], ['--dry-run']]) {
        const name = (more[0] as string).slice(2);
        expectError(
          await program('audit', '--resume', dir, ...more),
          'USAGE',
          name === 'dry-run' ? 'dry' : name,
        );
      }
    });
  });

  test('no run there', async () => {
    expectError(await program('audit', '--resume', join(folder.path, 'nowhere')), 'RUN_NOT_FOUND', 'nowhere');
    expectError(await program('audit', '--resume', DEMO_CORPUS), 'IO', 'demo-corpus.jsonl');
  });

  test('another model in the place of the old one', async () => {
    const bytes = Buffer.from(DEMO);
    bytes[bytes.length - 7] = (bytes[bytes.length - 7] ?? 0) ^ 1;
    writeFileSync(model, bytes);
    await unchanged(async () => {
      expectError(await program('audit', '--resume', dir), 'RUN_MISMATCH', 'model.sha256: the run has', dir);
    });
    copyFileSync(DEMO_MODEL, model);
  });

  test('another corpus in the place of the old one', async () => {
    const text = readFileSync(DEMO_CORPUS, 'utf8');
    writeFileSync(corpus, text.replace('badge', 'bagde'));
    await unchanged(async () => {
      expectError(await program('audit', '--resume', dir), 'RUN_MISMATCH', 'corpus.files', 'cases.jsonl');
    });
    writeFileSync(corpus, text);
  });

  test('model or corpus gone', async () => {
    const local = JSON.parse(readFileSync(join(dir, 'local.json'), 'utf8')) as Record<string, unknown>;
    const point = (more: object): void =>
      writeFileSync(join(dir, 'local.json'), JSON.stringify({ ...local, ...more }));
    point({ modelPath: join(folder.path, 'gone.gguf') });
    expectError(await program('audit', '--resume', dir), 'MODEL_NOT_FOUND', 'gone.gguf');
    point({ corpusPath: join(folder.path, 'gone.jsonl') });
    expectError(await program('audit', '--resume', dir), 'CORPUS_NOT_FOUND', 'gone.jsonl');
    point({});
  });

  test('from another folder, with everything as it was: goes on', async () => {
    const again = await program('audit', '--resume', dir, '--json');
    expect(again.code, again.stderr).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ alreadyComplete: false });
  });
});
