import type { Corpus } from '../corpus/types.js';

/**
 * The rule text that stands for each domain when it is swapped in: the one that most of its cases have, the earliest
 * in the corpus among equals. Domains are in corpus order.
 */
export function canonicalRules(corpus: Corpus): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { domain, rule } of corpus.cases) {
    const ofDomain = counts.get(domain) ?? new Map<string, number>();
    counts.set(domain, ofDomain.set(rule, (ofDomain.get(rule) ?? 0) + 1));
  }
  return new Map([...counts].map(([domain, ofDomain]) => [domain, mostFrequent(ofDomain)]));
}

function mostFrequent(counts: ReadonlyMap<string, number>): string {
  let best = { rule: '', count: 0 };
  for (const [rule, count] of counts) {
    if (count > best.count) best = { rule, count };
  }
  return best.rule;
}
