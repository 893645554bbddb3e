import { describe, expect, test } from 'vitest';
import type { SweepSummary } from '../../src/api/sweep-analysis.js';
import { analyzeSweep } from '../../src/audit/sweep-analysis.js';
import { sweepText, swept } from '../../src/report/sweep-text.js';
import { displayWidth, WIDTH } from '../../src/report/table.js';
import { type Response, STEERING, sweepRows } from '../audit/sweep-rows.js';

const plain = { colour: false };

function summary(response: Response, samples = 24, plan = STEERING): SweepSummary {
  const { random, nudge, layers } = plan;
  const analysis = analyzeSweep(sweepRows(samples, response, plan), {
    about: { subject: 'judge.gguf', corpus: 'made up', run: 'run' },
    reader: 'logit',
    seed: 1,
    exactness: { kind: 'exact', tile: 4, prompts: 6, floats: 100 },
    direction: {
      name: 'd.gguf',
      sha256: 'ab'.repeat(32),
      layer: 3,
      norm: 1,
      modelSha256: null,
      source: 'npy',
    },
    steering: { scale: 'unit', random, nudge, layers: [...layers] },
  });
  return { planHash: 'p', coverage: { plannedRows: 1, missingRows: 0, errorRows: 0 }, ...analysis };
}

describe('sweepText', () => {
  test('keeps to the width of a terminal with the longest figures', () => {
    const plan = { ...STEERING, alphas: [-0.125, -512, 0, 512], random: 2 };
    const text = sweepText(summary({ shift: step => 40 * Math.sign(step.alpha) }, 1200, plan), 'run', plain);
    for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(WIDTH);
    expect(text).toContain('−0.125');
  });

  test('shows what each alpha is called, and where label mass collapses', () => {
    const text = sweepText(
      summary({
        shift: step => (step.direction === 'fitted' ? step.alpha : 0),
        mass: step => (step.alpha === -1 ? 0.1 : 0.9),
      }),
      'run',
      plain,
    );
    expect(text).toMatch(/fitted +−1 .* collapse$/m);
    expect(text).toMatch(/fitted +1 .* effect$/m);
    expect(text).toContain('An effect, more than every control gives, at alpha 1.');
    expect(text).toContain('Label mass, .900 at alpha 0, collapses at alpha −1.');
    expect(text).toContain('Alpha 0 equals it bit for bit in 24 of 24');
  });

  test('says which control a numeric effect does not exceed', () => {
    const random = summary({ shift: step => step.alpha });
    expect(sweepText(random, 'run', plain)).toContain(
      'no more than random directions of the same norm give, at alpha −1, 1.',
    );
    const nudged = summary({ shift: step => (step.alpha === 1e-4 ? 1 : 0.1 * step.alpha) });
    expect(sweepText(nudged, 'run', plain)).toContain(
      'no more than the vanishing nudge gives, at alpha −1, 1.',
    );
  });

  test('an exact run whose alpha 0 is not the unsteered row is said not to be read', () => {
    const whole = summary({ shift: () => 0 });
    const broken = { ...whole, identity: { rows: 24, equal: 23, largest: 0.25 } };
    expect(sweepText(broken, 'run', plain).replace(/\s+/g, ' ')).toContain(
      '23 of 24 rows; margins differ by up to .25, which an exact run rules out',
    );
  });

  test('a run with gaps says how to go on', () => {
    const whole = summary({ shift: () => 0 });
    const gaps = { ...whole, coverage: { plannedRows: 30, missingRows: 5, errorRows: 1 } };
    expect(sweepText(gaps, 'runs/my sweep', plain).replace(/\s+/g, ' ')).toMatch(
      /^Not complete: 5 of 30 planned rows .* plumbline sweep --resume 'runs\/my sweep'/,
    );
  });
});

test('the last words say how an interrupted sweep goes on', () => {
  const result = {
    dir: 'run',
    rows: 9,
    errors: 0,
    interrupted: true,
    alreadyComplete: false,
    exactness: null,
    counters: null,
    seconds: 1,
  };
  expect(swept(result)).toContain('plumbline sweep --resume run');
});
