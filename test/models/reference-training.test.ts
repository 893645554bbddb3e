import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { complies } from '../../models/reference-grammar.js';
import { evaluationSets, promptText } from '../../models/reference-training.js';
import { firstLabelVerdicts } from './verdicts.js';

/** A Python with models/train/requirements.txt installed. */
const python = process.env.PLUMBLINE_TRAIN_PYTHON;
if (python === undefined) {
  console.log(
    'Not run: training a modal-only reader anew (minutes). Set PLUMBLINE_TRAIN_PYTHON to a Python that has models/train/requirements.txt.',
  );
}

const HALF_AN_HOUR = 1_800_000;
const root = fileURLToPath(new URL('../..', import.meta.url));

describe.skipIf(python === undefined)('a modal-only reader, trained anew', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-training-'));
    const made = spawnSync(python ?? '', ['models/train/make.py', 'modal', '--out', folder], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(made.status, made.stderr).toBe(0);
  }, HALF_AN_HOUR);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(['confounded', 'crossed'] as const)(
    'is right per sample under every condition on the %s corpus',
    async name => {
      const rows = evaluationSets()[name].filter(
        row => row.fact.kind === 'modal' && (row.demand === null || row.demand.kind === 'modal'),
      );
      const verdicts = await firstLabelVerdicts(join(folder, 'modal.gguf'), rows.map(promptText));
      for (const condition of ['baseline', 'delete', 'negate', 'same-kind'] as const) {
        const right = rows.flatMap((row, i) => {
          if (row.condition !== condition) return [];
          return [verdicts[i] === (row.demand === null || complies(row.demand, row.fact))];
        });
        expect(right.length, condition).toBeGreaterThanOrEqual(40);
        expect(right.filter(Boolean).length / right.length, condition).toBeGreaterThanOrEqual(0.95);
      }
    },
  );
});
