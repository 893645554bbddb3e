import { FEATURES, type Features, ODDITIES, type Oddities, type RuleFeatures } from './rules.js';

/** The mean of one feature over a domain. */
export interface FeatureMean {
  /** Every different rule once; null when no rule has the feature. */
  readonly mean: number | null;
  /** Every rule as often as cases use it. */
  readonly caseWeighted: number | null;
  /** Rules that have the feature; the others are left out of both means. */
  readonly rules: number;
}

export interface DomainFeatures {
  readonly domain: string;
  /** Different rules that the cases use. */
  readonly rules: number;
  readonly cases: number;
  readonly features: Readonly<Record<keyof Features, FeatureMean>>;
  /** Rules of each oddity. */
  readonly oddities: Readonly<Record<keyof Oddities, number>>;
}

/** One row a domain, in the order of the rules. */
export function featuresOfDomains(rules: readonly RuleFeatures[]): readonly DomainFeatures[] {
  const domains = [...new Set(rules.map(({ domain }) => domain))];
  return domains.map(domain => {
    const own = rules.filter(rule => rule.domain === domain);
    return {
      domain,
      rules: own.length,
      cases: own.reduce((sum, { cases }) => sum + cases, 0),
      features: record(FEATURES, feature => meanOf(own, feature)),
      oddities: record(ODDITIES, oddity => own.filter(rule => rule[oddity]).length),
    };
  });
}

function meanOf(rules: readonly RuleFeatures[], feature: keyof Features): FeatureMean {
  let [sum, weighted, cases, count] = [0, 0, 0, 0];
  for (const rule of rules) {
    const value = rule[feature];
    if (value === null) continue;
    sum += value;
    count++;
    weighted += value * rule.cases;
    cases += rule.cases;
  }
  return {
    mean: count === 0 ? null : sum / count,
    caseWeighted: cases === 0 ? null : weighted / cases,
    rules: count,
  };
}

function record<K extends string, V>(keys: readonly K[], of: (key: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(keys.map(key => [key, of(key)])) as Record<K, V>;
}
