import { byCondition, flipOf, marginShiftOf, type SampleReadings } from '../audit/ocs.js';
import { byCloseness } from '../corpus/closeness.js';
import type { Case, Label } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import type { Condition } from '../perturb/types.js';
import { nodeFiles } from '../run/files.js';
import { readManifest } from '../run/manifest.js';
import { readReadings } from '../run/reader.js';
import type { Reading } from '../run/types.js';
import { type PromptSources, type PromptView, promptSources } from './prompt-view.js';

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

/**
 * Shows one sample of a run. `wanted` is its id, or a beginning or an end that no other sample has.
 * Errors: UNKNOWN_SAMPLE, RUN_NOT_FOUND, RUN_DAMAGED, RUN_MISMATCH, IO.
 */
export async function sampleView(dir: string, wanted: string): Promise<SampleView> {
  const manifest = readManifest(nodeFiles, dir);
  const sampleId = findSample(manifest.sampleIds, wanted);
  const readings = readReadings(dir).filter(row => row.sampleId === sampleId);
  const rows = byCondition(readings.filter(row => row.alpha === null));
  const sources = await promptSources(dir, manifest);
  const item = sources.caseOf(sampleId);
  const known = item ?? readings[0] ?? null;
  return {
    kind: 'sample',
    sampleId,
    domain: known?.domain ?? null,
    label: known?.label ?? null,
    ruleId: known?.ruleId ?? null,
    profile: manifest.profile.name,
    rule: item?.rule ?? null,
    scenario: item?.scenario ?? null,
    why: whyNoTexts(sources, item),
    conditions: manifest.conditions.map(condition => ({
      condition,
      row: rows.get(condition) ?? null,
      ...comparison(rows, condition),
      prompt: item && sources.promptOf(item, condition, rows.get(condition) ?? null),
    })),
    steeredRows: readings.filter(row => row.alpha !== null).length,
  };
}

/** Why prompts of a sample cannot be shown; null when they can. */
export function whyNoTexts({ why, profile }: PromptSources, item: Case | null): string | null {
  if (why !== null) return why;
  if (item === null) return 'the corpus does not have this sample';
  return profile === null ? 'the manifest holds no readable profile' : null;
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
