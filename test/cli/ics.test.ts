import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/api/analyze-run.js';
import type { IcsSummary } from '../../src/audit/ics-types.js';
import { unitVectors } from '../../src/direction/vector.js';
import { writeControlVector } from '../../src/direction/vector-file.js';
import { readGgufHeader } from '../../src/engine/gguf-header.js';
import { readControls, readDerived, readReadings } from '../../src/run/reader.js';
import { DEMO_MODEL } from '../models/fixtures.js';
import { keptFolder } from './folder.js';
import { program } from './program.js';

const folder = keptFolder();
afterAll(folder.remove);

const SAMPLES = 24;
const CONDITIONS = ['placebo', 'delete', 'swap', 'negate'] as const;
const DIRECTION = join(folder.path, 'direction.gguf');
const TURNED = join(folder.path, 'turned.gguf');

async function audited(name: string, ...more: readonly string[]): Promise<string> {
  const dir = join(folder.path, name);
  const judge = [
    '--model',
    DEMO_MODEL,
    '--corpus',
    'demo',
    '--per-domain',
    String(SAMPLES / 8),
    '--placebo',
    'all',
  ];
  const engine = ['--gpu', 'off', '--workers', '1', '--threads', '1'];
  const { stderr, code } = await program('audit', ...judge, ...engine, '--out', dir, ...more);
  expect(code, stderr).toBe(0);
  return dir;
}

async function analyzed(
  dir: string,
): Promise<{ readonly text: string; readonly summary: RunSummary; readonly ics: IcsSummary }> {
  const { stdout, stderr, code } = await program('analyze', dir, '--no-floor');
  expect(code, stderr).toBe(0);
  const summary = JSON.parse(readFileSync(join(dir, 'summary.json'), 'utf8')) as RunSummary;
  if (summary.ics === null) throw new Error('a run with --direction has ICS');
  return { text: stdout.replace(/\s+/g, ' '), summary, ics: summary.ics };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Directions of blocks 1 to 3 that mean nothing: what is tested is what is made of the projections. */
beforeAll(async () => {
  const { nEmbd, architecture } = await readGgufHeader(DEMO_MODEL);
  const next = unitVectors(nEmbd, 3, 'made-up');
  const layers = new Map([1, 2, 3].map(layer => [layer, next()]));
  const turned = new Map([...layers].map(([layer, vector]) => [layer, vector.map(value => -value)]));
  await writeControlVector(DIRECTION, { layers, architecture, provenance: null });
  await writeControlVector(TURNED, { layers: turned, architecture, provenance: null });
});

describe('ICS of the demo judge', () => {
  let dir = '';
  let seen: Awaited<ReturnType<typeof analyzed>>;
  beforeAll(async () => {
    dir = await audited('run', '--direction', DIRECTION, '--layer', '2', '--controls', '5');
    seen = await analyzed(dir);
  });

  test('the tables hold what the rows hold', () => {
    const { ics } = seen;
    const derived = readDerived(dir).filter(({ reader }) => reader === 'text');
    const baseline = readReadings(dir).filter(({ condition }) => condition === 'baseline');
    const meanAbs = mean(baseline.map(row => Math.abs(row.ics ?? Number.NaN)));
    expect(ics).toMatchObject({ anchor: 2, controls: 5, baseline: { ics: { n: SAMPLES } } });
    expect(ics.baseline.meanAbs).toBeCloseTo(meanAbs, 12);
    const columns = {
      placebo: ['icsDeltaPlacebo', 'icsControlPlacebo'],
      delete: ['icsDeltaDelete', 'icsControlDelete'],
      swap: ['icsDeltaSwap', 'icsControlSwap'],
      negate: ['icsDeltaNegate', 'icsControlNegate'],
    } as const;
    for (const condition of CONDITIONS) {
      const figures = ics.conditions.find(row => row.condition === condition)?.all;
      const [deltas, controls] = columns[condition].map(name => derived.flatMap(row => row[name] ?? []));
      expect(figures?.n, condition).toBe(deltas?.length);
      expect(figures?.meanDelta).toBeCloseTo(mean(deltas ?? []), 12);
      expect(figures?.ratio).toBeCloseTo(mean(deltas ?? []) / meanAbs, 12);
      expect(figures?.controlDelta).toBeCloseTo(mean(controls ?? []), 12);
      if (condition === 'placebo') continue;
      expect(figures?.moved).toBeGreaterThan(0);
      expect(figures?.quotient?.value).toBeCloseTo(mean(deltas ?? []) / mean(controls ?? []), 12);
    }
  });

  test('every block of the file is there, its figures from the stream of projections', () => {
    const { ics } = seen;
    expect(ics.blocks.map(({ layer, anchor }) => [layer, anchor])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
    const first = [...readControls(dir)].filter(row => row.layer === 1 && row.key.includes('|baseline|'));
    expect(ics.blocks[0]?.meanAbs).toBeCloseTo(
      mean(first.map(({ values }) => Math.abs(values[0] ?? Number.NaN))),
      12,
    );
    expect(seen.text).toContain('2 anchor ');
  });

  test('the placebo of an exact run is exactly 0, at every block and along every control', () => {
    const { ics, text } = seen;
    expect(ics.placebo).toEqual({ pairs: SAMPLES, moved: 0 });
    for (const block of ics.blocks)
      expect(block.conditions[0]).toMatchObject({
        condition: 'placebo',
        moved: 0,
        meanDelta: 0,
        controlDelta: 0,
      });
    expect(text).toContain('Exact run: the placebo shift must be exactly 0, and it is');
  });

  test('the direction turned round: the same shifts, the other ranks', async () => {
    const turned = await analyzed(
      await audited('turned', '--direction', TURNED, '--layer', '2', '--controls', '5'),
    );
    expect(turned.ics.conditions).toEqual(seen.ics.conditions);
    expect(turned.ics.domains).toEqual(seen.ics.domains);
    expect(turned.ics.auroc.label.value).toBeCloseTo(1 - (seen.ics.auroc.label.value ?? Number.NaN), 12);
  });

  test('without verdicts: the same ICS, and a word on what was not read', async () => {
    const only = await audited(
      'only',
      '--direction',
      DIRECTION,
      '--layer',
      '2',
      '--controls',
      '5',
      '--ics-only',
    );
    const { text, summary, ics } = await analyzed(only);
    expect(summary.icsOnly).toBe(true);
    expect(ics.conditions).toEqual(seen.ics.conditions);
    expect(ics.blocks).toEqual(seen.ics.blocks);
    expect(text).toContain('Verdicts None were read');
    expect(text).not.toContain('Does the judge do the task?');
    const groups = join(folder.path, 'groups.json');
    const { stderr, code } = await program('analyze', only, '--write-partition', groups);
    expect(code).toBe(2);
    expect(stderr).toContain('holds no verdicts');
  });

  test('no controls and no direction are said to be so', async () => {
    const bare = await analyzed(
      await audited('bare', '--direction', DIRECTION, '--layer', '3', '--controls', '0'),
    );
    expect(bare.ics).toMatchObject({ anchor: 3, controls: 0 });
    expect(bare.text).toContain('cannot be told from any shift');
    const plain = await audited('plain');
    const { stdout } = await program('analyze', plain, '--no-floor', '--json');
    expect((JSON.parse(stdout) as RunSummary).ics).toBeNull();
  });
});
