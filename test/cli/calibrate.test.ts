import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type ModelCalibration, type ReferenceModel, referenceModels } from '../../src/api/calibrate.js';
import { calibrationFigures, type Evidence, figureText, judgeFigures } from '../../src/audit/calibrate.js';
import type { Reading } from '../../src/run/types.js';
import { keptFolder } from './folder.js';
import { program, startProgram } from './program.js';

/** The compiled module: engine processes are started from compiled files. */
const COMPILED = fileURLToPath(new URL('../../dist/api/calibrate.js', import.meta.url));
const { gatherEvidence } = (await import(
  pathToFileURL(COMPILED).href
)) as typeof import('../../src/api/calibrate.js');

const folder = keptFolder();
afterAll(folder.remove);

const MODELS = referenceModels();
/** `npm test` calibrates with the default seed as well; scripts/calibrate-seeds.mjs does with many. */
const SEEDS = [1];

function failures(model: ReferenceModel, evidence: Evidence): readonly string[] {
  return judgeFigures(calibrationFigures(evidence, model.known), model.intervals)
    .filter(check => !check.pass)
    .map(({ figure, value, low, high }) => `${figure}: ${value} not in [${low}, ${high}]`);
}

describe.each(MODELS)('$name', model => {
  it.each(SEEDS)(
    'reads as planted with seed %i',
    async seed => {
      expect(failures(model, await gatherEvidence(model, seed))).toEqual([]);
    },
    180_000,
  );

  it('has expected figures that exist', () => {
    for (const [figure, [low, high]] of Object.entries(model.intervals)) {
      expect(figureText(figure), figure).not.toBe(figure);
      expect(low, figure).toBeLessThanOrEqual(high);
    }
  });
});

test('calibrate prints JSON, leaves nothing behind, and refuses a name that it does not know', async () => {
  // Other tests calibrate at the same time: this one has temporary files of its own.
  const env = { TMPDIR: folder.path };
  const running = startProgram(['calibrate', '--model', 'reader', '--seed', '5', '--json'], env);
  const { code, stdout, stderr } = await running.ended;
  expect(code, stdout + stderr).toBe(0);
  const [result, ...others] = JSON.parse(stdout) as readonly ModelCalibration[];
  expect(others).toEqual([]);
  expect(result).toMatchObject({ model: 'reader', seed: 5, pass: true });
  expect(result?.checks.length).toBe(
    Object.keys(MODELS.find(({ name }) => name === 'reader')?.intervals ?? {}).length,
  );
  expect(readdirSync(folder.path)).toEqual([]);

  const unknown = await program('calibrate', '--model', 'writer');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('expected one of reader, ');
}, 180_000);

test('a figure that is missing, or not a number, fails', () => {
  const intervals = { 'accuracy.crossed': [0.4, 0.6] } as const;
  const pass = (value: number | null) =>
    judgeFigures(new Map([['accuracy.crossed', value]]), intervals).every(check => check.pass);
  expect([0.4, 0.5, 0.6].map(pass)).toEqual([true, true, true]);
  expect([0.39, 0.61, null, Number.NaN].map(pass)).toEqual([false, false, false, false]);
  expect(judgeFigures(new Map(), intervals)[0]).toMatchObject({ value: null, pass: false });
});

/** What an evaluation gives, apart from which row it belongs to. */
const measured = (row: Reading): Partial<Reading> => ({
  verdictText: row.verdictText,
  verdictLogit: row.verdictLogit,
  logprobCompliant: row.logprobCompliant,
  logprobNoncompliant: row.logprobNoncompliant,
  firstLogitCompliant: row.firstLogitCompliant,
  firstLogitNoncompliant: row.firstLogitNoncompliant,
  margin: row.margin,
  generated: row.generated,
  nullReason: row.nullReason,
  ics: row.ics,
  icsCos: row.icsCos,
  residualNorm: row.residualNorm,
});

const other = (verdict: Reading['verdictText']): Reading['verdictText'] =>
  verdict === null ? null : verdict === 1 ? 0 : 1;

/** The rows with what `from` names in place of their own measurements: its verdicts, margins and projections. */
function exchanged(
  evidence: Evidence,
  from: (row: Reading, at: number, rows: readonly Reading[]) => Reading,
): Evidence {
  const sources = evidence.crossed.map(from);
  const taken = new Map(evidence.crossed.map((row, at) => [row.key, sources[at]?.key ?? row.key]));
  const vectors = [...evidence.direction.vectors];
  const values = new Map(vectors.map(vector => [`${vector.layer} ${vector.key}`, vector.values]));
  const swap = (rows: readonly Reading[]) =>
    rows.map((row, at) => ({ ...row, ...measured(from(row, at, rows)) }));
  return {
    ...evidence,
    crossed: swap(evidence.crossed),
    confounded: swap(evidence.confounded),
    direction: {
      ...evidence.direction,
      vectors: vectors.map(vector => ({
        ...vector,
        values: values.get(`${vector.layer} ${taken.get(vector.key)}`) ?? vector.values,
      })),
    },
  };
}

/** The row of the same sample under another condition, itself when there is none that applies. */
function under(condition: Reading['condition'], row: Reading, rows: readonly Reading[]): Reading {
  return (
    rows.find(one => one.sampleId === row.sampleId && one.condition === condition && one.applicable) ?? row
  );
}

const evaluated = (rows: readonly Reading[]) => rows.filter(row => row.applicable);
/** The row that stands `by` places further among the evaluated ones; a row without an evaluation is itself. */
function further(by: (at: number, count: number) => number) {
  return (row: Reading, _at: number, rows: readonly Reading[]): Reading => {
    const all = evaluated(rows);
    const at = all.indexOf(row);
    return at < 0 ? row : (all[(at + by(at, all.length)) % all.length] as Reading);
  };
}

const relabelled = (rows: readonly Reading[], labels: 'both' | 'logit'): readonly Reading[] =>
  rows.map(row => ({
    ...row,
    verdictLogit: other(row.verdictLogit),
    ...(labels === 'both' ? { verdictText: other(row.verdictText) } : {}),
    margin: row.margin === null ? null : -row.margin,
  }));

/** Other projections, in the vectors and in the rows. */
function doctoredVectors(
  evidence: Evidence,
  change: (values: Float32Array, layer: number, key: string) => Float32Array,
): Evidence {
  const { direction } = evidence;
  const vectors = [...direction.vectors].map(vector => ({
    ...vector,
    values: change(vector.values, vector.layer, vector.key),
  }));
  const ics = new Map(
    vectors.filter(({ layer }) => layer === direction.anchor).map(({ key, values }) => [key, values[0]]),
  );
  return {
    ...evidence,
    crossed: evidence.crossed.map(row => ({ ...row, ics: ics.get(row.key) ?? row.ics })),
    direction: { ...direction, vectors },
  };
}

/** Faults of an instrument as they would show in its records, and a figure that each must break. */
const FAULTS: Readonly<Record<string, readonly [breaks: string, (evidence: Evidence) => Evidence]>> = {
  'sign of the direction turned': [
    'auroc.block3',
    evidence => doctoredVectors(evidence, values => values.map((value, i) => (i === 0 ? -value : value))),
  ],
  'residual stream of the block below': [
    'auroc.block3',
    evidence => {
      const values = new Map(
        [...evidence.direction.vectors].map(vector => [`${vector.layer} ${vector.key}`, vector.values]),
      );
      return doctoredVectors(
        evidence,
        (own, layer, key) => values.get(`${Math.max(0, layer - 1)} ${key}`) ?? own,
      );
    },
  ],
  'residual stream of the block above': [
    'auroc.block2',
    evidence => {
      const values = new Map(
        [...evidence.direction.vectors].map(vector => [`${vector.layer} ${vector.key}`, vector.values]),
      );
      return doctoredVectors(evidence, (own, layer, key) => values.get(`${layer + 1} ${key}`) ?? own);
    },
  ],
  'a control in place of the direction': [
    'quotient.block3',
    evidence =>
      doctoredVectors(evidence, values =>
        values.map((value, i) => (i === 0 ? (values[1] as number) : value)),
      ),
  ],
  'projections of the next row': [
    'auroc.block3',
    evidence => {
      const rows = evaluated(evidence.crossed);
      const next = new Map(rows.map((row, at) => [row.key, rows[(at + 1) % rows.length]?.key]));
      const values = new Map(
        [...evidence.direction.vectors].map(vector => [`${vector.layer} ${vector.key}`, vector.values]),
      );
      return doctoredVectors(evidence, (own, layer, key) => values.get(`${layer} ${next.get(key)}`) ?? own);
    },
  ],
  'every outcome in the next row': [
    'accuracy.crossed',
    evidence =>
      exchanged(
        evidence,
        further(() => 1),
      ),
  ],
  'outcomes of four rows of a batch in reverse': [
    'accuracy.crossed',
    evidence =>
      exchanged(
        evidence,
        further((at, count) => (at - (at % 4) + 3 < count ? 3 - 2 * (at % 4) + count : 0)),
      ),
  ],
  'baseline and negated rows exchanged': [
    'margin.away',
    evidence =>
      exchanged(evidence, (row, _at, rows) =>
        row.condition === 'baseline'
          ? under('negate', row, rows)
          : row.condition === 'negate' && row.applicable
            ? under('baseline', row, rows)
            : row,
      ),
  ],
  'baseline and deletion exchanged': [
    'accuracy.crossed',
    evidence =>
      exchanged(evidence, (row, _at, rows) =>
        row.condition === 'baseline'
          ? under('delete', row, rows)
          : row.condition === 'delete'
            ? under('baseline', row, rows)
            : row,
      ),
  ],
  'negation not applied': [
    'ocs.negate',
    evidence =>
      exchanged(evidence, (row, _at, rows) =>
        row.condition === 'negate' && row.applicable ? under('baseline', row, rows) : row,
      ),
  ],
  'swap not applied': [
    'ocs.swap',
    evidence =>
      exchanged(evidence, (row, _at, rows) =>
        row.condition === 'swap' ? under('baseline', row, rows) : row,
      ),
  ],
  'rule deleted everywhere': [
    'accuracy.crossed',
    evidence => exchanged(evidence, (row, _at, rows) => under('delete', row, rows)),
  ],
  'label tokens exchanged': [
    'accuracy.crossed',
    evidence => ({
      ...evidence,
      crossed: relabelled(evidence.crossed, 'both'),
      confounded: relabelled(evidence.confounded, 'both'),
    }),
  ],
  'label tokens exchanged where they are scored': [
    'agreement',
    evidence => ({ ...evidence, crossed: relabelled(evidence.crossed, 'logit') }),
  ],
  'a token in front of every prompt': [
    'tokens',
    evidence => ({
      ...evidence,
      crossed: evidence.crossed.map(row => ({ ...row, tokensSha256: sha256(`1,${row.tokensSha256}`) })),
    }),
  ],
  'a placebo that moves in the last bit': [
    'placebo.moved',
    evidence => ({
      ...evidence,
      crossed: evidence.crossed.map(row =>
        row.condition === 'placebo' && row.margin !== null
          ? { ...row, margin: row.margin * (1 + 2 ** -52) }
          : row,
      ),
    }),
  ],
  'steering to the other side': [
    'steer.up',
    evidence => ({
      ...evidence,
      steered: (evidence.steered ?? []).map(row => ({
        ...row,
        alpha: row.alpha === null ? null : -row.alpha,
      })),
    }),
  ],
  'steering not applied': [
    'steer.up',
    evidence => {
      const zero = new Map(
        (evidence.steered ?? []).filter(row => row.alpha === 0).map(row => [row.sampleId, row]),
      );
      return {
        ...evidence,
        steered: (evidence.steered ?? []).map(row => ({
          ...row,
          ...measured(zero.get(row.sampleId) ?? row),
        })),
      };
    },
  ],
  'random directions that are the fitted one': [
    'steer.random',
    evidence => {
      const fitted = new Map(
        (evidence.steered ?? [])
          .filter(row => row.direction === 'fitted')
          .map(row => [`${row.sampleId} ${row.alpha}`, row]),
      );
      return {
        ...evidence,
        steered: (evidence.steered ?? []).map(row => ({
          ...row,
          ...measured(fitted.get(`${row.sampleId} ${row.alpha}`) ?? row),
        })),
      };
    },
  ],
  'ICS of another row than the projections': [
    'projections',
    evidence => ({
      ...evidence,
      crossed: evidence.crossed.map((row, at, rows) => ({ ...row, ics: rows[at + 1]?.ics ?? row.ics })),
    }),
  ],
  'another model file': ['file', evidence => ({ ...evidence, sha256: sha256('another') })],
  'a row that failed': [
    'errors',
    evidence => ({
      ...evidence,
      crossed: evidence.crossed.map((row, at) => (at === 0 ? { ...row, errorCode: 'DECODE' } : row)),
    }),
  ],
};

describe('a fault of the instrument is caught on the reader', () => {
  const [reader] = referenceModels('reader') as [ReferenceModel];
  let evidence: Evidence;
  beforeAll(async () => {
    evidence = await gatherEvidence(reader, 7);
  }, 180_000);

  it('and nothing is where there is none', () => {
    expect(failures(reader, evidence)).toEqual([]);
    // The doctoring itself changes nothing.
    expect(
      failures(
        reader,
        exchanged(evidence, row => row),
      ),
    ).toEqual([]);
    expect(
      failures(
        reader,
        doctoredVectors(evidence, values => values),
      ),
    ).toEqual([]);
  });

  it.each(Object.entries(FAULTS))('%s', (_name, [breaks, doctor]) => {
    const failed = failures(reader, doctor(evidence)).map(line => line.split(':')[0]);
    expect(failed).toContain(breaks);
  });
});

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
