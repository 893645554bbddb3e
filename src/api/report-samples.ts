import { byText, type Sample, samplesOf } from '../audit/analyze-samples.js';
import type { Reader } from '../audit/ocs.js';
import { pairRows } from '../audit/pairs.js';
import { rankByDraw } from '../corpus/draw.js';
import type {
  ExplorerCondition,
  ExplorerCoverage,
  ExplorerData,
  ExplorerRun,
  ExplorerSample,
  TextIndex,
} from '../report/explorer/types.js';
import { jsonBlock } from '../report/page/html.js';
import { subjectOf } from '../run/describe.js';
import { nodeFiles } from '../run/files.js';
import { type Manifest, readManifest } from '../run/manifest.js';
import type { PairRow } from '../run/pairs-file.js';
import { readReadings } from '../run/reader.js';
import type { Reading } from '../run/types.js';
import { type PromptSources, type PromptView, promptSources } from './prompt-view.js';
import { whyNoTexts } from './sample-view.js';

export interface ExplorerBound {
  readonly samples: number;
  /** Of the data as it stands in the page, UTF-8. */
  readonly bytes: number;
}

/** So much opens at once on a telephone. */
export const EXPLORER_BOUND: ExplorerBound = { samples: 2000, bytes: 8_000_000 };

/** A sample whose data take more than this share of the bytes is embedded without its texts. */
const LARGEST_SHARE = 1 / 20;

/** A folder of a run and what it is called in the page. */
export interface NamedRun {
  readonly dir: string;
  readonly name: string;
}

interface OpenRun {
  readonly about: ExplorerRun;
  readonly manifest: Manifest;
  readonly samples: ReadonlyMap<string, Sample>;
  /** What a row is against its baseline, by key, once for each reader. */
  readonly pairs: ReadonlyMap<string, readonly PairRow[]>;
  readonly sources: PromptSources;
}

/**
 * The samples of runs with their prompts, verdicts and numbers, for the explorer of a report: those whose verdict flips
 * first, then the others, each in the order of a seeded draw, until the bound is reached. A sample is embedded for all
 * runs that have it or for none. Each run's corpus is read once. `reader`: whose flips the list shows at first.
 * Errors: RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO.
 */
export async function reportSamples(
  named: readonly NamedRun[],
  reader: Reader,
  bound: ExplorerBound = EXPLORER_BOUND,
): Promise<ExplorerData> {
  const runs: OpenRun[] = [];
  for (const run of named) runs.push(await openRun(run));
  const ids = [...new Set(runs.flatMap(({ samples }) => [...samples.keys()]))];
  const seed = runs[0]?.manifest.seed ?? 0;
  const ranked = rankByDraw(ids, seed, 'explorer', id => [id]);
  const flipping = new Set(ids.filter(id => runs.some(run => flips(run, id))));
  const [first, then] = [ranked.filter(id => flipping.has(id)), ranked.filter(id => !flipping.has(id))];
  const rowsOf = (list: readonly { readonly id: string }[], among: boolean): number =>
    list.filter(({ id }) => flipping.has(id) === among).length;
  const all = runs.flatMap(({ samples }) => [...samples.values()]);
  const { samples, texts, reached } = fill(runs, [...first, ...then], bound);
  const coverage: ExplorerCoverage = {
    maxSamples: bound.samples,
    maxBytes: bound.bytes,
    reached,
    flipping: { shown: rowsOf(samples, true), all: rowsOf(all, true) },
    others: { shown: rowsOf(samples, false), all: rowsOf(all, false) },
    seed,
  };
  const ordered = [...samples].sort((a, b) => a.run - b.run || byText(a.id, b.id));
  return { reader, runs: runs.map(({ about }) => about), samples: ordered, texts, coverage };
}

async function openRun({ dir, name }: NamedRun): Promise<OpenRun> {
  const manifest = readManifest(nodeFiles, dir);
  const readings = readReadings(dir);
  const unsteered = readings.filter(({ alpha }) => alpha === null);
  const exactness = manifest.batchPlan?.exactness ?? null;
  const pairs = new Map<string, PairRow[]>();
  for (const pair of pairRows(unsteered, exactness)) {
    const known = pairs.get(pair.key);
    if (known) known.push(pair);
    else pairs.set(pair.key, [pair]);
  }
  const samples = new Map(samplesOf(unsteered).map(sample => [sample.id, sample]));
  const sources = await promptSources(dir, manifest);
  const about: ExplorerRun = {
    name,
    subject: subjectOf(manifest),
    profile: manifest.profile.name,
    chat: sources.profile?.chat === 'model',
    parts: sources.profile?.parts,
    samples: samples.size,
    band: exactness?.kind === 'inexact' ? exactness.band : undefined,
    steeredRows: readings.length - unsteered.length,
  };
  return { about, manifest, samples, pairs, sources };
}

function flips({ samples, pairs }: OpenRun, id: string): boolean {
  const rows = [...(samples.get(id)?.rows.values() ?? [])];
  return rows.some(({ key }) => pairs.get(key)?.some(({ flip }) => flip === 1));
}

interface Filled {
  readonly samples: readonly ExplorerSample[];
  readonly texts: readonly string[];
  readonly reached: ExplorerCoverage['reached'];
}

/** Takes ids in order, each with all its runs, as long as they fit. */
function fill(runs: readonly OpenRun[], ids: readonly string[], bound: ExplorerBound): Filled {
  const samples: ExplorerSample[] = [];
  const known = new Map<string, TextIndex>();
  let used = 0;
  for (const id of ids) {
    let group = groupOf(runs, id, known, null);
    if (group.bytes > bound.bytes * LARGEST_SHARE) {
      const why = `its texts are too long to be embedded (${group.bytes} bytes)`;
      group = groupOf(runs, id, known, why);
    }
    const reached =
      samples.length + group.samples.length > bound.samples
        ? 'samples'
        : used + group.bytes > bound.bytes
          ? 'bytes'
          : null;
    if (reached !== null) return { samples, texts: [...known.keys()], reached };
    used += group.bytes;
    samples.push(...group.samples);
    for (const text of group.fresh) known.set(text, known.size);
  }
  return { samples, texts: [...known.keys()], reached: null };
}

interface Group {
  readonly samples: readonly ExplorerSample[];
  /** Texts that were not known before, in the order of their indices. */
  readonly fresh: readonly string[];
  readonly bytes: number;
}

/** One sample of all runs that have it. `withheld`: why its texts are left out; null = they are not. */
function groupOf(
  runs: readonly OpenRun[],
  id: string,
  known: ReadonlyMap<string, TextIndex>,
  withheld: string | null,
): Group {
  const fresh = new Map<string, TextIndex>();
  const indexOf = (text: string): TextIndex => {
    const there = known.get(text) ?? fresh.get(text);
    if (there !== undefined) return there;
    const index = known.size + fresh.size;
    fresh.set(text, index);
    return index;
  };
  const samples = runs.flatMap((run, number) => {
    const sample = run.samples.get(id);
    return sample === undefined ? [] : explorerSample(number, run, sample, indexOf, withheld);
  });
  const texts = [...fresh.keys()];
  return { samples, fresh: texts, bytes: embeddedBytes(samples) + embeddedBytes(texts) };
}

/** A little more than it takes. */
function embeddedBytes(value: unknown): number {
  return Buffer.byteLength(jsonBlock('', value).toString());
}

function explorerSample(
  number: number,
  { manifest, pairs, sources }: OpenRun,
  { id, domain, label, rows }: Sample,
  indexOf: (text: string) => TextIndex,
  withheld: string | null,
): ExplorerSample {
  const item = withheld === null ? sources.caseOf(id) : null;
  const [any] = rows.values();
  return {
    run: number,
    id,
    domain,
    label,
    rule: any?.ruleId ?? '',
    scenario: item === null ? undefined : indexOf(item.scenario),
    why: withheld ?? whyNoTexts(sources, item) ?? undefined,
    conditions: manifest.conditions.map((name): ExplorerCondition => {
      const row = rows.get(name);
      if (row === undefined) return { name, state: 'missing' };
      const prompt = item && sources.promptOf(item, name, row);
      const generated = withheld === null ? row.generated : null;
      return {
        name,
        ...stateOf(row),
        ...numbersOf(row, pairs.get(row.key) ?? []),
        generated: generated === null ? undefined : indexOf(generated),
        ...(prompt && promptOf(prompt, indexOf)),
      };
    }),
  };
}

function stateOf({ applicable, visible, reason, errorCode }: Reading): Omit<ExplorerCondition, 'name'> {
  if (!applicable) return { state: 'not-applicable', reason: reason ?? undefined };
  if (errorCode !== null) return { state: 'error', reason: errorCode };
  return { state: 'evaluated', invisible: visible ? undefined : true };
}

function numbersOf(row: Reading, pairs: readonly PairRow[]): Partial<ExplorerCondition> {
  const flipOf = (reader: PairRow['reader']) => pairs.find(pair => pair.reader === reader)?.flip ?? undefined;
  return {
    text: row.verdictText ?? undefined,
    logit: row.verdictLogit ?? undefined,
    flipText: flipOf('text'),
    flipLogit: flipOf('logit'),
    fragile: pairs.some(({ fragile }) => fragile === true) ? true : undefined,
    nullReason: row.nullReason ?? undefined,
    margin: finite(row.margin),
    shift: finite(pairs[0]?.marginShift ?? null),
    mass: finite(row.labelMass),
    ics: finite(row.ics),
    icsDelta: finite(pairs[0]?.icsDelta ?? null),
    tokens: row.nTokens ?? undefined,
  };
}

/** JSON has no other numbers. */
function finite(value: number | null): number | undefined {
  return value !== null && Number.isFinite(value) ? value : undefined;
}

function promptOf(
  { changes, shownRule, ruleLength, swapDomain, asEvaluated }: PromptView,
  indexOf: (text: string) => TextIndex,
): Partial<ExplorerCondition> {
  return {
    changes: changes.map(({ kind, text }) => [kind, indexOf(text)] as const),
    shownLength: [...shownRule].length,
    ruleLength,
    swapDomain: swapDomain ?? undefined,
    asEvaluated: asEvaluated ?? undefined,
  };
}
