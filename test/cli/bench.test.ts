import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Bench } from '../../src/api/bench/types.js';
import { benchText } from '../../src/report/bench-text.js';
import { program } from './program.js';

test('bench measures every way of doing the same jobs and checks their bits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-bench-'));
  try {
    const file = join(folder, 'bench.md');
    const few = ['--domains', 'food_safety,lab_safety', '--per-domain', '2', '--rounds', '2'];
    const { code, stdout, stderr } = await program('bench', ...few, '--json', '--markdown', file);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('\x1b');
    const bench = JSON.parse(stdout) as Bench;
    expect(bench).toMatchObject({ samples: 4, rounds: 2, workers: 1, threads: 1, skipped: [] });
    expect(bench.model.format).toBe('F16');
    const by = new Map(bench.rows.map(row => [row.id, row]));
    expect(by.size).toBe(bench.rows.length);

    // Rows that claim equal bits were compared; the sequence of llama.cpp and the inexact schedule claim nothing.
    for (const row of bench.rows) {
      const claims = row.id.includes('/exact') && row.id !== 'alphas/exact/one';
      expect(row.bitsEqual, row.id).toBe(claims ? true : null);
      expect(by.has(row.against), row.id).toBe(true);
      expect(row.rounds).toBe(2);
      for (const { median, min, max } of [row.cpuSeconds, row.wallSeconds, row.speed]) {
        expect(min).toBeGreaterThan(0);
        expect(median).toBeGreaterThanOrEqual(min);
        expect(median).toBeLessThanOrEqual(max);
      }
    }
    for (const base of ['audit/llama.cpp', 'whole audit/llama.cpp', 'alphas/llama.cpp/separate']) {
      expect(by.get(base)?.speed).toEqual({ median: 1, min: 1, max: 1 });
    }
    // No way can do with fewer tokens than the prefix tree has nodes; sharing does with fewer than the sequence.
    for (const { id, tokensPerNode } of bench.rows)
      if (tokensPerNode !== null) expect(tokensPerNode, id).toBeGreaterThanOrEqual(1);
    const waste = (id: string): number => by.get(id)?.tokensPerNode ?? Number.NaN;
    expect(waste('scenario first/exact/capture')).toBeLessThan(waste('scenario first/llama.cpp'));
    // The sequence pads nothing: one decode for each prompt.
    expect(by.get('audit/llama.cpp')?.decodes).toBe(bench.evaluations);
    for (const id of ['audit/exact/capture', 'ICS only/exact', 'alphas/exact/last', 'alphas/exact/all']) {
      const row = by.get(id);
      expect(row?.margin ?? row?.projection, id).toBeLessThan(0.2);
    }
    expect(bench.startup.version.min).toBeGreaterThan(0);
    expect(bench.targets.length).toBe(7);
    for (const { met, found } of bench.targets)
      expect([met === null, found === null]).toEqual([false, false]);

    const markdown = readFileSync(file, 'utf8');
    for (const { name } of bench.rows) expect(markdown).toContain(`| ${name} | F16 |`);
    const text = benchText(bench);
    for (const { name } of bench.rows) expect(text).toContain(name);
    for (const line of text.split('\n').filter(row => row.startsWith('  ')))
      expect(line.length, line).toBeLessThanOrEqual(110);
    expect(text).not.toContain('…');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 180_000);
