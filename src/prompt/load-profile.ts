import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import { faultsOf } from '../zod-faults.js';
import { PROFILES } from './profiles.js';
import type { Profile } from './types.js';

const text = z.string().min(1);
const words = z.array(text).min(1).readonly();

const partSchema = z
  .strictObject({ text: text.optional(), field: z.enum(['rule', 'scenario']).optional() })
  .transform((part, context) => {
    if (part.text !== undefined && part.field === undefined) return { text: part.text };
    if (part.field !== undefined && part.text === undefined) return { field: part.field };
    context.addIssue({ code: 'custom', message: 'expected exactly one of "text" and "field"' });
    return z.NEVER;
  });

const readerSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('words'),
    nonCompliant: words,
    compliant: words,
    marker: text.nullable().default(null),
  }),
  z.strictObject({ kind: z.literal('first-line'), nonCompliant: words, compliant: words }),
]);

/** Any profile as JSON, built-in ones too, as a manifest keeps it. */
export const profileSchema = z.strictObject({
  name: text,
  description: z.string().default(''),
  parts: z
    .array(partSchema)
    .readonly()
    .refine(parts => parts.filter(part => 'field' in part && part.field === 'scenario').length === 1, {
      message: 'expected the field "scenario" exactly once',
    })
    .refine(parts => parts.filter(part => 'field' in part && part.field === 'rule').length <= 1, {
      message: 'expected the field "rule" at most once',
    }),
  ruleChars: z.int().positive().nullable().default(null),
  labels: z
    .strictObject({ compliant: text, nonCompliant: text })
    .refine(({ compliant, nonCompliant }) => compliant !== nonCompliant, {
      message: 'expected two different label strings',
    }),
  reader: readerSchema,
  maxTokens: z.int().min(1).max(4096).default(8),
  chat: z.enum(['none', 'model']).default('none'),
});

const userProfileSchema = profileSchema.extend({
  name: text.refine(name => !Object.hasOwn(PROFILES, name), {
    message: 'expected a name of its own, this one belongs to a built-in profile',
  }),
});

/**
 * A built-in profile by name, or a user's profile from a JSON file of the shape of {@link Profile} (`description`,
 * `ruleChars`, `marker`, `maxTokens` and `chat` may be left out).
 *
 * @throws PlumblineError PROFILE_INVALID naming the file, the place in it and what was expected there.
 */
export async function loadProfile(nameOrPath: string): Promise<Profile> {
  const builtIn = Object.values(PROFILES).find(({ name }) => name === nameOrPath);
  return builtIn ?? parseProfile(await readJson(nameOrPath), nameOrPath);
}

async function readJson(path: string): Promise<unknown> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    throw new PlumblineError(
      'PROFILE_INVALID',
      `${JSON.stringify(path)} is neither a built-in profile (${Object.keys(PROFILES).join(', ')}) nor a readable file: ${messageOf(error)}`,
      { cause: error },
    );
  }
  try {
    return JSON.parse(source.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new PlumblineError('PROFILE_INVALID', `${path}: not valid JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function parseProfile(value: unknown, path: string): Profile {
  const result = userProfileSchema.safeParse(value);
  if (result.success) return result.data;
  throw new PlumblineError('PROFILE_INVALID', `${path}: ${faultsOf(result.error, 'profile')}`);
}
