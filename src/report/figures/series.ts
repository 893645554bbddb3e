import type { Measure } from '../../audit/analyze-types.js';
import type { Condition } from '../../perturb/types.js';
import type { Series } from './rows-plot.js';

/** How the page names what was done to the rule, and how figures mark it. */
export const CONDITION_SERIES: Readonly<Record<Condition, Series>> = {
  baseline: { name: 'with its rule', role: 'ink', shape: 'circle' },
  placebo: { name: 'nothing changed (placebo)', role: 'placebo', shape: 'cross' },
  delete: { name: 'rule deleted', role: 'delete', shape: 'square' },
  swap: { name: 'rule swapped', role: 'swap', shape: 'diamond' },
  negate: { name: 'rule negated', role: 'negate', shape: 'triangle' },
};

export const FLOOR: Series = { name: 'floor that never sees the rule', role: 'floor', shape: 'down' };

export const AGGREGATE: Series = { name: 'all changes (aggregate OCS)', role: 'delete', shape: 'diamond' };

export function measureSeries(measure: Measure): Series {
  return measure === 'agg' ? AGGREGATE : CONDITION_SERIES[measure];
}

/** The axis of shares: 0 %, 20 %, … */
export function percentTick(value: number): string {
  return `${Math.round(100 * value)} %`;
}
