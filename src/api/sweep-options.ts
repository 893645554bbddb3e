import type { Partition } from '../audit/partition.js';
import type { Scope, StepScale } from '../audit/sweep-plan.js';
import { PlumblineError } from '../errors.js';
import type { AuditOptions } from './options.js';
import { readPartition } from './partition-file.js';
import { type PreparedAudit, prepareAudit } from './prepare.js';

export const GROUPS = ['LOW', 'HIGH', 'all'] as const;
export type SweepGroup = (typeof GROUPS)[number];

export interface SweepOptions {
  /** Corpus, samples, profile, model and engine as in an audit; conditions and its direction do not matter. */
  readonly audit: AuditOptions;
  /** Control-vector GGUF, .npy or safetensors. */
  readonly direction: string;
  /** true: take a direction that was fitted on another model. */
  readonly force: boolean;
  /** Block indices, negative ones from the end; null = the direction's anchor, or its only block. */
  readonly layers: readonly number[] | null;
  /** 0 is always among them. */
  readonly alphas: readonly number[];
  readonly scopes: readonly Scope[];
  readonly scale: StepScale;
  /** Random directions at the same norms; 0 = none. */
  readonly random: number;
  /** Vanishing alpha along the direction; 0 = none. */
  readonly nudge: number;
  /** Partition file whose group is swept, instead of a draw; with sample ids, those of them that are in the group. */
  readonly partition: string | null;
  readonly group: SweepGroup;
}

export const SWEEP_DEFAULTS = {
  force: false,
  layers: null,
  alphas: [-1, -0.5, 0, 0.5, 1],
  scopes: ['last'],
  scale: 'unit',
  random: 3,
  nudge: 1e-4,
  partition: null,
  group: 'all',
} as const satisfies Partial<SweepOptions>;

/**
 * The samples of a sweep with their unsteered prompts. `sampleIds` overrides the choice (a resumed run).
 * Throws what preparing an audit throws; PARTITION_INVALID; UNKNOWN_SAMPLE for a partition of another corpus.
 */
export async function prepareSweep(
  options: Pick<SweepOptions, 'audit' | 'partition' | 'group'>,
  sampleIds: readonly string[] | null = null,
): Promise<PreparedAudit> {
  const { partition, group } = options;
  const audit: AuditOptions = {
    ...options.audit,
    conditions: ['baseline'],
    placebo: 'off',
    direction: null,
    icsOnly: false,
  };
  if (sampleIds !== null || partition === null) return prepareAudit(audit, sampleIds);
  const ids = groupIds(readPartition(partition), group);
  if (ids.length === 0)
    throw new PlumblineError('CORPUS_EMPTY', `${partition} has no sample in ${group}: nothing to sweep.`);
  if (audit.ids === null) {
    const prepared = await prepareAudit(audit, ids);
    const there = new Set(prepared.cases.map(item => item.id));
    const absent = ids.filter(id => !there.has(id));
    if (absent.length > 0) {
      throw new PlumblineError(
        'UNKNOWN_SAMPLE',
        `${partition}: ${absent.length} of ${ids.length} samples of ${group} are not in the corpus, the first is ` +
          `${JSON.stringify(absent[0])}; give the corpus that the partition was made on, or --ids for a part of it.`,
      );
    }
    return prepared;
  }
  const prepared = await prepareAudit(audit);
  const wanted = new Set(ids);
  const cases = prepared.cases.filter(item => wanted.has(item.id));
  if (cases.length === 0) {
    throw new PlumblineError(
      'CORPUS_EMPTY',
      `None of the ${prepared.cases.length} samples of ${audit.ids} is in ${group} of ${partition}.`,
    );
  }
  return { ...prepared, cases, rows: prepared.rows.filter(row => wanted.has(row.item.id)) };
}

function groupIds({ LOW, HIGH, neither, open }: Partition, group: SweepGroup): readonly string[] {
  return group === 'all' ? [...LOW, ...HIGH, ...neither, ...open] : group === 'LOW' ? LOW : HIGH;
}
