import { describe, expect, it } from 'vitest';
import { runRounds } from '../../src/api/bench/rounds.js';
import { ownTargets, target } from '../../src/api/bench/targets.js';
import type { Bench, BenchRow, Contestant, Measure } from '../../src/api/bench/types.js';
import { type EvalOutcome, noCounters } from '../../src/engine/types.js';
import { PlumblineError } from '../../src/errors.js';
import { benchMarkdown } from '../../src/report/bench-markdown.js';
import { benchText } from '../../src/report/bench-text.js';

function outcome(id: number, logits: readonly number[], projection: number): EvalOutcome {
  return {
    id,
    firstLogits: Float32Array.from(logits),
    logSumExp: 1,
    argMax: 3,
    labelLogprobs: Float64Array.from(logits),
    generated: new Int32Array(),
    generatedText: '',
    taps: [{ layer: 1, norm: 2, projections: Float64Array.of(projection), activation: new Float32Array() }],
    logits: new Float32Array(),
    kl: null,
  };
}

function measure(cpuSeconds: number, outcomes: readonly EvalOutcome[]): Measure {
  return {
    cpuSeconds,
    wallSeconds: 2 * cpuSeconds,
    counters: { ...noCounters(), tokens: 30, decodes: 3, decodeMs: 1900 * cpuSeconds },
    parentCpuSeconds: cpuSeconds / 100,
    outcomes: new Map(outcomes.map(one => [one.id, one])),
    margins: outcomes.map(({ firstLogits: [a = 0, b = 0] }) => a - b),
    projections: outcomes.map(({ taps }) => taps[0]?.projections[0] ?? 0),
  };
}

function contestant(id: string, rounds: readonly Measure[], more: Partial<Contestant> = {}): Contestant {
  const left = [...rounds];
  return {
    id,
    workload: 'audit',
    name: id,
    format: 'F16',
    against: 'base',
    equals: null,
    near: null,
    nodes: 20,
    measure: async () => left.shift() as Measure,
    ...more,
  };
}

const right = [outcome(1, [0.5, 0.25], 7), outcome(2, [-1, 2], 8)];

describe('rounds', () => {
  it('interleave the contestants and compare each with the round it ran in', async () => {
    const order: string[] = [];
    const spied = (one: Contestant): Contestant => ({
      ...one,
      measure: () => {
        order.push(one.id);
        return one.measure();
      },
    });
    const rows = await runRounds(
      [
        spied(contestant('base', [measure(4, right), measure(2, right), measure(3, right)])),
        spied(
          contestant('fast', [measure(1, right), measure(1, right), measure(1, right)], { equals: 'base' }),
        ),
      ],
      3,
      () => {},
    );
    expect(order).toEqual(['base', 'fast', 'fast', 'base', 'base', 'fast']);
    const [base, fast] = rows;
    expect(base?.speed).toEqual({ median: 1, min: 1, max: 1 });
    expect(fast?.speed).toEqual({ median: 3, min: 2, max: 4 });
    expect(fast?.cpuSeconds).toEqual({ median: 1, min: 1, max: 1 });
    expect(fast).toMatchObject({ bitsEqual: true, tokensPerNode: 1.5, decodes: 3, margin: null });
    expect(base?.bitsEqual).toBeNull();
    expect(fast?.outsideDecodes?.median).toBeCloseTo(0.05, 9);
    expect(fast?.parentCpu?.median).toBeCloseTo(0.01, 9);
  });

  const nudged = 0.25 + 2 ** -25;
  it.each([
    ['a logit by one bit', [outcome(1, [0.5, nudged], 7), right[1] as EvalOutcome], 'evaluation 1'],
    ['the sign of a zero', [right[0] as EvalOutcome, outcome(2, [-1, 2], -0)], 'evaluation 2'],
    ['an outcome that is missing', right.slice(0, 1), '1 outcomes where 2'],
    [
      'a text',
      [right[0] as EvalOutcome, { ...(right[1] as EvalOutcome), generatedText: 'x' }],
      'another text',
    ],
  ])('fail on %s, in a later round too', async (_what, wrong, message) => {
    const base = [right[0] as EvalOutcome, outcome(2, [-1, 2], 0)];
    const wanted = _what === 'the sign of a zero' ? base : right;
    const run = runRounds(
      [
        contestant('base', [measure(1, wanted), measure(1, wanted)]),
        contestant('claims', [measure(1, wanted), measure(1, wrong)], { equals: 'base' }),
      ],
      2,
      () => {},
    );
    const error = await run.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(PlumblineError);
    expect(error).toMatchObject({ code: 'BENCH_MISMATCH' });
    expect((error as Error).message).toContain('claims');
    expect((error as Error).message).toContain(message);
  });

  it('fail on a claim where nothing can be compared', async () => {
    const mute: Measure = { ...measure(1, right), outcomes: null };
    const run = runRounds(
      [contestant('base', [mute]), contestant('claims', [mute], { equals: 'base' })],
      1,
      () => {},
    );
    await expect(run).rejects.toMatchObject({ code: 'BENCH_MISMATCH' });
  });

  it('go on without a contestant that cannot, and give it no row', async () => {
    const asked: number[] = [];
    const rows = await runRounds(
      [
        contestant('base', [measure(1, right), measure(1, right)]),
        contestant('dies', [], { measure: async () => (asked.push(1) === 1 ? measure(1, right) : null) }),
      ],
      2,
      () => {},
    );
    expect(rows.map(({ id }) => id)).toEqual(['base']);
    expect(asked.length).toBe(2);
  });

  it('say how far readings lie from those of another row', async () => {
    const others = [outcome(1, [0.5, 0.5], 7), outcome(2, [-1, 2], 8.5)];
    const [, row] = await runRounds(
      [contestant('base', [measure(1, right)]), contestant('other', [measure(1, others)], { near: 'base' })],
      1,
      () => {},
    );
    expect(row).toMatchObject({ margin: 0.25, projection: 0.5 });
    const blind: Measure = { ...measure(1, right), projections: null };
    const [, second] = await runRounds(
      [contestant('base', [measure(1, right)]), contestant('other', [blind], { near: 'base' })],
      1,
      () => {},
    );
    expect(second).toMatchObject({ margin: 0, projection: null });
  });
});

describe('targets', () => {
  it('are met at their limit, on the side that is wanted', () => {
    expect(target('a', 'at least', 4, 4).met).toBe(true);
    expect(target('a', 'at least', 4, 3.99).met).toBe(false);
    expect(target('a', 'at most', 1.15, 1.15).met).toBe(true);
    expect(target('a', 'at most', 1.15, 1.16).met).toBe(false);
    expect(target('a', 'at least', 4, null)).toMatchObject({ met: null, found: null });
  });

  it('read the rows that they are about', () => {
    const row = (id: string, cpu: number, speed: number): BenchRow => ({
      ...ROW,
      id,
      cpuSeconds: flat(cpu),
      speed: flat(speed),
    });
    const found = ownTargets([
      { ...row('audit/exact/capture', 5, 1.25), outsideDecodes: flat(0.02) },
      row('scenario first/exact/capture', 5, 1.6),
      row('alphas/exact/one', 2, 9),
      row('alphas/exact/last', 2.2, 4.5),
    ]);
    expect(found.map(one => one.found && Number(one.found.toFixed(3)))).toEqual([
      1.25,
      null,
      1.6,
      null,
      4.5,
      1.1,
      0.02,
    ]);
    expect(found.map(one => one.met)).toEqual([true, null, false, null, true, true, true]);
  });
});

const flat = (value: number) => ({ median: value, min: value, max: value });

const ROW: BenchRow = {
  id: 'audit/exact/capture',
  workload: 'audit',
  name: 'exact | capture',
  format: 'Q4_0',
  against: 'audit/llama.cpp',
  rounds: 3,
  cpuSeconds: flat(2),
  wallSeconds: flat(3),
  speed: { median: 1.5, min: 1.25, max: 2 },
  tokensPerNode: 1.02,
  decodes: 7,
  copies: 3,
  outsideDecodes: flat(0.012),
  parentCpu: flat(0.004),
  bitsEqual: true,
  margin: 0.034,
  projection: null,
};

const BENCH: Bench = {
  model: { name: 'judge', format: 'Q4_0', bytes: 1e8 },
  host: { cpu: 'a CPU', cores: 2, node: 'v20', release: 'b1' },
  corpus: 'demo',
  samples: 2,
  evaluations: 8,
  sequenceTokens: 1000,
  nodes: 700,
  alphaPrompts: 2,
  layer: 3,
  recipes: { audit: 'plain', whole: 'flash', scenarioFirst: 'flash', last: 'plain', all: 'plain' },
  rounds: 3,
  workers: 1,
  threads: 1,
  rows: [ROW],
  startup: { load: flat(0.1), version: flat(0.2), inspect: flat(0.3) },
  memory: { mostBytes: 3e8, weightBytes: 1e8, kvBytes: 5e7 },
  targets: [
    target('audit', 'at least', 1, 1.5),
    target('ICS', 'at least', 2, 1.5),
    target('peer', 'at least', 2, null),
  ],
  skipped: [{ name: 'a peer', reason: 'no Python' }],
};

describe('the table', () => {
  it('is Markdown whose cells cannot end early', () => {
    const lines = benchMarkdown(BENCH).split('\n');
    expect(lines).toContain(
      '| exact \\| capture | Q4\\_0 | 2.00 | 3.00 | 1.50 (1.25–2.00) | 1.020 | 1.2 % | equal | 0.034 |',
    );
    expect(lines).toContain('| audit | at least 1 | 1.50 | met by 50.0 % |');
    expect(lines).toContain('| ICS | at least 2 | 1.50 | missed by 25.0 % |');
    expect(lines).toContain('| peer | at least 2 |  | not measured |');
    expect(lines).toContain('- a peer: skipped, no Python');
    const tables = lines.filter(line => line.startsWith('|'));
    const columns = (line: string): number => line.replaceAll('\\|', '').split('|').length;
    expect(new Set(tables.slice(0, 3).map(columns)).size).toBe(1);
  });

  it('is text with the same figures', () => {
    const text = benchText(BENCH);
    for (const figure of [
      '1.50 (1.25–2.00)',
      '1.020',
      'equal',
      '0.034',
      '300 MB',
      'a peer: skipped',
      'missed by 25.0 %',
      'whole audit flash',
    ]) {
      expect(text).toContain(figure);
    }
  });
});
