import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { shared } from '../shared.js';

export type GoldRow = Readonly<Record<string, string>>;

export function goldRows(name: 'gold_rules.csv' | 'gold_domains.csv'): readonly GoldRow[] {
  const path = shared('gold', 'features', name);
  return path === null ? [] : (parse(readFileSync(path, 'utf8'), { columns: true }) as GoldRow[]);
}

/** Every rule of the rule files with its oracle values. */
export function goldRules(): readonly { readonly text: string; readonly gold: GoldRow }[] {
  const root = shared('data', 'omnicompliance', 'data', 'rules') ?? '';
  const files = new Map<string, readonly string[]>();
  return goldRows('gold_rules.csv').map(gold => {
    const name = gold.file ?? '';
    const rules =
      files.get(name) ?? (JSON.parse(readFileSync(join(root, name), 'utf8')) as readonly string[]);
    files.set(name, rules);
    return { text: rules[Number(gold.index)] ?? '', gold };
  });
}

/** Rank correlation, ties at their mean rank. */
export function spearman(x: readonly number[], y: readonly number[]): number {
  const [a, b] = [ranks(x), ranks(y)];
  const mean = (x.length - 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  a.forEach((rank, i) => {
    const [da, db] = [rank - mean, (b[i] ?? 0) - mean];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  });
  return ab / Math.sqrt(aa * bb);
}

function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((value, index) => ({ value, index })).sort((p, q) => p.value - q.value);
  const out = new Array<number>(values.length).fill(0);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (order[end]?.value === order[start]?.value && end < order.length) end++;
    for (let i = start; i < end; i++) out[order[i]?.index ?? 0] = (start + end - 1) / 2;
    start = end;
  }
  return out;
}
