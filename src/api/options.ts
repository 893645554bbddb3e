import { z } from 'zod';
import { DEFAULT_SEED } from '../corpus/sample.js';
import type { ColumnMap } from '../corpus/tabular.js';
import type { Schedule } from '../engine/executor.js';
import type { GpuOption } from '../engine/hardware.js';
import type { PlaceboShare } from '../perturb/placebo.js';
import { CONDITIONS, type Condition } from '../perturb/types.js';
import type { Profile } from '../prompt/types.js';
import type { DirectionOptions } from './direction.js';

/** What is audited: a GGUF judge, or the rule-blind floor that needs no model. */
export const SUBJECTS = ['model', 'lexical'] as const;
export type SubjectKind = (typeof SUBJECTS)[number];

export interface AuditOptions {
  readonly subject: SubjectKind;
  /** GGUF file; null for a subject that needs none. */
  readonly model: string | null;
  /** A spec as `loadCorpus` takes it: `omnicompliance:DIR`, `jsonl:FILE`, `crossed`, … */
  readonly corpus: string;
  readonly columnMap: ColumnMap | null;
  /** null = all of the corpus. */
  readonly domains: readonly string[] | null;
  readonly perDomain: number | 'all';
  /** File with one sample id a line, instead of domains and perDomain. */
  readonly ids: string | null;
  readonly conditions: readonly Condition[];
  readonly placebo: PlaceboShare;
  readonly profile: Profile;
  readonly seed: number;
  readonly engine: EngineOptions;
  /** Along what the residual stream is projected, with the verdicts of the same pass; null = not at all. */
  readonly direction: DirectionOptions | null;
  /** true: no verdicts are wanted; every pass stops after the deepest block of the direction. */
  readonly icsOnly: boolean;
  /** The run that this one is compared with: its samples are taken, and only the profile may differ; null = none. */
  readonly against: AgainstRun | null;
}

export interface AgainstRun {
  readonly planHash: string;
  /** Its folder; null in a resumed run, which has its samples already. */
  readonly dir: string | null;
}

export interface EngineOptions {
  readonly schedule: Schedule;
  readonly gpu: GpuOption;
  /** Blocks on the GPU; null = all when there is one. */
  readonly gpuLayers: number | null;
  /** Engine processes, and threads in each; null = chosen by a short measurement. */
  readonly workers: number | null;
  readonly threads: number | null;
  /** Longest prompt with its answer, in tokens; null = what the model was trained for. */
  readonly ctx: number | null;
}

export const DEFAULT_ENGINE: EngineOptions = {
  schedule: 'exact',
  gpu: 'auto',
  gpuLayers: null,
  workers: null,
  threads: null,
  ctx: null,
};

export const DEFAULTS = {
  subject: 'model',
  model: null,
  columnMap: null,
  domains: null,
  perDomain: 200,
  ids: null,
  conditions: CONDITIONS,
  placebo: 'default',
  seed: DEFAULT_SEED,
  engine: DEFAULT_ENGINE,
  direction: null,
  icsOnly: false,
  against: null,
} as const satisfies Partial<AuditOptions>;

/**
 * The options as a manifest keeps them, so that a resumed run needs no other source: everything but paths, which are
 * kept beside the manifest. A field is added here when a resumed run needs it.
 */
export const storedOptions = z.strictObject({
  subject: z.enum(SUBJECTS),
  corpusFormat: z.string(),
  columnMap: z.custom<ColumnMap>(value => typeof value === 'object' && value !== null).nullable(),
  domains: z.array(z.string()).nullable(),
  perDomain: z.union([z.int().positive(), z.literal('all')]),
  ids: z.boolean(),
  placebo: z.union([z.enum(['default', 'all', 'off']), z.int().nonnegative()]),
  profile: z.custom<Profile>(value => typeof value === 'object' && value !== null),
  engine: z.custom<EngineOptions>(value => typeof value === 'object' && value !== null),
  /** The file itself lies in the run. */
  direction: z
    .strictObject({
      layer: z.int().nullable(),
      controls: z.int().nonnegative(),
      activations: z.boolean(),
      force: z.boolean(),
    })
    .nullable(),
  icsOnly: z.boolean(),
  /** Plan hash of the run that this one is compared with. */
  against: z.string().nullable(),
});
export type StoredOptions = z.infer<typeof storedOptions>;

export function toStored(options: AuditOptions): StoredOptions {
  return {
    subject: options.subject,
    corpusFormat: formatOf(options.corpus),
    columnMap: options.columnMap,
    domains: options.domains === null ? null : [...options.domains],
    perDomain: options.perDomain,
    ids: options.ids !== null,
    placebo: options.placebo,
    profile: options.profile,
    engine: options.engine,
    direction: options.direction === null ? null : storedDirection(options.direction),
    icsOnly: options.icsOnly,
    against: options.against?.planHash ?? null,
  };
}

function storedDirection({ path: _, ...rest }: DirectionOptions): StoredOptions['direction'] {
  return rest;
}

export function formatOf(corpus: string): string {
  return corpus.split(':', 1)[0] as string;
}

/** The path in a corpus spec, null for an embedded corpus. */
export function pathOf(corpus: string): string | null {
  const colon = corpus.indexOf(':');
  return colon < 0 ? null : corpus.slice(colon + 1);
}
