import { readFileSync } from 'node:fs';
import type { Label } from '../../src/corpus/types.js';
import type { Condition } from '../../src/perturb/types.js';
import type { Reading } from '../../src/run/types.js';
import { notApplicable, reading } from './rows.js';

/** The fields of a line of gold/llm/readings.jsonl that become a reading. */
interface GoldLine {
  readonly id: string;
  readonly domain: string;
  readonly gold: Label;
  readonly condition: string;
  readonly template: string;
  readonly logits: readonly [number, number];
  readonly label_mass: number;
  readonly full_logprob: readonly [number, number];
  readonly verdict_full: Label;
  readonly greedy_text: string;
  readonly verdict_text: Label | null;
  readonly n_tokens: number;
  readonly neg_visible: boolean | null;
}

const NAMES: Readonly<Record<string, Condition>> = {
  baseline: 'baseline',
  del: 'delete',
  swap: 'swap',
  neg: 'negate',
};

/** Real readings of a real judge by an independent program; samples without a negation get their not-applicable row. */
export function goldReadings(path: string): readonly Reading[] {
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line): GoldLine => JSON.parse(line))
    .filter(line => line.template === 'raw');
  const rows = lines.map(line => {
    const condition = NAMES[line.condition];
    if (!condition) throw new Error(`unknown condition ${line.condition}`);
    const [compliant, nonCompliant] = line.full_logprob;
    return reading(line.id, condition, line.verdict_text, {
      domain: line.domain,
      label: line.gold,
      verdictLogit: line.verdict_full,
      logprobCompliant: compliant,
      logprobNoncompliant: nonCompliant,
      margin: compliant - nonCompliant,
      firstLogitCompliant: line.logits[0],
      firstLogitNoncompliant: line.logits[1],
      labelMass: line.label_mass,
      generated: line.greedy_text,
      nTokens: line.n_tokens,
      visible: line.neg_visible ?? true,
    });
  });
  const negated = new Set(rows.filter(row => row.condition === 'negate').map(row => row.sampleId));
  const absent = rows
    .filter(row => row.condition === 'baseline' && !negated.has(row.sampleId))
    .map(row =>
      notApplicable(row.sampleId, 'negate', 'no-mandatory-modal', { domain: row.domain, label: row.label }),
    );
  return [...rows, ...absent];
}
