import { readFile } from 'node:fs/promises';
import { messageOf, PlumblineError } from '../errors.js';
import { byCloseness } from './closeness.js';
import { rankByDraw } from './draw.js';
import type { Case, Corpus } from './types.js';

export const DEFAULT_SEED = 42;

export interface SampleOptions {
  /** null = every domain of the corpus. */
  readonly domains: readonly string[] | null;
  /** Cases per domain, both labels together. */
  readonly perDomain: number | 'all';
  readonly seed: number;
}

/** Domain names in the order of the corpus. */
export function domainsOf(corpus: Corpus): readonly string[] {
  return [...new Set(corpus.cases.map(({ domain }) => domain))];
}

/**
 * Draws the cases to audit, in corpus order. Of n cases a domain gives half of each label where it has them (of an odd
 * n the commoner label has one more), otherwise n in its natural ratio, or all when it has no more. A domain's sample
 * is a function of (domain, n, seed) alone: no other domain has a say in it.
 *
 * @throws PlumblineError UNKNOWN_DOMAIN, or USAGE for a count that is not a positive integer.
 */
export function sampleCases(corpus: Corpus, { domains, perDomain, seed }: SampleOptions): readonly Case[] {
  if (perDomain !== 'all' && !(Number.isSafeInteger(perDomain) && perDomain > 0)) {
    throw new PlumblineError(
      'USAGE',
      `cases per domain: expected a positive integer or "all", got ${perDomain}`,
    );
  }
  const existing = domainsOf(corpus);
  const wanted = new Set(domains ?? existing);
  for (const domain of wanted) {
    if (!existing.includes(domain)) {
      throw new PlumblineError(
        'UNKNOWN_DOMAIN',
        `the corpus has no domain ${JSON.stringify(domain)}; it has ${byCloseness(domain, existing).join(', ')}`,
      );
    }
  }
  const drawn = new Set<Case>();
  for (const domain of wanted) {
    const cases = corpus.cases.filter(item => item.domain === domain);
    for (const item of drawFrom(cases, perDomain, seed)) drawn.add(item);
  }
  return corpus.cases.filter(item => drawn.has(item));
}

function drawFrom(cases: readonly Case[], perDomain: number | 'all', seed: number): readonly Case[] {
  if (perDomain === 'all' || perDomain >= cases.length) return cases;
  const ranked = rankByDraw(cases, seed, 'sample', ({ domain, id }) => [domain, id]);
  const compliant = ranked.filter(({ label }) => label === 1);
  const nonCompliant = ranked.filter(({ label }) => label === 0);
  const [common, rare] =
    compliant.length > nonCompliant.length ? [compliant, nonCompliant] : [nonCompliant, compliant];
  const half = Math.floor(perDomain / 2);
  const fromRare = rare.length >= half ? half : Math.round((perDomain * rare.length) / cases.length);
  return [...rare.slice(0, fromRare), ...common.slice(0, perDomain - fromRare)];
}

/**
 * The cases that a file names, one sample id a line (blank lines are passed over), in corpus order.
 *
 * @throws PlumblineError USAGE when the file cannot be read or names nothing, UNKNOWN_SAMPLE for an id not in the corpus.
 */
export async function selectIds(corpus: Corpus, file: string): Promise<readonly Case[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new PlumblineError('USAGE', `cannot read the file of sample ids ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const known = new Set(corpus.cases.map(({ id }) => id));
  const wanted = new Set<string>();
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((id, index) => {
      if (id.trim() === '') return;
      if (!known.has(id)) {
        throw new PlumblineError(
          'UNKNOWN_SAMPLE',
          `${file}:${index + 1}: the corpus has no sample ${JSON.stringify(id)} (or it was skipped as unusable); ` +
            `expected ids such as ${JSON.stringify(corpus.cases[0]?.id ?? '')}, one a line`,
        );
      }
      wanted.add(id);
    });
  if (wanted.size === 0)
    throw new PlumblineError('USAGE', `${file}: no sample id in it; expected one a line`);
  return corpus.cases.filter(({ id }) => wanted.has(id));
}
