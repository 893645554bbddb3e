import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildReport, type Report } from '../../src/api/report.js';
import { ICS_ONLY } from '../../src/audit/readings.js';
import { figureCsv } from '../../src/report/figures/csv.js';
import { standalone } from '../../src/report/figures/svg.js';
import { makeRun, type RunOptions, writeCorpus } from '../cli/run.js';
import { temporaryFolder } from '../run/folder.js';
import { hostileRun } from './hostile.js';
import { requireBalanced } from './markup.js';

const options = { reader: 'text', floor: true } as const;

async function runIn(folder: string, name: string, more: Partial<RunOptions> = {}): Promise<string> {
  const dir = join(folder, name);
  await makeRun({ dir, corpus: writeCorpus(folder), ...more });
  return dir;
}

async function reportOf(more: Partial<RunOptions> = {}): Promise<Report> {
  return buildReport([await runIn(temporaryFolder(), 'run', more)], options);
}

function same(a: Report, b: Report): void {
  expect(a.html).toBe(b.html);
  expect(a.figures.map(standalone)).toEqual(b.figures.map(standalone));
  expect(a.figures.map(figureCsv)).toEqual(b.figures.map(figureCsv));
}

/** What a person reads, without the data of the explorer. */
function words({ html }: Report): string {
  return html
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('\u00a0', ' ')
    .replace(/\s+/g, ' ');
}

describe('the page of one run', () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf();
  });

  test('is one whole document that asks for nothing', () => {
    const { html } = report;
    expect(html.startsWith('<!doctype html>\n<html lang="en">')).toBe(true);
    requireBalanced(html.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ''));
    expect(html).not.toMatch(/\s(style|on\w+)="/);
    expect(html).not.toMatch(/<(link|iframe|img|object|embed|base)\b/);
    expect(
      html.match(/https?:\/\/[^"' ]+/g)?.filter(url => url !== 'http://www.w3.org/2000/svg') ?? [],
    ).toEqual([]);
  });

  test('allows its own style and script by their hashes, and nothing else', () => {
    const { html } = report;
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const hash = (text = ''): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1];
    const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1];
    expect(policy).toBe(
      `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
  });

  test('opens with the answer in words', () => {
    const text = words(report);
    expect(text).toContain('Does judge.gguf read its rule?');
    // Six of twelve samples are non-compliant, and the judge says compliant without a rule.
    expect(text).toContain(
      'Deleting the rule changed 50.0 % of verdicts. The noise floor is 0.0 % (0 of 3 unchanged prompts). 100.0 % of verdicts are right with the rule, 50.0 % without it.',
    );
    expect(text.indexOf('the judge does better than chance')).toBeLessThan(text.indexOf('Deleting the rule'));
    expect(text.indexOf('the judge does better than chance')).toBeGreaterThan(0);
  });

  test('accounts for every row, and names the source of every figure and table', () => {
    const { html, figures } = report;
    expect(words(report)).toContain('Made of 60 rows of run/readings.arrows');
    expect(figures.map(({ name }) => name)).toEqual(['answer', 'ocs-domains', 'accuracy-domains', 'margins']);
    for (const { name, source } of figures) {
      expect(html.split(`<figure id="${name}">`).length).toBe(2);
      expect(source).toMatch(/^From: npx plumbline analyze run\b.*Made of .*\d/);
    }
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of html.matchAll(/ href="#([^"]*)"/g)) expect(ids).toContain(id);
  });

  test('says beside the numbers what they do not say', () => {
    const text = words(report);
    expect(text).toContain('that is the selection, not a finding');
    expect(text).toContain('does not mean that the rule is nowhere');
    expect(text).toContain('Whether a verdict is legally right.');
  });
});

test('equal plans give equal pages and figures, but for the name of the run', async () => {
  const folder = temporaryFolder();
  const [first, second] = [await runIn(folder, 'first-run'), join(folder, 'second-run')];
  const page = await buildReport([first], options);
  same(await buildReport([first], options), page);
  cpSync(first, second, { recursive: true });
  const other = await buildReport([second], options);
  expect(other.html).not.toBe(page.html);
  expect(other.html.replaceAll('second-run', 'first-run')).toBe(page.html);
  expect(other.figures.map(standalone)).toEqual(page.figures.map(standalone));
  expect(page.html).not.toContain(folder);
});

describe('runs that are not as one would wish', () => {
  test('a judge that fails the task is told before anything else', async () => {
    const text = words(
      await reportOf({
        every: 1,
        change: row => ({
          ...row,
          verdictText: row.verdictText === null ? null : row.verdictText === 1 ? 0 : 1,
        }),
      }),
    );
    const told = text.indexOf('this judge does not do the task: OCS describes its habits, not its rule use');
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(text.indexOf('Deleting the rule'));
  });

  test('an incomplete run says so, and how much is missing', async () => {
    const text = words(
      await reportOf({
        leaveOut: row => row.condition === 'swap',
        change: row =>
          row.condition === 'negate' && row.applicable
            ? { ...row, errorCode: 'DECODE', verdictText: null, verdictLogit: null, margin: null }
            : row,
      }),
    );
    expect(text).toMatch(/This run is not complete: 12 of 60 planned rows are missing and \d+ hold an error/);
    expect(text).toMatch(/negate errors DECODE \d/);
  });

  test('one sample, one domain, the baseline alone', async () => {
    const one = await reportOf({ every: 96 });
    expect(words(one)).toContain('cannot tell whether the judge does the task');
    requireBalanced(one.html.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ''));
    const bare = await reportOf({ conditions: ['baseline'] });
    expect(words(bare)).toContain('The rule was not changed in this run. The noise floor was not measured.');
    expect(words(bare)).not.toMatch(/NaN|undefined/);
    const none = await reportOf({
      change: row => ({ ...row, verdictText: null, verdictLogit: null, margin: null }),
    });
    expect(words(none)).toContain('there is no baseline verdict');
    expect(words(none)).not.toMatch(/NaN|undefined/);
  });

  test('no placebo', async () => {
    const text = words(await reportOf({ conditions: ['baseline', 'delete', 'swap'] }));
    expect(text).toContain('The noise floor was not measured.');
    expect(text).toContain('Deleting the rule changed 50.0 % of verdicts.');
  });

  test('a run of the residual stream alone has no verdict figures', async () => {
    const report = await reportOf({
      change: row => ({
        ...row,
        verdictText: null,
        verdictLogit: null,
        margin: null,
        nullReason: row.applicable ? ICS_ONLY : null,
        ...(row.applicable && { ics: row.condition === 'delete' ? 2 : 1, icsCos: 0.1, residualNorm: 10 }),
      }),
    });
    expect(words(report)).toContain(
      'No verdicts were read of judge.gguf in this run, only its residual stream.',
    );
    expect(words(report)).not.toContain('Does the verdict depend on the rule?');
    expect(report.figures.map(({ name }) => name)).toEqual(['stream']);
  });

  test('the rule-blind floor is called a floor', async () => {
    const more = { model: null, engine: null, batchPlan: null, options: { subject: 'lexical' } };
    const text = words(await reportOf({ manifest: more }));
    expect(text).toContain('lexical never sees the rule: it is a floor, not a judge.');
    expect(text).not.toContain('do the task: OCS');
  });
});

describe('several runs', () => {
  test('open side by side, and say when accuracy is equal and rule use is not', async () => {
    const folder = temporaryFolder();
    const reader = await runIn(folder, 'reader', { every: 1 });
    const shortcut = await runIn(folder, 'shortcut', {
      every: 1,
      change: row => (row.applicable ? { ...row, verdictText: row.label, verdictLogit: row.label } : row),
      manifest: {
        model: {
          name: 'shortcut.gguf',
          size: 1,
          sha256: 'b'.repeat(64),
          architecture: 'llama',
          templateSha256: null,
        },
      },
    });
    const report = await buildReport([reader, shortcut], options);
    const text = words(report);
    expect(text).toContain('Equal accuracy, different truths');
    expect(text).toContain(
      'shortcut.gguf is right in 100.0 %. 0.0 % of its verdicts change when its rule does.',
    );
    const names = report.figures.map(({ name }) => name);
    expect(names[0]).toBe('judges');
    expect(names).toContain('1-reader-answer');
    expect(names).toContain('2-shortcut-answer');
    expect(new Set(names).size).toBe(names.length);
    const ids = [...report.html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);

    const twice = await buildReport([reader, await runIn(temporaryFolder(), 'again', { every: 1 })], options);
    expect(words(twice)).not.toContain('Equal accuracy, different truths');
  });

  test('none, or one that is named twice, is refused', async () => {
    const dir = await runIn(temporaryFolder(), 'run');
    await expect(buildReport([], options)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(buildReport([dir, `${dir}/`], options)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(buildReport([join(dir, 'none')], options)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });
});

test('texts of a corpus make no markup', async () => {
  const dir = await hostileRun(temporaryFolder());
  const { html, figures } = await buildReport([dir], options);
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('<u>');
  expect(html.replace(/<script\b[\s\S]*?<\/script>/g, '')).not.toContain('\u202e');
  expect(html).toContain('d&quot;&lt;u&gt;&lt;U+202E&gt;');
  for (const { svg } of figures) expect(svg.wide.toString()).not.toContain('<u>');
});
