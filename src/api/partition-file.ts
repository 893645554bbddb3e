import { readFileSync } from 'node:fs';
import { type Partition, parsePartition } from '../audit/partition.js';
import { messageOf, PlumblineError } from '../errors.js';

/** Reads the LOW and HIGH samples that a run has fixed. Errors: PARTITION_INVALID. */
export function readPartition(file: string): Partition {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlumblineError(
      'PARTITION_INVALID',
      `cannot read the partition file ${file}: ${messageOf(error)}; expected one that \`plumbline analyze --write-partition\` wrote`,
      { cause: error },
    );
  }
  return parsePartition(text, file);
}
