import { incompleteBeta } from './beta.js';

/** P(|T| >= |t|) of Student's t with `df` degrees of freedom, df > 0 (DLMF 8.17 with x = df / (df + t²)). */
export function studentTwoSided(t: number, df: number): number {
  return incompleteBeta(df / 2, 0.5, df / (df + t * t));
}

/** P(F >= f) of Fisher's F with `df1` and `df2` degrees of freedom, both > 0, for f >= 0. */
export function fisherUpperTail(f: number, df1: number, df2: number): number {
  return incompleteBeta(df2 / 2, df1 / 2, df2 / (df2 + df1 * f));
}
