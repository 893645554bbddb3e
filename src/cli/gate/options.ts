import { InvalidArgumentError } from 'commander';

/** Seed of bootstraps and of permutation tests that are too large to be exact. */
export const GATE_SEED = 20_260;

/** Collects a repeated option. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function finiteNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number.');
  return value;
}
