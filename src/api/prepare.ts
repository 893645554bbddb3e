import { type PlannedRow, planAudit } from '../audit/plan.js';
import { loadCorpus } from '../corpus/load.js';
import { sampleCases, selectIds } from '../corpus/sample.js';
import type { Case, Corpus } from '../corpus/types.js';
import { PlumblineError } from '../errors.js';
import { canonicalRules } from '../perturb/canonical.js';
import { placeboSet } from '../perturb/placebo.js';
import { requireSame, runAgainst } from './against.js';
import type { AuditOptions } from './options.js';

/** An audit as far as it is known without a model. */
export interface PreparedAudit {
  readonly options: AuditOptions;
  readonly corpus: Corpus;
  readonly cases: readonly Case[];
  readonly rows: readonly PlannedRow[];
}

/**
 * Reads the corpus, draws the samples and alters the rules. `sampleIds` overrides the draw (a resumed run).
 * Throws what the corpus readers throw, CORPUS_EMPTY, and RUN_MISMATCH when the samples of `against` are not here.
 */
export async function prepareAudit(
  options: AuditOptions,
  sampleIds: readonly string[] | null = null,
): Promise<PreparedAudit> {
  const corpus = await loadCorpus(options.corpus, options.columnMap ?? undefined);
  const other = runAgainst(options);
  const cases = await choose(corpus, options, sampleIds ?? other?.manifest.sampleIds ?? null);
  if (other !== null) {
    requireSame(other, { corpus, sampleIds: cases.map(item => item.id), seed: options.seed });
  }
  if (cases.length === 0) {
    throw new PlumblineError(
      'CORPUS_EMPTY',
      `${options.corpus} leaves no case to audit (${corpus.issues.length} reported, see --dry-run); expected at least one.`,
    );
  }
  const rows = planAudit(cases, {
    conditions: options.conditions,
    profile: options.profile,
    perturb: {
      seed: options.seed,
      canonical: canonicalRules(corpus),
      placebo: placeboSet(
        cases.map(item => item.id),
        options.placebo,
        options.seed,
      ),
    },
  });
  return { options, corpus, cases, rows };
}

async function choose(
  corpus: Corpus,
  options: AuditOptions,
  sampleIds: readonly string[] | null,
): Promise<readonly Case[]> {
  if (sampleIds !== null) {
    const wanted = new Set(sampleIds);
    return corpus.cases.filter(item => wanted.has(item.id));
  }
  if (options.ids !== null) return selectIds(corpus, options.ids);
  return sampleCases(corpus, options);
}
