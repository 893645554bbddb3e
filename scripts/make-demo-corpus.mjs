/**
 * Prints the demo corpus, made from the texts in scripts/demo-corpus, one module for each domain:
 *   node scripts/make-demo-corpus.mjs > models/demo-corpus.jsonl
 *
 * A group holds two rules and two scenarios. The first scenario obeys the first rule and breaks the second, the other
 * scenario the other way round. All four pairs become cases, so each rule and each scenario appears twice, with
 * opposite labels, and only somebody who reads both can tell. A group with a `lead` has rules of which the first 300
 * characters are the same; what the rule demands comes after them.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TEXTS = new URL('./demo-corpus/', import.meta.url);

function casesOf({ lead, rules, scenarios }, domain) {
  return rules.flatMap((clause, i) =>
    scenarios.map((scenario, j) => ({
      domain,
      rule: lead === undefined ? clause : `${lead} ${clause}`,
      scenario,
      label: i === j ? 'compliant' : 'non-compliant',
    })),
  );
}

/** Orders the cases of a domain by a hash, so that a group is spread out and the order is the same every time. */
function shuffled(cases) {
  const key = ({ rule, scenario }) => createHash('sha256').update(`${rule}\n${scenario}`).digest('hex');
  return cases
    .map(item => ({ item, key: key(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
}

const modules = readdirSync(fileURLToPath(TEXTS)).sort();
const cases = [];
for (const name of modules) {
  const { groups } = await import(new URL(name, TEXTS).href);
  const domain = name.replace(/\.mjs$/, '');
  cases.push(...shuffled(groups.flatMap(group => casesOf(group, domain))));
}
const lines = cases.map((item, index) => JSON.stringify({ id: `${item.domain}/demo#${index}`, ...item }));
process.stdout.write(`${lines.join('\n')}\n`);
