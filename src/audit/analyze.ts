import { PlumblineError } from '../errors.js';
import type { Condition } from '../perturb/types.js';
import type { Exactness, Reading } from '../run/types.js';
import { moments } from '../stats/moments.js';
import { type DirectionRows, summariseIcs } from './analyze-ics.js';
import { groupRows, summariseReader } from './analyze-reader.js';
import { byText, countIf, rateOf, readSamples, type Sample, samplesOf } from './analyze-samples.js';
import type {
  About,
  Agreement,
  AppliedPartition,
  Group,
  MarginShift,
  ReaderSummary,
  Summary,
} from './analyze-types.js';
import { marginShiftOf, type Reader, verdictOf } from './ocs.js';
import type { Partition } from './partition.js';
import { ICS_ONLY } from './readings.js';

export interface AnalyzeOptions {
  readonly about: About;
  /** null when the subject's exactness was not measured (an endpoint, a program). */
  readonly exactness: Exactness | null;
  /** Reader of the leading tables; the other one is shown beside it. The paper's is `text`. */
  readonly reader?: Reader;
  /** Seed of the permutation check and of the bootstrap. */
  readonly seed?: number;
  /** Accuracy of the rule-blind lexical floor per domain. */
  readonly lexicalFloor?: ReadonlyMap<string, number | null>;
  /** Why it could not be had. */
  readonly floorMissing?: string;
  /** LOW and HIGH as fixed on another run. */
  readonly partition?: Partition;
  /** What the rows were projected on. */
  readonly direction?: DirectionRows;
}

/** The order of tables: the placebo comes before everything that is compared with it. */
const TABLE_ORDER: readonly Condition[] = ['baseline', 'placebo', 'delete', 'swap', 'negate'];

/**
 * Everything that the unsteered rows of a run say about its subject (definitions: the types). Neither the order of rows
 * nor a failed row that was tried again later changes anything.
 *
 * Throws RUN_INCOMPLETE when there is no unsteered row, RUN_DAMAGED when rows contradict each other.
 */
export function analyzeReadings(readings: readonly Reading[], options: AnalyzeOptions): Summary {
  const { exactness, seed = 42, reader: primary = 'text' } = options;
  const unsteered = readings.filter(reading => reading.alpha === null);
  if (unsteered.length === 0) {
    throw new PlumblineError(
      'RUN_INCOMPLETE',
      'the run has no unsteered reading to analyze: let the audit run first',
    );
  }
  const samples = samplesOf(unsteered);
  const conditions = TABLE_ORDER.filter(condition => samples.some(sample => sample.rows.has(condition)));
  const domains = [...new Set(samples.map(sample => sample.domain))].sort(byText);
  const inexact = exactness?.kind === 'inexact';
  const read = {
    text: readSamples(samples, 'text', exactness),
    logit: readSamples(samples, 'logit', exactness),
  };
  const summarise = (reader: Reader): ReaderSummary =>
    summariseReader(read[reader], reader, conditions, domains, inexact, seed);
  const readers = { text: summarise('text'), logit: summarise('logit') };
  const sized = domains.map(domain => ({
    domain,
    samples: countIf(samples, sample => sample.domain === domain),
    lexicalFloor: options.lexicalFloor?.get(domain) ?? null,
  }));
  return {
    about: options.about,
    profiles: [...new Set(unsteered.map(reading => reading.profile))].sort(byText),
    exactness,
    seed,
    rows: samples.reduce((sum, sample) => sum + sample.rows.size, 0),
    steeredRows: readings.length - unsteered.length,
    samples: samples.length,
    compliantLabels: countIf(samples, sample => sample.label === 1),
    conditions,
    domains: sized,
    lexicalFloor: pooledFloor(sized, samples.length),
    floorMissing: options.floorMissing ?? null,
    primary,
    readers,
    baselineMargin: moments(samples.flatMap(sample => usableMargin(sample) ?? [])),
    marginShifts: marginShifts(samples, conditions),
    agreement: agreements(samples, conditions),
    icsOnly: readsNoVerdicts(samples),
    ics: summariseIcs(samples, {
      conditions,
      domains,
      ocs: { text: aggregateOcs(readers.text), logit: aggregateOcs(readers.logit) },
      direction: options.direction ?? null,
      seed,
    }),
    partition: options.partition ? applied(options.partition, read[primary], primary, conditions) : null,
  };
}

/** All evaluated rows say that their residual stream alone was read. */
function readsNoVerdicts(samples: readonly Sample[]): boolean {
  const evaluated = samples
    .flatMap(({ rows }) => [...rows.values()])
    .filter(row => row.applicable && row.errorCode === null);
  return evaluated.length > 0 && evaluated.every(({ nullReason }) => nullReason === ICS_ONLY);
}

function aggregateOcs({ ocs }: ReaderSummary): ReadonlyMap<string, number | null> {
  const aggregate = ocs.find(({ measure }) => measure === 'agg');
  return new Map(aggregate?.domains.map(({ domain, all }) => [domain, all.rate]));
}

function pooledFloor(domains: Summary['domains'], samples: number): number | null {
  let right = 0;
  for (const domain of domains) {
    if (domain.lexicalFloor === null) return null;
    right += domain.lexicalFloor * domain.samples;
  }
  return right / samples;
}

function usableMargin(sample: Sample): number | null {
  const baseline = sample.rows.get('baseline');
  return baseline?.applicable && baseline.errorCode === null ? baseline.margin : null;
}

function marginShifts(samples: readonly Sample[], conditions: readonly Condition[]): readonly MarginShift[] {
  return conditions
    .filter(condition => condition !== 'baseline')
    .map(condition => {
      const shifts = samples.flatMap(({ rows }) => {
        const shift = marginShiftOf(rows, condition);
        const visible = condition === 'placebo' || rows.get(condition)?.visible === true;
        return shift === null ? [] : [{ shift, visible }];
      });
      return {
        condition,
        all: moments(shifts.map(({ shift }) => shift)),
        visible: moments(shifts.filter(({ visible }) => visible).map(({ shift }) => shift)),
      };
    });
}

function agreements(samples: readonly Sample[], conditions: readonly Condition[]): readonly Agreement[] {
  const of = (condition: Agreement['condition']): Agreement => {
    const rows = samples
      .flatMap(sample => [...sample.rows.values()])
      .filter(
        row =>
          (condition === 'pooled' || row.condition === condition) && row.applicable && row.errorCode === null,
      )
      .map(row => ({ text: verdictOf(row, 'text'), logit: verdictOf(row, 'logit') }));
    const both = rows.filter(row => row.text !== null && row.logit !== null);
    return {
      condition,
      same: rateOf(
        countIf(both, row => row.text === row.logit),
        both.length,
      ),
      textOnlyCompliant: countIf(both, row => row.text === 1 && row.logit === 0),
      logitOnlyCompliant: countIf(both, row => row.text === 0 && row.logit === 1),
      textNull: countIf(rows, row => row.text === null && row.logit !== null),
      logitNull: countIf(rows, row => row.text !== null && row.logit === null),
      bothNull: countIf(rows, row => row.text === null && row.logit === null),
      rows: rows.length,
    };
  };
  return [...conditions.map(of), of('pooled')];
}

function applied(
  partition: Partition,
  samples: Parameters<typeof groupRows>[0],
  reader: Reader,
  conditions: readonly Condition[],
): AppliedPartition {
  const groups = new Map<string, Group>();
  for (const group of ['LOW', 'HIGH', 'neither'] as const) {
    for (const id of partition[group]) groups.set(id, group);
  }
  const present = new Set(samples.map(sample => sample.id));
  const named = [...groups.keys(), ...partition.open];
  return {
    source: partition.source.subject,
    reader: partition.reader,
    groups: groupRows(samples, reader, conditions, groups),
    absent: countIf(named, id => !present.has(id)),
    outside: countIf(samples, sample => !groups.has(sample.id)),
  };
}
