import path from 'node:path';
import type { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';
import { damaged } from './journal.js';
import { SCHEMA_VERSION } from './schema.js';

/** As the JSON files of a run are written. */
export function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`, 'utf8');
}

/**
 * The value of a file of a run. Errors: RUN_MISMATCH for another schema version; RUN_DAMAGED for anything but `schema`.
 */
export function parseJsonFile<T>(dir: string, file: string, bytes: Uint8Array, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw damaged(dir, file, 0, `not JSON (${messageOf(error)})`);
  }
  const version =
    typeof value === 'object' && value !== null && 'schemaVersion' in value ? value.schemaVersion : null;
  if (version !== null && version !== SCHEMA_VERSION) {
    throw new PlumblineError(
      'RUN_MISMATCH',
      `${path.join(dir, file)} is of schema version ${String(version)}, this build reads ${SCHEMA_VERSION}: use the version of plumbline that wrote it`,
    );
  }
  const result = schema.safeParse(value);
  if (!result.success) throw damaged(dir, file, 0, faultsOf(result.error));
  return result.data;
}

/** What made a run: an audit or a sweep of a judge, or a gate audit. A file that is not understood counts as a judge's. */
export function instrumentOf(bytes: Uint8Array): 'judge' | 'gate' {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return typeof value === 'object' && value !== null && 'instrument' in value && value.instrument === 'gate'
      ? 'gate'
      : 'judge';
  } catch {
    return 'judge';
  }
}
