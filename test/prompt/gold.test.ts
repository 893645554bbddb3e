import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import type { Case, Label } from '../../src/corpus/types.js';
import { alterRule } from '../../src/perturb/alter.js';
import { canonicalRules } from '../../src/perturb/canonical.js';
import type { Altering, Condition } from '../../src/perturb/types.js';
import { PROFILES } from '../../src/prompt/profiles.js';
import { profileText, renderPrompt, shownRule } from '../../src/prompt/render.js';
import { finalPattern, readVerdict } from '../../src/prompt/verdict.js';
import { shared, skipNote } from '../shared.js';

interface GoldReading {
  readonly id: string;
  readonly condition: 'baseline' | 'del' | 'swap' | 'neg';
  readonly prompt_sha256: string;
  readonly greedy_text: string;
  readonly verdict_text: Label | null;
  readonly neg_visible: boolean | null;
}

const CONDITIONS: Readonly<Record<GoldReading['condition'], Condition & (Altering | 'baseline')>> = {
  baseline: 'baseline',
  del: 'delete',
  swap: 'swap',
  neg: 'negate',
};

const root = shared('data', 'omnicompliance');
const prompts = shared('gold', 'llm', 'prompts.jsonl');
const readings = shared('gold', 'llm', 'readings.jsonl');
if (root === null) skipNote('prompts against the oracle', 'data', 'omnicompliance');
if (prompts === null || readings === null) skipNote('prompts and verdicts against the oracle', 'gold', 'llm');

function rows<T>(path: string | null): readonly T[] {
  if (path === null) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as T);
}

const { standard } = PROFILES;
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe.skipIf(root === null || readings === null || prompts === null)('the oracle', () => {
  test('has the same prompts, byte for byte', async () => {
    const corpus = await loadCorpus(`omnicompliance:${root}`);
    const byId = new Map<string, Case>(corpus.cases.map(item => [item.id, item]));
    const canonical = canonicalRules(corpus);
    const context = { seed: 42, canonical, placebo: new Set<string>() };
    const texts = new Map(
      rows<{ id: string; prompts: Record<string, string> }>(prompts).map(row => [row.id, row.prompts]),
    );
    const counts = { baseline: 0, delete: 0, swap: 0, negate: 0 };
    for (const gold of rows<GoldReading>(readings)) {
      const item = byId.get(gold.id);
      if (item === undefined) throw new Error(`no case ${gold.id}`);
      const condition = CONDITIONS[gold.condition];
      const goldText = texts.get(gold.id)?.[gold.condition] ?? '';
      expect(sha256(goldText)).toBe(gold.prompt_sha256);
      counts[condition]++;
      if (condition === 'swap') {
        // The oracle drew other domains, but from the same canonical rules.
        const candidates = [...canonical].filter(([domain]) => domain !== item.domain);
        const swapped = candidates.map(([, rule]) =>
          profileText(renderPrompt(standard, rule, item.scenario)),
        );
        expect(swapped).toContain(goldText);
        continue;
      }
      const altered = alterRule(item, condition, context);
      expect(altered.applicable).toBe(true);
      const text = profileText(renderPrompt(standard, altered.rule, item.scenario));
      expect(sha256(text), `${gold.id} ${condition}`).toBe(gold.prompt_sha256);
      if (condition === 'negate') {
        expect(shownRule(standard, altered.rule) !== shownRule(standard, item.rule)).toBe(gold.neg_visible);
      }
    }
    expect(counts).toEqual({ baseline: 50, delete: 50, swap: 50, negate: 22 });
  });

  test('reads the same verdicts', () => {
    const all = rows<GoldReading>(readings);
    for (const { id, condition, greedy_text, verdict_text } of all) {
      expect(readVerdict(standard.reader, greedy_text).verdict, `${id} ${condition}`).toBe(verdict_text);
      for (let end = 0; end <= greedy_text.length; end++) {
        const soFar = greedy_text.slice(0, end);
        if (new RegExp(finalPattern(standard.reader), 'iu').test(soFar)) {
          expect(readVerdict(standard.reader, soFar).verdict).toBe(verdict_text);
        }
      }
    }
    expect(all).toHaveLength(172);
  });
});
