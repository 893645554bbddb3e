import { BASELINE } from './contestants.js';
import type { BenchRow, Target } from './types.js';

/** What the project holds itself to, per CPU second, beside llama.cpp on the same file. */
export function ownTargets(rows: readonly BenchRow[]): Target[] {
  const cpu = (id: string): number | null => rows.find(row => row.id === id)?.cpuSeconds.median ?? null;
  const speed = (id: string): number | null => rows.find(row => row.id === id)?.speed.median ?? null;
  const beside = (a: string, b: string): number | null => quotient(cpu(a), cpu(b));
  const outside = rows.find(({ id }) => id === BASELINE.exact)?.outsideDecodes?.median ?? null;
  return [
    target('audit, exact, capture on, beside llama.cpp in sequence', 'at least', 1, speed(BASELINE.exact)),
    target('the same with whole labels and text', 'at least', 1, speed('whole audit/exact/capture')),
    target('the same with the scenario first', 'at least', 1.7, speed('scenario first/exact/capture')),
    target('ICS only beside a full pass of llama.cpp', 'at least', 1.75, speed(BASELINE.exactIcs)),
    target('five alphas at last beside five separate passes', 'at least', 4, speed(BASELINE.last)),
    target('five alphas at last in evaluations of one', 'at most', 1.15, beside(BASELINE.last, BASELINE.one)),
    target('share of the time outside decodes', 'at most', 0.03, outside),
  ];
}

export function quotient(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a / b;
}

export function target(what: string, bound: Target['bound'], limit: number, found: number | null): Target {
  const met = found === null ? null : bound === 'at least' ? found >= limit : found <= limit;
  return { what, bound, limit, found, met };
}
