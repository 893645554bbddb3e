import type { Finding, FindingKind, ScanResult } from './types.js';

const RULES: Readonly<Record<FindingKind, { readonly id: string; readonly text: string }>> = {
  comparison: {
    id: 'similarity-gate',
    text: 'A similarity of embeddings is compared with a constant: a reversal may pass as a restatement.',
  },
  setting: {
    id: 'similarity-threshold-setting',
    text: 'A similarity threshold is set for a library or kept as a default.',
  },
  query: {
    id: 'similarity-gate-query',
    text: 'A vector distance is compared with a constant inside a database query.',
  },
};

/** SARIF 2.1.0, for code hosts and editors. */
export function toSarif({ findings, skipped }: ScanResult, version: string): unknown {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'plumbline gate scan',
            version,
            rules: Object.values(RULES).map(({ id, text }) => ({ id, shortDescription: { text } })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map(resultOf),
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: skipped.map(({ file, why }) => ({
              level: 'note',
              message: { text: `${file} was passed over: ${why}` },
            })),
          },
        ],
      },
    ],
  };
}

function resultOf(finding: Finding): unknown {
  const { file, line, column, kind, constant, metric, comparison, effectiveCosine, action, snippet } =
    finding;
  return {
    ruleId: RULES[kind].id,
    level: kind === 'setting' ? 'note' : 'warning',
    message: { text: sentence(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(file) },
          region: { startLine: line, startColumn: column, snippet: { text: snippet } },
        },
      },
    ],
    properties: { constant, metric, comparison, effectiveCosine, action },
  };
}

/** One finding in words; what cannot be told is said to be so. */
export function sentence({ constant, metric, comparison, effectiveCosine, action }: Finding): string {
  const value = constant.value === null ? 'value: cannot tell' : String(constant.value);
  const named = constant.name === null ? value : `${constant.name} (${value})`;
  const source = constant.source === 'default' ? ', unless another is given' : '';
  const compared =
    comparison === null ? `a threshold of ${named}` : `${metric ?? 'score'} ${comparison} ${named}`;
  const cosine =
    effectiveCosine === null
      ? `as a cosine: cannot tell${metric === null ? ' (which metric)' : ''}`
      : effectiveCosine.acts === null
        ? `as a cosine: ${effectiveCosine.cosine}, cannot tell on which side it acts`
        : `cosine ${effectiveCosine.acts} ${effectiveCosine.cosine}`;
  return `${compared}${source}; ${cosine}; action: ${action === null ? 'cannot tell' : `${action.kind} (${action.text})`}`;
}
