import type { OutcomeFeatures } from '../../audit/features-ocs.js';
import { shareableArgv } from '../../run/manifest.js';
import { FEATURE_NAMES } from '../features-ocs-text.js';
import { featuresFigure } from '../figures/features.js';
import { pValue, share, signed, whole } from '../format.js';
import { left, right } from '../table.js';
import { callout, limit, tableBlock } from './blocks.js';
import { figurePart, joined, NOTHING, type Part, type Place, section, traced, words } from './part.js';

/** Text features of the domains against OCS, when features were given. */
export function featuresSection(place: Place): Part {
  const { summary } = place.audit;
  const found = summary.features;
  if (found === null || summary.icsOnly) return NOTHING;
  const source = traced(
    place,
    'features, with the same --features FILE',
    `${whole(found.domains.length)} domains, a point each; the features are of ${shareableArgv([found.source.corpus]).join('')}`,
  );
  const ocs = found.outcomes.find(({ outcome }) => outcome === 'ocs');
  const missing =
    found.withoutFeatures.length === 0
      ? []
      : [
          words(
            callout({
              text: `Domains without features: ${found.withoutFeatures.join(', ')}.`,
              tone: 'plain',
            }),
          ),
        ];
  const leftOut = found.leftOut.map(({ feature, why }) =>
    words(callout({ text: `${FEATURE_NAMES[feature]} left out: ${why}.`, tone: 'plain' })),
  );
  if (found.domains.length === 0 || found.features.length === 0)
    return section(place, 'features', TITLE, [...missing, ...leftOut]);
  return section(place, 'features', TITLE, [
    figurePart(
      featuresFigure({ name: `${place.prefix}features`, subject: summary.about.subject, source }, found),
    ),
    ...(ocs === undefined ? [] : [ranksPart(ocs, source)]),
    ...missing,
    ...leftOut,
  ]);
}

const TITLE = 'Does it depend on the text of the rules?';

function ranksPart({ domains, tested }: OutcomeFeatures, source: string): Part {
  if (tested === null) {
    const text = `It cannot be told: a domain is one point, and ${whole(domains)} domains cannot show a correlation.`;
    return words(callout({ text, tone: 'warn' }));
  }
  const table = {
    columns: [left('OCS against'), ...['domains', 'rho', 'p', 'p, Benjamini-Hochberg'].map(right)],
    rows: tested.correlations.map(({ feature, n, rho, p, adjusted }) => [
      FEATURE_NAMES[feature],
      whole(n),
      signed(rho),
      pValue(p),
      pValue(adjusted),
    ]),
  };
  const power =
    tested.rhoNeeded === null
      ? `No order of ${whole(domains)} domains could have an adjusted p of .05.`
      : `With ${whole(domains)} domains a feature alone needs a rank correlation of about ${share(tested.rhoNeeded, 2)} for an adjusted p of .05, so a large p shows little.`;
  return joined([
    words(tableBlock(table, source)),
    words(limit(`A domain is one point, and domains differ in more than the text of their rules. ${power}`)),
  ]);
}
