import { basename } from 'node:path';
import { lexicalFloor } from '../audit/lexical.js';
import { type PlannedRow, planAudit } from '../audit/plan.js';
import type { Case } from '../corpus/types.js';
import type { Activations } from '../direction/activations.js';
import { type DirectionFit, fitDirections, fitPerDomain, type Probe, probeAuroc } from '../direction/fit.js';
import { resolveLayer } from '../direction/layers.js';
import { hashRows, summariseFit } from '../direction/provenance.js';
import { DEFAULT_PAIRS } from '../direction/split.js';
import { writeControlVector } from '../direction/vector-file.js';
import { PlumblineError } from '../errors.js';
import { PROFILES } from '../prompt/profiles.js';
import type { Profile } from '../prompt/types.js';
import { sha256Of } from '../sha256.js';
import { captureRows, captureTaps } from './capture.js';
import {
  type Judge,
  type JudgeEvents,
  openJudge,
  type ReadyJudge,
  readyJudge,
  replanJudge,
} from './judge.js';
import { productVersion } from './manifest.js';
import type { AuditOptions } from './options.js';
import { prepareAudit } from './prepare.js';

/**
 * What tells the positive prompts from the negative ones. `label`: the gold label. `verdict`: the model's own answer.
 * `rule`: the gold label, on scenarios alone that stand under two rules with opposite labels, so that the scenario's
 * wording cannot tell.
 */
export const CONTRASTS = ['label', 'verdict', 'rule'] as const;
export type Contrast = (typeof CONTRASTS)[number];

export interface FitOptions {
  /** Corpus, samples, profile, model and engine as in an audit; conditions do not matter. */
  readonly audit: AuditOptions;
  /** Block indices, negative ones from the end; null = all blocks. */
  readonly layers: readonly number[] | null;
  readonly pairs: number;
  readonly nullDraws: number;
  readonly contrast: Contrast;
  /** true: also fit each domain alone (the paper's way); the file holds the pooled fit. */
  readonly perDomain: boolean;
}

export const FIT_DEFAULTS = {
  layers: null,
  pairs: DEFAULT_PAIRS,
  nullDraws: 200,
  contrast: 'label',
  perDomain: false,
} as const satisfies Partial<FitOptions>;

export interface FitEvents extends JudgeEvents {
  onRow(done: number, total: number): void;
}

export interface FitReport {
  readonly model: string;
  readonly contrast: Contrast;
  readonly fit: DirectionFit;
  readonly perDomain: ReadonlyMap<string, DirectionFit | string>;
  /** The same direction on the prompts without a rule, over the TEST samples: what the scenario's wording alone gives. */
  readonly scenarioOnly: Probe | null;
  /** Accuracy of the word floor on the fitted samples: labels that words give away make the direction suspect. */
  readonly wordFloor: number | null;
  /**
   * Samples whose prompts do not fit, and how many tokens do: they are no part of the fit. `partners`: with --contrast
   * rule, samples that lost theirs by it, and are left out with them.
   */
  readonly tooLong: { readonly ids: readonly string[]; readonly partners: number; readonly limit: number };
  /** File that was written. */
  readonly path: string;
}

/**
 * Fits the compliance direction of each block and writes it as a control-vector GGUF.
 * Throws DIRECTION_FIT when there are too few samples of a class, and what opening and running a judge throws.
 */
export async function fitDirection(options: FitOptions, path: string, events: FitEvents): Promise<FitReport> {
  const { audit } = options;
  if (audit.model === null) throw new PlumblineError('USAGE', 'No model was named: give --model FILE.gguf.');
  const prepared = await prepareAudit({ ...audit, conditions: ['baseline'], placebo: 'off' });
  const cases = options.contrast === 'rule' ? crossedCases(prepared.cases) : prepared.cases;
  const rows = baselineRows(cases, audit.profile, audit.seed);
  const opened = await openJudge(audit.model, rows, audit.profile, audit.engine, events);
  try {
    const layers = layersOf(options.layers, opened);
    const judge = await readyJudge(opened, audit.engine, events, {
      taps: captureTaps(layers),
      stopAtTaps: options.contrast !== 'verdict',
    });
    const tooLong = [...judge.tooLong.keys()].map(id => (rows[id] as PlannedRow).item.id);
    events.onStage(
      `reading the residual stream of ${judge.evals.length} prompts after ${layers.length} blocks`,
    );
    const captured = await captureRows(judge, rows, layers, events.onRow, events.signal);
    const read = options.contrast === 'verdict' ? byVerdict(captured) : captured.activations;
    const activations = options.contrast === 'rule' ? stillCrossed(read, cases) : read;
    const search = { seed: audit.seed, pairs: options.pairs, nullDraws: options.nullDraws };
    const fitted = fitDirections(activations, search);
    const scenarioOnly = await probeScenarios(judge, cases, fitted, options, events);
    const floor = lexicalFloor(
      prepared.corpus.cases.filter(item => cases.some(one => one.domain === item.domain)),
      {
        seed: audit.seed,
      },
    );
    const wanted = new Set(activations.rows.map(row => row.id));
    const judged = floor.filter(reading => wanted.has(reading.id) && reading.verdict !== null);
    await writeControlVector(path, {
      layers: new Map(fitted.layers.map(layer => [layer.layer, layer.direction])),
      architecture: opened.header.architecture,
      provenance: {
        version: productVersion(),
        model: { name: basename(opened.header.path), sha256: opened.sha256 },
        profile: { name: audit.profile.name, sha256: sha256Of(JSON.stringify(audit.profile)) },
        corpus: { name: prepared.corpus.format, sha256: sha256Of(JSON.stringify(prepared.corpus.files)) },
        idsSha256: hashRows(activations.rows),
        contrast: options.contrast,
        fit: summariseFit(fitted),
      },
    });
    return {
      model: basename(opened.header.path),
      contrast: options.contrast,
      fit: fitted,
      perDomain: options.perDomain ? eachDomain(activations, search) : new Map(),
      scenarioOnly,
      wordFloor:
        judged.length === 0
          ? null
          : judged.filter(reading => reading.verdict === reading.label).length / judged.length,
      tooLong: {
        ids: tooLong,
        partners: captured.activations.rows.length - activations.rows.length,
        limit: judge.limit,
      },
      path,
    };
  } finally {
    await opened.pool.dispose();
  }
}

function layersOf(wanted: readonly number[] | null, judge: Judge): number[] {
  const { nLayer } = judge.header;
  if (wanted === null) return Array.from({ length: nLayer }, (_, layer) => layer);
  return [...new Set(wanted.map(layer => resolveLayer(layer, nLayer)))].sort((a, b) => a - b);
}

function baselineRows(cases: readonly Case[], profile: Profile, seed: number): PlannedRow[] {
  return planAudit(cases, {
    conditions: ['baseline'],
    profile,
    perturb: { seed, canonical: new Map(), placebo: new Set() },
  });
}

/** Cases whose scenario also stands under a rule that gives it the other label. */
function crossedCases(cases: readonly Case[]): readonly Case[] {
  const labels = new Map<string, Set<number>>();
  for (const { scenario, label } of cases)
    labels.set(scenario, (labels.get(scenario) ?? new Set()).add(label));
  const crossed = cases.filter(({ scenario }) => labels.get(scenario)?.size === 2);
  if (crossed.length === 0) {
    throw new PlumblineError(
      'DIRECTION_FIT',
      '--contrast rule needs scenarios that stand under two rules with opposite labels; this corpus has none among the ' +
        'samples drawn. Draw more (--per-domain), use a crossed corpus (--corpus crossed), or another contrast.',
    );
  }
  return crossed;
}

/** Without the rows whose scenario lost its other label, because that prompt did not fit. */
function stillCrossed(activations: Activations, cases: readonly Case[]): Activations {
  const read = new Set(activations.rows.map(row => row.id));
  const crossed = new Set(crossedCases(cases.filter(item => read.has(item.id))).map(item => item.id));
  return { ...activations, rows: activations.rows.filter(row => crossed.has(row.id)) };
}

function byVerdict({ activations, outcomes }: Awaited<ReturnType<typeof captureRows>>): Activations {
  const rows = activations.rows.map(row => {
    const [compliant, nonCompliant] = outcomes.get(row.id)?.labelLogprobs ?? [];
    if (compliant === undefined || nonCompliant === undefined) {
      throw new PlumblineError(
        'DIRECTION_FIT',
        '--contrast verdict needs a profile whose labels come at the end of the prompt.',
      );
    }
    return { ...row, label: compliant >= nonCompliant ? (1 as const) : (0 as const) };
  });
  return { ...activations, rows };
}

/** null when the profile shows no rule anyway, or the TEST samples lack a class. */
async function probeScenarios(
  judge: ReadyJudge,
  cases: readonly Case[],
  fitted: DirectionFit,
  options: FitOptions,
  events: FitEvents,
): Promise<Probe | null> {
  const { audit, contrast } = options;
  const test = cases.filter(item => fitted.splits.get(item.id) === 'TEST');
  if (contrast === 'verdict' || new Set(test.map(item => item.label)).size < 2) return null;
  const profile = { ...PROFILES['scenario-only'], chat: audit.profile.chat };
  const rows = baselineRows(test, profile, audit.seed);
  const replanned = await replanJudge(judge, rows, profile, audit.engine);
  const ready = await readyJudge(
    replanned,
    audit.engine,
    { ...events, onStage() {} },
    {
      split: judge.split,
      taps: captureTaps([fitted.anchor]),
      stopAtTaps: true,
    },
  );
  const { activations } = await captureRows(ready, rows, [fitted.anchor], () => {}, events.signal);
  const anchor = fitted.layers.find(layer => layer.layer === fitted.anchor) as DirectionFit['layers'][number];
  return probeAuroc(anchor, activations, audit.seed);
}

function eachDomain(
  activations: Activations,
  search: Parameters<typeof fitDirections>[1],
): ReadonlyMap<string, DirectionFit | string> {
  const domains = [...new Set(activations.rows.map(row => row.domain))].sort();
  return new Map(
    domains.map((domain): readonly [string, DirectionFit | string] => {
      const rows = activations.rows.filter(row => row.domain === domain);
      try {
        const [alone] = fitPerDomain({ ...activations, rows }, search).values();
        return [domain, alone ?? 'no samples'];
      } catch (error) {
        // A domain that is too small says why; the pooled fit stands.
        if (error instanceof PlumblineError && error.code === 'DIRECTION_FIT') return [domain, error.message];
        throw error;
      }
    }),
  );
}
