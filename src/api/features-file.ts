import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { TextFeatures } from '../audit/features-ocs.js';
import { messageOf, PlumblineError } from '../errors.js';
import { FEATURES, type Features } from '../features/rules.js';
import { faultsOf } from '../zod-faults.js';

const mean = z.object({ mean: z.number().nullable() });
const features = z.object(
  Object.fromEntries(FEATURES.map(feature => [feature, mean])) as Record<keyof Features, typeof mean>,
);
/** Of what `features --json` prints, the part that `analyze` needs. */
const schema = z.object({
  corpus: z.string(),
  methods: z.object({ mdd: z.string().nullable(), fkgl: z.string() }),
  mddMissing: z.string().nullable(),
  domains: z.array(z.object({ domain: z.string().min(1), features })).min(1),
});

/** Reads text features by domain as `features --json` prints them. Errors: FEATURES_INVALID. */
export function readFeatures(file: string): TextFeatures {
  const wrong = (what: string, cause?: unknown): PlumblineError =>
    new PlumblineError(
      'FEATURES_INVALID',
      `${file}${what}; expected what \`plumbline features --json\` prints`,
      { cause },
    );
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong(` cannot be read: ${messageOf(error)}`, error);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw wrong(`: ${faultsOf(parsed.error)}`);
  }
  const names = parsed.data.domains.map(({ domain }) => domain);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw wrong(` has domain ${twice} twice`);
  return parsed.data;
}
