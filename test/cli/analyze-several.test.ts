import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/api/analyze-run.js';
import { runNames } from '../../src/api/analyze-runs.js';
import type { AcrossSummary } from '../../src/audit/across-types.js';
import type { PublishedStudy } from '../../src/audit/published.js';
import { analyzeCommand } from '../../src/cli/analyze.js';
import { readReadings } from '../../src/run/reader.js';
import { temporaryFolder } from '../run/folder.js';
import { controls, type Outcome, runCommand } from './command.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';
import { makeRun, type RunOptions, writeCorpus } from './run.js';

interface Printed {
  readonly summaries: readonly RunSummary[];
  readonly across: AcrossSummary;
  readonly published: PublishedStudy | null;
}

const analyze = (...args: readonly string[]): Promise<Outcome> => runCommand(analyzeCommand(), ...args);
const printed = ({ stdout }: Outcome): Printed => JSON.parse(stdout) as Printed;
const flat = (text: string): string => text.replace(/\s+/g, ' ');

async function makeRuns(
  ...runs: readonly (readonly [name: string, more: Partial<RunOptions>])[]
): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const corpus = writeCorpus(folder);
  for (const [name, more] of runs) await makeRun({ dir: join(folder, name), corpus, ...more });
  return runs.map(([name]) => join(folder, name));
}

describe('names', () => {
  test('are as short as they tell runs apart', () => {
    expect(runNames(['/x/a', '/x/b/'])).toEqual(['a', 'b']);
    expect(runNames(['/x/a', '/y/a', '/y/b'])).toEqual(['x/a', 'y/a', 'b']);
    expect(runNames(['/x/1/a', '/y/1/a', '/x/2/a'])).toEqual(['x/1/a', 'y/1/a', '2/a']);
  });
});

describe('two judges that the reference models are', () => {
  const folder = keptFolder();
  afterAll(folder.remove);
  const at = (...names: readonly string[]): string => join(folder.path, ...names);
  const shipped = (file: string): string => fileURLToPath(new URL(`../../models/${file}`, import.meta.url));
  const audit = async (judge: string, out: string): Promise<void> => {
    const engine = ['--gpu', 'off', '--workers', '1', '--threads', '1'];
    const subject =
      judge === 'lexical'
        ? ['--subject', 'lexical']
        : ['--model', shipped(`reference/${judge}.gguf`), ...engine];
    const corpus = `jsonl:${shipped('reference-confounded.jsonl')}`;
    const { code, stderr } = await program(
      'audit',
      ...subject,
      '--corpus',
      corpus,
      '--per-domain',
      '2',
      '--out',
      out,
    );
    expect(code, stderr).toBe(0);
  };
  beforeAll(async () => {
    for (const judge of ['reader', 'shortcut', 'lexical']) await audit(judge, at('one', judge));
    await audit('reader', at('two', 'reader'));
  });
  const named = (place: string) => ['reader', 'shortcut', 'lexical'].map(judge => at(place, judge));

  test('have equal accuracy and are told apart; the floor stands among them', async () => {
    const { stdout, stderr, code } = await program('analyze', ...named('one'));
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(controls(stdout)).toEqual([]);
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toMatch(/^Rule dependence in 3 runs \(text reader\)\n/);
    expect(flat(stdout)).toContain('lexical: never sees the rule, so its OCS is 0 by construction.');
    const { across } = printed(await analyze(...named('one'), '--json'));
    const rate = (run: string) => across.runs.find(row => row.run === run)?.ocs[1]?.pooled?.all.rate;
    expect(rate('reader')).toBeGreaterThan(0.3);
    expect(rate('shortcut')).toBe(0);
    expect(rate('lexical')).toBe(0);
    expect(across.overRuns.points.map(({ run }) => run)).toEqual(['reader', 'shortcut']);
    expect(across.common).toBeNull();
    expect(across.notes.map(({ kind }) => kind)).toEqual(['rule-blind']);
  });

  test('the overlap is what the rows hold', async () => {
    const { across } = printed(await analyze(...named('one'), '--json'));
    const necessary = (dir: string): ReadonlySet<string> => {
      const rows = readReadings(dir);
      const right = (condition: string, is: boolean) =>
        rows
          .filter(row => row.condition === condition && (row.verdictText === row.label) === is)
          .map(({ sampleId }) => sampleId);
      const wrongWithout = new Set(right('delete', false));
      return new Set(right('baseline', true).filter(id => wrongWithout.has(id)));
    };
    const [reader, shortcut] = named('one').map(necessary);
    const both = [...(reader ?? [])].filter(id => shortcut?.has(id));
    expect(reader?.size).toBeGreaterThan(3);
    expect(across.overlaps[0]).toMatchObject({
      a: 'reader',
      b: 'shortcut',
      samplesBoth: 20,
      subsets: [
        { subset: 'rule-necessary', compared: 20, inA: reader?.size, inB: shortcut?.size, both: both.length },
        {},
        {},
      ],
    });
  });

  test('two runs of one plan give the same bytes', async () => {
    mkdirSync(at('two'), { recursive: true });
    for (const judge of ['shortcut', 'lexical'])
      cpSync(at('one', judge), at('two', judge), { recursive: true });
    expect(readFileSync(at('one', 'reader', 'manifest.json'))).toEqual(
      readFileSync(at('two', 'reader', 'manifest.json')),
    );
    for (const more of [[], ['--json'], ['--compare', 'verdict-without-the-rule']]) {
      const [here, there] = [
        await analyze(...named('one'), ...more),
        await analyze(...named('two'), ...more),
      ];
      expect(there).toEqual(here);
    }
    for (const file of ['summary.json', 'derived.arrow'])
      expect(readFileSync(at('two', 'reader', file))).toEqual(readFileSync(at('one', 'reader', file)));
    const repeated = await analyze(at('one', 'reader'), at('two', 'reader'), '--no-floor');
    expect(flat(repeated.stdout)).toContain('one/reader, two/reader: the same judge under the same plan');
  });
});

describe('several runs', () => {
  test('each get their files, and --json holds them and what is across', async () => {
    const dirs = await makeRuns(['x', {}], ['y', { change: row => ({ ...row, verdictText: 1 }) }]);
    const outcome = await analyze(...dirs, '--json');
    expect(outcome).toMatchObject({ stderr: '', code: 0 });
    const { summaries, across, published } = printed(outcome);
    expect(published).toBeNull();
    expect(across.runs.map(({ run }) => run)).toEqual(['x', 'y']);
    for (const [i, dir] of dirs.entries()) {
      expect(JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8'))).toEqual(summaries[i]);
      expect(existsSync(join(dir, 'derived.arrow'))).toBe(true);
      // Nothing of this machine.
      expect(outcome.stdout).not.toContain(dir);
    }
  });

  test('are all led by the reader that is asked for', async () => {
    const change: RunOptions['change'] = row => ({ ...row, verdictLogit: 1 });
    const dirs = await makeRuns(['x', { change }], ['y', { change }]);
    const { across } = printed(await analyze(...dirs, '--reader', 'logit', '--no-floor', '--json'));
    expect(across.reader).toBe('logit');
    expect(across.runs.map(({ ocs }) => ocs[1]?.pooled?.all.count)).toEqual([0, 0]);
    expect((await analyze(...dirs, '--reader', 'logit')).stdout).toContain('in 2 runs (logit reader)');
  });

  test('on other samples are compared on those that they share', async () => {
    const dirs = await makeRuns(['x', { every: 8 }], ['y', { every: 16 }], ['z', { every: 7 }]);
    const { stdout } = await analyze(...dirs.slice(0, 2), '--no-floor');
    expect(flat(stdout)).toContain('The samples differ (12 in x; 6 in y).');
    expect(stdout).toContain('On the 6 samples that all runs have');
    const { across } = printed(await analyze(...dirs, '--no-floor', '--json'));
    expect(across.overlaps.map(({ samplesBoth }) => samplesBoth)).toEqual([6, 2, 1]);
    expect(across.common?.samples).toBe(1);
  });

  test('say whose note it is, and that rows are missing', async () => {
    const [x = '', y = ''] = await makeRuns(['x', {}], ['y', { leaveOut: row => row.condition === 'swap' }]);
    writeFileSync(join(x, 'local.json'), '{}');
    const { stdout, stderr, code } = await analyze(x, y);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\S*x: lexical floor left out: [^\n]*\n$/);
    expect(flat(stdout)).toContain('Not complete: 12 rows missing and 0 with an error in y.');
  });

  test('one that cannot be read ends all, by its name, before anything is written', async () => {
    const [x = '', empty = ''] = await makeRuns(['x', {}], ['empty', { leaveOut: () => true }]);
    const nothing = await analyze(x, empty);
    expect(nothing).toMatchObject({ stdout: '', code: 3 });
    expect(nothing.stderr).toMatch(/RUN_INCOMPLETE: \S*empty has no row yet/);
    expect(await analyze(x, temporaryFolder())).toMatchObject({ stdout: '', code: 1 });
    expect(existsSync(join(x, 'summary.json'))).toBe(false);
  });

  test('one named twice is USAGE, also through a link', async () => {
    const [x = '', y = ''] = await makeRuns(['x', {}], ['y', {}]);
    const twice = await analyze(x, y, `${x}/`);
    expect(twice).toMatchObject({ stdout: '', code: 2 });
    expect(twice.stderr).toContain('is named twice');
    const link = join(temporaryFolder(), 'link');
    symlinkSync(x, link);
    expect((await analyze(x, link)).stderr).toContain(`${link} is named twice, once as ${x}`);
  });

  test('a sweep among them is USAGE, and so are options of one run', async () => {
    const steering = { scale: 'unit', random: 0, nudge: 0, layers: [] } as const;
    const [x = '', y = '', sweep = ''] = await makeRuns(
      ['x', {}],
      ['y', {}],
      ['s', { manifest: { steering } }],
    );
    const refused = await analyze(x, sweep);
    expect(refused).toMatchObject({ stdout: '', code: 2 });
    expect(refused.stderr).toContain('is a sweep');
    const options = await analyze(x, y, '--partition', 'p.json', '--against', x);
    expect(options).toMatchObject({ stdout: '', code: 2 });
    expect(options.stderr).toContain('leave out --partition, --against');
    expect((await analyze(sweep, '--compare', 'verdict-without-the-rule')).stderr).toContain(
      'leave out --compare',
    );
  });
});

describe('--compare', () => {
  test('sets published numbers below the tables of one run, and into --json', async () => {
    const [x = ''] = await makeRuns(['x', {}]);
    const alone = await analyze(x, '--no-floor');
    const beside = await analyze(x, '--no-floor', '--compare', 'verdict-without-the-rule');
    expect(beside.stdout.startsWith(alone.stdout)).toBe(true);
    const added = beside.stdout.slice(alone.stdout.length);
    expect(added).toContain('Beside published numbers: verdict-without-the-rule');
    expect(flat(added)).toContain('x .000 .500');
    expect(flat(added)).toContain('published: Llama-3.3-70B – .061 .095 .084 .081');
    const { summaries, across, published } = printed(
      await analyze(x, '--no-floor', '--json', '--compare', 'verdict-without-the-rule'),
    );
    expect(summaries).toHaveLength(1);
    expect(across.runs).toHaveLength(1);
    expect(published).toMatchObject({ source: 'arXiv 2610.12313', subjects: { length: 5 } });
    // What is published is in no file of the run.
    expect(readFileSync(join(x, 'summary.json'), 'utf8')).not.toContain('arXiv');
  });

  test('knows its studies', async () => {
    const [x = ''] = await makeRuns(['x', {}]);
    expect(await analyze(x, '--compare', 'something-else')).toMatchObject({ stdout: '', code: 2 });
  });
});
