import type { Case } from '../corpus/types.js';
import { alterRule, type PerturbContext } from '../perturb/alter.js';
import { canonicalRules } from '../perturb/canonical.js';
import type { Condition } from '../perturb/types.js';
import { type Piece, wordDiff } from '../perturb/word-diff.js';
import { profileSchema } from '../prompt/load-profile.js';
import { PROFILES } from '../prompt/profiles.js';
import { profileText, renderPrompt, shownRule } from '../prompt/render.js';
import type { Profile } from '../prompt/types.js';
import type { Manifest } from '../run/manifest.js';
import type { Reading } from '../run/types.js';
import { sha256Of } from '../sha256.js';
import { corpusOfRun } from './run-corpus.js';

/** A prompt of a run, made again from the corpus. */
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

/** What the prompts of a run are made of, or why they cannot be made again. */
export interface PromptSources {
  readonly profile: Profile | null;
  /** Why no case of the run is at hand; null when the corpus is. */
  readonly why: string | null;
  readonly caseOf: (sampleId: string) => Case | null;
  /** null without the profile, and where the condition does not apply. */
  readonly promptOf: (item: Case, condition: Condition, row: Reading | null) => PromptView | null;
}

/** Reads the corpus of a run again, once for all its samples. Errors: as of {@link corpusOfRun}. */
export async function promptSources(dir: string, manifest: Manifest): Promise<PromptSources> {
  const profile = profileOf(manifest);
  const { corpus, why } = await corpusOfRun(dir, manifest);
  const cases = new Map(corpus?.cases.map(item => [item.id, item]));
  const canonical = corpus === null ? new Map<string, string>() : canonicalRules(corpus);
  return {
    profile,
    why: why === null ? null : `the corpus is not at hand: ${why}`,
    caseOf: sampleId => cases.get(sampleId) ?? null,
    promptOf: (item, condition, row) => {
      // Whether the placebo was drawn is the row's to say.
      const placebo = new Set(condition === 'placebo' && row?.applicable ? [item.id] : []);
      const context = { seed: manifest.seed, canonical, placebo };
      return profile === null ? null : promptView(item, condition, profile, context, row);
    },
  };
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
