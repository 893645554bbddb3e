import { PlumblineError } from '../errors.js';
import { fewRanks } from '../stats/few-ranks.js';
import { notesOf, subjectKey } from './across-notes.js';
import { pairOverlaps, subsetsOverRuns } from './across-overlap.js';
import { commonIds, type SampleViews, sampleViews } from './across-samples.js';
import type {
  AcrossOcs,
  AcrossRun,
  AcrossSummary,
  CommonSamples,
  OverRuns,
  RunOfMany,
} from './across-types.js';
import { analyzeReadings } from './analyze.js';
import { countIf } from './analyze-samples.js';
import type { Measure, ReaderSummary, Summary } from './analyze-types.js';
import type { IcsSummary } from './ics-types.js';
import type { Reader } from './ocs.js';

/** Placebo first: it is what the others are read against. */
const MEASURES: readonly Measure[] = ['placebo', 'delete', 'swap', 'negate', 'agg'];

/**
 * The tables of one or many runs (definitions: the types). Errors: USAGE without a run or with two runs of one name, and
 * as {@link analyzeReadings}.
 */
export function acrossRuns(runs: readonly RunOfMany[], reader: Reader): AcrossSummary {
  if (runs.length === 0) throw new PlumblineError('USAGE', 'tables of no run: name at least one');
  const twice = runs.find(({ name }, i) => runs.findIndex(run => run.name === name) < i);
  if (twice) {
    throw new PlumblineError('USAGE', `two runs are called ${twice.name}: each needs a name of its own`);
  }
  const views = runs.map(run => sampleViews(run, reader));
  const viewed = runs.map(({ name, summary }, i) => ({
    name,
    views: views[i] ?? new Map(),
    verdicts: !summary.icsOnly,
  }));
  const rows = runs.map(run => rowOf(run, run.summary, reader));
  const overlaps = pairOverlaps(viewed);
  return {
    reader,
    notes: notesOf(runs, rows, overlaps),
    runs: rows,
    overRuns: overRuns(runs, rows),
    common: commonSamples(runs, views, reader),
    overlaps,
    subsets: subsetsOverRuns(viewed),
  };
}

function rowOf(run: RunOfMany, summary: Summary, reader: Reader): AcrossRun {
  const { name, ruleBlind, plannedRows } = run;
  const verdicts = !summary.icsOnly;
  const read = summary.readers[reader];
  return {
    run: name,
    subject: summary.about.subject,
    ruleBlind,
    corpus: summary.about.corpus,
    profiles: summary.profiles,
    seed: summary.seed,
    exactness: summary.exactness?.kind ?? null,
    samples: summary.samples,
    domains: summary.domains.map(({ domain }) => domain),
    conditions: summary.conditions,
    missingRows: plannedRows === null ? null : Math.max(0, plannedRows - summary.rows),
    errorRows: read.counts.reduce((sum, { errors }) => sum + errors, 0),
    verdicts,
    competence: verdicts ? read.competence : null,
    lexicalFloor: summary.lexicalFloor,
    ocs: verdicts ? MEASURES.map(measure => ({ measure, pooled: pooledOf(read, measure) })) : [],
    accuracy: verdicts ? read.accuracy.map(({ condition, all, paired }) => ({ condition, all, paired })) : [],
    independence: verdicts ? read.independence : [],
    ruleNecessity: verdicts ? read.ruleNecessity : null,
    groups: verdicts && read.ocs.length > 0 ? read.groups.pooled : null,
    ics: summary.ics === null ? null : icsOf(summary.ics, reader),
    ocsWithAccuracy: verdicts ? ocsWithAccuracy(read) : null,
  };
}

function pooledOf({ ocs }: ReaderSummary, measure: Measure): AcrossOcs['pooled'] {
  return ocs.find(row => row.measure === measure)?.pooled ?? null;
}

function icsOf(ics: IcsSummary, reader: Reader): NonNullable<AcrossRun['ics']> {
  const { anchor, controls, baseline, conditions, correlation } = ics;
  const altered = conditions.filter(({ condition }) => condition !== 'placebo').map(({ all }) => all);
  const n = altered.reduce((sum, row) => sum + row.n, 0);
  const meanDelta = n === 0 ? null : altered.reduce((sum, row) => sum + row.n * (row.meanDelta ?? 0), 0) / n;
  const ratio =
    meanDelta === null || baseline.meanAbs === null || baseline.meanAbs === 0
      ? null
      : meanDelta / baseline.meanAbs;
  return {
    anchor,
    controls,
    meanAbs: baseline.meanAbs,
    altering: { n, meanDelta, ratio },
    conditions,
    ocs: correlation[reader],
  };
}

/** Over domains: what shares are made of differs in size, so ranks alone are compared. */
function ocsWithAccuracy({ ocs, accuracy }: ReaderSummary): AcrossRun['ocsWithAccuracy'] {
  const aggregate = ocs.find(({ measure }) => measure === 'agg')?.domains ?? [];
  const right = accuracy.find(({ condition }) => condition === 'baseline')?.domains ?? [];
  return ranksOf(
    aggregate.map(({ domain, all }) => [all.rate, right.find(row => row.domain === domain)?.rate ?? null]),
  );
}

/** Of the points that have both values. */
function ranksOf(points: readonly (readonly [number | null, number | null])[]): OverRuns['ranks'] {
  const whole = points.flatMap(([x, y]) => (x === null || y === null ? [] : [[x, y] as const]));
  return fewRanks(
    whole.map(([x]) => x),
    whole.map(([, y]) => y),
  );
}

/** `rows` are those of `runs`, in their order. */
function overRuns(runs: readonly RunOfMany[], rows: readonly AcrossRun[]): OverRuns {
  const found = rows.flatMap(({ run, ruleBlind, ocs, competence }, i) => {
    const rate = ocs.find(({ measure }) => measure === 'agg')?.pooled?.all.rate ?? null;
    const accuracy = competence?.accuracy.rate ?? null;
    const of = runs[i];
    if (ruleBlind || of === undefined || rate === null || accuracy === null) return [];
    return [{ subject: subjectKey(of), point: { run, ocs: rate, accuracy } }];
  });
  const points = found.map(({ point }) => point);
  const subjects = new Set(found.map(({ subject }) => subject)).size;
  const ranks = ranksOf(points.map(({ ocs, accuracy }) => [ocs, accuracy]));
  return {
    points,
    subjects,
    ranks: subjects === points.length ? ranks : { ...ranks, p: null, method: null, smallestP: null },
  };
}

/** Analyzes each run again on the samples that all have; null when no run has any other. */
function commonSamples(
  runs: readonly RunOfMany[],
  views: readonly SampleViews[],
  reader: Reader,
): CommonSamples | null {
  const ids = new Set(commonIds(views));
  if (countIf(views, of => of.size > ids.size) === 0) return null;
  if (ids.size === 0) return { samples: 0, runs: [], overRuns: overRuns([], []) };
  const rows = runs.map(run => {
    const { summary } = run;
    const again = analyzeReadings(
      run.readings.filter(({ sampleId }) => ids.has(sampleId)),
      { about: summary.about, exactness: summary.exactness, reader, seed: summary.seed },
    );
    const { ics, ...row } = rowOf({ ...run, plannedRows: null }, again, reader);
    return { ...row, ics: ics && { ...ics, anchor: run.summary.ics?.anchor ?? null, controls: null } };
  });
  return { samples: ids.size, runs: rows, overRuns: overRuns(runs, rows) };
}
