import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildPairs, type Candidates, pairLines, readCandidates } from '../../src/gate/build.js';
import { checkCorpus, type TaskCheck } from '../../src/gate/check.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { temporaryFolder } from '../run/folder.js';
import { shared, skipNote } from '../shared.js';

const published = shared('data', 'polaritycheck');
if (published === null) skipNote('the published corpus', 'data', 'polaritycheck');

const rounded = (value: number | null, digits: number): string => (value ?? Number.NaN).toFixed(digits);
const cells = ({ overlap }: TaskCheck): readonly string[] =>
  (['A', 'B', 'C', 'D'] as const).map(cell => rounded(overlap.tokenJaccard.means[cell], 4));

describe.skipIf(published === null)('the published corpus', () => {
  test('has the published means, exact p and floor', async () => {
    const check = checkCorpus(await readGateCorpus(`polaritycheck:${published}`), 1);
    expect(check.interpretable).toBe(true);
    const [distinctness, constraint] = check.tasks as [TaskCheck, TaskCheck];
    expect(cells(distinctness)).toEqual(['0.7212', '0.0861', '0.7176', '0.0681']);
    expect(cells(constraint)).toEqual(['0.7095', '0.0233', '0.7310', '0.0556']);
    const balances = [distinctness, constraint].flatMap(({ overlap }) =>
      (['close', 'distant'] as const).map(stratum => overlap.tokenJaccard.balance[stratum]),
    );
    expect(balances.map(({ p }) => rounded(p, 3))).toEqual(['0.978', '0.692', '0.582', '0.104']);
    expect(balances.every(({ exact }) => exact)).toBe(true);
    expect(balances.map(({ decisionAuroc }) => decisionAuroc)).toEqual([0.475, 0.47, 0.535, 0.7]);
    for (const { overlap, anchors, incompleteAnchors } of check.tasks) {
      expect(overlap.tokenJaccard.manipulation).toBe(1);
      expect({ anchors, incompleteAnchors }).toEqual({ anchors: 10, incompleteAnchors: [] });
    }
    // Cell means of the oracle for the second measure.
    expect(rounded(distinctness.overlap.charJaccard.means.A, 6)).toBe('0.673912');
    expect(rounded(constraint.overlap.charJaccard.means.D, 6)).toBe('0.042903');
  });

  test('comes out of its own candidates by the matching rule', () => {
    const { tasks } = JSON.parse(readFileSync(join(published as string, 'anchors.json'), 'utf8')) as {
      readonly tasks: Readonly<
        Record<Candidates['task'], { readonly anchors: readonly Record<string, never>[] }>
      >;
    };
    const file = join(temporaryFolder(), 'candidates.jsonl');
    const lines = (['distinctness', 'constraint'] as const).flatMap(task =>
      tasks[task].anchors.map(({ opp_close, opp_distant, ...rest }) =>
        JSON.stringify({ task, ...rest, opposite_close: opp_close, opposite_distant: opp_distant }),
      ),
    );
    writeFileSync(file, lines.join('\n'));
    const built = buildPairs(readCandidates(file));
    const expected = readFileSync(join(published as string, 'factorial_80.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const asPublished = built.map(({ target, candidates, ...pair }) => pair);
    // Where candidates are equally near, the published rule takes the first and ours the one nearest in length.
    const ties = new Map([['D-D-03', 'Store frequently requested results nearer the caller.']]);
    for (const [i, line] of expected.entries()) {
      const own = asPublished[i];
      const theirs = JSON.parse(line) as typeof own;
      const other = ties.get(own?.id ?? '');
      if (other === undefined) expect(own).toEqual(theirs);
      else expect({ ...own, text_b: theirs?.text_b }).toEqual(theirs);
      if (other !== undefined) expect(own?.text_b).toBe(other);
    }
    expect(asPublished).toHaveLength(expected.length);
    expect(pairLines(built).split('\n')).toHaveLength(81);
  });
});
