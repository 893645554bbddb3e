import { describe, expect, test } from 'vitest';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { TOKEN_JACCARD } from '../../src/gate/encoder.js';
import { fitLogistic, predict } from '../../src/gate/logistic.js';
import { judgeFitted, type RepairItem, repairItems } from '../../src/gate/repair.js';
import { scorePairs } from '../../src/gate/score.js';
import { runSecondGate } from '../../src/gate/second-gate.js';
import type { GatePair } from '../../src/gate/types.js';
import { skipNote } from '../shared.js';
import { type GoldRepair, gold } from './gold.js';

const at = gold();
if (at === null) skipNote('the oracle values of the repairs', 'gold', 'gate');
const ENCODER = 'all-MiniLM-L6-v2';

async function items(): Promise<readonly RepairItem[]> {
  const { values, corpus } = at as NonNullable<typeof at>;
  const cosines = new Map(values.pairs.map(({ id, cos }) => [id, cos[ENCODER] as number]));
  const { pairs } = await readGateCorpus(corpus);
  return repairItems(pairs.map(pair => ({ pair, flag: null, score: cosines.get(pair.id) as number })));
}

describe.skipIf(at === null)('against the oracle', () => {
  const near = (value: number | null | undefined, wanted: number, digits = 5): void =>
    expect(value ?? Number.NaN).toBeCloseTo(wanted, digits);

  test.each(['both', 'distinctness', 'constraint'] as const)('%s', async name => {
    const expected = at?.values.repairs[ENCODER]?.[name] as GoldRepair;
    const used = (await items()).filter(({ pair }) => name === 'both' || pair.task === name);
    expect(used).toHaveLength(expected.n);
    const i1 = judgeFitted('I1', used, []);
    expect(i1.fitted?.kind).toBe('I1');
    if (i1.fitted?.kind === 'I1') near(i1.fitted.threshold, expected.I1.threshold);
    near(i1.inSample?.balancedAccuracy, expected.I1.in_sample_ba);
    near(i1.leaveOneAnchorOut?.balancedAccuracy, expected.I1.loao_ba);
    near(i1.leaveOneAnchorOut?.caught, expected.I1.loao_catch);
    near(i1.leaveOneAnchorOut?.falseAlarms, expected.I1.loao_false_alarm);

    const i2 = judgeFitted('I2', used, []);
    if (i2.fitted?.kind === 'I2') {
      const { bias, weights, mean, sd } = i2.fitted.model;
      [bias, ...weights].forEach((value, i) => {
        near(value, expected.I2.weights_bias_cos_jac[i] as number);
      });
      [0, 1].forEach(i => {
        near(mean[i], expected.I2.mean[i] as number);
        near(sd[i], expected.I2.std[i] as number);
      });
    }
    near(i2.inSample?.balancedAccuracy, expected.I2.in_sample_ba);
    near(i2.inSample?.auroc, expected.I2.in_sample_auroc);
    near(i2.leaveOneAnchorOut?.balancedAccuracy, expected.I2.loao_ba);
    near(i2.leaveOneAnchorOut?.auroc, expected.I2.loao_auroc);
  });

  test('fitted on one task and judged on the other', async () => {
    const all = await items();
    const of = (task: string) => all.filter(({ pair }) => pair.task === task);
    for (const [from, to] of [
      ['distinctness', 'constraint'],
      ['constraint', 'distinctness'],
    ] as const) {
      const expected = at?.values.repairs[ENCODER]?.transfer[`${from}->${to}`];
      near(judgeFitted('I1', of(from), of(to)).heldOut.balancedAccuracy, expected?.I1 as number);
      near(judgeFitted('I2', of(from), of(to)).heldOut.balancedAccuracy, expected?.I2 as number);
    }
  });
});

test('a repair is not judged on what it was fitted on', async () => {
  const floor = repairItems(await scorePairs(TOKEN_JACCARD, await readGateCorpus('builtin')));
  expect(() => judgeFitted('I1', floor, floor.slice(5, 7))).toThrow(/fitted on/);
  expect(() => judgeFitted('I1', floor.slice(0, 1), [])).toThrow(/reversals and paraphrases/);
});

test('the logistic fit stays finite on separable and on constant data', () => {
  const examples = (label: (i: number) => 0 | 1) =>
    Array.from({ length: 12 }, (_, i) => ({ features: [i, 7] as const, label: label(i) }));
  const separable = fitLogistic(examples(i => (i < 6 ? 0 : 1)));
  expect([separable.bias, ...separable.weights].every(Number.isFinite)).toBe(true);
  expect([5, 6].map(x => Math.round(predict(separable, [x, 7])))).toEqual([0, 1]);
  const single = fitLogistic(examples(() => 1));
  expect(predict(single, [3, 7])).toBeGreaterThan(0.99);
});

describe('a second gate', () => {
  const pairs = ['x', 'y'].map(
    (id, i): GatePair => ({
      id,
      task: 'distinctness',
      decision: i === 0 ? 'same' : 'opposite',
      stratum: 'close',
      anchor: 'a',
      subclass: 'negation',
      register: null,
      textA: 'Do it.',
      textB: i === 0 ? 'Please do it.' : 'Do not do it.',
    }),
  );
  const node = (script: string) => runSecondGate([process.execPath, '-e', script], pairs);
  const read = 'const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n").map(JSON.parse);';
  const say =
    'lines.reverse().forEach(({ id, text_b }) => console.log(JSON.stringify({ id, approve: !/not/.test(text_b), score: text_b.length })));';

  test('answers in any order', async () => {
    expect(await node(read + say)).toEqual([
      { pair: pairs[0], fires: false, suspicion: -13 },
      { pair: pairs[1], fires: true, suspicion: -13 },
    ]);
  });

  test.each([
    ['does not start', () => runSecondGate(['/nonexistent/gate'], pairs), /cannot be run/],
    ['fails', () => node('console.error("no model"); process.exit(3)'), /exit code 3: no model/],
    ['leaves one out', () => node(`${read} lines.pop(); ${say}`), /no answer for y/],
    ['adds one', () => node(`${read} lines.push({ id: "z", text_b: "" }); ${say}`), /3 answers for 2/],
    ['answers twice', () => node(`${read} lines.push(lines[0]); ${say}`), /second time/],
    ['speaks no JSON', () => node('console.log("ok")'), /not valid JSON/],
    ['speaks other JSON', () => node('console.log("{}")'), /id/],
  ])('that %s is PROGRAM_FAILED', async (_, run, message) => {
    await expect(run()).rejects.toMatchObject({
      code: 'PROGRAM_FAILED',
      message: expect.stringMatching(message),
    });
  });
});
