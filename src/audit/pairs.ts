import type { PairRow } from '../run/pairs-file.js';
import type { Exactness, Reading } from '../run/types.js';
import { readSamples, samplesOf } from './analyze-samples.js';
import { flipOf, icsDeltaOf, marginShiftOf, READERS } from './ocs.js';

/**
 * What every unsteered reading but the baseline is against its baseline, for both verdict readers, ordered by sample id.
 * Throws as {@link samplesOf} does.
 */
export function pairRows(readings: readonly Reading[], exactness: Exactness | null): readonly PairRow[] {
  const samples = samplesOf(readings.filter(({ alpha }) => alpha === null));
  const read = READERS.map(reader => ({ reader, samples: readSamples(samples, reader, exactness) }));
  return samples.flatMap(({ id, domain, rows }, i) =>
    read.flatMap(({ reader, samples }) =>
      [...rows.values()]
        .filter(({ condition }) => condition !== 'baseline')
        .map(({ key, condition }) => ({
          key,
          sampleId: id,
          domain,
          condition,
          reader,
          flip: flipOf(rows, condition, reader),
          marginShift: marginShiftOf(rows, condition),
          icsDelta: icsDeltaOf(rows, condition),
          fragile: samples[i]?.pairs.find(pair => pair.condition === condition)?.fragile ?? null,
        })),
    ),
  );
}
