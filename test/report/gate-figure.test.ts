import { expect, test } from 'vitest';
import { auditGate } from '../../src/gate/audit.js';
import { readGateCorpus } from '../../src/gate/corpus.js';
import { type Scorer, TOKEN_JACCARD } from '../../src/gate/encoder.js';
import { findGate } from '../../src/gate/find-gate.js';
import { scorePairs } from '../../src/gate/score.js';
import { gateFigure } from '../../src/report/gate-figure.js';

test('every score is a dot, every boundary a line, and no name is markup', async () => {
  const named: Scorer = { ...TOKEN_JACCARD, name: '<b>&"\u202e' };
  const corpus = await readGateCorpus('held-out');
  const audit = await auditGate({
    corpus,
    scoreAll: async () => [{ ...named, scored: await scorePairs(named, corpus) }],
    gate: findGate('gptcache'),
    force: false,
    seed: 1,
  });
  const svg = gateFigure(audit);
  // 96 pairs, by the encoder and by the floor.
  expect(svg.match(/<circle /g)).toHaveLength(2 * 96);
  expect(svg.match(/<g>/g)).toHaveLength(4);
  // From -.2 at 170 to 1 at 930; the user's own gate stands out and alone at its place.
  const at = (cosine: number): number => Math.round((170 + ((cosine + 0.2) / 1.2) * 760) * 10) / 10;
  for (const cosine of [0.4, 0.8, 0.875, 0.95]) expect(svg).toContain(`<line x1="${at(cosine)}"`);
  expect(svg.match(new RegExp(`<line x1="${at(0.6)}"`, 'g'))).toHaveLength(1);
  expect(svg).toMatch(/stroke="#0b57d0"/);
  expect(svg).not.toMatch(/<b>|NaN|undefined|\u202e/);
  expect(svg).toContain('&#60;b&#62;&#38;&#34;·, distinctness');
});
