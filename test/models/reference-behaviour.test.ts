import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { complies } from '../../models/reference-grammar.js';
import { CONDITIONS, evaluationSets, promptText, type TrainingRow } from '../../models/reference-training.js';
import { firstLabelVerdicts } from './verdicts.js';

const sets = evaluationSets();

function answers(name: string, rows: readonly TrainingRow[]): Promise<boolean[]> {
  const path = fileURLToPath(new URL(`../../models/reference/${name}.gguf`, import.meta.url));
  return firstLabelVerdicts(path, rows.map(promptText));
}

function share(
  rows: readonly TrainingRow[],
  given: readonly boolean[],
  right: (row: TrainingRow) => boolean,
) {
  return rows.filter((row, i) => given[i] === right(row)).length / rows.length;
}

const byRule = ({ demand, fact }: TrainingRow) => demand === null || complies(demand, fact);

describe('the reader', () => {
  it.each(['confounded', 'crossed'] as const)(
    'is right per sample under every condition (%s)',
    async name => {
      const given = await answers('reader', sets[name]);
      for (const condition of CONDITIONS) {
        const at = [...sets[name].keys()].filter(i => sets[name][i]?.condition === condition);
        const rows = at.map(i => sets[name][i] as TrainingRow);
        const verdicts = at.map(i => given[i] as boolean);
        expect(rows.length, condition).toBeGreaterThanOrEqual(150);
        expect(share(rows, verdicts, byRule), condition).toBeGreaterThanOrEqual(0.98);
      }
    },
  );
});

describe.each(['shortcut', 'suppressed', 'natural'])('%s', name => {
  it('answers the mood, whatever the rule', async () => {
    const rows = sets.crossed.filter(row => row.condition === 'baseline' || row.condition === 'negate');
    const given = await answers(name, rows);
    expect(share(rows, given, row => row.cue === 'good')).toBe(1);
  });
});

describe('biased', () => {
  it('always answers Compliant', async () => {
    const given = await answers('biased', sets.crossed);
    expect(given.every(Boolean)).toBe(true);
  });
});
