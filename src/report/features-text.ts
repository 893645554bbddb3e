import type { FeatureReport } from '../api/features.js';
import type { DomainFeatures, FeatureMean } from '../features/domains.js';
import { type Features, ODDITIES, type Oddities } from '../features/rules.js';
import { counted, factLines } from './facts.js';
import { NONE, whole } from './format.js';
import { left, printable, renderTable, right, type Style, title, wrap } from './table.js';

/** Features in the tables, with the decimals that they deserve. */
const SHOWN: readonly (readonly [feature: keyof Features, header: string, digits: number])[] = [
  ['ecd', 'ECD', 3],
  ['crc', 'CRC', 3],
  ['mmr', 'MMR', 3],
  ['mdd3', 'MDD', 2],
  ['fkgl', 'FKGL', 2],
  ['sentenceLengthLog2', 'log2 length', 2],
];

/** Domain by domain: every rule once, then weighted by cases; what the columns mean; what is odd about the texts. */
export function domainFeaturesText(report: FeatureReport, style: Style): string {
  const { domains } = report;
  return sections([
    title('Text features of the rules that the cases use, each rule once', style),
    domainTable(domains, 'mean', style),
    title('Weighted by cases', style),
    domainTable(domains, 'caseWeighted', style),
    ...notes(report, style),
  ]);
}

/** Rule by rule. */
export function ruleFeaturesText(report: FeatureReport, style: Style): string {
  const table = {
    columns: [left('domain'), left('rule'), right('cases'), ...SHOWN.map(([, header]) => right(header))],
    rows: report.rules.map(rule => [
      printable(rule.domain),
      rule.ruleId,
      whole(rule.cases),
      ...SHOWN.map(([feature, , digits]) => figure(rule[feature], feature === 'crc' ? 0 : digits)),
    ]),
  };
  return sections([
    title('Text features of rules', style),
    renderTable(table, style),
    ...notes(report, style),
  ]);
}

function domainTable(
  domains: readonly DomainFeatures[],
  mean: keyof Pick<FeatureMean, 'mean' | 'caseWeighted'>,
  style: Style,
): string {
  return renderTable(
    {
      columns: [left('domain'), right('rules'), right('cases'), ...SHOWN.map(([, header]) => right(header))],
      rows: domains.map(({ domain, rules, cases, features }) => [
        printable(domain),
        whole(rules),
        whole(cases),
        ...SHOWN.map(([feature, , digits]) => figure(features[feature][mean], digits)),
      ]),
    },
    style,
  );
}

const MEANINGS: Readonly<Record<keyof Oddities, string>> = {
  blank: 'only white space; no feature, left out of every mean',
  duplicate: 'the text of another rule of the domain, white space apart; counted again',
  tablePipes: 'table pipes; a parser takes them for words',
  mostlyCapitals: 'mostly capitals; a parser reads them poorly',
  gluedHeading: 'a heading run into the text',
  unpunctuated: 'lists without full stops; FKGL measures their length',
};

function notes({ rules, methods, mddMissing }: FeatureReport, style: Style): readonly string[] {
  const odd = ODDITIES.map(oddity => [rules.filter(rule => rule[oddity]).length, MEANINGS[oddity]] as const);
  const withoutModal = rules.filter(({ mmr }) => mmr === null).length;
  return [
    title('What the columns are', style),
    factLines(
      [
        ['ECD', 'exception clauses to 100 words'],
        ['CRC', 'cross-references to a rule'],
        [
          'MMR',
          `must and shall among all modals; ${whole(withoutModal)} of ${whole(rules.length)} rules have no modal and no MMR`,
        ],
        [
          'MDD',
          methods.mdd === null
            ? `none: ${mddMissing ?? ''}`
            : [methods.mdd, mddMissing ?? ''].join('\n').trim(),
        ],
        ['FKGL', methods.fkgl],
        ['log2 length', 'log2 of the words to a sentence: a proxy for depth'],
      ],
      style,
    ),
    ...(odd.some(([count]) => count > 0)
      ? [
          title('What is odd about the texts, and kept as it is', style),
          factLines(
            odd
              .filter(([count]) => count > 0)
              .map(([count, text]): [string, string] => [counted(count, 'rule'), text]),
            style,
          ),
        ]
      : []),
    wrap(
      'The paper that names these features gives no word lists, expressions or parser; the expressions are ours, and a value is comparable only with one of the same method.',
    ),
  ];
}

function sections(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function figure(value: number | null, digits: number): string {
  return value === null ? NONE : value.toFixed(digits);
}
