import { rankByDraw } from '../corpus/draw.js';
import { PlumblineError } from '../errors.js';

/** How many samples are evaluated twice: `default` = 32 or 5 % of them, whichever is more; a number = that many. */
export type PlaceboShare = 'default' | 'all' | 'off' | number;

/**
 * The sample ids that get a placebo evaluation.
 *
 * @throws PlumblineError USAGE for a number that is not a non-negative integer.
 */
export function placeboSet(ids: readonly string[], share: PlaceboShare, seed: number): ReadonlySet<string> {
  if (share === 'all') return new Set(ids);
  return new Set(rankByDraw(ids, seed, 'placebo', id => [id]).slice(0, countOf(share, ids.length)));
}

function countOf(share: Exclude<PlaceboShare, 'all'>, samples: number): number {
  if (share === 'off') return 0;
  if (share === 'default') return Math.max(32, Math.ceil(samples * 0.05));
  if (Number.isSafeInteger(share) && share >= 0) return share;
  throw new PlumblineError('USAGE', `placebo: expected all, off or a whole number of samples, got ${share}`);
}
