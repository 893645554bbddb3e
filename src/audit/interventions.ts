import type { ProfileName } from '../prompt/profiles.js';
import type { Reading } from '../run/types.js';
import { mcnemarExact } from '../stats/binomial.js';
import { quotientInterval } from '../stats/bootstrap.js';
import { countIf, type Sample, samplesOf } from './analyze-samples.js';
import type { Group } from './analyze-types.js';
import { type Reader, rowState, verdictOf } from './ocs.js';
import { type Partition, partitionOf } from './partition.js';

/** One run of the same model on the same samples under one profile. */
export interface ProfileRun {
  /** Name of its folder. */
  readonly name: string;
  readonly profile: string;
  readonly planHash: string;
  readonly readings: readonly Reading[];
}

/** What a prompt changes: how much of the rule it shows, what it asks for, both, or something else. */
export type Effect = 'text' | 'instruction' | 'both' | 'other';

/** The four prompts that take the published remedy apart, and the steps between them. */
export const STEPS = [
  { effect: 'text', from: 'standard', to: 'standard-full' },
  { effect: 'text', from: 'anchored-300', to: 'rule-anchored' },
  { effect: 'instruction', from: 'standard', to: 'anchored-300' },
  { effect: 'instruction', from: 'standard-full', to: 'rule-anchored' },
  { effect: 'both', from: 'standard', to: 'rule-anchored' },
] as const satisfies readonly {
  readonly effect: Effect;
  readonly from: ProfileName;
  readonly to: ProfileName;
}[];

/** Baseline verdicts of the same samples under two prompts. */
export interface PairedChange {
  readonly group: 'all' | Group;
  /** Samples of the group that both runs evaluated. */
  readonly samples: number;
  /** Those of them with a verdict under both prompts; what follows is over these. */
  readonly pairs: number;
  readonly nullsFrom: number;
  readonly nullsTo: number;
  readonly rightFrom: number;
  readonly rightTo: number;
  /** Accuracy after minus accuracy before, with a paired bootstrap interval. */
  readonly change: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Wrong before, right after; and the other way round. */
  readonly gained: number;
  readonly lost: number;
  /** Exact McNemar; null when nothing changed. */
  readonly p: number | null;
}

export interface Step {
  readonly effect: Effect;
  readonly from: string;
  readonly to: string;
  /** All samples, then LOW, HIGH and neither. */
  readonly changes: readonly PairedChange[];
}

export interface Interventions {
  readonly reader: Reader;
  /** What made the groups, and how many samples each has; `open` are those that missing verdicts left undecided. */
  readonly groups: Readonly<Record<Group | 'open', number>> & {
    readonly source: string;
    readonly reader: Reader;
  };
  /** From each other run to this one, the first being the base. */
  readonly paired: readonly (Step & { readonly run: string })[];
  /** The steps of {@link STEPS} that the runs allow. */
  readonly effects: readonly Step[];
  /** Steps that cannot be taken, with the profiles whose run is missing. */
  readonly missing: readonly {
    readonly from: string;
    readonly to: string;
    readonly profiles: readonly string[];
  }[];
}

export interface InterventionOptions {
  readonly reader: Reader;
  /** Groups fixed elsewhere; null = as the first of the other runs fixes them. */
  readonly partition: Partition | null;
  /** Seed of the bootstraps. */
  readonly seed: number;
}

/**
 * What the prompt of a run changes against other runs of the same model on the same samples. Baseline rows alone are
 * compared; `others` begins with the base, whose groups are used. No two runs may have one profile.
 */
export function analyzeInterventions(
  run: ProfileRun,
  others: readonly [ProfileRun, ...ProfileRun[]],
  { reader, partition, seed }: InterventionOptions,
): Interventions {
  const [base] = others;
  const fixed =
    partition ?? partitionOf(base.readings, reader, { planHash: base.planHash, subject: base.name });
  const baselines = new Map([run, ...others].map(one => [one.profile, baselineOf(one.readings)]));
  const step = (effect: Effect, from: string, to: string): Step | null => {
    const [before, after] = [baselines.get(from), baselines.get(to)];
    if (!before || !after) return null;
    return { effect, from, to, changes: changesOf(before, after, fixed, reader, seed) };
  };
  const { LOW, HIGH, neither, open, source } = fixed;
  return {
    reader,
    groups: {
      source: partition === null ? base.name : source.subject,
      reader: fixed.reader,
      LOW: LOW.length,
      HIGH: HIGH.length,
      neither: neither.length,
      open: open.length,
    },
    paired: others.flatMap(other => {
      const taken = step(effectOf(other.profile, run.profile), other.profile, run.profile);
      return taken === null ? [] : [{ run: other.name, ...taken }];
    }),
    effects: STEPS.flatMap(({ effect, from, to }) => step(effect, from, to) ?? []),
    missing: STEPS.flatMap(({ from, to }) => {
      const profiles = [from, to].filter(profile => !baselines.has(profile));
      return profiles.length === 0 ? [] : [{ from, to, profiles }];
    }),
  };
}

function effectOf(from: string, to: string): Effect {
  return STEPS.find(step => step.from === from && step.to === to)?.effect ?? 'other';
}

/** Samples whose baseline row was evaluated, by id. */
function baselineOf(readings: readonly Reading[]): ReadonlyMap<string, Sample> {
  return new Map(
    samplesOf(readings.filter(({ alpha }) => alpha === null)).map(sample => [sample.id, sample]),
  );
}

function changesOf(
  before: ReadonlyMap<string, Sample>,
  after: ReadonlyMap<string, Sample>,
  fixed: Partition,
  reader: Reader,
  seed: number,
): readonly PairedChange[] {
  const everyone = [...before.keys()];
  const groups = [
    ['all', everyone],
    ['LOW', fixed.LOW],
    ['HIGH', fixed.HIGH],
    ['neither', fixed.neither],
  ] as const;
  return groups.map(([group, ids]) => {
    const evaluated = [...ids].sort().flatMap(id => {
      const from = before.get(id);
      const to = after.get(id);
      const rows = [from?.rows.get('baseline'), to?.rows.get('baseline')] as const;
      const [x, y] = rows;
      if (!from || !x || !y || [x, y].some(row => rowState(row, reader) === 'error')) return [];
      return [{ label: from.label, from: verdictOf(x, reader), to: verdictOf(y, reader) }];
    });
    return { group, ...pairedChange(evaluated, seed) };
  });
}

function pairedChange(
  evaluated: readonly { readonly label: 0 | 1; readonly from: 0 | 1 | null; readonly to: 0 | 1 | null }[],
  seed: number,
): Omit<PairedChange, 'group'> {
  const pairs = evaluated.filter(({ from, to }) => from !== null && to !== null);
  const gained = countIf(pairs, ({ label, from, to }) => from !== label && to === label);
  const lost = countIf(pairs, ({ label, from, to }) => from === label && to !== label);
  const steps = pairs.map(({ label, from, to }) => Number(to === label) - Number(from === label));
  const interval = quotientInterval(steps, new Array<number>(steps.length).fill(1), seed);
  return {
    samples: evaluated.length,
    pairs: pairs.length,
    nullsFrom: countIf(evaluated, ({ from }) => from === null),
    nullsTo: countIf(evaluated, ({ to }) => to === null),
    rightFrom: countIf(pairs, ({ label, from }) => from === label),
    rightTo: countIf(pairs, ({ label, to }) => to === label),
    change: pairs.length === 0 ? null : (gained - lost) / pairs.length,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    gained,
    lost,
    p: mcnemarExact(gained, lost),
  };
}
