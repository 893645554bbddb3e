import type { PlannedRow } from '../audit/plan.js';
import type { PromptFacts } from '../audit/readings.js';
import { wrapChat } from '../engine/chat.js';
import { hashFiles } from '../engine/file-hash.js';
import { type GgufHeader, readGgufHeader } from '../engine/gguf-header.js';
import { chooseBackend, hostFacts } from '../engine/hardware.js';
import { type JobPlan, planJobs } from '../engine/jobs.js';
import { openPool, type Pool } from '../engine/pool.js';
import { chooseRecipe, PLAIN, type Recipe } from '../engine/recipe.js';
import type { ContextOptions, EncodeItem } from '../engine/session.js';
import { cellsNeeded, chooseSizing, type Sizing } from '../engine/sizing.js';
import { candidateSplits, type Split } from '../engine/split.js';
import type { Exactness, TapSpec, TokenEval } from '../engine/types.js';
import { PlumblineError } from '../errors.js';
import { profileText } from '../prompt/render.js';
import type { Profile } from '../prompt/types.js';
import { finalPattern, labelPattern } from '../prompt/verdict.js';
import { sha256Of } from '../sha256.js';
import { divideCores } from './divide-cores.js';
import type { EngineOptions } from './options.js';

/** Prompts that the schedule is proved on at the start of a run, and their longest length in tokens. */
const PROBES = 6;
const PROBE_TOKENS = 1024;
/** Share of the free memory that all processes together may take for keys and values. */
const KV_SHARE = 0.4;
/** Below this many evaluations a measurement costs more than it brings. */
const WORTH_MEASURING = 24;

/** A model that is open and knows what it will be asked. */
export interface Judge {
  readonly pool: Pool;
  readonly header: GgufHeader;
  readonly sha256: string;
  readonly backend: string;
  readonly plan: JobPlan;
  /** By row index: what identifies the prompt, for every applicable row. */
  readonly facts: ReadonlyMap<number, PromptFacts>;
  /** Row indices of prompts that do not fit, with their tokens. */
  readonly tooLong: ReadonlyMap<number, number>;
  readonly limit: number;
  readonly evals: readonly TokenEval[];
}

/** A judge with its contexts made and its schedule proved. */
export interface ReadyJudge extends Judge {
  readonly sizing: Sizing;
  readonly recipe: Recipe;
  readonly split: Split;
  readonly exactness: Exactness;
}

export interface JudgeEvents {
  onStage(text: string): void;
  onLoad(share: number): void;
  /** Set to stop: the engine processes are ended at once. */
  readonly signal?: AbortSignal;
}

/**
 * Checks and opens a model, turns every applicable row into token ids and plans the jobs.
 * Throws what the header check, the library and the engine throw; NO_CHAT_TEMPLATE.
 */
export async function openJudge(
  path: string,
  rows: readonly PlannedRow[],
  profile: Profile,
  options: EngineOptions,
  events: JudgeEvents,
): Promise<Judge> {
  const header = await readGgufHeader(path);
  if (header.tensors.length === 0) {
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `${path} holds a vocabulary only, no weights; name the model's own file.`,
    );
  }
  if (header.metadata.get(`${header.architecture}.attention.causal`) === false) {
    throw new PlumblineError(
      'MODEL_UNSUPPORTED',
      `${path} is an encoder (${header.architecture}), which writes no text; a judge must be a decoder-only language model.`,
    );
  }
  const backend = await chooseBackend(options.gpu);
  events.onStage(`opening ${header.name ?? path} (${header.dominantType}, ${backend})`);
  const gpuLayers = backend === 'cpu' ? 0 : (options.gpuLayers ?? -1);
  const hashing = hashFiles(header.parts, events.signal);
  // Awaited below; until then a failure waits there too.
  hashing.catch(() => {});
  const pool = await openPool({ path, backend, gpuLayers }, 1, events.onLoad, events.signal);
  try {
    const sha256 = await hashing;
    return { pool, header, sha256, backend, ...(await plan(pool, header, rows, profile, options)) };
  } catch (error) {
    await pool.dispose();
    throw error;
  }
}

/** The same open model for other rows: their token ids and jobs. Its contexts have to be made ready again. */
export async function replanJudge(
  judge: Judge,
  rows: readonly PlannedRow[],
  profile: Profile,
  options: EngineOptions,
): Promise<Judge> {
  return { ...judge, ...(await plan(judge.pool, judge.header, rows, profile, options)) };
}

async function plan(
  pool: Pool,
  header: GgufHeader,
  rows: readonly PlannedRow[],
  profile: Profile,
  options: EngineOptions,
): Promise<Pick<Judge, 'plan' | 'facts' | 'tooLong' | 'limit' | 'evals'>> {
  const { bosText, eosText, nCtxTrain } = pool.facts;
  const labels = [profile.labels.compliant, profile.labels.nonCompliant];
  const applicable = [...rows.entries()].filter(([, row]) => row.prompt !== null);
  const items = applicable.map(([, row]): EncodeItem => {
    const pieces = row.prompt as NonNullable<PlannedRow['prompt']>;
    return profile.chat === 'none'
      ? { pieces, labels }
      : // The answer opens a turn of its own: no space stands before it.
        {
          pieces: wrapChat(header.chatTemplate, pieces, { bos: bosText, eos: eosText }),
          labels: labels.map(label => label.trimStart()),
        };
  });
  const encoded = await pool.encode(items);
  const generate = {
    maxTokens: profile.maxTokens,
    stop: finalPattern(profile.reader),
    scoreAfter: labelPattern(profile.reader),
  };
  const limit = Math.min(options.ctx ?? nCtxTrain, nCtxTrain);
  const tooLong = new Map<number, number>();
  const evals: TokenEval[] = [];
  for (const [at, [id]] of applicable.entries()) {
    const { prompt, labels: ids } = encoded[at] as (typeof encoded)[number];
    const item: TokenEval = { id, prompt, labels: ids, generate };
    if (cellsNeeded(item) > limit) tooLong.set(id, prompt.length);
    else evals.push(item);
  }
  const jobs = planJobs(
    evals.map(item => {
      const row = rows[item.id] as PlannedRow;
      return { item, order: item.id, isolated: row.condition === 'placebo' };
    }),
  );
  const facts = new Map<number, PromptFacts>();
  const batchOf = new Map(
    jobs.jobs.flatMap((job, batch) => job.evals.map(item => [item.id, batch] as const)),
  );
  for (const [at, [id, row]] of applicable.entries()) {
    const { prompt, labels: ids } = encoded[at] as (typeof encoded)[number];
    facts.set(id, {
      nTokens: prompt.length,
      promptSha256: sha256Of(profileText(row.prompt as NonNullable<PlannedRow['prompt']>)),
      tokensSha256: sha256Of(prompt.join(',')),
      firstTokens: [ids[0]?.[0] ?? -1, ids[1]?.[0] ?? -1],
      batchId: batchOf.get(id) ?? -1,
    });
  }
  return { plan: jobs, facts, tooLong, limit, evals };
}

/** What a judge is made ready for, beyond verdicts. */
export interface JudgeUse {
  /** Division of cores that a resumed run was made with. */
  readonly split?: { readonly workers: number; readonly threads: number };
  /** true: what an earlier run measured does not count. */
  readonly measureAnew?: boolean;
  /** What is read of the residual stream at the last prompt token. */
  readonly taps?: readonly TapSpec[];
  /** Vectors to steer with, n_embd values each. */
  readonly vectors?: Float32Array;
  /** true: no verdicts are wanted, every pass stops after the deepest tap. */
  readonly stopAtTaps?: boolean;
}

/** A judge with its contexts made. */
export interface ConfiguredJudge extends Judge {
  readonly sizing: Sizing;
  readonly recipe: Recipe;
  readonly split: Split;
  readonly context: ContextOptions;
}

/** Makes the contexts and divides the cores. Throws CONTEXT, PROMPT_TOO_LONG, and what the engine throws. */
export async function configureJudge(
  judge: Judge,
  options: EngineOptions,
  events: Pick<JudgeEvents, 'onStage'>,
  use: JudgeUse = {},
): Promise<ConfiguredJudge> {
  const { pool, header, evals, plan, backend } = judge;
  if (evals.length === 0) {
    const shortest = [...judge.tooLong.values()].reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    throw new PlumblineError(
      'PROMPT_TOO_LONG',
      `None of the ${judge.tooLong.size} prompts fits into ${judge.limit} tokens with its answer; the shortest has ${shortest}. ` +
        'Give a larger --ctx, or a model that was trained for longer texts.',
    );
  }
  const { cores, freeBytes } = hostFacts();
  const given = use.split ?? null;
  const wanted = given ?? options;
  const candidates =
    wanted.workers !== null || wanted.threads !== null || backend !== 'cpu'
      ? [given ?? fixedSplit(wanted, cores, backend)]
      : candidateSplits(cores, header.bytes, freeBytes);
  const most = Math.max(...candidates.map(split => split.workers));
  const { schedule } = options;
  const sizing = chooseSizing(header, evals, schedule, plan.sharedPrefixes, (freeBytes * KV_SHARE) / most);
  const recipe = await chooseRecipe(header, plan, evals, schedule, {
    backend,
    instructions: pool.facts.systemInfo,
  });
  const wide = {
    ...sizing,
    ...recipe,
    schedule,
    taps: use.taps ?? [],
    vectors: use.vectors ?? new Float32Array(),
    // With several graph splits, as on a GPU, a stop ends only the one that it falls in.
    stopAtTaps: (use.stopAtTaps ?? false) && backend === 'cpu',
  };
  const only = candidates.length === 1 || evals.length < WORTH_MEASURING ? candidates[0] : undefined;
  const split: Split =
    only !== undefined
      ? { ...only, rate: null }
      : await divideCores(judge, candidates, { ...wide, threads: 1 }, events, use.measureAnew ?? false);
  await pool.resize(split.workers);
  const context = { ...wide, threads: split.threads };
  await pool.configure(context);
  return { ...judge, sizing, recipe, split, context };
}

/** Makes the contexts, divides the cores and proves the schedule. Throws CONTEXT, and what the engine throws. */
export async function readyJudge(
  judge: Judge,
  options: EngineOptions,
  events: JudgeEvents,
  use: JudgeUse = {},
): Promise<ReadyJudge> {
  const configured = await configureJudge(judge, options, events, use);
  const { pool, evals, context } = configured;
  const { schedule } = options;
  let { recipe } = configured;
  events.onStage('comparing the schedule with one prompt per decode, bit for bit');
  const probes = probesOf(evals);
  let exactness = await pool.prove(probes);
  if (exactness.kind === 'inexact' && schedule !== 'unified' && recipe !== PLAIN) {
    recipe = PLAIN;
    await pool.configure({ ...context, ...recipe });
    exactness = await pool.prove(probes);
  }
  return { ...judge, sizing: configured.sizing, recipe, split: configured.split, exactness };
}

function fixedSplit(
  wanted: { readonly workers: number | null; readonly threads: number | null },
  cores: number,
  backend: string,
): { readonly workers: number; readonly threads: number } {
  const { workers, threads } = wanted;
  if (workers !== null && threads !== null) return { workers, threads };
  if (workers !== null) return { workers, threads: Math.max(1, Math.floor(cores / workers)) };
  // A GPU is not divided between processes.
  if (backend !== 'cpu') return { workers: 1, threads: threads ?? cores };
  return { workers: Math.max(1, Math.floor(cores / (threads ?? cores))), threads: threads ?? cores };
}

/** A few prompts that differ as much as they can: neighbours that share prefixes, the shortest, a long one. */
function probesOf(evals: readonly TokenEval[]): TokenEval[] {
  const fitting = evals.filter(item => item.prompt.length <= PROBE_TOKENS);
  const byLength = [...(fitting.length > 0 ? fitting : evals)].sort(
    (a, b) => a.prompt.length - b.prompt.length,
  );
  const chosen = new Set(
    [byLength[0], byLength.at(-1), ...fitting.slice(0, PROBES)].filter(item => item !== undefined),
  );
  return [...chosen].slice(0, PROBES).map(item => ({
    ...item,
    generate:
      item.generate === null ? null : { ...item.generate, maxTokens: Math.min(8, item.generate.maxTokens) },
  }));
}
