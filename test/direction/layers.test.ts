import { describe, expect, it } from 'vitest';
import { resolveLayer } from '../../src/direction/layers.js';
import { PlumblineError } from '../../src/errors.js';

describe('resolveLayer', () => {
  it('counts blocks from 0, and from the end below it', () => {
    expect([0, 27, 29].map(layer => resolveLayer(layer, 30))).toEqual([0, 27, 29]);
    expect([-1, -2, -30].map(layer => resolveLayer(layer, 30))).toEqual([29, 28, 0]);
  });

  it('-k is the block whose output Hugging Face lists as hidden_states[-k]', () => {
    // hidden_states has n + 1 entries, the embeddings first: entry j is the output of block j - 1.
    const n = 12;
    for (let k = 1; k <= n; k++) expect(resolveLayer(-k, n)).toBe(n + 1 - k - 1);
  });

  it('refuses what the model has not', () => {
    for (const layer of [30, -31, 1.5, Number.NaN]) {
      expect(() => resolveLayer(layer, 30)).toThrow(PlumblineError);
    }
    expect(() => resolveLayer(30, 30)).toThrow(/layer 30: the model has 30 blocks, expected 0 to 29, or -1/);
  });
});
