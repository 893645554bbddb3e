import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_JUDGES, type Demo, freeDemoFolder } from '../../src/api/demo.js';
import { type AnalyzeOptions, analyzeReadings } from '../../src/audit/analyze.js';
import type { Summary } from '../../src/audit/analyze-types.js';
import { type RuleUse, ruleUse } from '../../src/audit/rule-use.js';
import { demoText, sentence } from '../../src/report/demo-text.js';
import { nodeFiles } from '../../src/run/files.js';
import { readManifest } from '../../src/run/manifest.js';
import { readControls, readReadings } from '../../src/run/reader.js';
import type { Reading, VectorRow } from '../../src/run/types.js';
import { verifyRun } from '../../src/run/verify.js';
import { blocks, page } from '../docs/markdown.js';
import type { Outcome } from './command.js';
import { keptFolder } from './folder.js';
import { program, startProgram } from './program.js';

const folder = keptFolder();
afterAll(folder.remove);
const dir = join(folder.path, 'demo');
let outcome: Outcome;
/** Single figures may differ on another processor; words and layout may not. */
const shape = (text: string): readonly string[] =>
  text.split('\n').map(line => line.replace(/\d/g, '0').trimEnd());

beforeAll(async () => {
  outcome = await program('demo', '--out', dir);
}, 600_000);

describe('demo', () => {
  it('opens with equal accuracy and three truths, in 80 columns without an escape', () => {
    const { code, stdout, stderr } = outcome;
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n')[0]).toBe(' Three judges: equal accuracy, three truths');
    expect(stdout).not.toContain('\x1b');
    // Lines with the path of a folder, and the proof.
    const free = [basename(folder.path), 'exact: '];
    const wide = `${stdout}${stderr}`
      .split('\n')
      .filter(line => line.length > 80 && !free.some(text => line.includes(text)));
    expect(wide).toEqual([]);
    const lines = stdout.split('\n').slice(0, 20).join('\n');
    expect(lines).toMatch(/^ reader +Reads its rule/m);
    expect(lines).toMatch(/^ shortcut +Never looked: answers the wording of the scenario/m);
    expect(lines).toMatch(/^ suppressed +Computes what the rule says at block 3, then ignores it/m);
    expect(stdout).toMatch(
      /^ accuracy, crossed corpus +█+·* +\.9\d\d +█{5}·{5} +\.\d{3} +█{5}·{5} +\.\d{3}$/m,
    );
  });

  it('prints what the README shows, and the proof that docs/exactness.md shows', () => {
    const printed = new Set(shape(outcome.stdout));
    const [excerpt = ''] = blocks(page('README.md'), 'text');
    const told = shape(excerpt).filter(line => line !== '' && !line.endsWith('…'));
    expect(told.length).toBeGreaterThan(15);
    expect(told.filter(line => !printed.has(line))).toEqual([]);
    const [proof = ''] = /exact: .* floats .*/.exec(outcome.stderr) ?? [];
    expect(shape(page('docs/exactness.md').text).join('\n')).toContain(shape(proof).join());
  });

  it('leaves six complete runs and a page, and names what comes next', async () => {
    const { stderr } = outcome;
    expect(stderr).toContain('exact: ');
    for (const name of DEMO_JUDGES) {
      expect(verifyRun(join(dir, name))).toMatchObject({ state: 'complete' });
      expect(verifyRun(join(dir, `${name}-crossed`))).toMatchObject({ state: 'complete' });
      expect(new Set(readReadings(join(dir, name)).map(row => row.sampleId)).size).toBe(360);
      expect(existsSync(join(dir, name, 'summary.json'))).toBe(true);
    }
    const page = join(dir, 'report.html');
    expect(stderr).toContain(page);
    expect(readFileSync(page, 'utf8')).toContain('suppressed');
    const [, run = '', sample = ''] = /inspect (\S+) --sample (\S+)/.exec(stderr) ?? [];
    const shown = await program('inspect', run, '--sample', sample);
    expect(shown.code, shown.stderr).toBe(0);
  });

  it('never writes into a folder that is in use', async () => {
    expect((await program('demo', '--out', dir)).stderr).toContain('plumbline: RUN_EXISTS: ');
    expect(freeDemoFolder(folder.path)).toBe(join(folder.path, 'plumbline-demo'));
  });

  it('ends with 130 when stopped', async () => {
    const running = startProgram(['demo', '--json', '--out', join(folder.path, 'stopped')]);
    await expect.poll(running.said, { timeout: 60_000 }).toContain('reader: fitting');
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code, stderr).toBe(130);
    expect(stdout).toBe('');
    expect(stderr).toContain('Stopped; nothing was written. Start again with: npx plumbline demo');
    expect(existsSync(join(folder.path, 'stopped'))).toBe(false);
  });
});

/** Rows and projections of a run of the demo, for an instrument that has a fault. */
interface Rows {
  readonly readings: readonly Reading[];
  readonly vectors: readonly VectorRow[];
}
const same = (rows: Rows): Rows => rows;

function summaryOf(run: string, fault: (rows: Rows) => Rows): Summary {
  const { seed, direction, vectors } = readManifest(nodeFiles, run);
  if (direction === null || vectors.controls === null) throw new Error(`${run} has no direction`);
  const rows = fault({ readings: readReadings(run), vectors: [...readControls(run)] });
  const options: AnalyzeOptions = {
    about: { subject: 'judge', corpus: 'corpus', run: null },
    exactness: null,
    seed,
    direction: { ...vectors.controls, anchor: direction.layer, vectors: rows.vectors },
  };
  return analyzeReadings(rows.readings, options);
}

function use(name: string, fault: (rows: Rows) => Rows = same): RuleUse {
  return ruleUse(summaryOf(join(dir, name), fault), summaryOf(join(dir, `${name}-crossed`), fault));
}

const turned = ({ readings, vectors }: Rows): Rows => ({
  readings: readings.map(row => ({ ...row, ics: row.ics === null ? null : -row.ics })),
  vectors: vectors.map(row => ({ ...row, values: row.values.map((value, i) => (i === 0 ? -value : value)) })),
});

const relabelled = ({ readings, vectors }: Rows): Rows => ({
  readings: readings.map(row => ({
    ...row,
    verdictText: row.verdictText === null ? null : row.verdictText === 1 ? 0 : 1,
  })),
  vectors,
});

/** Altered rows that hold what the baseline gave. */
const notAltered = ({ readings, vectors }: Rows): Rows => {
  const baseline = new Map(
    readings.filter(row => row.condition === 'baseline').map(row => [row.sampleId, row]),
  );
  return {
    vectors,
    readings: readings.map(row => ({
      ...row,
      verdictText: row.verdictText === null ? null : (baseline.get(row.sampleId)?.verdictText ?? null),
    })),
  };
};

describe('the sentence of a judge', () => {
  it('is what its rows say', () => {
    expect(DEMO_JUDGES.map(name => use(name).kind)).toEqual([
      'reads',
      'never-looked',
      'computes-and-ignores',
    ]);
  });

  it.each([
    ['reader', 'a direction turned round', turned],
    ['suppressed', 'a direction turned round', turned],
    ['reader', 'labels exchanged', relabelled],
    ['shortcut', 'labels exchanged', relabelled],
    ['suppressed', 'labels exchanged', relabelled],
    ['reader', 'changes that are not applied', notAltered],
  ] as const)('of %s is another one after %s', (name, _fault, fault) => {
    const broken = use(name, fault);
    expect(broken.kind).toBe('unclear');
    expect(sentence(broken)).toMatch(/^Unclear: accuracy /);
  });

  it('does not depend on its name, and the headline counts', () => {
    const judge = (name: string, of: string): Demo['judges'][number] => ({
      name,
      run: '',
      crossedRun: '',
      summary: JSON.parse(readFileSync(join(dir, of, 'summary.json'), 'utf8')),
      use: use(of),
    });
    const text = demoText([judge('reader', 'shortcut'), judge('shortcut', 'shortcut')], { colour: true });
    expect(text).toContain('Two judges: equal accuracy, one truth');
    expect(text).toMatch(/reader.*Never looked/);
    expect(text).toContain('\x1b[');
  });
});
