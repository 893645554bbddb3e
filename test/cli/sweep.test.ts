import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatPartition } from '../../src/audit/partition.js';
import type { SweepAnalysis } from '../../src/audit/sweep-analysis.js';
import { difference } from '../../src/audit/sweep-readings.js';
import { unitVectors } from '../../src/direction/vector.js';
import { writeControlVector } from '../../src/direction/vector-file.js';
import { readGgufHeader } from '../../src/engine/gguf-header.js';
import { readReadings } from '../../src/run/reader.js';
import { verifyRun } from '../../src/run/verify.js';
import { DEMO_CORPUS, DEMO_MODEL } from '../models/fixtures.js';
import { keptFolder } from './folder.js';
import { program, sortedReadings, startProgram } from './program.js';

const folder = keptFolder();
const at = (name: string): string => join(folder.path, name);

/** A direction for every block, three times as long as a unit vector. */
const DIRECTION = at('direction.gguf');
const OTHER = at('other.gguf');
const STEPS = 1 + 2 + 1 + 2 * 2;
const COMMON = ['--direction', DIRECTION, '--alphas', '-8,8', '--random', '2', '--scale', 'unit'];

let runs = 0;

function commandLine(dir: string, more: readonly string[]): readonly string[] {
  const model = [
    '--model',
    DEMO_MODEL,
    '--corpus',
    'demo',
    '--gpu',
    'off',
    '--workers',
    '1',
    '--threads',
    '1',
  ];
  return ['sweep', ...model, ...COMMON, '--out', dir, ...more];
}

async function swept(...more: readonly string[]) {
  const dir = at(`run-${runs++}`);
  const { stdout, stderr, code } = await program(...commandLine(dir, more));
  expect(code, stderr).toBe(0);
  return { dir, stdout, stderr, rows: sortedReadings(dir) };
}

beforeAll(async () => {
  const { nEmbd, nLayer, architecture } = await readGgufHeader(DEMO_MODEL);
  const next = unitVectors(nEmbd, 3, 'sweep-test');
  await writeControlVector(OTHER, {
    layers: new Map(Array.from({ length: nLayer }, (_, layer) => [layer, next()])),
    architecture,
    provenance: null,
  });
  const layers = new Map(
    Array.from({ length: nLayer }, (_, layer) => [layer, next().map(value => 3 * value)]),
  );
  await writeControlVector(DIRECTION, { layers, architecture, provenance: null });
});
afterAll(folder.remove);

describe('a sweep', () => {
  let whole: Awaited<ReturnType<typeof swept>>;
  beforeAll(async () => {
    whole = await swept('--per-domain', '2', '--layers', '1,-1', '--scope', 'both');
  });

  test('is an ordinary, complete run with a row for each step', () => {
    expect(verifyRun(whole.dir)).toMatchObject({ state: 'complete' });
    expect(whole.rows.length).toBe(16 * (1 + 2 * 2 * STEPS));
    for (const row of whole.rows) {
      expect(row).toMatchObject({ condition: 'baseline', errorCode: null });
      const { sampleId, alpha, layer, positionScope, direction } = row;
      expect(row.key).toBe(
        [sampleId, 'baseline', ...[alpha, layer, positionScope, direction].map(part => part ?? '')].join('|'),
      );
      expect(row.kl === null).toBe(alpha === null);
    }
  });

  test('steers by a unit vector, whatever the norm in the file, and tells the share of the residual', () => {
    const manifest = JSON.parse(readFileSync(join(whole.dir, 'manifest.json'), 'utf8')) as {
      readonly direction: { readonly norm: number };
      readonly steering: {
        readonly layers: readonly { layer: number; residualNorm: number; measured: boolean }[];
      };
    };
    expect(manifest.direction.norm).toBeCloseTo(3, 5);
    expect(manifest.steering.layers).toMatchObject([
      { layer: 1, step: 1, measured: true },
      { layer: 3, step: 1, measured: true },
    ]);
    for (const { stepNorm, alpha, residualShare, layer } of whole.rows.filter(row => row.alpha !== null)) {
      const norm = manifest.steering.layers.find(one => one.layer === layer)?.residualNorm ?? 0;
      expect(stepNorm).toBe(Math.abs(alpha ?? 0));
      expect(residualShare).toBe((stepNorm ?? 0) / norm);
    }
    expect(whole.stderr).toContain('measured on these prompts');
  });

  test('alpha 0 is the unsteered row bit for bit, the other alphas move it', () => {
    const plain = new Map(
      readReadings(whole.dir)
        .filter(row => row.alpha === null)
        .map(row => [row.sampleId, row]),
    );
    for (const row of readReadings(whole.dir)) {
      const base = plain.get(row.sampleId);
      if (row.alpha === null || base === undefined) continue;
      if (row.alpha === 0) expect([difference(base, row), row.kl], row.key).toEqual([null, 0]);
      else if (row.alpha !== 1e-4) expect(difference(base, row), row.key).not.toBeNull();
    }
  });

  test('one prompt per decode gives the same rows', async () => {
    const single = await swept(
      '--per-domain',
      '2',
      '--layers',
      '1,-1',
      '--scope',
      'both',
      '--schedule',
      'single',
    );
    expect(single.rows).toEqual(whole.rows);
  });

  test('what it prints fits a terminal; analyze prints it again and writes sweep.json', async () => {
    for (const line of whole.stdout.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(110);
    expect(whole.stdout).not.toContain('\x1b');
    const saved = readFileSync(join(whole.dir, 'sweep.json'), 'utf8');
    const again = await program('analyze', whole.dir);
    expect(again).toMatchObject({ code: 0, stdout: whole.stdout });
    expect(readFileSync(join(whole.dir, 'sweep.json'), 'utf8')).toBe(saved);
    const json = await program('analyze', whole.dir, '--json');
    expect(json.stdout).toBe(saved);
    const { blocks, identity } = JSON.parse(saved) as SweepAnalysis;
    expect(blocks.map(({ scope, layer }) => `${scope} ${layer}`)).toEqual([
      'last 1',
      'last 3',
      'all 1',
      'all 3',
    ]);
    expect(identity).toEqual({ rows: 64, equal: 64, largest: 0 });
    expect(existsSync(join(whole.dir, 'summary.json'))).toBe(false);
  });

  test('says what each scope costs, in the dry run as in the run', async () => {
    const plan = await program(
      ...commandLine(at('never'), [
        '--per-domain',
        '2',
        '--layers',
        '1,-1',
        '--scope',
        'both',
        '--dry-run',
        '--json',
      ]),
    );
    const { cost, rows } = JSON.parse(plan.stdout) as {
      readonly rows: number;
      readonly cost: { readonly unsteered: number; readonly scopes: readonly { readonly tokens: number }[] };
    };
    const facts = JSON.parse(readFileSync(join(whole.dir, 'facts.json'), 'utf8')) as {
      readonly cost: unknown;
      readonly counters: { readonly tokens: number };
    };
    expect(rows).toBe(whole.rows.length);
    expect(cost).toEqual(facts.cost);
    const planned = cost.unsteered + cost.scopes.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(Math.abs(facts.counters.tokens / planned - 1)).toBeLessThan(0.1);
    expect(existsSync(at('never'))).toBe(false);
  });
});

test('a direction of the verdict itself has an effect that random ones of its norm have not', async () => {
  const fitted = at('fitted.gguf');
  const { nLayer } = await readGgufHeader(DEMO_MODEL);
  const model = [
    '--model',
    DEMO_MODEL,
    '--corpus',
    'demo',
    '--gpu',
    'off',
    '--workers',
    '1',
    '--threads',
    '1',
  ];
  const fit = ['--per-domain', '12', '--contrast', 'verdict', '--layers', '-1', '--out', fitted];
  const made = await program('fit', ...model, ...fit);
  expect(made.code, made.stderr).toBe(0);
  const sweep = ['--direction', fitted, '--per-domain', '3', '--alphas', '-0.1,0.1', '--scale', 'residual'];
  const { stdout, stderr } = await swept(...sweep, '--random', '3', '--reader', 'logit', '--json');
  const { blocks, steering } = JSON.parse(stdout) as SweepAnalysis;
  const calls = blocks.flatMap(({ cells }) =>
    cells.filter(cell => cell.call !== null).map(cell => cell.call),
  );
  expect(blocks.map(block => block.layer)).toEqual([nLayer - 1]);
  expect(calls).toEqual(['effect', 'effect']);
  expect(steering.layers).toMatchObject([{ measured: false }]);
  expect(steering.layers[0]?.step).toBe(steering.layers[0]?.residualNorm);
  expect(stderr).toContain('as the direction file tells');
});

describe('kill -9', () => {
  test('40 samples, 5 alphas, 3 layers: resumed, the table of an uninterrupted sweep', async () => {
    const ids = readFileSync(DEMO_CORPUS, 'utf8')
      .trimEnd()
      .split('\n')
      .filter((_, i) => i % 9 === 0)
      .map(line => (JSON.parse(line) as { readonly id: string }).id);
    const named = at('forty.txt');
    writeFileSync(named, ids.slice(0, 40).join('\n'));
    const more = ['--ids', named, '--alphas', '-8,-4,4,8', '--layers', '0,1,2', '--random', '1'];
    const whole = await swept(...more);
    expect(new Set(whole.rows.map(row => row.sampleId)).size).toBe(40);
    const dir = at('killed');
    const { child, ended } = startProgram(commandLine(dir, more));
    const journal = join(dir, 'journal.jsonl');
    const lines = (): number => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length : 0);
    while (lines() < 4 && child.exitCode === null) await setTimeout(5);
    child.kill('SIGKILL');
    expect((await ended).signal).toBe('SIGKILL');
    expect(verifyRun(dir).state).toBe('incomplete');
    expect(verifyRun(dir).details?.goodRows).toBeGreaterThan(0);
    const kept = join(dir, 'direction', 'direction.gguf');
    copyFileSync(OTHER, kept);
    const changed = await program('sweep', '--resume', dir);
    expect(changed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/RUN_MISMATCH(.|\n)*direction\.sha256/),
    });
    copyFileSync(DIRECTION, kept);
    const resumed = await program('sweep', '--resume', dir);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(verifyRun(dir).state).toBe('complete');
    expect(sortedReadings(dir)).toEqual(whole.rows);
    const figures = (text: string): string => text.replaceAll('killed', 'run');
    expect(figures(resumed.stdout)).toBe(figures(whole.stdout));
    const again = await program('sweep', '--resume', dir);
    expect(again.stderr).toContain('is complete');
  });
});

describe('the samples', () => {
  test('of a group of a partition, or those of it that --ids names', async () => {
    const { rows } = await swept('--per-domain', '1', '--layers', '1', '--random', '0');
    const ids = [...new Set(rows.map(row => row.sampleId))].sort();
    const partition = at('partition.json');
    writeFileSync(
      partition,
      formatPartition({
        source: { planHash: 'p', subject: 's' },
        reader: 'text',
        LOW: ids.slice(0, 3),
        HIGH: ids.slice(3, 5),
        neither: ids.slice(5, 6),
        open: [],
      }),
    );
    const samplesOf = async (...more: readonly string[]): Promise<readonly string[]> => {
      const run = await swept('--layers', '1', '--random', '0', '--partition', partition, ...more);
      return [...new Set(run.rows.map(row => row.sampleId))].sort();
    };
    expect(await samplesOf('--group', 'LOW')).toEqual(ids.slice(0, 3));
    expect(await samplesOf()).toEqual(ids.slice(0, 6));
    const named = at('ids.txt');
    writeFileSync(named, `${ids[1]}\n${ids[4]}\n`);
    expect(await samplesOf('--group', 'HIGH', '--ids', named)).toEqual([ids[4]]);
    const drawn = await program(...commandLine(at('x'), ['--partition', partition, '--per-domain', '2']));
    expect(drawn).toMatchObject({ code: 2, stderr: expect.stringContaining('leave --per-domain out') });
  });
});

describe('refusals', () => {
  test.each([
    [['--layers', '9'], 'layer 9'],
    [[], 'does not say which is the anchor'],
    [['--layers', '1', '--scale', 'sd'], '--scale sd'],
    [['--layers', '1', '--group', 'LOW'], '--group needs --partition'],
  ])('%j', async (more, message) => {
    const { code, stderr } = await program(...commandLine(at('refused'), ['--per-domain', '1', ...more]));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(existsSync(at('refused'))).toBe(false);
  });

  test('a direction of another width names both', async () => {
    const narrow = at('narrow.gguf');
    await writeControlVector(narrow, {
      layers: new Map([[1, new Float32Array(7).fill(1)]]),
      architecture: 'llama',
      provenance: null,
    });
    const { code, stderr } = await program(
      ...commandLine(at('refused'), ['--per-domain', '1', '--direction', narrow]),
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/DIRECTION_MISMATCH.* 7 values/);
  });

  test('a sweep is resumed as what it is, and an audit is none', async () => {
    const { dir } = await swept('--per-domain', '1', '--layers', '1', '--random', '0');
    const others = await program('sweep', '--resume', dir, '--alphas', '1');
    expect(others).toMatchObject({ code: 2, stderr: expect.stringContaining('leave out --alphas') });
    const audit = at('audit');
    const made = await program(
      'audit',
      '--model',
      DEMO_MODEL,
      '--corpus',
      'demo',
      '--per-domain',
      '1',
      '--gpu',
      'off',
      '--workers',
      '1',
      '--threads',
      '1',
      '--out',
      audit,
    );
    expect(made.code).toBe(0);
    const wrong = await program('sweep', '--resume', audit);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('is no sweep') });
    expect((await program('analyze', dir, '--write-partition', at('p.json'))).code).toBe(2);
  });
});
