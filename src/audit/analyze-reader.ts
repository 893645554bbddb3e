import type { Label } from '../corpus/types.js';
import { ALTERING, type Condition } from '../perturb/types.js';
import { auroc, aurocInterval } from '../stats/auroc.js';
import { binomialUpperTail, mcnemarExact } from '../stats/binomial.js';
import { independenceNull } from '../stats/independence.js';
import { moments } from '../stats/moments.js';
import { permutationCheck } from '../stats/permutation.js';
import {
  countIf,
  isAltering,
  type Pair,
  perDomain,
  type ReadSample,
  rateOf,
  tallyOf,
} from './analyze-samples.js';
import type {
  AccuracyRow,
  Competence,
  ConditionCounts,
  FlipRates,
  Group,
  GroupRow,
  GroupSizes,
  IndependenceRow,
  Measure,
  OcsRow,
  Rate,
  ReaderSummary,
} from './analyze-types.js';
import { type Reader, rowState, verdictOf } from './ocs.js';
import { ruleNecessityOf } from './rule-necessity.js';

/** Everything that one verdict reader says about a run. `conditions` are those that the run has. */
export function summariseReader(
  samples: readonly ReadSample[],
  reader: Reader,
  conditions: readonly Condition[],
  domains: readonly string[],
  inexact: boolean,
  seed: number,
): ReaderSummary {
  const pairs = samples.flatMap(sample => sample.pairs);
  return {
    reader,
    competence: competenceOf(samples, reader, seed),
    counts: conditions.map(condition => countsOf(samples, condition, reader)),
    ocs: measuresOf(conditions).map(measure => ocsRow(pairs, measure, domains, inexact)),
    accuracy: conditions.map(condition => accuracyRow(samples, condition, reader, domains)),
    independence: independenceRows(pairs, conditions, seed),
    ruleNecessity: ruleNecessityOf(pairs, conditions, seed),
    groups: { pooled: groupSizes(samples), domains: perDomain(samples, domains, groupSizes) },
    byGroup: groupRows(samples, reader, conditions, new Map(samples.map(s => [s.id, s.derived.group]))),
  };
}

function measuresOf(conditions: readonly Condition[]): readonly Measure[] {
  const altering = ALTERING.filter(condition => conditions.includes(condition));
  return [
    ...(conditions.includes('placebo') ? (['placebo'] as const) : []),
    ...altering,
    ...(altering.length > 0 ? (['agg'] as const) : []),
  ];
}

interface Judged {
  readonly verdict: Label;
  readonly label: Label;
  readonly domain: string;
}

function judgedUnder(
  samples: readonly ReadSample[],
  condition: Condition,
  reader: Reader,
): readonly Judged[] {
  return samples.flatMap(({ rows, label, domain }) => {
    const row = rows.get(condition);
    const verdict = row ? verdictOf(row, reader) : null;
    return verdict === null ? [] : [{ verdict, label, domain }];
  });
}

const accuracyOf = (judged: readonly Judged[]): Rate =>
  rateOf(
    countIf(judged, row => row.verdict === row.label),
    judged.length,
  );

/** Whether the judge does the task, from its baseline rows. */
export function competenceOf(samples: readonly ReadSample[], reader: Reader, seed: number): Competence {
  const judged = judgedUnder(samples, 'baseline', reader);
  const evaluated = samples.flatMap(({ rows }) => {
    const row = rows.get('baseline');
    return row && ['verdict', 'null'].includes(rowState(row, reader)) ? [row] : [];
  });
  const scored = evaluated.flatMap(({ margin, label }) => (margin === null ? [] : [{ margin, label }]));
  const margins = scored.map(row => row.margin);
  const labels = scored.map(row => row.label);
  const interval = aurocInterval(margins, labels, seed);

  const n = judged.length;
  const accuracy = accuracyOf(judged);
  const compliant = countIf(judged, row => row.label === 1);
  const chance = n === 0 ? null : Math.max(compliant, n - compliant) / n;
  return {
    accuracy,
    accuracyNullsWrong: rateOf(accuracy.count, evaluated.length),
    chance,
    pAboveChance: chance === null ? null : binomialUpperTail(accuracy.count, n, chance),
    saysCompliant: rateOf(
      countIf(judged, row => row.verdict === 1),
      n,
    ),
    labelCompliant: n === 0 ? null : compliant / n,
    nullRate: rateOf(evaluated.length - n, evaluated.length),
    auroc: {
      n: scored.length,
      value: auroc(margins, labels),
      low: interval?.low ?? null,
      high: interval?.high ?? null,
    },
    labelMass: moments(evaluated.flatMap(row => (row.labelMass === null ? [] : [row.labelMass]))),
    doesTask: doesTask(accuracy, chance, interval?.high ?? null),
  };
}

/** How far above chance an accuracy must reach to be worth having. */
export const WORTH_HAVING = 0.1;

function doesTask(accuracy: Rate, chance: number | null, aurocHigh: number | null): boolean | null {
  const best = rateOf(accuracy.n, accuracy.n).low;
  if (accuracy.low === null || chance === null || best === null || best <= chance) return null;
  if (accuracy.low > chance) return true;
  // A margin that runs against the labels, or an interval that leaves no room for a judge worth having.
  if (aurocHigh !== null && aurocHigh < 0.5) return false;
  return accuracy.high !== null && accuracy.high < chance + WORTH_HAVING ? false : null;
}

function countsOf(samples: readonly ReadSample[], condition: Condition, reader: Reader): ConditionCounts {
  const rows = samples.flatMap(sample => sample.rows.get(condition) ?? []);
  const having = (state: ReturnType<typeof rowState>) => rows.filter(row => rowState(row, reader) === state);
  const nulls = having('null');
  const notApplicable = having('not-applicable');
  const errors = having('error');
  return {
    condition,
    rows: rows.length,
    verdicts: having('verdict').length,
    nulls: nulls.length,
    nullReasons: tallyOf(nulls.map(row => (reader === 'text' ? row.nullReason : 'no-label-scores'))),
    notApplicable: notApplicable.length,
    notApplicableReasons: tallyOf(notApplicable.map(row => row.reason)),
    errors: errors.length,
    errorCodes: tallyOf(errors.map(row => row.errorCode)),
    invisible: countIf(rows, row => isAltering(condition) && row.applicable && !row.visible),
    missing: samples.length - rows.length,
  };
}

const isFlip = (pair: Pair): boolean => pair.before !== pair.after;

/** Flip rate over pairs of one condition, or over samples of their mean flip for `agg`. */
function flipRate(pairs: readonly Pair[], measure: Measure): Rate {
  if (measure !== 'agg') return rateOf(countIf(pairs, isFlip), pairs.length);
  const samples = new Map<string, { flips: number; pairs: number }>();
  for (const pair of pairs) {
    const known = samples.get(pair.sampleId) ?? { flips: 0, pairs: 0 };
    samples.set(pair.sampleId, { flips: known.flips + (isFlip(pair) ? 1 : 0), pairs: known.pairs + 1 });
  }
  const sum = [...samples.values()].reduce((total, sample) => total + sample.flips / sample.pairs, 0);
  return rateOf(sum, samples.size);
}

const ofMeasure = (pairs: readonly Pair[], measure: Measure): readonly Pair[] =>
  pairs.filter(pair => (measure === 'agg' ? isAltering(pair.condition) : pair.condition === measure));

function flipRates(pairs: readonly Pair[], measure: Measure, inexact: boolean): FlipRates {
  const invisible = pairs.filter(pair => !pair.visible);
  const fragile = pairs.filter(pair => pair.fragile);
  return {
    all: flipRate(pairs, measure),
    visible: flipRate(
      pairs.filter(pair => pair.visible),
      measure,
    ),
    invisiblePairs: invisible.length,
    invisibleFlips: countIf(invisible, isFlip),
    solid: inexact
      ? flipRate(
          pairs.filter(pair => !pair.fragile),
          measure,
        )
      : null,
    fragilePairs: inexact ? fragile.length : null,
    fragileFlips: inexact ? countIf(fragile, isFlip) : null,
  };
}

function ocsRow(
  pairs: readonly Pair[],
  measure: Measure,
  domains: readonly string[],
  inexact: boolean,
): OcsRow {
  const own = ofMeasure(pairs, measure);
  const rates = (some: readonly Pair[]): FlipRates => flipRates(some, measure, inexact);
  return { measure, pooled: rates(own), domains: perDomain(own, domains, rates) };
}

function accuracyRow(
  samples: readonly ReadSample[],
  condition: Condition,
  reader: Reader,
  domains: readonly string[],
): AccuracyRow {
  const judged = judgedUnder(samples, condition, reader);
  const pairs = samples.flatMap(sample => sample.pairs.filter(pair => pair.condition === condition));
  const gained = countIf(pairs, ({ before, after, label }) => before !== label && after === label);
  const lost = countIf(pairs, ({ before, after, label }) => before === label && after !== label);
  return {
    condition,
    all: accuracyOf(judged),
    domains: perDomain(judged, domains, accuracyOf),
    paired:
      condition === 'baseline'
        ? null
        : {
            n: pairs.length,
            baselineRight: countIf(pairs, ({ before, label }) => before === label),
            right: countIf(pairs, ({ after, label }) => after === label),
            gained,
            lost,
            p: mcnemarExact(gained, lost),
          },
  };
}

function independenceRows(
  pairs: readonly Pair[],
  conditions: readonly Condition[],
  seed: number,
): readonly IndependenceRow[] {
  const row = (condition: IndependenceRow['condition'], own: readonly Pair[]): IndependenceRow => {
    const n = own.length;
    const share = (holds: (pair: Pair) => boolean): number | null =>
      n === 0 ? null : countIf(own, holds) / n;
    const p = share(pair => pair.before === 1);
    const q = share(pair => pair.after === 1);
    const cells = new Map<string, (readonly [Label, Label])[]>();
    for (const pair of own) {
      const name = `${pair.domain}, ${pair.condition}`;
      const verdicts = cells.get(name);
      if (verdicts) verdicts.push([pair.before, pair.after]);
      else cells.set(name, [[pair.before, pair.after]]);
    }
    return {
      condition,
      n,
      p,
      q,
      expected: p === null || q === null ? null : independenceNull(p, q),
      observed: share(isFlip),
      permutation: permutationCheck(
        [...cells].map(([name, verdicts]) => ({ name, pairs: verdicts })),
        seed,
      ),
    };
  };
  const altering = ALTERING.filter(condition => conditions.includes(condition));
  if (altering.length === 0) return [];
  return [
    ...altering.map(condition => row(condition, ofMeasure(pairs, condition))),
    row('pooled', ofMeasure(pairs, 'agg')),
  ];
}

function groupSizes(samples: readonly ReadSample[]): GroupSizes {
  const size = (group: Group | null): number => countIf(samples, sample => sample.derived.group === group);
  return { LOW: size('LOW'), HIGH: size('HIGH'), neither: size('neither'), open: size(null) };
}

/** Accuracy and flips on the samples of each group, whoever made the groups. */
export function groupRows(
  samples: readonly ReadSample[],
  reader: Reader,
  conditions: readonly Condition[],
  groupOfSample: ReadonlyMap<string, Group | null>,
): readonly GroupRow[] {
  return (['LOW', 'HIGH', 'neither'] as const).map(group => {
    const members = samples.filter(sample => groupOfSample.get(sample.id) === group);
    const pairs = members.flatMap(sample => sample.pairs);
    return {
      group,
      samples: members.length,
      accuracy: conditions.map(condition => ({
        condition,
        rate: accuracyOf(judgedUnder(members, condition, reader)),
      })),
      flips: measuresOf(conditions).map(measure => ({
        measure,
        rate: flipRate(ofMeasure(pairs, measure), measure),
      })),
    };
  });
}
