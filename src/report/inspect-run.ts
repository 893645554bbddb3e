import type { RunFacts } from '../api/run-facts.js';
import { corpusName, subjectOf } from '../run/describe.js';
import { piecesWords } from '../run/manifest.js';
import type { Exactness } from '../run/types.js';
import { counted, type Fact, factLines, fileSize } from './facts.js';
import { whole } from './format.js';
import { left, printable, renderTable, right, type Style, title, WIDTH, wrap } from './table.js';
import { verifyText } from './verify-text.js';

/** What `inspect` prints of a run: what was planned and with what, what is there, what it took. */
export function runText(dir: string, facts: RunFacts, style: Style): string {
  const { manifest, verification } = facts;
  const { model, engine, batchPlan, host } = manifest;
  const plan: readonly Fact[] = [
    ['subject', subjectOf(manifest)],
    ...(model === null
      ? []
      : ([
          ['model', `${model.architecture}, ${fileSize(model.size)}`],
          ['model SHA-256', model.sha256],
        ] as const)),
    ['corpus', corpusName(manifest)],
    ['samples', whole(manifest.sampleIds.length)],
    ['conditions', manifest.conditions.join(', ')],
    ['profile', manifest.profile.name],
    ['seed', String(manifest.seed)],
    ['plan hash', manifest.planHash],
    ...(engine === null ? [] : [['engine', `llama.cpp ${engine.llamaCpp}, ${engine.backend}`] as const]),
    ...(batchPlan === null
      ? []
      : ([
          [
            'schedule',
            `${batchPlan.schedule}, tile ${batchPlan.tile}, pieces of ${piecesWords(batchPlan)}, batch ${batchPlan.nBatch}, ubatch ${batchPlan.nUbatch}, ` +
              `flash attention ${batchPlan.flashAttention ? 'on' : 'off'}`,
          ],
          ['exactness', exactnessWords(batchPlan.exactness)],
        ] as const)),
    ['engine processes', `${whole(manifest.workers)}, ${counted(manifest.threads, 'thread')} each`],
    ['host', `${host.cpu}, ${host.platform} ${host.arch}${host.gpu === null ? '' : `, ${host.gpu}`}`],
    ['plumbline', manifest.version],
    ['command', manifest.argv.join(' ')],
  ];
  return [
    title(wrap(`Run ${printable(dir)}`, WIDTH, ''), style),
    factLines(plan, style),
    '',
    verifyText(dir, verification, style),
    ...rowsTable(facts, style),
    ...measuredText(facts.measured, style),
  ].join('\n');
}

function exactnessWords(exactness: Exactness): string {
  if (exactness.kind === 'inexact') {
    return `not exact (${exactness.why}): the batch alone moves margins by up to ${exactness.band.toPrecision(3)}`;
  }
  return exactness.prompts === 0
    ? 'exact by construction'
    : `exact: ${whole(exactness.floats)} numbers of ${whole(exactness.prompts)} prompts equal, bit for bit`;
}

function rowsTable({ conditions }: RunFacts, style: Style): readonly string[] {
  if (conditions === null || conditions.length === 0) return [];
  const table = renderTable(
    {
      columns: [
        left('condition'),
        ...['rows', 'text verdicts', 'logit verdicts', 'not applicable', 'invisible', 'errors'].map(right),
      ],
      rows: conditions.map(row => [
        row.condition,
        ...[row.rows, row.textVerdicts, row.logitVerdicts, row.notApplicable, row.invisible, row.errors].map(
          whole,
        ),
      ]),
    },
    style,
  );
  return ['', title('Rows that are there', style), table];
}

function measuredText(measured: unknown, style: Style): readonly string[] {
  const facts = flatten('', measured);
  return facts.length === 0 ? [] : ['', title('Counted and timed', style), factLines(facts, style)];
}

/** Every number and text of a JSON value under its path: `counters.tokens`. */
function flatten(name: string, value: unknown): readonly Fact[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([key, inner]) =>
      flatten(name === '' ? key : `${name}.${key}`, inner),
    );
  }
  if (typeof value !== 'number') return [[name, String(value)]];
  return [[name, Number.isInteger(value) ? whole(value) : String(Number(value.toPrecision(6)))]];
}
