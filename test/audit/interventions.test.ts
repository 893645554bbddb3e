import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  analyzeInterventions,
  type Interventions,
  type ProfileRun,
  STEPS,
} from '../../src/audit/interventions.js';
import { partitionOf } from '../../src/audit/partition.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { interventionsText } from '../../src/report/interventions.js';
import { displayWidth, WIDTH } from '../../src/report/table.js';
import { hand } from './hand.js';
import { failed, reading } from './rows.js';

type Verdict = 0 | 1 | null;
const LABELS = { 'a/1': 1, 'a/2': 0, 'a/3': 1, 'a/4': 0, 'b/1': 1, 'b/2': 0 } as const;

/** A run of the baseline alone, with these verdicts for the samples of the hand-made run. */
function runOf(profile: string, verdicts: readonly Verdict[]): ProfileRun {
  const readings = Object.entries(LABELS).map(([id, label], i) =>
    reading(id, 'baseline', verdicts[i] ?? null, { label, profile }),
  );
  return { name: `run-${profile}`, profile, planHash: profile, readings };
}

// Baseline verdicts 1 0 1 – 0 0 against labels 1 0 1 0 1 0: LOW a/3, HIGH b/1, neither a/1 and a/2, open a/4 and b/2.
const standard: ProfileRun = {
  name: 'run-standard',
  profile: 'standard',
  planHash: 'standard',
  readings: hand,
};
const options = { reader: 'text', partition: null, seed: 1 } as const;
const changeIn = (found: Interventions, group: string, step = 0) =>
  found.paired[step]?.changes.find(row => row.group === group);

describe('analyzeInterventions', () => {
  //                             a/1 a/2 a/3 a/4 b/1 b/2
  const anchored = runOf('rule-anchored', [0, 0, 1, 0, 1, null]);
  const found = analyzeInterventions(anchored, [standard], options);

  it('pairs the baselines of the same samples, worked by hand', () => {
    expect(found.groups).toEqual({
      source: 'run-standard',
      reader: 'text',
      LOW: 1,
      HIGH: 1,
      neither: 2,
      open: 2,
    });
    expect(found.paired).toMatchObject([
      { run: 'run-standard', effect: 'both', from: 'standard', to: 'rule-anchored' },
    ]);
    expect(changeIn(found, 'all')).toMatchObject({
      samples: 6,
      pairs: 4,
      nullsFrom: 1,
      nullsTo: 1,
      rightFrom: 3,
      rightTo: 3,
      change: 0,
      gained: 1,
      lost: 1,
      p: 1,
    });
    expect(changeIn(found, 'LOW')).toMatchObject({
      samples: 1,
      pairs: 1,
      change: 0,
      gained: 0,
      lost: 0,
      p: null,
    });
    expect(changeIn(found, 'HIGH')).toMatchObject({
      samples: 1,
      pairs: 1,
      change: 1,
      gained: 1,
      lost: 0,
      p: 1,
    });
    expect(changeIn(found, 'neither')).toMatchObject({
      samples: 2,
      pairs: 2,
      change: -0.5,
      gained: 0,
      lost: 1,
    });
  });

  it('takes the groups of a partition, whoever made it', () => {
    const partition = {
      ...partitionOf(hand, 'text', { planHash: 'ab', subject: 'other.gguf' }),
      LOW: ['a/1', 'a/2', 'a/3'],
      neither: [],
    };
    const other = analyzeInterventions(anchored, [standard], { ...options, partition });
    expect(other.groups).toMatchObject({ source: 'other.gguf', LOW: 3, neither: 0 });
    expect(changeIn(other, 'LOW')).toMatchObject({ pairs: 3, gained: 0, lost: 1 });
    // Groups of a run with the baseline alone do not exist.
    const bare = analyzeInterventions(anchored, [runOf('standard', [1, 0, 1, 1, 0, 0])], options);
    expect(bare.groups).toMatchObject({ LOW: 0, HIGH: 0, neither: 0, open: 6 });
    expect(interventionsText(bare, [], { colour: false }).replace(/\s+/g, ' ')).toContain(
      'none, since it has no flips',
    );
  });

  it('tells the effect of the text from that of the instruction, as far as there are runs', () => {
    const full = runOf('standard-full', [1, 0, 0, 1, 0, 0]);
    const quoted = runOf('anchored-300', [1, 1, 1, 0, 1, 1]);
    const told = (run: ProfileRun, others: [ProfileRun, ...ProfileRun[]]) => {
      const { effects, missing } = analyzeInterventions(run, others, options);
      return {
        effects: effects.map(({ effect, from, to, changes }) => [
          effect,
          from,
          to,
          changes[0]?.gained,
          changes[0]?.lost,
        ]),
        missing: missing.map(({ profiles }) => profiles.join()),
      };
    };
    expect(told(anchored, [standard, full, quoted])).toEqual({
      effects: [
        ['text', 'standard', 'standard-full', 0, 1],
        ['text', 'anchored-300', 'rule-anchored', 1, 1],
        ['instruction', 'standard', 'anchored-300', 1, 2],
        ['instruction', 'standard-full', 'rule-anchored', 3, 1],
        ['both', 'standard', 'rule-anchored', 1, 1],
      ],
      missing: [],
    });
    // Which of the runs is the analyzed one, and the order of the others, changes no step.
    expect(told(full, [quoted, standard, anchored])).toEqual(told(anchored, [standard, full, quoted]));
    expect(told(anchored, [full])).toEqual({
      effects: [['instruction', 'standard-full', 'rule-anchored', 3, 1]],
      missing: ['standard', 'anchored-300', 'standard,anchored-300', 'standard'],
    });
  });

  it('leaves failed and steered rows aside, and names a prompt of the user', () => {
    const [first, ...others] = anchored.readings;
    const steered = {
      ...(first ?? reading('a/1', 'baseline', 1)),
      key: 'steered',
      alpha: 1,
      verdictText: 1 as const,
    };
    const own: ProfileRun = {
      ...anchored,
      profile: 'own',
      readings: [failed('a/1', 'baseline', 'DECODE', { label: 1 }), steered, ...others],
    };
    const { paired, effects } = analyzeInterventions(own, [standard], options);
    expect(paired[0]).toMatchObject({ effect: 'other', changes: [{ samples: 5, pairs: 3 }, {}, {}, {}] });
    expect(effects).toEqual([]);
  });

  it('the way back gains what the way there lost', () => {
    const verdicts = fc.array(fc.constantFrom<Verdict>(0, 1, null), { minLength: 6, maxLength: 6 });
    const partition = partitionOf(hand, 'text', { planHash: 'ab', subject: 'other.gguf' });
    fc.assert(
      fc.property(verdicts, verdicts, (a, b) => {
        const [x, y] = [runOf('standard', a), runOf('standard-full', b)];
        const there = analyzeInterventions(y, [x], { ...options, partition }).paired[0]?.changes ?? [];
        const back = analyzeInterventions(x, [y], { ...options, partition }).paired[0]?.changes ?? [];
        for (const [i, row] of there.entries()) {
          expect(row.rightTo - row.rightFrom).toBe(row.gained - row.lost);
          expect(row.samples).toBeGreaterThanOrEqual(row.pairs);
          expect(back[i]).toMatchObject({ gained: row.lost, lost: row.gained, p: row.p, pairs: row.pairs });
          if (row.change !== null) expect(back[i]?.change).toBeCloseTo(-row.change, 12);
          if (row.low !== null) expect(back[i]?.high).toBeCloseTo(-row.low, 12);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('its steps are between built-in profiles that differ in just that', () => {
    for (const { effect, from, to } of STEPS) {
      const [a, b] = [PROFILES[from], PROFILES[to]];
      expect(a.ruleChars !== b.ruleChars).toBe(effect !== 'instruction');
      expect(JSON.stringify(a.parts) !== JSON.stringify(b.parts)).toBe(effect !== 'text');
    }
  });
});

describe('interventionsText', () => {
  const full = runOf('standard-full', [1, 0, 0, 1, 0, 0]);

  it('holds both tables, and names what is missing', () => {
    const found = analyzeInterventions(full, [standard], options);
    const text = interventionsText(found, ['run-standard was evaluated by other means'], { colour: false });
    expect(text).toMatch(
      /^What does another prompt change\?\n {2}standard → standard-full, against run-standard\n/,
    );
    expect(text).toMatch(
      /^ {2}all +6 +5 +\.800 → \.600 +−0\.200 \[−0\.600, 0\.000\] +0 +1 +1\.0000 +1 → 0$/m,
    );
    expect(text).toContain('The whole rule, or the instruction?');
    expect(text).toContain('by other means');
    expect(text.replace(/\s+/g, ' ')).toContain(
      'Missing: no run under anchored-300 or rule-anchored, so not told:',
    );
    expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(WIDTH);
    expect(text).not.toMatch(/ $/m);
  });

  it('says when nothing can be compared', () => {
    const mute = runOf('rule-anchored', []);
    const text = interventionsText(analyzeInterventions(mute, [standard], options), [], { colour: false });
    expect(text.replace(/\s+/g, ' ')).toContain('No sample has a verdict under both');
    expect(text).not.toContain('NaN');
  });
});
