import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/api/analyze-run.js';
import { analyzeCommand } from '../../src/cli/analyze.js';
import { temporaryFolder } from '../run/folder.js';
import { manifest } from '../run/rows.js';
import { type Outcome, runCommand, runProgram } from './command.js';
import { makeRun, type RunOptions, writeCorpus } from './run.js';

async function run(
  more: Partial<RunOptions> = {},
): Promise<{ readonly dir: string; readonly corpus: string }> {
  const folder = temporaryFolder();
  const at = { dir: join(folder, 'run'), corpus: writeCorpus(folder) };
  await makeRun({ ...at, ...more });
  return at;
}

const analyze = (...args: readonly string[]): Promise<Outcome> => runCommand(analyzeCommand(), ...args);
const words = (text: string): string => text.replace(/\s+/g, ' ');
const summaryIn = (dir: string): RunSummary =>
  JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as RunSummary;

describe('the tables', () => {
  test('open with what was audited, and hold the flips that the rows hold', async () => {
    const { dir } = await run();
    const { stdout, stderr, code } = await analyze(dir);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Rule dependence of judge\.gguf\n/);
    expect(stdout).toContain('corpus jsonl small.jsonl: 12 samples');
    expect(stdout).not.toContain('Not complete');
    // The judge says compliant without a rule: the six non-compliant samples flip, and no other row does.
    expect(words(stdout)).toContain('delete 6/12 .500');
    expect(words(stdout)).toContain('swap 0/12 .000');
    expect(words(stdout)).toContain('placebo 0/3 .000');
  });

  test('are led by the reader that is asked for', async () => {
    const { dir } = await run({
      change: row => ({ ...row, verdictLogit: row.condition === 'baseline' ? row.verdictLogit : 1 }),
    });
    const { stdout, code } = await analyze(dir, '--reader', 'logit', '--no-floor');
    expect(code).toBe(0);
    expect(words(stdout)).toContain('swap 6/12 .500');
    expect(await analyze(dir, '--reader', 'guess')).toMatchObject({ code: 2, stdout: '' });
  });

  test('hold the floor when the corpus is at hand, and a note when it is not', async () => {
    const { dir, corpus } = await run();
    expect((await analyze(dir)).stdout).toContain('lexical floor');
    expect(summaryIn(dir).lexicalFloor).not.toBeNull();
    expect(summaryIn(dir).floorMissing).toBeNull();
    const off = await analyze(dir, '--no-floor');
    expect(off).toMatchObject({ stderr: '', code: 0 });
    expect(off.stdout).not.toContain('lexical floor');

    writeFileSync(corpus, `${readFileSync(corpus, 'utf8')}\n`);
    const changed = await analyze(dir);
    expect(changed.stderr).toMatch(/^lexical floor left out: .*small\.jsonl is not what it was[^\n]*\n$/);
    // Where the floor would stand, the table says why it does not.
    expect(changed.stdout).toMatch(/lexical floor, which never sees the rule +– +–$/m);
    expect(changed.stdout).toContain('No lexical floor: the corpus is not at hand');
    expect(summaryIn(dir).floorMissing).toContain('is not what it was');
    for (const gone of [corpus, join(dir, 'local.json')]) {
      rmSync(gone);
      const { stderr, code } = await analyze(dir);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^lexical floor left out: [^\n]*\n$/);
    }
  });

  test('name a subject that needs no model', async () => {
    const more = { model: null, engine: null, batchPlan: null, options: { subject: 'lexical' } };
    const { dir } = await run({ manifest: more });
    const { stdout, code } = await analyze(dir);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Rule dependence of lexical\n/);
    expect(stdout).toContain('Exactness not measured');
  });
});

describe('the files', () => {
  test('summary.json is what --json prints', async () => {
    const { dir } = await run();
    const { stdout } = await analyze(dir, '--json');
    expect(stdout).toBe(readFileSync(join(dir, 'summary.json'), 'utf8'));
    // The file is made to be shared: no folder of this machine is in it.
    expect(stdout).not.toContain(dir);
    expect(JSON.parse(stdout)).toMatchObject({
      samples: 12,
      coverage: { plannedRows: 60, missingRows: 0, errorRows: 0 },
      readers: { text: { reader: 'text' }, logit: { reader: 'logit' } },
    });
  });

  test('derived.arrow has the columns that need two rows, for both readers', async () => {
    const { corpus, dir } = await run({
      change: row => ({ ...row, ics: row.condition === 'swap' ? -1 : 2, verdictLogit: null }),
    });
    expect(corpus).toBeTruthy();
    await analyze(dir);
    const table = tableFromIPC(readFileSync(join(dir, 'derived.arrow')));
    const rows = table.toArray().map(row => ({ ...(row as object) }) as Record<string, unknown>);
    expect(rows).toHaveLength(12 * 4 * 2);
    const [deleted] = rows.filter(
      row => row.condition === 'delete' && row.reader === 'text' && row.flip === 1,
    );
    expect(deleted).toMatchObject({ margin_shift: 2.75, ics_delta: 0, fragile: false });
    expect(deleted?.key).toBe(`${String(deleted?.sample_id)}|delete||||`);
    const of = (condition: string, reader: string) =>
      rows.filter(row => row.condition === condition && row.reader === reader);
    expect(of('delete', 'text').filter(({ flip }) => flip === 1)).toHaveLength(6);
    expect(new Set(of('swap', 'text').map(({ ics_delta }) => ics_delta))).toEqual(new Set([3]));
    expect(new Set(of('delete', 'logit').map(({ flip }) => flip))).toEqual(new Set([null]));
    expect(new Set(of('delete', 'logit').map(({ fragile }) => fragile))).toEqual(new Set([null]));
    expect(of('placebo', 'text').filter(({ flip }) => flip === 0)).toHaveLength(3);
  });

  test('derived.arrow marks fragile pairs of an inexact run', async () => {
    const { batchPlan } = manifest(0);
    const exactness = { kind: 'inexact', tile: 1, prompts: 4, band: 1.3, why: 'unified' } as const;
    const { dir } = await run({ manifest: { batchPlan: batchPlan && { ...batchPlan, exactness } } });
    await analyze(dir, '--no-floor');
    const rows = tableFromIPC(readFileSync(join(dir, 'derived.arrow')))
      .toArray()
      .map(row => ({ ...(row as object) }) as Record<string, unknown>)
      .filter(({ condition, reader }) => condition === 'swap' && reader === 'text');
    // Margins are 1.5 for compliant verdicts and -1.25, inside the band, for the others.
    expect(rows.filter(({ fragile }) => fragile === true)).toHaveLength(6);
    expect(rows.filter(({ fragile }) => fragile === false)).toHaveLength(6);
  });

  test('pyarrow and polars read derived.arrow', async () => {
    const python = process.env.PLUMBLINE_PYTHON ?? 'python3';
    const { dir } = await run();
    await analyze(dir, '--no-floor');
    const readers = {
      pyarrow: 'pyarrow.ipc.open_file(sys.argv[1]).read_all().to_pylist()',
      polars: 'polars.read_ipc(sys.argv[1]).to_dicts()',
    };
    for (const [library, expression] of Object.entries(readers)) {
      const loads = library === 'pyarrow' ? 'import pyarrow.ipc' : 'import polars';
      if (spawnSync(python, ['-c', loads]).status !== 0) {
        console.warn(`skipped: reading derived.arrow with ${library} ($PLUMBLINE_PYTHON has none)`);
        continue;
      }
      const script = `${loads}, sys\nrows = ${expression}\nprint(len(rows), sum(r["flip"] or 0 for r in rows))`;
      const { stdout, stderr } = spawnSync(python, ['-c', script, join(dir, 'derived.arrow')], {
        encoding: 'utf8',
      });
      expect({ library, stdout, stderr }).toEqual({ library, stdout: '96 12\n', stderr: '' });
    }
  });

  test('a run that cannot be written is an error after the tables', async () => {
    const { dir } = await run();
    mkdirSync(join(dir, 'derived.arrow.tmp'));
    const { stdout, stderr, code } = await analyze(dir, '--no-floor');
    expect(code).toBe(1);
    expect(stdout).toContain('Where every row went');
    expect(stderr).toMatch(/^plumbline: IO: cannot create .*derived\.arrow\.tmp/);
  });
});

describe('a run that is not whole', () => {
  test('is analyzed, and says how much is missing', async () => {
    const { dir } = await run({
      leaveOut: row => row.domain === 'lab_safety' && row.condition === 'swap',
      change: row => (row.condition === 'negate' && row.applicable ? { ...row, errorCode: 'DECODE' } : row),
    });
    const { stdout, code } = await analyze(dir);
    expect(code).toBe(0);
    expect(words(stdout)).toMatch(
      /^Not complete: 6 of 60 planned rows are missing and [1-9] hold an error\./,
    );
    const { coverage } = summaryIn(dir);
    expect(coverage).toMatchObject({ plannedRows: 60, missingRows: 6 });
    expect(words(stdout)).toContain(`and ${coverage.errorRows} hold an error`);
  });

  test('without any row is RUN_INCOMPLETE', async () => {
    const { dir } = await run({ leaveOut: () => true });
    const { stdout, stderr, code } = await analyze(dir);
    expect({ stdout, code }).toEqual({ stdout: '', code: 3 });
    expect(stderr).toContain('RUN_INCOMPLETE');
  });

  test('with damaged bytes is RUN_DAMAGED, and nothing is written', async () => {
    const { dir } = await run();
    const file = join(dir, 'readings.arrows');
    const bytes = readFileSync(file);
    bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const { stdout, stderr, code } = await analyze(dir);
    expect({ stdout, code }).toEqual({ stdout: '', code: 4 });
    expect(stderr).toContain('RUN_DAMAGED');
    expect(() => readFileSync(join(dir, 'summary.json'))).toThrow();
  });

  test('is no run', async () => {
    const { stderr, code } = await analyze(temporaryFolder());
    expect(code).toBe(1);
    expect(stderr).toContain('RUN_NOT_FOUND');
  });
});

describe('partitions', () => {
  test('are written, and shown on another run', async () => {
    const first = await run();
    const file = join(temporaryFolder(), 'groups.json');
    expect(await analyze(first.dir, '--write-partition', file)).toMatchObject({ code: 0, stderr: '' });
    const groups = JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly string[]>;
    expect(groups).toMatchObject({ reader: 'text', source: { subject: 'judge.gguf' } });
    expect(groups.LOW).toHaveLength(6);
    expect(groups.neither).toHaveLength(6);

    const second = await run({ every: 16 });
    const { stdout, code } = await analyze(second.dir, '--partition', file);
    expect(code).toBe(0);
    expect(words(stdout)).toContain(
      'Groups fixed on judge.gguf (text reader). 6 of its samples are not in this run',
    );
    expect(summaryIn(second.dir).partition).toMatchObject({ absent: 6, outside: 0 });
  });

  test('are not made of a run with rows missing', async () => {
    const { dir } = await run({ leaveOut: row => row.condition === 'swap' });
    const file = join(temporaryFolder(), 'groups.json');
    const { stderr, code } = await analyze(dir, '--write-partition', file);
    expect(code).toBe(3);
    expect(stderr).toContain('12 of 60 planned rows');
    expect(() => readFileSync(file)).toThrow();
  });

  test('must be readable and be one', async () => {
    const { dir, corpus } = await run();
    for (const file of [join(dir, 'nowhere.json'), dir, corpus]) {
      const { stdout, stderr, code } = await analyze(dir, '--partition', file);
      expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
      expect(stderr).toContain('PARTITION_INVALID');
    }
  });
});

test('the program prints no escape into a pipe, and its help ends in an example', async () => {
  const { dir } = await run();
  const { stdout, stderr, code } = runProgram('analyze', dir);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('Does the verdict depend on the rule?');
  const help = runProgram('analyze', '--help');
  expect(help).toMatchObject({ stderr: '', code: 0 });
  expect(help.stdout).toMatch(
    /Examples:\n {2}plumbline analyze run\/[^\n]*\n {2}plumbline analyze [^\n]*\n$/,
  );
});
