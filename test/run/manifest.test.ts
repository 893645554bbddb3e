import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeFiles } from '../../src/run/files.js';
import {
  diffManifest,
  type Manifest,
  planHash,
  readLocal,
  readManifest,
  shareableArgv,
  writeManifest,
} from '../../src/run/manifest.js';
import { temporaryFolder } from './folder.js';
import { LOCAL, manifest, VECTORS } from './rows.js';

const DIRECTION: NonNullable<Manifest['direction']> = {
  name: 'direction.gguf',
  sha256: 'ab'.repeat(32),
  layer: 3,
  norm: 1.5,
  modelSha256: null,
  source: 'fit',
};

describe('manifest', () => {
  test('comes back as it was written, with no temporary left', () => {
    const dir = temporaryFolder();
    writeManifest(nodeFiles, dir, manifest(3), LOCAL);
    expect(readManifest(nodeFiles, dir)).toEqual(manifest(3));
    expect(readLocal(nodeFiles, dir)).toEqual(LOCAL);
    expect(fs.readdirSync(dir).sort()).toEqual(['local.json', 'manifest.json']);
  });

  test('comes back with a direction and vectors', () => {
    const dir = temporaryFolder();
    const full = { ...manifest(3, VECTORS), direction: DIRECTION };
    writeManifest(nodeFiles, dir, full, LOCAL);
    expect(readManifest(nodeFiles, dir)).toEqual(full);
  });

  test.each([
    ['no layer', { layers: [] }],
    ['layers out of order', { layers: [3, 0] }],
    ['a layer twice', { layers: [3, 3] }],
    ['vectors without values', { width: 0 }],
    ['vectors of a width beyond reason', { width: 2 ** 31 }],
  ])('refuses %s', (_, change) => {
    const activations = { ...VECTORS.activations, ...change };
    const wrong = manifest(1, { activations, controls: null } as Manifest['vectors']);
    expect(() => writeManifest(nodeFiles, temporaryFolder(), wrong, LOCAL)).toThrow();
  });

  test('holds no path of this machine', () => {
    const dir = temporaryFolder();
    writeManifest(nodeFiles, dir, manifest(3), LOCAL);
    expect(fs.readFileSync(path.join(dir, 'manifest.json'), 'utf8')).not.toContain('/models');
  });

  test('a missing one, a broken one, a wrong field, another version', () => {
    const dir = temporaryFolder();
    const put = (text: string) => fs.writeFileSync(path.join(dir, 'manifest.json'), text);
    const read = () => readManifest(nodeFiles, dir);
    expect(read).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
    put('{"planHash": ');
    expect(read).toThrow(expect.objectContaining({ code: 'RUN_DAMAGED' }));
    put(JSON.stringify({ ...manifest(1), seed: 'x' }));
    expect(read).toThrow(
      expect.objectContaining({ code: 'RUN_DAMAGED', message: expect.stringMatching(/seed/) }),
    );
    put(JSON.stringify({ ...manifest(1), extra: 1 }));
    expect(read).toThrow(
      expect.objectContaining({ code: 'RUN_DAMAGED', message: expect.stringMatching(/extra/) }),
    );
    put(JSON.stringify({ ...manifest(1), schemaVersion: 1 }));
    expect(read).toThrow(expect.objectContaining({ code: 'RUN_MISMATCH' }));
    expect(() => readLocal(nodeFiles, dir)).toThrow(expect.objectContaining({ code: 'RUN_NOT_FOUND' }));
  });
});

test('the plan hash covers each field of the plan, and no other', () => {
  const base = manifest(4);
  const changes: readonly Partial<Manifest>[] = [
    { corpus: { ...base.corpus, format: 'jsonl' } },
    { corpus: { ...base.corpus, files: [] } },
    { sampleIds: [...base.sampleIds].reverse() },
    { conditions: ['baseline'] },
    { profile: { ...base.profile, name: 'x' } },
    { alphas: [1] },
    { layers: [1] },
    { positionScope: 'last' },
    { seed: 43 },
    ...[
      {},
      { name: 'other.gguf' },
      { sha256: 'cd'.repeat(32) },
      { layer: 4 },
      { norm: 2 },
      { modelSha256: 'cd'.repeat(32) },
      { source: 'import' },
    ].map(change => ({ direction: { ...DIRECTION, ...change } })),
    ...[
      VECTORS,
      { ...VECTORS, activations: null },
      { ...VECTORS, controls: null },
      { ...VECTORS, activations: { ...VECTORS.activations, layers: [0, 4] } },
      { ...VECTORS, activations: { ...VECTORS.activations, width: 6 } },
      { ...VECTORS, controls: { ...VECTORS.controls, layers: [4] } },
      { ...VECTORS, controls: { ...VECTORS.controls, width: 3 } },
      { ...VECTORS, controls: { ...VECTORS.controls, seed: 10 } },
    ].map(vectors => ({ vectors })),
  ];
  const hashes = changes.map(change => planHash({ ...base, ...change }));
  expect(new Set([planHash(base), ...hashes]).size).toBe(changes.length + 1);
  const elsewhere: Manifest = { ...base, threads: 9, version: '9' };
  expect(planHash(elsewhere)).toBe(planHash(base));
});

test('a diff names each field, what the run has and what is now', () => {
  const old = manifest(3);
  expect(diffManifest(old, { ...manifest(3), argv: ['audit', '--resume', 'run'] })).toEqual([]);
  const now = manifest(5);
  const lines = diffManifest(old, {
    ...old,
    model: {
      name: 'judge.gguf',
      size: 124,
      sha256: 'cd'.repeat(32),
      architecture: 'llama',
      templateSha256: null,
    },
    engine: { llamaCpp: 'b2', backend: 'cpu' },
    sampleIds: now.sampleIds,
    options: {},
  });
  expect(lines).toEqual([
    'sampleIds: 3 entries, now 5; 2 differ, first at 3: the run has nothing, now "ccpa/ccpa_0.json#3"',
    'model.size: the run has 123, now 124',
    `model.sha256: the run has "${'ab'.repeat(32)}", now "${'cd'.repeat(32)}"`,
    'engine.llamaCpp: the run has "b1", now "b2"',
    'options.perDomain: the run has 25, now nothing',
    'options.nested: the run has {"list":[1,null,"x"]}, now nothing',
  ]);
  expect(diffManifest(old, { ...old, model: null })).toHaveLength(1);
});

test('of a command line, only the folders of this machine are left out', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['/usr/bin/node', '…/node'],
    ['--model=/home/me/judge.gguf', '--model=…/judge.gguf'],
    ['omnicompliance:/data/omni/', 'omnicompliance:…/omni'],
    ['--corpus=jsonl:/data/a.jsonl', '--corpus=jsonl:…/a.jsonl'],
    ['C:\\Users\\me\\judge.gguf', '…/judge.gguf'],
    ['omnicompliance:../shared', 'omnicompliance:../shared'],
    ['--domains', '--domains'],
    ['ccpa,policy_x', 'ccpa,policy_x'],
    ['https://example.org/v1', 'https://example.org/v1'],
    ['', ''],
  ];
  expect(shareableArgv(cases.map(([given]) => given))).toEqual(cases.map(([, kept]) => kept));
});
