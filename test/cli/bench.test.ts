import { expect, test } from 'vitest';
import type { Bench } from '../../src/api/bench.js';
import { program } from './program.js';

test('bench counts and times every schedule on the same job', async () => {
  const { code, stdout, stderr } = await program('bench', '--per-domain', '2', '--rounds', '2', '--json');
  expect(code, stderr).toBe(0);
  expect(stderr).not.toContain('\x1b');
  const bench = JSON.parse(stdout) as Bench;
  expect(bench).toMatchObject({ samples: 16, rounds: 2, workers: 1, threads: 1 });
  const by = new Map(bench.schedules.map(entry => [entry.schedule, entry]));
  expect([...by.keys()].sort()).toEqual(['exact', 'single', 'unified']);
  for (const { seconds, counters, jobTokensPerSecond, samplesPerSecond, schedule } of by.values()) {
    expect(seconds.length, schedule).toBe(2);
    expect(jobTokensPerSecond).toBeGreaterThan(0);
    expect(samplesPerSecond).toBeGreaterThan(0);
    const { tokens, prompt, label, generation, padding } = counters;
    expect(tokens).toBe(prompt + label + generation + padding);
    // No schedule can do with fewer than the nodes of the prefix tree.
    expect(tokens).toBeGreaterThanOrEqual(bench.nodes * 2);
  }
  const single = by.get('single');
  expect(single?.wallRatio).toBe(1);
  expect(single?.counters.prompt).toBeGreaterThan(bench.sequenceTokens);
  expect(by.get('exact')?.counters.tokens).toBeLessThan((single?.counters.tokens ?? 0) * 0.9);

  const text = await program('bench', '--per-domain', '1', '--rounds', '1');
  expect(text.code, text.stderr).toBe(0);
  for (const schedule of by.keys()) expect(text.stdout).toContain(schedule);
  expect(text.stdout).not.toContain('\x1b');
}, 120_000);
