import { byCondition, flipOf, marginShiftOf, type SampleReadings } from '../audit/ocs.js';
import { byCloseness } from '../corpus/closeness.js';
import type { Case, Corpus, Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { alterRule, type PerturbContext } from '../perturb/alter.js';
import { canonicalRules } from '../perturb/canonical.js';
import type { Condition } from '../perturb/types.js';
import { type Piece, wordDiff } from '../perturb/word-diff.js';
import { profileSchema } from '../prompt/load-profile.js';
import { PROFILES } from '../prompt/profiles.js';
import { profileText, renderPrompt, shownRule } from '../prompt/render.js';
import type { Profile } from '../prompt/types.js';
import { nodeFiles } from '../run/files.js';
import { type Manifest, readManifest } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import type { Reading } from '../run/types.js';
import { sha256Of } from '../sha256.js';
import { corpusOfRun } from './run-corpus.js';

/** One sample of a run with everything that is known about it. */
export interface SampleView {
  readonly kind: 'sample';
  readonly sampleId: string;
  /** null when neither a row nor the corpus is at hand. */
  readonly domain: string | null;
  readonly label: Label | null;
  readonly ruleId: string | null;
  readonly profile: string;
  /** The texts as the corpus has them; null when it is not at hand, and why not. */
  readonly rule: string | null;
  readonly scenario: string | null;
  readonly why: string | null;
  readonly conditions: readonly ConditionView[];
  /** Rows of this sample that were steered, which are not among the conditions. */
  readonly steeredRows: number;
}

export interface ConditionView {
  readonly condition: Condition;
  /** null: planned, and not there yet. */
  readonly row: Reading | null;
  /** Against baseline; null for the baseline itself and where a verdict is missing. */
  readonly flip: { readonly text: Label | null; readonly logit: Label | null };
  readonly marginShift: number | null;
  /** The prompt made again from the corpus; null when that is not at hand or the condition does not apply. */
  readonly prompt: PromptView | null;
}

export interface PromptView {
  /** What the rule field shows, after the cut that the profile makes. */
  readonly shownRule: string;
  /** Code points of the whole altered rule. */
  readonly ruleLength: number;
  /** Domain that a swapped-in rule comes from. */
  readonly swapDomain: string | null;
  /** From the rule that the baseline shows to this one. */
  readonly changes: readonly Piece[];
  readonly text: string;
  /** Whether the prompt that was evaluated had the same SHA-256; null when the row has none. */
  readonly asEvaluated: boolean | null;
}

/**
 * Shows one sample of a run. `wanted` is its id, or a beginning or an end that no other sample has.
 * Errors: UNKNOWN_SAMPLE, RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO.
 */
export async function sampleView(dir: string, wanted: string): Promise<SampleView> {
  const manifest = readManifest(nodeFiles, dir);
  const sampleId = findSample(manifest.sampleIds, wanted);
  const readings = readReadings(dir).filter(row => row.sampleId === sampleId);
  const rows = byCondition(readings.filter(row => row.alpha === null));
  const { profile, corpus, item, why } = await sourcesOf(dir, manifest, sampleId);
  const known = item ?? readings[0] ?? null;
  const context: PerturbContext = {
    seed: manifest.seed,
    canonical: corpus === null ? new Map() : canonicalRules(corpus),
    // Whether the placebo was drawn is the row's to say.
    placebo: new Set(rows.get('placebo')?.applicable ? [sampleId] : []),
  };
  return {
    kind: 'sample',
    sampleId,
    domain: known?.domain ?? null,
    label: known?.label ?? null,
    ruleId: known?.ruleId ?? null,
    profile: manifest.profile.name,
    rule: item?.rule ?? null,
    scenario: item?.scenario ?? null,
    why,
    conditions: manifest.conditions.map(condition => ({
      condition,
      row: rows.get(condition) ?? null,
      ...comparison(rows, condition),
      prompt:
        item && profile ? promptView(item, condition, profile, context, rows.get(condition) ?? null) : null,
    })),
    steeredRows: readings.filter(row => row.alpha !== null).length,
  };
}

function comparison(rows: SampleReadings, condition: Condition): Pick<ConditionView, 'flip' | 'marginShift'> {
  if (condition === 'baseline') return { flip: { text: null, logit: null }, marginShift: null };
  return {
    flip: { text: flipOf(rows, condition, 'text'), logit: flipOf(rows, condition, 'logit') },
    marginShift: marginShiftOf(rows, condition),
  };
}

const NAMED_AT_MOST = 5;

/** Errors: UNKNOWN_SAMPLE when none or more than one is meant. */
function findSample(ids: readonly string[], wanted: string): string {
  if (ids.includes(wanted)) return wanted;
  const meant = ids.filter(id => wanted !== '' && (id.startsWith(wanted) || id.endsWith(wanted)));
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only;
  const some = (names: readonly string[]): string => names.slice(0, NAMED_AT_MOST).join(', ');
  throw new PlumblineError(
    'UNKNOWN_SAMPLE',
    only === undefined
      ? `the run has no sample ${JSON.stringify(wanted)}; the closest of its ${ids.length}: ${some(byCloseness(wanted, ids))}`
      : `${JSON.stringify(wanted)} is the beginning or the end of ${meant.length} samples: ${some(meant)}${meant.length > NAMED_AT_MOST ? ', …' : ''}; give more of it`,
  );
}

interface Sources {
  readonly profile: Profile | null;
  readonly corpus: Corpus | null;
  readonly item: Case | null;
  readonly why: string | null;
}

/** What the prompts are made of, or why they cannot be made again. */
async function sourcesOf(dir: string, manifest: Manifest, sampleId: string): Promise<Sources> {
  const { corpus, why } = await corpusOfRun(dir, manifest);
  if (corpus === null) return { profile: null, corpus, item: null, why: `the corpus is not at hand: ${why}` };
  const item = corpus.cases.find(({ id }) => id === sampleId) ?? null;
  if (item === null) return { profile: null, corpus, item, why: 'the corpus does not have this sample' };
  const profile = profileOf(manifest);
  return { profile, corpus, item, why: profile === null ? 'the manifest holds no readable profile' : null };
}

/** The profile as the manifest keeps it, else the built-in one of its name. Whether it is the right one, the hash of each prompt shows. */
function profileOf({ options, profile: { name } }: Manifest): Profile | null {
  const kept = profileSchema.safeParse(options.profile);
  if (kept.success) return kept.data;
  return Object.values(PROFILES).find(profile => profile.name === name) ?? null;
}

function promptView(
  item: Case,
  condition: Condition,
  profile: Profile,
  context: PerturbContext,
  row: Reading | null,
): PromptView | null {
  const altered = alterRule(item, condition, context);
  if (!altered.applicable) return null;
  const shown = shownRule(profile, altered.rule);
  const text = profileText(renderPrompt(profile, altered.rule, item.scenario));
  const expected = row?.promptSha256 ?? null;
  return {
    shownRule: shown,
    ruleLength: [...altered.rule].length,
    swapDomain: altered.swapDomain,
    changes: wordDiff(shownRule(profile, item.rule), shown),
    text,
    asEvaluated: expected === null ? null : expected === sha256Of(text),
  };
}
