/**
 * Flip rate to expect of two verdicts that have nothing to do with each other: p(1 - q) + q(1 - p), with p and q their
 * compliant rates. A judge that says one thing almost always flips rarely by this alone.
 */
export function independenceNull(p: number, q: number): number {
  return p * (1 - q) + q * (1 - p);
}
