import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SampleView } from '../../src/api/sample-view.js';
import { inspectCommand } from '../../src/cli/inspect.js';
import type { Case } from '../../src/corpus/types.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { temporaryFolder } from '../run/folder.js';
import { controls, type Outcome, runCommand } from './command.js';
import { makeRun, type RunOptions, writeCorpus } from './run.js';

interface Made {
  readonly dir: string;
  readonly corpus: string;
  readonly samples: readonly Case[];
}

async function run(more: Partial<RunOptions> = {}, cases: readonly object[] = []): Promise<Made> {
  const folder = temporaryFolder();
  const at = { dir: join(folder, 'run'), corpus: writeCorpus(folder, cases) };
  return { ...at, samples: (await makeRun({ ...at, every: 1, ...more })).samples };
}

const show = (dir: string, id: string, ...more: readonly string[]): Promise<Outcome> =>
  runCommand(inspectCommand(), dir, '--sample', id, ...more);
const view = async (dir: string, id: string): Promise<SampleView> =>
  JSON.parse((await show(dir, id, '--json')).stdout) as SampleView;
const words = (text: string): string => text.replace(/│/g, ' ').replace(/\s+/g, ' ');

/** The part of the text that is about one condition. */
function section(stdout: string, condition: string): string {
  const parts = stdout.split('\n\n').filter(part => part.startsWith(condition));
  return parts.length === 1 ? (parts[0] ?? '') : `${parts.length} sections of ${condition}`;
}

const MODAL = /\b(must|shall)\b(?! not)/;
function find(samples: readonly Case[], holds: (item: Case) => boolean): Case {
  const found = samples.find(holds);
  if (found === undefined) throw new Error('the demo corpus has no such case any more');
  return found;
}

describe('a sample', () => {
  test('is shown whole, with the altered words marked', async () => {
    const { dir, samples } = await run();
    const item = find(
      samples,
      ({ rule, label }) => MODAL.test(rule.slice(0, 200)) && rule.length < 300 && label === 0,
    );
    const { stdout, stderr, code } = await show(dir, item.id);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(
      new RegExp(`^Sample ${item.id}\n  domain   ${item.domain}\n  label    non-compliant\n`),
    );
    expect(words(stdout).split(words(item.scenario))).toHaveLength(2);
    expect(words(section(stdout, 'baseline'))).toContain(words(item.rule));
    expect(words(section(stdout, 'baseline'))).toContain('generated " Non-compliant"');
    expect(words(section(stdout, 'negate'))).toMatch(/\b(must|shall) \{\+not \+\}/);
    expect(words(section(stdout, 'negate'))).toContain('text reader non-compliant, unchanged');
    const deleted = words(section(stdout, 'delete'));
    expect(deleted).toContain(`[-${words(item.rule)}-]`);
    expect(deleted).toContain(
      'text reader compliant, FLIPS logit reader compliant, FLIPS margin +1.500, +2.750',
    );
    const other = item.domain === 'lab_safety' ? 'expense_approval' : 'lab_safety';
    expect(section(stdout, 'swap')).toMatch(new RegExp(`^swap: the rule of ${other}\n`));
    expect(section(stdout, 'placebo')).toMatch(
      /^placebo: (the baseline's prompt|not applicable, this sample)/,
    );
    expect(stdout).not.toMatch(/not the one that was evaluated|texts cannot be shown/);
  });

  test('says why a condition does not apply or cannot be seen', async () => {
    const { dir, samples } = await run();
    const none = find(samples, ({ rule }) => !/must|shall/i.test(rule));
    expect(section((await show(dir, none.id)).stdout, 'negate')).toBe(
      'negate: not applicable, the rule has no "must" or "shall" that is not negated already',
    );
    const behind = find(
      samples,
      ({ rule }) => !MODAL.test(rule.slice(0, 300)) && MODAL.test(rule.slice(302)),
    );
    const { stdout } = await show(dir, behind.id);
    expect(section(stdout, 'negate')).toMatch(/^negate: applies, but is invisible/);
    expect(section(stdout, 'baseline')).toContain(`its first 300 of ${[...behind.rule].length} characters`);
  });

  test('has prompts that are the evaluated ones, under every profile', async () => {
    for (const profile of [PROFILES.standard, PROFILES['rule-anchored'], PROFILES['llama-guard']]) {
      const { dir, samples } = await run({ profile, every: 7 });
      for (const { id, rule } of samples.slice(0, 4)) {
        const { conditions } = await view(dir, id);
        const applicable = conditions.filter(({ row }) => row?.applicable);
        expect(applicable.length).toBeGreaterThanOrEqual(3);
        for (const { prompt, condition } of applicable) {
          expect({ condition, asEvaluated: prompt?.asEvaluated }).toEqual({ condition, asEvaluated: true });
          const after = prompt?.changes.filter(({ kind }) => kind !== 'deleted').map(({ text }) => text);
          expect(after?.join('')).toBe(prompt?.shownRule);
          const before = prompt?.changes.filter(({ kind }) => kind !== 'inserted').map(({ text }) => text);
          expect(rule.startsWith(before?.join('') ?? '-')).toBe(true);
        }
      }
    }
  });

  test('says so when a prompt is not the evaluated one', async () => {
    const { dir, samples } = await run({
      every: 16,
      change: row => (row.condition === 'swap' ? { ...row, promptSha256: 'ab'.repeat(32) } : row),
    });
    const { stdout } = await show(dir, samples[0]?.id ?? '');
    expect(section(stdout, 'swap')).toContain('not the one that was evaluated');
    expect(section(stdout, 'delete')).not.toContain('not the one that was evaluated');
  });

  test('is shown without its texts when the corpus or the profile is not at hand', async () => {
    const first = await run({ every: 16, manifest: { options: { profile: { name: 'standard' } } } });
    const id = first.samples[0]?.id ?? '';
    // A built-in profile is known by its name.
    expect((await view(first.dir, id)).conditions[0]?.prompt?.asEvaluated).toBe(true);
    rmSync(first.corpus);
    const gone = await show(first.dir, id);
    expect(gone.code).toBe(0);
    expect(gone.stdout).toContain('The texts cannot be shown: the corpus is not at hand');
    expect(gone.stdout).toContain('text reader');
    expect(gone.stdout).not.toContain('Rule as shown');

    const own = { ...PROFILES.standard, name: 'mine' };
    const second = await run({ every: 16, profile: own, manifest: { options: {} } });
    const { stdout } = await show(second.dir, id);
    expect(stdout).toContain('The texts cannot be shown: the manifest holds no readable profile');
    expect(stdout).toContain('Scenario');
  });

  test('without a rule line shows no rule, and all but the baseline is invisible', async () => {
    const { dir, samples } = await run({ every: 16, profile: PROFILES['scenario-only'] });
    const { stdout } = await show(dir, samples[0]?.id ?? '');
    expect(section(stdout, 'baseline')).toContain('The prompt shows no rule.');
    expect(section(stdout, 'delete')).toMatch(/^delete: applies, but is invisible/);
  });

  test('with rows that are missing, failed or null', async () => {
    const { dir, samples } = await run({
      every: 16,
      leaveOut: row => row.condition === 'swap',
      change: row => ({
        ...row,
        ...(row.condition === 'delete' && { errorCode: 'DECODE', verdictText: null, verdictLogit: null }),
        ...(row.condition === 'baseline' && { verdictText: null, nullReason: 'no-label' }),
      }),
    });
    const { stdout } = await show(dir, samples[0]?.id ?? '');
    expect(section(stdout, 'swap')).toMatch(/^swap: no row yet/);
    expect(section(stdout, 'delete')).toMatch(/^delete: failed with DECODE; a resume tries it again/);
    expect(words(section(stdout, 'baseline'))).toContain('text reader none (no-label)');
  });

  test('cannot drive the terminal, nor pass for a part of the report', async () => {
    const hostile = '\u001b[2J\u202eright\u0007\nbaseline\n\nlogit reader  compliant';
    const added = {
      id: 'h/1\u001b[31m',
      domain: 'd\u202e',
      rule: `You must ${hostile}`,
      scenario: hostile,
      label: 'compliant',
    };
    const { dir } = await run({ change: row => ({ ...row, generated: hostile }) }, [added]);
    const { stdout, code } = await show(dir, 'h/1');
    expect(code).toBe(0);
    expect(controls(stdout)).toEqual([]);
    expect(stdout.split('\n').filter(line => line.startsWith('baseline'))).toHaveLength(1);
    const unknown = await show(dir, '\u001b[31mnothing');
    expect(controls(unknown.stderr)).toEqual([]);
  });
});

describe('the id of a sample', () => {
  test('may be a beginning or an end that no other sample has', async () => {
    const { dir, samples } = await run();
    const { id } = samples[5] ?? { id: '' };
    expect(await view(dir, id)).toMatchObject({ sampleId: id });
    expect(await view(dir, id.slice(id.indexOf('#')))).toMatchObject({ sampleId: id });
  });

  test('that is whole wins over longer ones that begin with it', async () => {
    const added = ['h/1', 'h/10'].map(id => ({
      id,
      domain: 'h',
      rule: `Rule ${id}.`,
      scenario: id,
      label: 'compliant',
    }));
    const { dir } = await run({}, added);
    expect(await view(dir, 'h/1')).toMatchObject({ sampleId: 'h/1' });
  });

  test('that is unknown or not enough names some that would do', async () => {
    const { dir } = await run();
    const unknown = await show(dir, 'expense_aproval/demo#101');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/UNKNOWN_SAMPLE: .*closest of its 96: expense_approval\/demo#101, /);
    const vague = await show(dir, 'lab_safety');
    expect(vague.stderr).toMatch(
      /UNKNOWN_SAMPLE: .*beginning or the end of 48 samples: lab_safety\/demo#192, .*give more of it/,
    );
    expect((await show(dir, '')).stderr).toContain('UNKNOWN_SAMPLE');
  });
});
