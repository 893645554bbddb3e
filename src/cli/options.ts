import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { optionsAgainst } from '../api/against.js';
import { DEFAULT_CONTROLS, type DirectionOptions } from '../api/direction.js';
import { type AuditOptions, DEFAULTS, type EngineOptions } from '../api/options.js';
import { CORPUS_SPECS } from '../corpus/load.js';
import type { ColumnMap } from '../corpus/tabular.js';
import type { Schedule } from '../engine/executor.js';
import { SCHEDULES } from '../engine/executor.js';
import { GPU_OPTIONS, type GpuOption, hostFacts } from '../engine/hardware.js';
import { messageOf, PlumblineError } from '../errors.js';
import type { PlaceboShare } from '../perturb/placebo.js';
import { CONDITIONS, type Condition } from '../perturb/types.js';
import { loadProfile } from '../prompt/load-profile.js';
import { faultsOf } from '../zod-faults.js';

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('Expected a whole number of at least 1.');
  }
  return value;
}

const MAX_WORKERS = 256;
/** Threads wait for each other by spinning: one more than there are cores can make a decode a thousand times slower. */
const MAX_THREADS = hostFacts().cores;

function atMost(most: number): (text: string) => number {
  return text => {
    const value = positiveInteger(text);
    if (value > most) throw new InvalidArgumentError(`Expected at most ${most} on this machine.`);
    return value;
  };
}

export const threadCount = atMost(MAX_THREADS);

function count(text: string): number {
  return text === '0' ? 0 : positiveInteger(text);
}

export function integer(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('Expected a whole number.');
  return value;
}

function countOrAll(text: string): number | 'all' {
  return text === 'all' ? 'all' : positiveInteger(text);
}

export function integerList(text: string): number[] {
  return list(text).map(integer);
}

export function list(text: string): string[] {
  const names = text.split(',').map(name => name.trim());
  if (names.some(name => name === '')) throw new InvalidArgumentError('Expected names separated by commas.');
  return names;
}

function conditions(text: string): Condition[] {
  const names = list(text);
  const unknown = names.find(name => !(CONDITIONS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new InvalidArgumentError(
      `"${unknown}" is no condition; expected some of ${CONDITIONS.join(', ')}.`,
    );
  }
  if (!names.includes('baseline')) {
    throw new InvalidArgumentError('Every change is held against the baseline: name baseline too.');
  }
  return CONDITIONS.filter(name => names.includes(name));
}

function placebo(text: string): PlaceboShare {
  if (text === 'all' || text === 'off') return text;
  return positiveInteger(text);
}

/** Options that say which cases are shown, and how. */
export function addCorpusOptions(command: Command): Command {
  return command
    .option('--corpus <spec>', `cases: ${CORPUS_SPECS}`)
    .option(
      '--columns <file>',
      'JSON file that names the columns and labels of a jsonl, csv, parquet or arrow corpus',
    )
    .option('--domains <list>', 'domains, separated by commas (default: all)', list)
    .option('--per-domain <n>', 'cases drawn from each domain, or all', countOrAll, DEFAULTS.perDomain)
    .option('--ids <file>', 'file of sample ids, one a line, instead of --domains and --per-domain')
    .option(
      '--profile <name>',
      'prompt: standard, rule-anchored, standard-full, anchored-300, scenario-only, llama-guard or a JSON file',
      'standard',
    )
    .option('--seed <n>', 'seed of every draw', integer, DEFAULTS.seed);
}

/** Options that say how the rule is changed. */
export function addConditionOptions(command: Command): Command {
  return command
    .option('--conditions <list>', `changes to the rule (default: ${CONDITIONS.join(',')})`, conditions)
    .option(
      '--placebo <n>',
      'samples that are evaluated twice: a number, all or off (default: 32 or 5 %, the larger)',
      placebo,
    );
}

/** Options that say how the engine works; none of them changes a result in an exact run. */
export function addEngineOptions(command: Command): Command {
  return command
    .addOption(new Option('--gpu <backend>', 'where to compute').choices(GPU_OPTIONS).default('auto'))
    .option('--gpu-layers <n>', 'blocks on the GPU (default: all)', count)
    .option('--workers <n>', 'engine processes (default: measured)', atMost(MAX_WORKERS))
    .option('--threads <n>', 'threads in each process (default: measured)', threadCount)
    .option(
      '--ctx <n>',
      'longest prompt with its answer, in tokens (default: as the model was trained)',
      positiveInteger,
    )
    .addOption(
      new Option(
        '--schedule <kind>',
        'exact: shared prefixes, bit-identical; single: one prompt per decode; unified: inexact',
      )
        .choices(SCHEDULES)
        .default('exact'),
    );
}

export interface AuditFlags {
  readonly model?: string;
  readonly subject?: AuditOptions['subject'];
  readonly corpus?: string;
  readonly columns?: string;
  readonly domains?: string[];
  readonly perDomain: number | 'all';
  readonly ids?: string;
  readonly conditions?: Condition[];
  readonly placebo?: PlaceboShare;
  readonly profile: string;
  readonly seed: number;
  readonly direction?: string;
  readonly fit?: boolean;
  readonly layer?: number;
  readonly controls?: number;
  readonly activations?: boolean;
  readonly icsOnly?: boolean;
  readonly force?: boolean;
  readonly gpu: GpuOption;
  readonly gpuLayers?: number;
  readonly workers?: number;
  readonly threads?: number;
  readonly ctx?: number;
  readonly schedule: Schedule;
}

export async function auditOptions(flags: AuditFlags): Promise<AuditOptions> {
  if (flags.corpus === undefined) {
    throw new PlumblineError('USAGE', `No corpus was named: give --corpus ${CORPUS_SPECS}.`);
  }
  return {
    subject: flags.subject ?? DEFAULTS.subject,
    model: flags.model ?? null,
    corpus: flags.corpus,
    columnMap: flags.columns === undefined ? null : readColumnMap(flags.columns),
    domains: flags.domains ?? null,
    perDomain: flags.perDomain,
    ids: flags.ids ?? null,
    conditions: flags.conditions ?? DEFAULTS.conditions,
    placebo: flags.placebo ?? DEFAULTS.placebo,
    profile: await loadProfile(flags.profile),
    seed: flags.seed,
    engine: engineOptions(flags),
    direction: directionOptions(flags),
    icsOnly: flags.icsOnly ?? false,
    against: null,
  };
}

/** The options of an audit that takes all but its prompts from an earlier run; the baseline alone unless told otherwise. */
export async function auditOptionsAgainst(run: string, flags: AuditFlags): Promise<AuditOptions> {
  return optionsAgainst(run, {
    model: flags.model ?? null,
    corpus: flags.corpus ?? null,
    conditions: flags.conditions ?? ['baseline'],
    placebo: flags.placebo ?? DEFAULTS.placebo,
    profile: await loadProfile(flags.profile),
    engine: engineOptions(flags),
    direction: directionOptions(flags),
    icsOnly: flags.icsOnly ?? false,
  });
}

/** Options that say along what the residual stream is projected. */
export function addDirectionOptions(command: Command): Command {
  return command
    .option(
      '--direction <file>',
      'project the residual stream along this direction: control-vector GGUF, .npy or safetensors',
    )
    .option('--fit', 'fit the direction first, on the samples of this audit and by their labels')
    .option('--layer <n>', "block of ICS, negative from the end (default: the direction's anchor)", integer)
    .option('--controls <n>', 'random directions beside it, per block', count, DEFAULT_CONTROLS)
    .option('--activations', 'keep the residual rows of that block')
    .option('--ics-only', 'read no verdicts; stop every pass after the deepest block of the direction')
    .option('--force', 'take a direction that was fitted on another model');
}

function directionOptions(flags: AuditFlags): DirectionOptions | null {
  if (flags.direction === undefined) {
    const orphan = (['layer', 'activations', 'icsOnly', 'force'] as const).find(
      name => flags[name] !== undefined,
    );
    if (orphan === undefined) return null;
    throw new PlumblineError(
      'USAGE',
      `--${orphan === 'icsOnly' ? 'ics-only' : orphan} needs --direction FILE.`,
    );
  }
  return {
    path: flags.direction,
    layer: flags.layer ?? null,
    controls: flags.controls ?? DEFAULT_CONTROLS,
    activations: flags.activations ?? false,
    force: flags.force ?? false,
  };
}

export function engineOptions(flags: AuditFlags): EngineOptions {
  return {
    schedule: flags.schedule,
    gpu: flags.gpu,
    gpuLayers: flags.gpuLayers ?? null,
    workers: flags.workers ?? null,
    threads: flags.threads ?? null,
    ctx: flags.ctx ?? null,
  };
}

const columnMap = z.strictObject({
  columns: z
    .strictObject({
      id: z.string().optional(),
      domain: z.string().optional(),
      rule: z.string().optional(),
      scenario: z.string().optional(),
      label: z.string().optional(),
    })
    .optional(),
  labels: z.record(z.string(), z.union([z.literal(0), z.literal(1)])).optional(),
});

export function readColumnMap(file: string): ColumnMap {
  try {
    return columnMap.parse(JSON.parse(readFileSync(file, 'utf8'))) as ColumnMap;
  } catch (error) {
    const why = error instanceof z.ZodError ? faultsOf(error) : messageOf(error);
    throw new PlumblineError(
      'USAGE',
      `--columns ${file}: ${why}. Expected {"columns": {"rule": "policy", …}, "labels": {"yes": 1, "no": 0}}.`,
    );
  }
}
