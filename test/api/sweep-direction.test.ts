import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Judge } from '../../src/api/judge.js';
import { DEFAULT_ENGINE } from '../../src/api/options.js';
import { openSweepDirection, steeredLayers } from '../../src/api/sweep-direction.js';
import { fitDirections } from '../../src/direction/fit.js';
import { hashRows, summariseFit } from '../../src/direction/provenance.js';
import { norm } from '../../src/direction/vector.js';
import { writeControlVector } from '../../src/direction/vector-file.js';
import { keptFolder } from '../cli/folder.js';
import { world } from '../direction/synthetic.js';

const folder = keptFolder();
const FILE = join(folder.path, 'fitted.gguf');
const OWN = 'ab'.repeat(32);
const rows = world({ seed: 4, perClass: 30, nEmbd: 64, layers: [0, 1, 5], delta: new Map([[5, 3]]) });
const fit = fitDirections(rows, { seed: 42, pairs: 10, nullDraws: 9 });

/** As much of a judge as a direction is checked against; it can measure nothing. */
const judge = (sha256 = OWN, nEmbd = 64): Judge => ({ header: { nEmbd, nLayer: 6 }, sha256 }) as Judge;
const events = { onStage() {}, onLoad() {} };
const open = (more: object = {}, of = judge()) =>
  openSweepDirection({ direction: FILE, layers: null, force: false, random: 2, ...more }, of, 7);

beforeAll(async () => {
  await writeControlVector(FILE, {
    layers: new Map(fit.layers.map(({ layer, direction }) => [layer, direction])),
    architecture: 'llama',
    provenance: {
      version: '1.2.3',
      model: { name: 'judge.gguf', sha256: OWN },
      profile: { name: 'standard', sha256: OWN },
      corpus: { name: 'jsonl', sha256: OWN },
      idsSha256: hashRows(rows.rows),
      contrast: 'label',
      fit: summariseFit(fit),
    },
  });
});
afterAll(folder.remove);

describe('a direction that fit wrote', () => {
  test('is applied at its anchor, bit for bit, with random unit vectors beside it', async () => {
    const { layers, vectors, manifest } = await open();
    expect(layers).toEqual([fit.anchor]);
    expect(manifest).toMatchObject({ name: 'fitted.gguf', layer: fit.anchor, modelSha256: OWN });
    const own = fit.layers.find(({ layer }) => layer === fit.anchor)?.direction ?? new Float32Array();
    expect([...vectors.subarray(0, 64)]).toEqual([...own]);
    for (let i = 1; i <= 2; i++) expect(norm(vectors.slice(i * 64, (i + 1) * 64))).toBeCloseTo(1, 6);
  });

  test('has random vectors that no other layer and no more of them change', async () => {
    const all = await open({ layers: [0, 1, -1], random: 3 });
    const one = await open({ layers: [1], random: 1 });
    expect(all.layers).toEqual([0, 1, 5]);
    expect([...all.vectors.slice(4 * 64, 6 * 64)]).toEqual([...one.vectors]);
  });

  test('tells the length of a step at each scale', async () => {
    const direction = await open();
    const at = fit.layers.find(({ layer }) => layer === fit.anchor);
    const steps = async (scale: 'unit' | 'residual' | 'sd') =>
      steeredLayers(direction, scale, judge(), DEFAULT_ENGINE, events);
    const shared = { layer: fit.anchor, residualNorm: at?.residualNorm, measured: false };
    expect(await steps('unit')).toEqual([{ ...shared, step: 1 }]);
    expect(await steps('residual')).toEqual([{ ...shared, step: at?.residualNorm }]);
    expect(await steps('sd')).toEqual([{ ...shared, step: at?.icsSd }]);
  });

  test('is refused for another model, or without --force taken without its residual norms', async () => {
    const other = judge('cd'.repeat(32));
    await expect(open({}, other)).rejects.toMatchObject({ code: 'DIRECTION_MISMATCH' });
    const forced = await open({ force: true }, other);
    expect(forced.residualNorms.size).toBe(0);
    expect(forced.icsSds.size).toBe(3);
    await expect(open({ force: true }, judge(OWN, 65))).rejects.toMatchObject({
      code: 'DIRECTION_MISMATCH',
      message: expect.stringMatching(/64 values.*65/),
    });
  });

  test('names its blocks when another one is asked for', async () => {
    await expect(open({ layers: [2] })).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('it has 0, 1, 5'),
    });
  });
});
