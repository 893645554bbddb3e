import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const EXAMPLES = fileURLToPath(new URL('../../docs/examples/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'plumbline-examples-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const run = (name: string, argument: string): string =>
  execFileSync(process.execPath, [join(EXAMPLES, name), join(scratch, argument)], {
    encoding: 'utf8',
    timeout: 120_000,
  });

describe('the examples of docs/api.md', () => {
  it('audit.mjs audits and analyses', () => {
    const text = run('audit.mjs', 'run');
    expect(text).toMatch(/^320 rows, exact\ndeleting the rule changed \d+ of 64 verdicts\n$/);
  });

  it('fit.mjs fits and reads back', () => {
    expect(run('fit.mjs', 'd.gguf')).toMatch(
      /^block [0-3]: AUROC [01]\.\d{3} on TEST, quantile [01]\.\d{3} of random directions\nblocks 0, 1, 2, 3, width 64\n$/,
    );
  });

  it('sweep.mjs steers, and alpha 0 changes nothing', () => {
    expect(run('sweep.mjs', 'sweep')).toMatch(
      /^\d+ rows, 96 samples\nalpha 0 equals the unsteered row in 96 of 96\n$/,
    );
  });

  it('residual.mjs scores and reads', () => {
    const lines = run('residual.mjs', '').trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^margin -?\d+\.\d{3}, 64 values, norm \d+\.\d{2}$/);
    expect(lines[0]).not.toBe(lines[1]);
    expect(lines[2]).toBe('exact');
  });

  it('steer.mjs moves the margin, and not at alpha 0', () => {
    const [down, zero, up, far] = run('steer.mjs', '').trim().split(/\s+/).map(Number);
    expect(new Set([down, zero, up, far]).size).toBe(4);
  });

  it('are all named in docs/api.md, and no other', () => {
    const text = readFileSync(join(EXAMPLES, '../api.md'), 'utf8');
    const named = [...text.matchAll(/\(examples\/([\w-]+\.mjs)\)/g)].map(match => match[1]);
    expect(named.sort()).toEqual(readdirSync(EXAMPLES).sort());
  });
});
