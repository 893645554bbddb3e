import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rankByDraw } from '../../src/corpus/draw.js';
import { sampleCases, selectIds } from '../../src/corpus/sample.js';
import type { Case, Corpus } from '../../src/corpus/types.js';

function cases(domain: string, compliant: number, nonCompliant: number): readonly Case[] {
  return Array.from({ length: compliant + nonCompliant }, (_, index) => ({
    id: `${domain}/f.json#${index}`,
    domain,
    ruleId: 'r',
    rule: 'R',
    scenario: `S${index}`,
    label: index < compliant ? 1 : 0,
  }));
}

const corpusOf = (...parts: readonly (readonly Case[])[]): Corpus => {
  return { format: 'jsonl', cases: parts.flat(), issues: [], files: [] };
};
const ids = (items: readonly Case[]): readonly string[] => items.map(({ id }) => id);
const labels = (items: readonly Case[]): readonly [number, number] => {
  const compliant = items.filter(({ label }) => label === 1).length;
  return [compliant, items.length - compliant];
};

describe('sampleCases', () => {
  test.each([
    [200, [300, 400], [100, 100]],
    [25, [300, 400], [12, 13]],
    [25, [400, 300], [13, 12]],
    [1, [300, 400], [0, 1]],
    [200, [100, 900], [100, 100]],
    [200, [99, 901], [20, 180]],
    [200, [901, 99], [180, 20]],
    [10, [0, 50], [0, 10]],
    [200, [70, 73], [70, 73]],
    ['all' as const, [70, 373], [70, 373]],
  ])('%s of %j are %j', (perDomain, [compliant = 0, nonCompliant = 0], expected) => {
    const corpus = corpusOf(cases('d', compliant, nonCompliant));
    expect(labels(sampleCases(corpus, { domains: null, perDomain, seed: 42 }))).toEqual(expected);
  });

  test('a domain’s sample depends on no other domain and no order, but on the seed', () => {
    const a = cases('a', 60, 80);
    const b = cases('b', 50, 50);
    const options = { domains: ['a'], perDomain: 20, seed: 42 };
    const alone = ids(sampleCases(corpusOf(a), options));
    expect(ids(sampleCases(corpusOf(b, a), options))).toEqual(alone);
    const both = ids(sampleCases(corpusOf(a, b), { ...options, domains: null }));
    expect(both.filter(id => id.startsWith('a/'))).toEqual(alone);
    const reversed = ids(sampleCases(corpusOf([...a].reverse()), options));
    expect([...reversed].reverse()).toEqual(alone);
    expect(ids(sampleCases(corpusOf(a), { ...options, seed: 43 }))).not.toEqual(alone);
  });

  test('a larger balanced sample contains the smaller one', () => {
    const corpus = corpusOf(cases('a', 60, 80));
    const small = ids(sampleCases(corpus, { domains: null, perDomain: 20, seed: 1 }));
    const large = ids(sampleCases(corpus, { domains: null, perDomain: 60, seed: 1 }));
    expect(large).toEqual(expect.arrayContaining([...small]));
  });

  test('every case is about equally likely to be drawn', () => {
    const corpus = corpusOf(cases('a', 20, 20));
    const hits = new Map<string, number>();
    for (let seed = 0; seed < 400; seed++) {
      for (const id of ids(sampleCases(corpus, { domains: null, perDomain: 10, seed }))) {
        hits.set(id, (hits.get(id) ?? 0) + 1);
      }
    }
    // 400 draws of 1/4: mean 100, standard deviation 8.7.
    expect(hits.size).toBe(40);
    for (const count of hits.values()) expect(Math.abs(count - 100)).toBeLessThan(40);
  });

  test('unknown domains and impossible counts', () => {
    const corpus = corpusOf(cases('ccpa', 1, 1), cases('gdpr', 1, 1), cases('hipaa', 1, 1));
    expect(() => sampleCases(corpus, { domains: ['hippa'], perDomain: 2, seed: 42 })).toThrowError(
      expect.objectContaining({
        code: 'UNKNOWN_DOMAIN',
        message: expect.stringMatching(/"hippa"; it has hipaa, .*(ccpa, gdpr|gdpr, ccpa)/),
      }),
    );
    for (const perDomain of [0, -1, 1.5, Number.NaN]) {
      expect(() => sampleCases(corpus, { domains: null, perDomain, seed: 42 })).toThrowError(
        expect.objectContaining({ code: 'USAGE' }),
      );
    }
  });
});

test('parts of a draw do not run together', () => {
  const pairs = [
    ['a', 'bc'],
    ['ab', 'c'],
  ] as const;
  const orders = Array.from({ length: 50 }, (_, seed) => rankByDraw(pairs, seed, 'x', pair => pair)[0]);
  expect(new Set(orders).size).toBe(2);
});

describe('selectIds', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'plumbline-ids-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const corpus = corpusOf(cases('d', 3, 3));
  const file = (content: string): string => {
    const path = join(folder, 'ids.txt');
    writeFileSync(path, content);
    return path;
  };

  test('gives the named cases in corpus order, once each', async () => {
    const path = file('\ufeffd/f.json#4\r\n\nd/f.json#1\nd/f.json#4\n');
    expect(ids(await selectIds(corpus, path))).toEqual(['d/f.json#1', 'd/f.json#4']);
  });

  test('names the file and the line of an unknown id', async () => {
    const path = file('d/f.json#4\nd/f.json#9\n');
    await expect(selectIds(corpus, path)).rejects.toMatchObject({
      code: 'UNKNOWN_SAMPLE',
      message: expect.stringContaining(`${path}:2: `),
    });
  });

  test('an empty or missing file is a usage error', async () => {
    await expect(selectIds(corpus, file('\n'))).rejects.toMatchObject({ code: 'USAGE' });
    await expect(selectIds(corpus, join(folder, 'no'))).rejects.toMatchObject({ code: 'USAGE' });
  });
});
