import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { rankByDraw } from '../corpus/draw.js';
import type { Case, Label } from '../corpus/types.js';
import { byText, type Sample } from './analyze-samples.js';

/**
 * The samples that the sanity checks use: those with an evaluated baseline, at most `most` of them, half of each label
 * where both have enough. Ordered by id.
 */
export function chooseSamples(samples: readonly Sample[], most: number, seed: number): readonly Sample[] {
  const good = samples.filter(({ rows }) => {
    const row = rows.get('baseline');
    return row?.applicable && row.errorCode === null;
  });
  const ranked = rankByDraw(good, seed, 'sanity', ({ id }) => [id]);
  const one = ranked.filter(({ label }) => label === 1);
  const other = ranked.filter(({ label }) => label === 0);
  const half = Math.floor(most / 2);
  const fromOne = Math.min(one.length, Math.max(half, most - other.length));
  return [...one.slice(0, fromOne), ...other.slice(0, most - fromOne)].sort((a, b) => byText(a.id, b.id));
}

/** The samples with the labels of each domain dealt anew among them, in their rows too. */
export function permuteLabels(samples: readonly Sample[], seed: number): readonly Sample[] {
  const random = xoroshiro128plus(seed);
  const dealt = new Map<Sample, Label>();
  for (const domain of [...new Set(samples.map(sample => sample.domain))].sort(byText)) {
    const own = samples.filter(sample => sample.domain === domain);
    const labels = own.map(({ label }) => label);
    for (let i = labels.length - 1; i > 0; i--) {
      const j = Math.floor(((random.next() >>> 0) / 2 ** 32) * (i + 1));
      [labels[i], labels[j]] = [labels[j] as Label, labels[i] as Label];
    }
    for (const [i, sample] of own.entries()) dealt.set(sample, labels[i] as Label);
  }
  return samples.map(sample => {
    const label = dealt.get(sample) as Label;
    const rows = new Map([...sample.rows].map(([condition, row]) => [condition, { ...row, label }]));
    return { ...sample, label, rows };
  });
}

/** Whose rule a sample is shown. */
export interface Donor {
  readonly item: Case;
  readonly donor: Case;
}

/**
 * Gives every case the rule of another case, one that the prompt shows differently. Within a domain each rule goes round
 * once, so that it stands as often as before: cases with equal rules side by side, and each takes the rule of the case
 * as far ahead as the commonest rule is frequent. Where a rule is that of more than half of a domain, the surplus takes
 * the rule of a case of another domain, drawn at random. A case that no rule is left for is missing in the answer.
 */
export function donorsOf(
  cases: readonly Case[],
  shown: (item: Case) => string,
  seed: number,
): readonly Donor[] {
  const ranked = rankByDraw(cases, seed, 'sanity-rules', ({ id }) => [id]);
  const donors = new Map<Case, Case>();
  for (const domain of new Set(ranked.map(item => item.domain))) {
    const groups = new Map<string, Case[]>();
    for (const item of ranked.filter(one => one.domain === domain)) {
      const rule = shown(item);
      groups.set(rule, [...(groups.get(rule) ?? []), item]);
    }
    const circle = [...groups.values()].flat();
    const step = Math.max(...[...groups.values()].map(group => group.length));
    for (const [i, item] of circle.entries()) donors.set(item, circle[(i + step) % circle.length] as Case);
  }
  return cases.flatMap(item => {
    const near = donors.get(item) as Case;
    if (shown(near) !== shown(item)) return [{ item, donor: near }];
    const [far] = rankByDraw(
      cases.filter(other => other.domain !== item.domain && shown(other) !== shown(item)),
      seed,
      'sanity-rules-far',
      other => [item.id, other.id],
    );
    return far === undefined ? [] : [{ item, donor: far }];
  });
}
