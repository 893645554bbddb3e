import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findGate } from '../../src/gate/find-gate.js';
import { effective, type Gate, METRIC, METRICS } from '../../src/gate/gates.js';
import { PRESETS } from '../../src/gate/presets.js';
import { probeGate } from '../../src/gate/probe.js';
import { temporaryFolder } from '../run/folder.js';

const boundaryOf = (name: string): string => {
  const { cosine, strict } = effective(findGate(name));
  return `${strict ? '>' : '>='} ${cosine}`;
};

describe('presets', () => {
  test.each([
    ['gptcache', '>= 0.6'],
    ['redisvl-cache', '>= 0.9'],
    ['redisvl-router', '>= 0.5'],
    ['redisvl-history', '>= 0.7'],
    ['langchain-redis-cache', '>= 0.8'],
    ['langchain-redis-semantic-cache', '>= 0.8'],
    ['langchain-redundant-filter', '> 0.95'],
    ['langchainjs-mongodb-cache', '>= 0.98'],
    ['upstash-cache', '> 0.8'],
    ['upstash-cache-0.95', '> 0.9'],
    ['graphiti-search', '> 0.6'],
    ['graphiti-search-neo4j', '> 0.2'],
    ['nemo-embeddings-only', '>= 0.875'],
    ['semantic-kernel-caching-sample', '> 0.8'],
    ['drift-guard', '>= 0.4'],
    ['drift-guard-distance', '>= 0.6'],
    ['drift-guard-0.80', '>= 0.8'],
  ])('%s takes as the same what has a cosine %s', (name, boundary) => {
    expect(boundaryOf(name)).toBe(boundary);
  });

  test('each boundary and its strictness are proven on vectors', () => {
    for (const { gate, name } of PRESETS) {
      if (gate === null) continue;
      const probe = probeGate(gate);
      expect({ name, proven: probe.proven, at: probe.atBoundary }).toEqual({
        name,
        proven: true,
        at: !probe.effective.strict,
      });
    }
  });

  test('have unique names, and those without a threshold say why', () => {
    expect(new Set(PRESETS.map(({ name }) => name)).size).toBe(PRESETS.length);
    const without = PRESETS.filter(({ gate }) => gate === null);
    expect(without.map(({ name }) => name)).toEqual(['graphiti-dedup', 'ragas-answer-similarity']);
    expect(() => findGate('graphiti-dedup')).toThrow(/MinHash/);
    expect(() => findGate('gptcach')).toThrow(/nearest preset is gptcache/);
  });
});

describe('metrics', () => {
  test('turn a cosine into a value and back', () => {
    const property = fc.property(
      fc.constantFrom(...METRICS),
      fc.double({ min: -1, max: 1, noNaN: true }),
      (metric, c) => {
        const { ofCosine, toCosine } = METRIC[metric];
        expect(toCosine(ofCosine(c))).toBeCloseTo(c, 9);
      },
    );
    fc.assert(property, { seed: 1 });
  });

  test('any gate of a direction that fits its metric is proven', () => {
    const gates = fc.record({
      metric: fc.constantFrom(...METRICS),
      strict: fc.boolean(),
      threshold: fc.double({ min: -1, max: 5, noNaN: true }),
    });
    const property = fc.property(gates, ({ metric, strict, threshold }) => {
      const comparison = METRIC[metric].rises ? (strict ? '>' : '>=') : strict ? '<' : '<=';
      expect(probeGate({ name: 'x', metric, comparison, threshold, action: 'merge' }).proven).toBe(true);
    });
    fc.assert(property, { seed: 1, numRuns: 500 });
  });

  test('a probe would see a wrong boundary', () => {
    const gate: Gate = {
      name: 'x',
      metric: 'half-cosine',
      comparison: '>=',
      threshold: 0.9,
      action: 'merge',
    };
    const probe = probeGate(gate);
    const wrong = probeGate({ ...gate, threshold: 0.9001 });
    expect(probe.points.find(({ cosine }) => cosine === 0.8)?.approved).toBe(true);
    expect(wrong.points.some(({ cosine, approved }) => cosine === 0.8 && approved)).toBe(false);
  });
});

describe("a user's gate", () => {
  const file = (value: unknown): string => {
    const path = join(temporaryFolder(), 'gate.json');
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
    return path;
  };
  const cache = { name: 'cache', metric: 'squared-l2', comparison: '<', threshold: 0.5, action: 'answer' };

  test('is read and converted', () => {
    expect(boundaryOf(file(cache))).toBe('> 0.75');
    expect(effective(findGate(file({ ...cache, threshold: 5 })))).toMatchObject({ vacuous: 'always' });
    expect(effective(findGate(file({ ...cache, threshold: 0 })))).toMatchObject({ vacuous: 'never' });
  });

  test('is refused when it runs against its metric or cannot be read', () => {
    expect(() => findGate(file({ ...cache, comparison: '>=' }))).toThrow(/takes unlike texts as the same/);
    expect(() => findGate(file({ ...cache, metric: 'manhattan' }))).toThrow(/GATE_INVALID|metric/);
    expect(() => findGate(file('{'))).toThrow(/cannot read the gate/);
  });
});
