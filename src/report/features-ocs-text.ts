import {
  FEWEST_DOMAINS,
  type FeatureRegression,
  type FeaturesOcs,
  type Outcome,
  type OutcomeFeatures,
  type TestedFeature,
} from '../audit/features-ocs.js';
import type { NoFit } from '../stats/ols.js';
import { counted } from './facts.js';
import { figure, NONE, pValue, share, signed } from './format.js';
import { left, paint, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** As the paper and the tables call them. */
export const FEATURE_NAMES: Readonly<Record<TestedFeature, string>> = {
  ecd: 'ECD',
  crc: 'CRC',
  mmr: 'MMR',
  mdd3: 'MDD',
  fkgl: 'FKGL',
  sentenceLengthLog2: 'sentence_length_log2',
};

const OUTCOMES: Readonly<Record<Outcome, string>> = { ocs: 'OCS', icsDelta: 'ICS-delta' };

/** Text features against OCS by domain, and against ICS-delta where the run has it. */
export function featuresOcsText(found: FeaturesOcs, style: Style): string {
  return `${[
    title('Does it depend on the text of the rules?', style),
    wrap(`Features of ${printable(found.source.corpus)}, mean of each domain, every rule once.`),
    ...found.leftOut.map(({ feature, why }) =>
      wrap(`${FEATURE_NAMES[feature]} left out: ${printable(why)}.`),
    ),
    ...(found.withoutFeatures.length === 0
      ? []
      : [wrap(`Domains without features: ${found.withoutFeatures.map(printable).join(', ')}.`)]),
    ...found.outcomes.flatMap(outcome => ['', ...outcomeLines(outcome, found, style)]),
  ].join('\n')}\n`;
}

function outcomeLines(
  { outcome, domains, tested }: OutcomeFeatures,
  { reader }: FeaturesOcs,
  style: Style,
): readonly string[] {
  const name = outcome === 'ocs' ? `OCS (${reader} reader)` : OUTCOMES[outcome];
  if (tested === null) {
    const few =
      `${name}: it cannot be told. A domain is one point, and ${counted(domains, 'domain')} with features cannot show a ` +
      `correlation; ${FEWEST_DOMAINS} are the least.`;
    return [paint(wrap(few), 'warn', style)];
  }
  const { correlations, regression, rhoNeeded } = tested;
  const fitted = regression.fit?.coefficients;
  const columns = ['domains', 'rho', 'p', 'p BH', 'per sd', 'se', 't', 'p of t'].map(right);
  const table = renderTable(
    {
      columns: [left(`${name} against`), ...columns],
      rows: correlations.map(({ feature, n, rho, p, adjusted }) => {
        const own = fitted?.find(one => one.feature === feature);
        return [
          FEATURE_NAMES[feature],
          String(n),
          signed(rho),
          pValue(p),
          pValue(adjusted),
          ...(own === undefined
            ? [NONE, NONE, NONE, NONE]
            : [signed(own.estimate), figure(own.standardError), signed(own.t), pValue(own.p)]),
        ];
      }),
    },
    style,
  );
  const power =
    rhoNeeded === null
      ? `No order of ${domains} domains could have an adjusted p of .05.`
      : `With ${domains} domains, one feature alone needs |rho| of about ${share(rhoNeeded, 2)} for an adjusted p of .05, so a large p shows little.`;
  return [
    table,
    wrap(regressionWords(regression)),
    wrap(
      `rho: Spearman's; p BH: Benjamini-Hochberg over these features; per sd to p of t: least squares on all features at ` +
        `once, standardised. A domain is one point. ${power}`,
    ),
  ];
}

const REASONS: Readonly<Record<NoFit, string>> = {
  'too-few-rows': 'too few domains for so many features',
  'constant-outcome': 'the outcome is the same in every domain',
  'constant-predictor': 'the same in every domain',
  collinear: 'each follows from the others',
};

function regressionWords({ n, dropped, fit, why, culprits }: FeatureRegression): string {
  const without =
    dropped.length === 0 ? '' : ` Left out, for want of a feature: ${dropped.map(printable).join(', ')}.`;
  const over = `Regression over ${counted(n, 'domain')}`;
  if (fit === null) {
    const named =
      culprits.length === 0 ? '' : `${culprits.map(feature => FEATURE_NAMES[feature]).join(', ')}: `;
    return `${over}: none, ${named}${why === null ? '' : REASONS[why]}.${without}`;
  }
  const k = fit.coefficients.length;
  const test =
    fit.f === null
      ? 'a perfect fit, so there is no F'
      : `F(${k}, ${n - k - 1}) ${fit.f.toFixed(2)}, p ${pValue(fit.p)}`;
  return `${over}: R² ${share(fit.r2)}, adjusted ${signed(fit.adjustedR2)}, ${test}.${without}`;
}
