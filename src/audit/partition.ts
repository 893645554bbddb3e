import { z } from 'zod';
import { PlumblineError } from '../errors.js';
import type { Reading } from '../run/types.js';
import { faultsOf } from '../zod-faults.js';
import { byText, samplesOf } from './analyze-samples.js';
import type { Group } from './analyze-types.js';
import { deriveSample, READERS, type Reader } from './ocs.js';

/** LOW and HIGH as one run fixed them: sample ids in ascending order, every sample of that run in exactly one list. */
export interface Partition extends Readonly<Record<Group, readonly string[]>> {
  readonly source: { readonly planHash: string; readonly subject: string };
  /** The verdicts whose flips made the groups. */
  readonly reader: Reader;
  /** Samples that missing verdicts left open. */
  readonly open: readonly string[];
}

/** Fixes the sensitivity groups of a run. Steered readings are left aside. */
export function partitionOf(
  readings: readonly Reading[],
  reader: Reader,
  source: Partition['source'],
): Partition {
  const samples = samplesOf(readings.filter(reading => reading.alpha === null));
  const grouped = samples.map(({ id, rows }) => ({
    id,
    group: deriveSample([...rows.values()], reader).group,
  }));
  const ids = (group: Group | null): readonly string[] =>
    grouped.filter(s => s.group === group).map(s => s.id);
  return { source, reader, LOW: ids('LOW'), HIGH: ids('HIGH'), neither: ids('neither'), open: ids(null) };
}

const FORMAT = 'plumbline-partition';
const VERSION = 1;

const ids = z.array(z.string().min(1));
const schema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  source: z.strictObject({ planHash: z.string().min(1), subject: z.string().min(1) }),
  reader: z.enum(READERS),
  LOW: ids,
  HIGH: ids,
  neither: ids,
  open: ids,
});

/** The text of a partition file. Equal partitions give equal bytes. */
export function formatPartition(partition: Partition): string {
  const sorted = (list: readonly string[]): readonly string[] => [...list].sort(byText);
  const file: z.input<typeof schema> = {
    format: FORMAT,
    version: VERSION,
    source: { planHash: partition.source.planHash, subject: partition.source.subject },
    reader: partition.reader,
    LOW: [...sorted(partition.LOW)],
    HIGH: [...sorted(partition.HIGH)],
    neither: [...sorted(partition.neither)],
    open: [...sorted(partition.open)],
  };
  return `${JSON.stringify(file, null, 1)}\n`;
}

/** Reads the text of a partition file; `name` is the file's, for messages. Throws PARTITION_INVALID. */
export function parsePartition(text: string, name: string): Partition {
  const remedy = 'write it anew from its run with `plumbline analyze`';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PlumblineError(
      'PARTITION_INVALID',
      `${name} is not JSON: a partition file was expected; ${remedy}`,
      { cause },
    );
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw new PlumblineError('PARTITION_INVALID', `${name}: ${faultsOf(parsed.error)}; ${remedy}`);
  }
  const { source, reader, LOW, HIGH, neither, open } = parsed.data;
  const seen = new Map<string, string>();
  for (const [group, list] of Object.entries({ LOW, HIGH, neither, open })) {
    for (const id of list) {
      const other = seen.get(id);
      if (other !== undefined) {
        const where = other === group ? `twice in ${group}` : `in both ${other} and ${group}`;
        throw new PlumblineError(
          'PARTITION_INVALID',
          `${name} names sample ${id} ${where}: once was expected; ${remedy}`,
        );
      }
      seen.set(id, group);
    }
  }
  return { source, reader, LOW, HIGH, neither, open };
}
