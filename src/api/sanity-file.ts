import { join } from 'node:path';
import { z } from 'zod';
import { READERS } from '../audit/ocs.js';
import { SANITY_CHECKS, SANITY_NUMBERS, SANITY_OUTCOMES, type Sanity } from '../audit/sanity-types.js';
import { nodeFiles, readWhole, writeAtomically } from '../run/files.js';

/** What `audit --sanity` leaves in a run. */
export const SANITY_FILE = 'sanity.json';

const estimate = z.strictObject({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

const schema: z.ZodType<Sanity> = z.strictObject({
  planHash: z.string(),
  seed: z.int(),
  samples: z.int(),
  compliantLabels: z.int(),
  copies: z.int(),
  tensors: z.strictObject({ shuffled: z.int(), kept: z.int() }),
  permutations: z.int(),
  rules: z.strictObject({ given: z.int(), fromOtherDomain: z.int() }),
  rows: z.array(
    z.strictObject({
      check: z.enum(SANITY_CHECKS),
      number: z.enum(SANITY_NUMBERS),
      reader: z.enum(READERS).nullable(),
      before: estimate,
      after: estimate,
      null: z.number().nullable(),
      p: z.number().nullable(),
      pDrop: z.number().nullable(),
      outcome: z.enum(SANITY_OUTCOMES),
    }),
  ),
});

/** Writes the file whole or not at all. Errors: IO. */
export function writeSanity(dir: string, sanity: Sanity): void {
  writeAtomically(nodeFiles, join(dir, SANITY_FILE), Buffer.from(`${JSON.stringify(sanity, null, 2)}\n`));
}

/** The sanity checks of a run with this plan; null when there are none, or why the file counts as none. Errors: IO. */
export function readSanity(
  dir: string,
  planHash: string,
): { readonly sanity: Sanity | null; readonly why: string | null } {
  const bytes = readWhole(nodeFiles, join(dir, SANITY_FILE));
  if (bytes === null) return { sanity: null, why: null };
  const none = (why: string) => ({
    sanity: null,
    why: `${SANITY_FILE} left out: ${why}; --resume with --sanity makes it anew`,
  });
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return none('it holds no JSON');
  }
  const read = schema.safeParse(value);
  if (!read.success) return none('it is not what this version writes');
  if (read.data.planHash !== planHash) return none('it belongs to another run');
  return { sanity: read.data, why: null };
}
