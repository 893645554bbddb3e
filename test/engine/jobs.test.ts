import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlannedEval, planJobs, treeNodes } from '../../src/engine/jobs.js';

/** Token strings on an alphabet of three, so that prefixes meet; some far longer than others. */
const tokens = (maxLength: number): fc.Arbitrary<Int32Array> =>
  fc.array(fc.nat(2), { minLength: 1, maxLength }).map(ids => Int32Array.from(ids));

const trunks = [
  Int32Array.from({ length: 30 }, (_, i) => i % 3),
  Int32Array.from({ length: 12 }, (_, i) => (i + 1) % 3),
];

const prompt = fc
  .tuple(fc.constantFrom(-1, 0, 1), fc.nat(30), tokens(12))
  .map(([trunk, cut, tail]) => Int32Array.of(...(trunks[trunk]?.subarray(0, cut) ?? []), ...tail));

const evals: fc.Arbitrary<readonly PlannedEval[]> = fc
  .array(
    fc.record({
      prompt,
      labels: fc.array(tokens(3), { minLength: 1, maxLength: 3 }),
      order: fc.nat(400),
      isolated: fc.boolean(),
    }),
    { minLength: 0, maxLength: 60 },
  )
  .map(list =>
    list.map(({ prompt: ids, labels, order, isolated }, id) => ({
      item: { id, prompt: ids, labels, generate: null },
      order,
      isolated: isolated && id % 3 === 0,
    })),
  );

/** Every distinct non-empty prefix, one by one. */
function trie(sequences: readonly (readonly number[])[]): Set<string> {
  return new Set(sequences.flatMap(sequence => sequence.map((_, i) => sequence.slice(0, i + 1).join())));
}

const sequencesOf = ({ item }: PlannedEval): number[][] =>
  item.labels.map(label => [...item.prompt, ...label.subarray(0, -1)]);

describe('planJobs', () => {
  it('plans every evaluation exactly once, isolated ones alone', () => {
    fc.assert(
      fc.property(evals, list => {
        const { jobs } = planJobs(list);
        const ids = jobs.flatMap(job => job.evals.map(item => item.id)).sort((a, b) => a - b);
        expect(ids).toEqual(list.map(({ item }) => item.id));
        for (const job of jobs) {
          expect(job.evals.length).toBeGreaterThan(0);
          const isolated = job.evals.map(item => list[item.id]?.isolated);
          expect(new Set(isolated)).toEqual(new Set([job.isolated]));
          if (job.isolated) expect([job.evals.length, job.shared.length]).toEqual([1, 0]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('shares prefixes that all prompts of all their jobs really have, shortest first', () => {
    fc.assert(
      fc.property(evals, list => {
        const plan = planJobs(list);
        const seen = new Map<number, { text: string; jobs: number }>();
        for (const { evals: items, shared } of plan.jobs) {
          const lengths = shared.map(({ length }) => length);
          expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => a - b));
          for (const { id, length } of shared) {
            expect(length).toBeGreaterThan(0);
            for (const { prompt: ids } of items) {
              expect(ids.length).toBeGreaterThanOrEqual(length);
              const text = ids.subarray(0, length).join();
              expect(text).toBe(seen.get(id)?.text ?? text);
              if (!seen.has(id)) seen.set(id, { text, jobs: 0 });
            }
            const known = seen.get(id);
            if (known !== undefined) known.jobs++;
          }
        }
        expect([...seen.keys()].sort((a, b) => a - b)).toEqual(
          Array.from({ length: plan.sharedPrefixes }, (_, id) => id),
        );
        // One job alone would gain nothing from a parked prefix.
        for (const { jobs } of seen.values()) expect(jobs).toBeGreaterThan(1);
      }),
      { numRuns: 200 },
    );
  });

  it('counts the nodes of the prefix tree as a trie does', () => {
    fc.assert(
      fc.property(evals, list => {
        const plan = planJobs(list);
        const together = trie(list.filter(({ isolated }) => !isolated).flatMap(sequencesOf)).size;
        const apart = list
          .filter(({ isolated }) => isolated)
          .map(planned => trie(sequencesOf(planned)).size)
          .reduce((a, b) => a + b, 0);
        expect(plan.nodes).toBe(together + apart);
        expect(plan.sequenceTokens).toBe(
          list.map(planned => trie(sequencesOf(planned)).size).reduce((a, b) => a + b, 0),
        );
        expect(plan.nodes).toBeLessThanOrEqual(plan.sequenceTokens);
      }),
      { numRuns: 200 },
    );
  });

  it('starts jobs in the order of their first evaluation, and does not depend on the order of the list', () => {
    fc.assert(
      fc.property(evals, list => {
        const { jobs } = planJobs(list);
        const starts = jobs.map(job => Math.min(...job.evals.map(({ id }) => list[id]?.order ?? Number.NaN)));
        expect(starts).toEqual([...starts].sort((a, b) => a - b));
        const { nodes, sequenceTokens } = planJobs([...list].reverse());
        expect({ nodes, sequenceTokens }).toEqual({
          nodes: planJobs(list).nodes,
          sequenceTokens: planJobs(list).sequenceTokens,
        });
      }),
      { numRuns: 100 },
    );
  });

  it('keeps a small subtree together and parks the root of a large one', () => {
    const planned = (id: number, ids: readonly number[], order: number): PlannedEval => ({
      item: { id, prompt: Int32Array.from(ids), labels: [Int32Array.of(1)], generate: null },
      order,
      isolated: false,
    });
    const root = Array.from({ length: 20 }, () => 5);
    const small = planJobs([0, 1, 2].map(i => planned(i, [...root, i], i)));
    expect(small.jobs.map(job => [job.evals.length, job.shared.length])).toEqual([[3, 0]]);
    const large = planJobs(Array.from({ length: 12 }, (_, i) => planned(i, [...root, i, i], i)));
    expect(large.jobs.length).toBe(12);
    expect(large.sharedPrefixes).toBe(1);
    expect(large.jobs[0]?.shared).toEqual([{ id: 0, length: 20, jobs: 12 }]);
    const far = planJobs([0, 1].map(i => planned(i, [...root, i], i * 1000)));
    const prefix = { id: 0, length: 20, jobs: 2 };
    expect(far.jobs.map(job => job.shared)).toEqual([[prefix], [prefix]]);
    const equal = planJobs([0, 1].map(i => planned(i, root, i * 1000)));
    expect(equal.jobs.map(job => job.shared[0]?.length)).toEqual([19, 19]);
    const tiny = planJobs([0, 1].map(i => planned(i, [5, 5, i], i * 1000)));
    expect(tiny.sharedPrefixes).toBe(0);
  });

  it('plans nothing for nothing', () => {
    expect(planJobs([])).toEqual({ jobs: [], nodes: 0, sequenceTokens: 0, sharedPrefixes: 0 });
  });
});

describe('treeNodes', () => {
  it('counts distinct prefixes', () => {
    expect(treeNodes([])).toBe(0);
    expect(treeNodes([[1, 2, 3], [1, 2], [1, 2, 4], [2]].map(ids => Int32Array.from(ids)))).toBe(5);
  });
});
