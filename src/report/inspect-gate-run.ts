import type { GateRunFacts } from '../api/gate-run-facts.js';
import { type Fact, factLines } from './facts.js';
import { whole } from './format.js';
import { left, printable, renderTable, right, type Style, title, WIDTH, wrap } from './table.js';
import { verifyText } from './verify-text.js';

/** What `inspect` prints of a gate audit: what was audited and with what, and what is there. */
export function gateRunText(
  dir: string,
  { manifest, verification, encoders }: GateRunFacts,
  style: Style,
): string {
  const { corpus, pairIds, gate, force, seed, planHash, host, version } = manifest;
  const facts: readonly Fact[] = [
    ['corpus', corpus.name],
    ['corpus SHA-256', corpus.sha256],
    ['pairs', whole(pairIds.length)],
    ['gate', gate === null ? 'none' : `${gate.name}: ${gate.metric} ${gate.comparison} ${gate.threshold}`],
    ['forced', force ? 'yes' : 'no'],
    ['seed', String(seed)],
    ['plan hash', planHash],
    ['host', `${host.cpu}, ${host.platform} ${host.arch}`],
    ['plumbline', version],
  ];
  return [
    title(wrap(`Gate audit ${printable(dir)}`, WIDTH, ''), style),
    factLines(facts, style),
    ...manifest.encoders.flatMap(({ name, facts: of }) => [
      '',
      title(`Encoder ${printable(name)}`, style),
      factLines(
        Object.entries(of).map(
          ([key, value]): Fact => [key, value === null || value === '' ? 'none' : String(value)],
        ),
        style,
      ),
    ]),
    '',
    verifyText(dir, verification, style),
    ...(encoders === null ? [] : ['', title('Rows that are there', style), rowsTable(encoders, style)]),
  ].join('\n');
}

function rowsTable(encoders: NonNullable<GateRunFacts['encoders']>, style: Style): string {
  return renderTable(
    {
      columns: [left('encoder'), right('rows'), right('scored'), left('without a score')],
      rows: encoders.map(({ encoder, rows, scored, flagged }) => [
        printable(encoder),
        whole(rows),
        whole(scored),
        Object.entries(flagged)
          .map(([flag, n]) => `${whole(n)} ${flag}`)
          .join(', ') || '0',
      ]),
    },
    style,
  );
}
