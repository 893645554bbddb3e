import type { Verification } from '../run/verify.js';
import { type Fact, factLines } from './facts.js';
import { whole } from './format.js';
import { paint, printable, type Style, WIDTH, wrap } from './table.js';

const TONES = { complete: 'good', incomplete: 'warn', damaged: 'bad' } as const;

/** What `verify` prints: the state, what was counted, and what is missing or wrong. */
export function verifyText(dir: string, verification: Verification, style: Style): string {
  const { state, details, findings } = verification;
  const facts: readonly Fact[] =
    details === null
      ? []
      : [
          ['planned rows', whole(details.plannedRows)],
          ['good rows', whole(details.goodRows)],
          ['rows with an error', whole(details.errorRows)],
          ['missing rows', whole(details.missingRows)],
          ...(details.derivedRows === null ? [] : [['derived rows', whole(details.derivedRows)] as const]),
          ['record batches', whole(details.batches)],
          ['torn bytes', whole(details.tornBytes)],
        ];
  return [
    `${paint(state, TONES[state], style)}: ${printable(dir)}`,
    ...(facts.length === 0 ? [] : [factLines(facts, style)]),
    ...findings.map(finding => wrap(printable(finding), WIDTH)),
  ].join('\n');
}
