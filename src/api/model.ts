import { type GgufHeader, readGgufHeader } from '../engine/gguf-header.js';
import { chooseBackend, type GpuOption, hostFacts } from '../engine/hardware.js';
import { planJobs } from '../engine/jobs.js';
import { openPool } from '../engine/pool.js';
import { PLAIN } from '../engine/recipe.js';
import type { ModelFacts } from '../engine/session.js';
import { chooseSizing } from '../engine/sizing.js';
import type { EvalOutcome, Exactness, Steer, TapSpec, TokenEval } from '../engine/types.js';
import { PlumblineError } from '../errors.js';

/** One prompt for a model that is open. */
export interface Prompt {
  /** Raw text; it never becomes control tokens. */
  readonly text: string;
  /** Strings whose log-probability behind the text is wanted, exactly as they continue it. */
  readonly labels?: readonly string[];
  /** Tokens of greedy continuation; default 0. */
  readonly maxTokens?: number;
  /** alpha · vectors[vector] is added after a block. */
  readonly steer?: Steer;
}

/** What one prompt gave. */
export interface Reading {
  /** Natural log-probability of each whole label. */
  readonly labelLogprobs: Float64Array;
  /** Logit of each label's first token. */
  readonly firstLogits: Float32Array;
  /** Over the vocabulary, at the last prompt token. */
  readonly logSumExp: number;
  readonly generated: string;
  /** Per tap: norm, projections, and the residual row when it is kept. */
  readonly taps: EvalOutcome['taps'];
}

export interface EvaluateRequest {
  readonly prompts: readonly Prompt[];
  /** Blocks that are read at the last prompt token. */
  readonly taps?: readonly TapSpec[];
  /** Vectors that prompts are steered along, n_embd values each, row-major. */
  readonly vectors?: Float32Array;
}

export interface OpenModel {
  readonly header: GgufHeader;
  readonly facts: ModelFacts;
  /**
   * Evaluates prompts through the exact schedule, proved on them first. Readings come in the order of the prompts.
   * Throws PROMPT_TOO_LONG, CONTEXT, TAP, and the first evaluation's error that could not be done.
   */
  evaluate(
    request: EvaluateRequest,
  ): Promise<{ readonly readings: readonly Reading[]; readonly exactness: Exactness }>;
  close(): Promise<void>;
}

const PROBES = 4;

/**
 * Opens a GGUF model in an engine process of its own, for work that is no audit: score strings, read the residual
 * stream, steer. Throws what the header check, the library and llama.cpp throw.
 */
export async function openModel(
  path: string,
  options: { readonly gpu?: GpuOption; readonly gpuLayers?: number; readonly threads?: number } = {},
): Promise<OpenModel> {
  const header = await readGgufHeader(path);
  const backend = await chooseBackend(options.gpu ?? 'auto');
  const gpuLayers = backend === 'cpu' ? 0 : (options.gpuLayers ?? -1);
  const pool = await openPool({ path, backend, gpuLayers }, 1);
  return {
    header,
    facts: pool.facts,
    async evaluate({ prompts, taps = [], vectors = new Float32Array() }) {
      const encoded = await pool.encode(
        prompts.map(({ text, labels = [] }) => ({ pieces: [{ kind: 'data' as const, text }], labels })),
      );
      const evals = encoded.map(({ prompt, labels }, id): TokenEval => {
        const { maxTokens = 0, steer, text } = prompts[id] as Prompt;
        if (prompt.length === 0)
          throw new PlumblineError('USAGE', `Prompt ${id} (${JSON.stringify(text)}) has no tokens.`);
        if (prompt.length + maxTokens > header.contextLength) {
          throw new PlumblineError(
            'PROMPT_TOO_LONG',
            `Prompt ${id} has ${prompt.length} tokens and asks for ${maxTokens} more; the model was trained for ${header.contextLength}.`,
          );
        }
        const generate = maxTokens === 0 ? null : { maxTokens, stop: null, scoreAfter: null };
        return { id, prompt, labels, generate, ...(steer === undefined ? {} : { steer }) };
      });
      const plan = planJobs(evals.map(item => ({ item, order: item.id, isolated: false })));
      const sizing = chooseSizing(header, evals, 'exact', plan.sharedPrefixes, hostFacts().freeBytes / 3);
      await pool.configure({
        ...sizing,
        schedule: 'exact',
        ...PLAIN,
        threads: options.threads ?? 1,
        taps,
        vectors,
        stopAtTaps: false,
      });
      const exactness = await pool.prove(evals.filter(item => item.steer === undefined).slice(0, PROBES));
      const readings: Reading[] = [];
      await pool.run(plan.jobs, {
        onOutcome({ id, labelLogprobs, firstLogits, logSumExp, generatedText, taps: read }) {
          readings[id] = { labelLogprobs, firstLogits, logSumExp, generated: generatedText, taps: read };
        },
        onFailure(id, error) {
          throw new PlumblineError(error.code, `Prompt ${id}: ${error.message}`, { cause: error });
        },
      });
      return { readings, exactness };
    },
    close: () => pool.dispose(),
  };
}
