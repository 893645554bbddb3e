import { ALTERING, type Condition } from '../perturb/types.js';
import { bonferroni } from '../stats/multiple.js';
import { permutationCheck } from '../stats/permutation.js';
import { countIf, isAltering, type Pair, rateOf } from './analyze-samples.js';
import type { NecessityRow, RuleNecessity } from './analyze-types.js';

const REPAIRINGS = 20_000;

/**
 * Flips inside the rule-necessary subset, for each condition of the run that has pairs. null when the run has no
 * deletion, which the subset is made of. Altered and baseline verdicts are re-paired within each domain of the subset.
 */
export function ruleNecessityOf(
  pairs: readonly Pair[],
  conditions: readonly Condition[],
  seed: number,
): RuleNecessity | null {
  if (!conditions.includes('delete')) return null;
  const deletions = pairs.filter(({ condition }) => condition === 'delete');
  const necessary = deletions.filter(({ before, after, label }) => before === label && after !== label);
  const reverse = deletions.filter(({ before, after, label }) => before !== label && after === label);
  const under = (condition: Condition, subset: readonly Pair[]): readonly Pair[] => {
    const ids = new Set(subset.map(({ sampleId }) => sampleId));
    return pairs.filter(pair => pair.condition === condition && ids.has(pair.sampleId));
  };
  const rows = (['placebo', ...ALTERING] as const)
    .filter(condition => conditions.includes(condition))
    .map((condition): Omit<NecessityRow, 'adjusted'> => {
      const inside = under(condition, necessary);
      return {
        condition,
        inside: flipsOf(inside),
        reverse: flipsOf(under(condition, reverse)),
        bySelection: condition === 'delete',
        permutation: isAltering(condition) ? permutationCheck(cellsOf(inside), seed, REPAIRINGS) : null,
      };
    });
  const family = rows.flatMap(({ bySelection, permutation }) =>
    bySelection || permutation === null ? [null, null] : [permutation.pFewer, permutation.pMore],
  );
  const adjusted = bonferroni(family);
  return {
    n: deletions.length,
    necessary: necessary.length,
    reverse: reverse.length,
    tests: countIf(family, p => p !== null),
    conditions: rows.map((row, i) => ({
      ...row,
      adjusted: { pFewer: adjusted[2 * i] ?? null, pMore: adjusted[2 * i + 1] ?? null },
    })),
  };
}

const flipsOf = (pairs: readonly Pair[]): NecessityRow['inside'] =>
  rateOf(
    countIf(pairs, ({ before, after }) => before !== after),
    pairs.length,
  );

function cellsOf(pairs: readonly Pair[]): Parameters<typeof permutationCheck>[0] {
  const domains = [...new Set(pairs.map(({ domain }) => domain))];
  return domains.map(domain => ({
    name: domain,
    pairs: pairs
      .filter(pair => pair.domain === domain)
      .map(({ before, after }): readonly [0 | 1, 0 | 1] => [before, after]),
  }));
}
