import type { DomainFeatures } from '../features/domains.js';
import type { Methods } from '../features/files.js';
import type { Features } from '../features/rules.js';
import { type FewRanks, fewRanks } from '../stats/few-ranks.js';
import { benjaminiHochberg } from '../stats/multiple.js';
import { type Coefficient, type NoFit, type OlsFit, ols } from '../stats/ols.js';
import { rankCorrelationAt } from '../stats/spearman.js';
import type { Summary } from './analyze-types.js';
import type { Reader } from './ocs.js';

/** The five features of the protocol; the proxy stands in for a depth that nobody measured. */
const FIVE = ['ecd', 'crc', 'mmr', 'mdd3', 'fkgl'] as const;
const PROXY = 'sentenceLengthLog2' as const;
export type TestedFeature = (typeof FIVE)[number] | typeof PROXY;

/** Fewer domains say nothing about a correlation. */
export const FEWEST_DOMAINS = 5;
const LEVEL = 0.05;

/** Features by domain as `features` measured them; each rule of a domain counts once. */
export interface TextFeatures {
  readonly corpus: string;
  readonly methods: Methods;
  readonly mddMissing: string | null;
  readonly domains: readonly {
    readonly domain: string;
    readonly features: Readonly<Record<keyof Features, Pick<DomainFeatures['features']['ecd'], 'mean'>>>;
  }[];
}

export type Outcome = 'ocs' | 'icsDelta';

/** One feature against one outcome, over the domains that have both. */
export interface FeatureRank extends FewRanks {
  readonly feature: TestedFeature;
  /** Benjamini-Hochberg over the features of this outcome. */
  readonly adjusted: number | null;
}

/** The outcome on all standardised features at once. */
export interface FeatureRegression {
  /** Domains with every feature. */
  readonly n: number;
  /** Domains left out because a feature is undefined there. */
  readonly dropped: readonly string[];
  readonly fit:
    | (Omit<OlsFit, 'coefficients'> & {
        readonly coefficients: readonly (Coefficient & { readonly feature: TestedFeature })[];
      })
    | null;
  /** null when there is a fit. */
  readonly why: NoFit | null;
  /** The features that do not vary, or that are linearly dependent. */
  readonly culprits: readonly TestedFeature[];
}

export interface OutcomeFeatures {
  readonly outcome: Outcome;
  /** Domains with the outcome and a row of features. */
  readonly domains: number;
  /** null with fewer than {@link FEWEST_DOMAINS} domains: nothing can be told. */
  readonly tested: {
    readonly correlations: readonly FeatureRank[];
    /** About the smallest |rho| that a feature alone needs for an adjusted p of .05; null: no order of so few domains has it. */
    readonly rhoNeeded: number | null;
    readonly regression: FeatureRegression;
  } | null;
}

/** Text features of the domains against what the judge does there. A domain is one point. */
export interface FeaturesOcs {
  readonly source: Pick<TextFeatures, 'corpus' | 'methods'>;
  /** Whose OCS it is. */
  readonly reader: Reader;
  readonly features: readonly TestedFeature[];
  readonly leftOut: readonly { readonly feature: TestedFeature; readonly why: string }[];
  readonly domains: readonly {
    readonly domain: string;
    readonly features: Readonly<Record<TestedFeature, number | null>>;
    /** OCS-agg; null without a pair of verdicts. */
    readonly ocs: number | null;
    /** Mean ICS-delta; null in a run without a direction. */
    readonly icsDelta: number | null;
  }[];
  /** Domains of the run that have no row of features. */
  readonly withoutFeatures: readonly string[];
  readonly outcomes: readonly OutcomeFeatures[];
}

/**
 * Rank correlation of each text feature with OCS-agg by domain (and with ICS-delta where the run has it), corrected over
 * the features, and the regression on all of them. A feature that no domain has is left out with the reason; the
 * sentence-length proxy then stands beside the others in the place of depth, under its own name.
 */
export function featuresAgainstOcs(text: TextFeatures, summary: Summary): FeaturesOcs {
  const known = new Map(text.domains.map(({ domain, features }) => [domain, features]));
  const aggregate = summary.readers[summary.primary].ocs.find(({ measure }) => measure === 'agg');
  const domains = summary.domains.flatMap(({ domain }) => {
    const means = known.get(domain);
    if (means === undefined) return [];
    return [
      {
        domain,
        features: Object.fromEntries(
          ([...FIVE, PROXY] as const).map(feature => [feature, means[feature].mean]),
        ) as Readonly<Record<TestedFeature, number | null>>,
        ocs: aggregate?.domains.find(row => row.domain === domain)?.all.rate ?? null,
        icsDelta: summary.ics?.domains.find(row => row.domain === domain)?.meanDelta ?? null,
      },
    ];
  });
  const has = (feature: TestedFeature): boolean => domains.some(row => row.features[feature] !== null);
  const features = FIVE.flatMap((feature): TestedFeature[] => {
    if (has(feature)) return [feature];
    return feature === 'mdd3' && has(PROXY) ? [PROXY] : [];
  });
  const outcomes = (['ocs', 'icsDelta'] as const).filter(outcome =>
    outcome === 'ocs' ? !summary.icsOnly : summary.ics !== null,
  );
  return {
    source: { corpus: text.corpus, methods: text.methods },
    reader: summary.primary,
    features,
    leftOut: FIVE.filter(feature => !has(feature)).map(feature => ({
      feature,
      why: (feature === 'mdd3' ? text.mddMissing : null) ?? 'no domain has it',
    })),
    domains,
    withoutFeatures: summary.domains.map(({ domain }) => domain).filter(domain => !known.has(domain)),
    outcomes: outcomes.map(outcome => against(outcome, domains, features)),
  };
}

function against(
  outcome: Outcome,
  domains: FeaturesOcs['domains'],
  features: readonly TestedFeature[],
): OutcomeFeatures {
  const points = domains.flatMap(({ domain, features: values, [outcome]: value }) =>
    value === null ? [] : [{ domain, values, value }],
  );
  if (points.length < FEWEST_DOMAINS || features.length === 0)
    return { outcome, domains: points.length, tested: null };
  const ranks = features.map(feature => {
    const pairs = points.flatMap(({ values, value }) => {
      const x = values[feature];
      return x === null ? [] : [{ x, y: value }];
    });
    return {
      feature,
      ...fewRanks(
        pairs.map(({ x }) => x),
        pairs.map(({ y }) => y),
      ),
    };
  });
  const adjusted = benjaminiHochberg(ranks.map(({ p }) => p));
  return {
    outcome,
    domains: points.length,
    tested: {
      correlations: ranks.map((rank, i) => ({ ...rank, adjusted: adjusted[i] ?? null })),
      rhoNeeded: rhoNeeded(ranks),
      regression: regress(points, features),
    },
  };
}

function rhoNeeded(ranks: readonly FewRanks[]): number | null {
  const made = ranks.filter(({ p }) => p !== null);
  const level = LEVEL / made.length;
  const reachable = made.filter(({ smallestP }) => smallestP === null || smallestP <= level);
  if (reachable.length === 0) return null;
  return rankCorrelationAt(level, Math.max(...reachable.map(({ n }) => n)));
}

function regress(
  points: readonly {
    readonly domain: string;
    readonly values: Readonly<Record<TestedFeature, number | null>>;
    readonly value: number;
  }[],
  features: readonly TestedFeature[],
): FeatureRegression {
  const rows = points.map(({ values, value }) => ({
    outcome: value,
    predictors: features.map(feature => values[feature]),
  }));
  const { n, fit, why, culprits } = ols(rows);
  const named = features.map((feature, i) => ({ feature, i }));
  return {
    n,
    dropped: points.filter((_, i) => rows[i]?.predictors.includes(null)).map(({ domain }) => domain),
    fit: fit && {
      ...fit,
      coefficients: named.flatMap(({ feature, i }) => {
        const coefficient = fit.coefficients[i];
        return coefficient === undefined ? [] : [{ feature, ...coefficient }];
      }),
    },
    why,
    culprits: named.filter(({ i }) => culprits.includes(i)).map(({ feature }) => feature),
  };
}
