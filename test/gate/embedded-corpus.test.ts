import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { buildPairs, pairLines, readCandidates } from '../../src/gate/build.js';
import { checkCorpus } from '../../src/gate/check.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { tokens } from '../../src/gate/overlap.js';
import { STRATA, TASKS } from '../../src/gate/types.js';
import { auroc } from '../../src/stats/auroc.js';

const model = (name: string): string => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

describe.each([
  ['builtin', 'gate-corpus', 24],
  ['held-out', 'gate-held-out', 12],
] as const)('the %s corpus', (spec, file, anchors) => {
  test('is what the matching rule makes of its candidates', () => {
    const candidates = readCandidates(model(`${file}-candidates.jsonl`));
    expect(pairLines(buildPairs(candidates))).toBe(readFileSync(model(`${file}.jsonl`), 'utf8'));
    for (const { same_close, same_distant } of candidates) {
      expect(same_close.length).toBeGreaterThanOrEqual(3);
      expect(same_distant.length).toBeGreaterThanOrEqual(3);
    }
  });

  test('passes the check with room, by every measure of overlap', async () => {
    const check = checkCorpus(await readGateCorpus(spec), 1);
    expect(check.tasks.map(({ task }) => task)).toEqual(TASKS);
    for (const task of check.tasks) {
      expect(task).toMatchObject({ anchors, pairs: 4 * anchors, incompleteAnchors: [], interpretable: true });
      expect(task.overlap.tokenJaccard.manipulation).toBe(1);
      for (const { p, decisionAuroc, exact } of Object.values(task.overlap.tokenJaccard.balance)) {
        expect(exact).toBe(true);
        expect(p).toBeGreaterThan(0.5);
        expect(Math.abs((decisionAuroc ?? 0) - 0.5)).toBeLessThan(0.03);
      }
      for (const measure of Object.values(task.overlap))
        for (const { p } of Object.values(measure.balance)) expect(p).toBeGreaterThan(0.05);
    }
  });

  test('gives nothing away by the length of its texts', async () => {
    const { pairs } = await readGateCorpus(spec);
    for (const task of TASKS) {
      for (const stratum of STRATA) {
        const within = pairs.filter(pair => pair.task === task && pair.stratum === stratum);
        const lengths = within.map(({ textB }) => tokens(textB).size);
        const area = auroc(
          lengths,
          within.map(({ decision }) => (decision === 'same' ? 1 : 0)),
        );
        expect(Math.abs((area ?? 0) - 0.5)).toBeLessThan(0.1);
      }
    }
  });

  test('has four registers of equal size in each task', async () => {
    const { pairs } = await readGateCorpus(spec);
    for (const task of TASKS) {
      const counts = new Map<string | null, Set<string>>();
      for (const { register, anchor } of pairs.filter(pair => pair.task === task))
        counts.set(register, (counts.get(register) ?? new Set()).add(anchor));
      expect([...counts.keys()].sort()).toEqual(['agent', 'clinical', 'finance', 'operations']);
      expect([...counts.values()].map(({ size }) => size)).toEqual(Array(4).fill(anchors / 4));
    }
  });
});

test('no anchor of the held-out corpus is in the other, by name or text', async () => {
  const [ours, heldOut] = await Promise.all([readGateCorpus('builtin'), readGateCorpus('held-out')]);
  const seen = new Set(
    ours.pairs.flatMap(({ task, anchor, textA, textB }) => [`${task} ${anchor}`, textA, textB]),
  );
  for (const { task, anchor, textA, textB } of heldOut.pairs)
    for (const value of [`${task} ${anchor}`, textA, textB]) expect(seen.has(value)).toBe(false);
});

test('of equally near candidates, the one as long as the reversal is taken, then the first', () => {
  const build = (same_distant: readonly string[]): string | undefined =>
    buildPairs([
      {
        task: 'distinctness',
        group: 'valve',
        subclass: 'antonym_verb',
        anchor: 'Open valve nine.',
        opposite_close: 'Close valve nine.',
        opposite_distant: 'Let no water through.',
        same_close: ['Unlock valve nine.'],
        same_distant: [...same_distant],
      },
    ]).find(({ cell }) => cell === 'D')?.text_b;
  expect(build(['Water on.', 'Let the water flow.', 'Let some water in.'])).toBe('Let the water flow.');
  expect(build(['Open it so water flows.', 'Water on.'])).toBe('Water on.');
});
