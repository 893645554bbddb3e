import { describe, expect, test } from 'vitest';
import type { ReadyJudge } from '../../src/api/judge.js';
import type { ReadySweep } from '../../src/api/sweep.js';
import { executeSweep } from '../../src/api/sweep-execute.js';
import { planSweep } from '../../src/api/sweep-plan.js';
import { readingKey } from '../../src/audit/plan.js';
import type { RunEvents } from '../../src/engine/pool.js';
import { type EvalOutcome, type Exactness, type Job, noCounters } from '../../src/engine/types.js';
import { PlumblineError } from '../../src/errors.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { createRun } from '../../src/run/directory.js';
import { readReadings } from '../../src/run/reader.js';
import type { Reading } from '../../src/run/types.js';
import { STEERING } from '../audit/sweep-rows.js';
import { temporaryFolder } from '../run/folder.js';
import { LOCAL, manifest, sampleId } from '../run/rows.js';

const SAMPLES = 3;
const FAMILY = 11;
const EXACT: Exactness = { kind: 'exact', tile: 4, prompts: 1, floats: 1 };
const INEXACT: Exactness = { kind: 'inexact', tile: 4, prompts: 1, band: 0.5, why: 'a test' };

/** An outcome whose numbers depend on the sample and on alpha alone. */
function outcomeOf(id: number, sample: number, alpha: number, kl: number | null): EvalOutcome {
  return {
    id,
    firstLogits: Float32Array.of(sample + alpha, 1),
    logSumExp: 3,
    argMax: 0,
    labelLogprobs: Float64Array.of(-sample - 1 - alpha, -1.5),
    generated: new Int32Array(),
    generatedText: ' Compliant',
    taps: [],
    logits: new Float32Array(),
    kl,
  };
}

interface World {
  readonly exactness?: Exactness;
  readonly change?: (
    outcome: EvalOutcome,
    row: { readonly id: number; readonly alpha: number | null },
  ) => EvalOutcome;
  /** Evaluations that kill the engine: their families are evaluated one by one, without a reference. */
  readonly poison?: readonly number[];
  readonly earlier?: readonly Reading[];
}

/** Runs a sweep on an engine that is made up. */
async function run({
  exactness = EXACT,
  change = outcome => outcome,
  poison = [],
  earlier = [],
}: World = {}) {
  const base = Array.from({ length: SAMPLES }, (_, i) => ({
    key: readingKey(sampleId(i), 'baseline'),
    item: { id: sampleId(i), domain: 'ccpa', ruleId: 'r', rule: 'R', scenario: 'S', label: 1 as const },
    condition: 'baseline' as const,
    applicable: true,
    reason: null,
    visible: true,
    prompt: [],
  }));
  const evals = base.map((_, id) => ({
    id,
    prompt: Int32Array.of(7, id, 9),
    labels: [Int32Array.of(1), Int32Array.of(2)],
    generate: null,
  }));
  const facts = {
    nTokens: 3,
    promptSha256: 'a',
    tokensSha256: 'b',
    firstTokens: [1, 2],
    batchId: 0,
  } as const;
  const asked: number[] = [];
  const pool = {
    async run(jobs: readonly Job[], runEvents: RunEvents) {
      for (const { evals: items } of jobs) {
        const crashes = items.some(item => poison.includes(item.id));
        for (const { id, steer } of items) {
          asked.push(id);
          const alpha = steer?.alpha ?? null;
          if (poison.includes(id)) {
            runEvents.onFailure(id, new PlumblineError('ENGINE_CRASH', 'it died'));
            continue;
          }
          const kl = steer === undefined || crashes ? null : Math.abs(steer.alpha);
          runEvents.onOutcome(change(outcomeOf(id, Math.floor(id / FAMILY), alpha ?? 0, kl), { id, alpha }));
        }
      }
      return noCounters();
    },
  };
  const open = { pool, evals, facts: new Map(base.map((_, i) => [i, facts])), tooLong: new Map(), exactness };
  const judge = { ...open, sizing: {}, split: {} } as unknown as ReadyJudge;
  const plan = planSweep(judge, base, STEERING);
  expect(plan.family).toBe(FAMILY);
  const ready = {
    prepared: { options: { profile: PROFILES.standard }, rows: base },
    judge,
    plan,
    cost: { unsteered: 0, scopes: [] },
  } as unknown as ReadySweep;
  const dir = `${temporaryFolder()}/run`;
  const writer = createRun(dir, { ...manifest(SAMPLES), plannedRows: plan.rows.length }, LOCAL);
  const events = { onStage() {}, onLoad() {}, onRow() {}, onReady() {} };
  const result = executeSweep({ ...ready, writer, earlier, derivedDone: new Set(), dir }, events);
  return { result: await result, rows: readReadings(dir), asked, plan };
}

/** Alpha as the engine sees it: alpha times the length of a step. */
const isZero = (alpha: number | null): boolean => alpha === 0;

describe('alpha 0', () => {
  test('equal to the unsteered row: every row lands, with its divergence', async () => {
    const { result, rows } = await run();
    expect(result).toMatchObject({ rows: SAMPLES * FAMILY, errors: 0 });
    expect(rows.length).toBe(SAMPLES * FAMILY);
    for (const row of rows) expect(row.kl, row.key).toBe(row.alpha === null ? null : row.stepNorm);
  });

  test('one bit off: the run ends with DECODE and names the row', async () => {
    const off = run({
      change: (outcome, { id, alpha }) =>
        isZero(alpha) && id > FAMILY
          ? { ...outcome, labelLogprobs: Float64Array.of(-2 + 2 ** -50, -1.5) }
          : outcome,
    });
    await expect(off).rejects.toMatchObject({
      code: 'DECODE',
      message: expect.stringMatching(
        /#1\|baseline\|0\|3\|last\|fitted: steering by alpha 0 .*logprobCompliant/,
      ),
    });
  });

  test('a schedule that is inexact promises nothing', async () => {
    const { result } = await run({
      exactness: INEXACT,
      change: (outcome, { alpha }) =>
        isZero(alpha) ? { ...outcome, labelLogprobs: Float64Array.of(-2.1, -1.5) } : outcome,
    });
    expect(result.errors).toBe(0);
  });
});

describe('what is evaluated', () => {
  test('of a family with a row to do: that row and its reference, which is not written twice', async () => {
    const whole = await run();
    const open = 1 * FAMILY + 4;
    const earlier = whole.rows.filter(row => row.key !== whole.rows[open]?.key);
    const { asked, rows } = await run({ earlier });
    expect(asked).toEqual([FAMILY, open]);
    expect(rows).toEqual([whole.rows[open]]);
  });

  test('a reference that comes out otherwise than before is DECODE', async () => {
    const whole = await run();
    const earlier = whole.rows.filter((_, i) => i !== FAMILY + 4);
    const other = run({
      earlier,
      change: (outcome, { alpha }) => (alpha === null ? { ...outcome, generatedText: ' Non' } : outcome),
    });
    await expect(other).rejects.toMatchObject({
      code: 'DECODE',
      message: expect.stringContaining('generated'),
    });
  });

  test('rows without their reference, after a crash, are tried again when the sweep is resumed', async () => {
    const crash = await run({ poison: [FAMILY + 6] });
    const failed = crash.rows.filter(row => row.errorCode !== null);
    // The poisoned one, and all of its job that were then tried alone: the three families are one job.
    expect(crash.plan.jobs.jobs.length).toBe(1);
    expect(new Set(failed.map(row => row.errorCode))).toEqual(new Set(['ENGINE_CRASH']));
    expect(failed.length).toBe(SAMPLES * (FAMILY - 1));
    const { rows, asked } = await run({ earlier: crash.rows });
    expect(asked.length).toBe(SAMPLES * FAMILY);
    expect(rows.map(row => row.key).sort()).toEqual(failed.map(row => row.key).sort());
    expect(rows.filter(row => row.errorCode !== null)).toEqual([]);
  });
});
