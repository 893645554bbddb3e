import { CONDITIONS } from '../../src/perturb/types.js';
import { type LocalPaths, type Manifest, NO_VECTORS, planHash } from '../../src/run/manifest.js';
import { SCHEMA_VERSION } from '../../src/run/schema.js';
import type { DerivedRow, Reading, VectorRow } from '../../src/run/types.js';
import { type VectorPlan, wantsVectors } from '../../src/run/vectors.js';
import type { RunWriter } from '../../src/run/writer.js';

const HEX = 'ab'.repeat(32);

/** Texts that break careless writers: empty, wide, combining, astral, with a NUL, long. */
export const TEXTS: readonly string[] = [
  '',
  ' Compliant',
  'naïve\u00a0§ 7',
  'e\u0301\u200d👩‍⚖️',
  '規則は読まれたか',
  'a\u0000b\r\n\t"\\',
  '\u2028\ufeff',
  'x'.repeat(3000),
];

const pick = <T>(values: readonly T[], i: number): T => values[i % values.length] as T;

export function sampleId(i: number): string {
  return `ccpa/ccpa_${i % 3}.json#${i}`;
}

/** Reading number i of a plan in which each sample has all conditions. A pure function of i. */
export function reading(i: number, errorCode: string | null = null): Reading {
  const sample = sampleId(Math.floor(i / CONDITIONS.length));
  const condition = pick(CONDITIONS, i);
  const failed = errorCode !== null;
  const maybe = <T>(value: T, every: number): T | null => (failed || i % every === 0 ? null : value);
  return {
    key: `${sample}|${condition}||||`,
    sampleId: sample,
    domain: pick(['ccpa', 'policy_x', 'é'], i),
    ruleId: HEX.slice(0, 16),
    condition,
    applicable: i % 4 !== 3,
    visible: i % 3 !== 1,
    reason: i % 4 === 3 ? 'no-mandatory-modal' : null,
    profile: 'standard',
    alpha: maybe(pick([-1, -0, 0.5, 1e-4], i), 2),
    layer: maybe(i, 2),
    positionScope: maybe(pick(['last', 'all'] as const, i), 2),
    direction: maybe(pick(['fitted', 'random-1'], i), 2),
    stepNorm: maybe(i / 3, 2),
    residualShare: maybe(1e-3 * i, 2),
    label: i % 2 === 0 ? 1 : 0,
    verdictText: maybe(i % 2 === 0 ? 0 : 1, 5),
    verdictLogit: maybe(i % 3 === 0 ? 0 : 1, 11),
    logprobCompliant: maybe(-Math.E * i, 7),
    logprobNoncompliant: maybe(Number.NEGATIVE_INFINITY, 3),
    firstLogitCompliant: maybe(Math.fround(i / 3), 9),
    firstLogitNoncompliant: maybe(Number.MIN_VALUE, 4),
    margin: maybe(Number.NaN, 6),
    labelMass: maybe(1 / (i + 3), 8),
    kl: maybe(i / 9, 2),
    generated: maybe(pick(TEXTS, i), 10),
    nullReason: maybe('no-label', 1),
    nTokens: maybe(2 ** 31 - 1 - i, 12),
    promptSha256: maybe(HEX, 13),
    tokensSha256: maybe(HEX, 14),
    ics: maybe(-i, 2),
    icsCos: maybe(0.1, 2),
    residualNorm: maybe(675.25, 2),
    batchId: maybe(-(2 ** 31) + i, 15),
    errorCode,
  };
}

export function derivedRow(i: number): DerivedRow {
  const flip = (k: number) => ((i + k) % 4 === 0 ? null : (i + k) % 2 === 0 ? 1 : 0);
  const shift = (k: number) => ((i + k) % 5 === 0 ? null : (i + k) / 7);
  return {
    sampleId: sampleId(i),
    domain: 'ccpa',
    label: i % 2 === 0 ? 1 : 0,
    reader: i % 3 === 0 ? 'text' : 'logit',
    baselineVerdict: flip(0),
    flipDelete: flip(1),
    flipSwap: flip(2),
    flipNegate: flip(3),
    flipPlacebo: flip(4),
    shiftDelete: shift(0),
    shiftSwap: shift(1),
    shiftNegate: shift(2),
    shiftPlacebo: shift(3),
    icsDeltaDelete: null,
    icsDeltaSwap: shift(5),
    icsDeltaNegate: shift(6),
    icsDeltaPlacebo: shift(7),
    icsControlDelete: shift(8),
    icsControlSwap: shift(9),
    icsControlNegate: null,
    icsControlPlacebo: shift(10),
    ocs: i % 6 === 0 ? null : (i % 4) / 3,
    group: i % 3 === 0 ? null : i % 3 === 1 ? 'LOW' : 'HIGH',
  };
}

/** A run that keeps vectors of both kinds. */
export const VECTORS = {
  activations: { layers: [0, 3], width: 5 },
  controls: { layers: [3], width: 2, seed: 9 },
} as const;

const FLOATS: readonly number[] = [-0, 0.1, 1e-45, Number.NaN, Number.NEGATIVE_INFINITY, 3.4e38];

/** The vectors that these readings must have, each a pure function of its reading and layer. */
export function vectorRows(
  { layers, width }: VectorPlan,
  readings: readonly Reading[],
): readonly VectorRow[] {
  return readings.filter(wantsVectors).flatMap(({ key }) =>
    layers.map(layer => {
      const values = Float32Array.from(range(width), i => pick(FLOATS, i + layer) + key.length);
      return { key, layer, values: values.fill(pick(FLOATS, key.length), 0, 1) };
    }),
  );
}

/** Writes readings as a run with {@link VECTORS} does: their vectors first. */
export function appendMeasured(writer: RunWriter, readings: readonly Reading[]): void {
  writer.appendActivations(vectorRows(VECTORS.activations, readings));
  writer.appendControls(vectorRows(VECTORS.controls, readings));
  writer.appendReadings(readings);
}

/** Whole numbers below n. */
export function range(n: number, from = 0): readonly number[] {
  return Array.from({ length: n }, (_, i) => from + i);
}

export function manifest(samples: number, vectors: Manifest['vectors'] = NO_VECTORS): Manifest {
  const plan = {
    corpus: { format: 'omnicompliance', files: [{ name: 'ccpa_0.json', bytes: 10, sha256: HEX }] },
    sampleIds: range(samples).map(sampleId),
    conditions: CONDITIONS,
    profile: { name: 'standard', sha256: HEX },
    alphas: [],
    layers: [],
    positionScope: null,
    direction: null,
    vectors,
    seed: 42,
  };
  return {
    ...plan,
    schemaVersion: SCHEMA_VERSION,
    planHash: planHash(plan),
    plannedRows: samples * CONDITIONS.length,
    model: { name: 'judge.gguf', size: 123, sha256: HEX, architecture: 'llama', templateSha256: null },
    engine: { llamaCpp: 'b1', backend: 'cpu' },
    batchPlan: {
      nBatch: 2048,
      nUbatch: 512,
      schedule: 'exact',
      tile: 16,
      leastPiece: 16,
      mostPiece: null,
      flashAttention: false,
      exactness: { kind: 'exact', tile: 16, prompts: 12, floats: 4096 },
    },
    workers: 1,
    threads: 1,
    host: { platform: 'linux', arch: 'x64', cpu: 'a CPU', gpu: null },
    version: '0.1.0',
    argv: ['audit'],
    options: { perDomain: 25, nested: { list: [1, null, 'x'] } },
  };
}

export const LOCAL: LocalPaths = { modelPath: '/models/judge.gguf', corpusPath: '/corpus', argv: ['audit'] };
