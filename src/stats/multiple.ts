import { PlumblineError } from '../errors.js';

/** p-values of a family of tests; null = that test could not be made, and it does not count. */
export type Family = readonly (number | null)[];

/**
 * Adjusted p-values of Benjamini and Hochberg (1995, J. R. Stat. Soc. B 57:289), in the order given: the smallest false
 * discovery rate at which each test would be called. As SciPy's `false_discovery_control`. Errors: USAGE for a p outside
 * [0, 1].
 */
export function benjaminiHochberg(family: Family): readonly (number | null)[] {
  const tests = made(family).sort((a, b) => b.p - a.p);
  const adjusted: (number | null)[] = family.map(() => null);
  let least = 1;
  tests.forEach(({ p, at }, i) => {
    // The quotient first: rounding then never takes an adjusted p below its p.
    least = Math.min(least, p * (tests.length / (tests.length - i)));
    adjusted[at] = least;
  });
  return adjusted;
}

/** Bonferroni: each p times the number of tests, at most 1. Errors: USAGE for a p outside [0, 1]. */
export function bonferroni(family: Family): readonly (number | null)[] {
  const tests = made(family).length;
  return family.map(p => (p === null ? null : Math.min(1, p * tests)));
}

function made(family: Family): { readonly p: number; readonly at: number }[] {
  return family.flatMap((p, at) => {
    if (p === null) return [];
    if (!(p >= 0 && p <= 1))
      throw new PlumblineError('USAGE', `p-value ${at} of a family is ${p}: a number in [0, 1] expected`);
    return [{ p, at }];
  });
}
