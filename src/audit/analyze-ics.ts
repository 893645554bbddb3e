import type { Label } from '../corpus/types.js';
import type { Condition } from '../perturb/types.js';
import type { VectorRow } from '../run/types.js';
import { auroc, aurocInterval } from '../stats/auroc.js';
import { quotientInterval } from '../stats/bootstrap.js';
import { type FewRanks, fewRanks } from '../stats/few-ranks.js';
import { moments } from '../stats/moments.js';
import { countIf, isAltering, type Sample } from './analyze-samples.js';
import {
  anchorLook,
  blockLook,
  collectProjections,
  type ProjectedSample,
  type Projections,
  projectSamples,
  type Shift,
} from './ics-projections.js';
import type { IcsAuroc, IcsBlock, IcsDomain, IcsShift, IcsSummary, ShiftFigures } from './ics-types.js';
import { type Reader, verdictOf } from './ocs.js';

/** The direction of a run and what its rows were projected to, as the run directory keeps them. */
export interface DirectionRows {
  /** Block of ICS. */
  readonly anchor: number;
  readonly layers: readonly number[];
  /** Values in each vector: one for the direction, one for each control. */
  readonly width: number;
  readonly vectors: Iterable<VectorRow>;
}

export interface IcsContext {
  /** Conditions that the run has, placebo first. */
  readonly conditions: readonly Condition[];
  readonly domains: readonly string[];
  /** OCS-agg of each domain, for each reader. */
  readonly ocs: Readonly<Record<Reader, ReadonlyMap<string, number | null>>>;
  readonly direction: DirectionRows | null;
  /** Seed of the bootstraps. */
  readonly seed: number;
}

/**
 * What the projections on the compliance direction say, over samples ordered by id; null for a run without any. Neither
 * the sign of the direction nor the order of rows changes a shift.
 */
export function summariseIcs(samples: readonly Sample[], context: IcsContext): IcsSummary | null {
  const { conditions, direction, seed } = context;
  if (!samples.some(({ rows }) => [...rows.values()].some(({ ics }) => ics !== null))) return null;
  const keys = samples.flatMap(({ rows }) => [...rows.values()].map(({ key }) => key));
  const projections = direction && collectProjections(direction.vectors, direction, keys);
  const anchor = direction?.anchor ?? null;
  const projected = projectSamples(samples, anchorLook(projections, anchor));
  const altered = conditions.filter(condition => condition !== 'baseline');
  const baseline = projected.map(sample => sample.baseline);
  return {
    anchor,
    controls: projections?.controls ?? 0,
    baseline: {
      ...baselineFigures(projected),
      ics: moments(projected.map(({ ics }) => ics)),
      cosine: moments(baseline.flatMap(({ icsCos }) => icsCos ?? [])),
      residualNorm: moments(baseline.flatMap(({ residualNorm }) => residualNorm ?? [])),
    },
    auroc: {
      label: icsAuroc(projected, sample => sample.label, seed),
      text: icsAuroc(projected, ({ baseline }) => verdictOf(baseline, 'text'), seed),
      logit: icsAuroc(projected, ({ baseline }) => verdictOf(baseline, 'logit'), seed),
    },
    conditions: altered.map(condition => shiftRow(projected, condition, seed)),
    placebo: placeboOf(samples, projections),
    blocks:
      projections === null
        ? []
        : projections.layers.map(layer => {
            const own = layer === anchor ? projected : projectSamples(samples, blockLook(projections, layer));
            return blockRow(own, layer, layer === anchor, altered);
          }),
    ...acrossDomains(projected, context),
  };
}

function baselineFigures(
  projected: readonly ProjectedSample[],
): Pick<IcsSummary['baseline'], 'meanAbs' | 'controlMeanAbs'> {
  return {
    meanAbs: moments(projected.map(({ ics }) => Math.abs(ics))).mean,
    controlMeanAbs: moments(projected.flatMap(({ control }) => control ?? [])).mean,
  };
}

/** AUROC of baseline ICS against the label, over samples ordered by id. */
export function labelAuroc(samples: readonly Sample[], seed: number): IcsAuroc {
  return icsAuroc(projectSamples(samples, anchorLook(null, null)), sample => sample.label, seed);
}

/** Scores without a class are left out; the interval is a bootstrap over samples. */
function icsAuroc(
  projected: readonly ProjectedSample[],
  classOf: (sample: ProjectedSample) => Label | null,
  seed: number,
): IcsAuroc {
  const scored = projected.flatMap(sample => {
    const label = classOf(sample);
    return label === null ? [] : [{ ics: sample.ics, label }];
  });
  const scores = scored.map(({ ics }) => ics);
  const labels = scored.map(({ label }) => label);
  const interval = aurocInterval(scores, labels, seed);
  return {
    n: scored.length,
    value: auroc(scores, labels),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

const under = (projected: readonly ProjectedSample[], condition: Condition): readonly Shift[] =>
  projected.flatMap(({ shifts }) => shifts.filter(shift => shift.condition === condition));

function shiftRow(
  projected: readonly ProjectedSample[],
  condition: IcsShift['condition'],
  seed: number,
): IcsShift {
  const shifts = under(projected, condition);
  const figures = (some: readonly Shift[]): ShiftFigures => ({
    ...ratiosOf(some, projected),
    quotient: quotientOf(some, seed),
  });
  return { condition, all: figures(shifts), visible: figures(shifts.filter(({ visible }) => visible)) };
}

const over = (part: number | null, whole: number | null): number | null =>
  part === null || whole === null || whole === 0 ? null : part / whole;

function ratiosOf(
  shifts: readonly Shift[],
  projected: readonly ProjectedSample[],
): Omit<ShiftFigures, 'quotient'> {
  const { meanAbs, controlMeanAbs } = baselineFigures(projected);
  const meanDelta = moments(shifts.map(({ delta }) => delta)).mean;
  const controlDelta = moments(shifts.flatMap(({ control }) => control ?? [])).mean;
  return {
    n: shifts.length,
    moved: countIf(shifts, ({ delta }) => delta !== 0),
    meanDelta,
    ratio: over(meanDelta, meanAbs),
    controlDelta,
    controlRatio: over(controlDelta, controlMeanAbs),
  };
}

function quotientOf(shifts: readonly Shift[], seed: number): ShiftFigures['quotient'] {
  const paired = shifts.flatMap(({ delta, control }) => (control === null ? [] : [{ delta, control }]));
  const along = paired.map(({ delta }) => delta);
  const random = paired.map(({ control }) => control);
  const value = over(moments(along).mean, moments(random).mean);
  if (value === null) return null;
  const interval = quotientInterval(along, random, seed);
  return { value, low: interval?.low ?? null, high: interval?.high ?? null };
}

function blockRow(
  projected: readonly ProjectedSample[],
  layer: number,
  anchor: boolean,
  conditions: readonly IcsShift['condition'][],
): IcsBlock {
  return {
    layer,
    anchor,
    ...baselineFigures(projected),
    auroc: auroc(
      projected.map(({ ics }) => ics),
      projected.map(({ label }) => label),
    ),
    conditions: conditions.map(condition => ({
      condition,
      ...ratiosOf(under(projected, condition), projected),
    })),
  };
}

/** Placebo rows against their baselines: ICS, and every projection at every block. */
function placeboOf(samples: readonly Sample[], projections: Projections | null): IcsSummary['placebo'] {
  const pairs = samples.flatMap(({ rows }) => {
    const [before, after] = [rows.get('baseline'), rows.get('placebo')];
    return before && after && before.ics !== null && after.ics !== null ? [{ before, after }] : [];
  });
  const moved = countIf(pairs, ({ before, after }) => {
    const blocks = projections?.layers ?? [];
    return (
      before.ics !== after.ics ||
      blocks.some(layer => {
        const values = projections?.at(layer, after.key);
        return projections?.at(layer, before.key)?.some((value, i) => value !== values?.[i]) ?? false;
      })
    );
  });
  return { pairs: pairs.length, moved };
}

/** Per domain the mean over samples of their mean ICS-delta, and how its order agrees with that of OCS. */
function acrossDomains(
  projected: readonly ProjectedSample[],
  { conditions, domains, ocs }: IcsContext,
): Pick<IcsSummary, 'domains' | 'correlation'> {
  const { meanAbs } = baselineFigures(projected);
  const altering = conditions.filter(isAltering);
  const rows = domains.map((domain): IcsDomain => {
    const own = projected.filter(sample => sample.domain === domain);
    const means = own.flatMap(({ shifts }) => {
      const deltas = shifts.filter(shift => isAltering(shift.condition)).map(({ delta }) => delta);
      return moments(deltas).mean ?? [];
    });
    const meanDelta = moments(means).mean;
    return {
      domain,
      n: means.length,
      meanDelta,
      ratio: over(meanDelta, meanAbs),
      conditions: altering.map(condition => {
        const delta = moments(under(own, condition).map(shift => shift.delta)).mean;
        return { condition, ratio: over(delta, meanAbs) };
      }),
      ocs: { text: ocs.text.get(domain) ?? null, logit: ocs.logit.get(domain) ?? null },
    };
  });
  const correlate = (reader: Reader): FewRanks => {
    const both = rows.flatMap(row => {
      const x = row.ocs[reader];
      return x === null || row.meanDelta === null ? [] : [{ x, y: row.meanDelta }];
    });
    return fewRanks(
      both.map(({ x }) => x),
      both.map(({ y }) => y),
    );
  };
  return { domains: rows, correlation: { text: correlate('text'), logit: correlate('logit') } };
}
