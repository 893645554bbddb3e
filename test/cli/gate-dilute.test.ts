import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gateCommand } from '../../src/cli/gate/gate.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { temporaryFolder } from '../run/folder.js';
import { type Outcome, runCommand } from './command.js';

const dilute = (...args: readonly string[]): Promise<Outcome> => runCommand(gateCommand(), 'dilute', ...args);
const words = (text: string): string => text.replace(/\s+/g, ' ');
const HELD_OUT = ['--corpus', 'held-out'];

describe('gate dilute', () => {
  test('prints a row for each length, of encoders and floor', async () => {
    const { pairs } = await readGateCorpus('held-out');
    const file = join(temporaryFolder(), 'oracle.jsonl');
    // Vectors of the bare sentences only, which know the decision: diluted texts have none.
    const vectors = new Map<string, readonly number[]>();
    for (const { textA, textB, decision } of pairs) {
      vectors.set(textA, [1, 0]);
      vectors.set(textB, decision === 'same' ? [0.9, 0.1] : [0.1, 0.9]);
    }
    writeFileSync(file, [...vectors].map(([text, vector]) => JSON.stringify({ text, vector })).join('\n'));
    const { code, stdout, stderr } = await dilute(
      ...['--encoder', `vectors:${file}`, '--gate', 'gptcache', '--lengths', '64,16', ...HELD_OUT],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = words(stdout);
    expect(text).toContain('answer from the cache when cosine >= .60');
    expect(text).toContain('none 48/48 1.000 1.000 1.000');
    expect(text).toContain('16 0/48');
    expect(text).toContain('Left out: 16: no-vector 48; 64: no-vector 48');
    expect(text).toContain(`none${' 0.0 % / 100.0 %'.repeat(4)}`);
    expect(text).toContain('constraint, floor');
    expect(text).toMatch(/64 48\/48/);
  });

  test('prints JSON', async () => {
    const { code, stdout } = await dilute('--encoder', 'token-jaccard', '--json', ...HELD_OUT);
    expect(code).toBe(0);
    const { lengths, encoders, floor, filler } = JSON.parse(stdout);
    expect(lengths).toEqual([0, 16, 32, 64, 128, 256, 512]);
    expect(encoders[0].tasks).toEqual(floor.tasks);
    expect(filler.registers.length).toBeGreaterThanOrEqual(4);
  });

  test.each([
    ['no encoder', [], /--encoder/],
    ['a length of 0', ['--encoder', 'token-jaccard', '--lengths', '0'], /from 1 to 5\d\d/],
    ['a length beyond the neutral text', ['--encoder', 'token-jaccard', '--lengths', '16,9999'], /9999/],
    ['a length that is no number', ['--encoder', 'token-jaccard', '--lengths', 'long'], /whole number/],
  ])('refuses %s', async (_, args, message) => {
    const outcome = await dilute(...args);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(message);
  });
});
