import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRun } from '../../src/run/directory.js';
import {
  readActivations,
  readActivationsTable,
  readControls,
  readControlsTable,
  readDerived,
  readDerivedBatches,
  readReadingBatches,
  readReadings,
  readReadingsTable,
} from '../../src/run/reader.js';
import { openForResume } from '../../src/run/resume.js';
import { verifyRun } from '../../src/run/verify.js';
import { temporaryFolder } from './folder.js';
import { appendMeasured, derivedRow, LOCAL, manifest, range, reading, VECTORS, vectorRows } from './rows.js';

const readings = (from: number, to: number, errorCode: string | null = null) =>
  range(to - from, from).map(i => reading(i, errorCode));

/** A run of 4 samples (20 rows): rows 0–9 and the derived rows of two samples. */
function partialRun(): string {
  const dir = temporaryFolder();
  const writer = createRun(dir, manifest(4), LOCAL);
  writer.appendReadings(readings(0, 5));
  writer.appendDerived([derivedRow(0)]);
  writer.appendReadings(readings(5, 10));
  writer.appendDerived([derivedRow(1)]);
  writer.close();
  return dir;
}

async function collect<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const rows: T[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

function tail(dir: string, file: string, bytes: Uint8Array): void {
  fs.appendFileSync(path.join(dir, file), bytes);
}

describe('resume', () => {
  test('knows what is done, and goes on', () => {
    const dir = partialRun();
    const run = openForResume(dir);
    expect(run.manifest).toEqual(manifest(4));
    expect(run.local).toEqual(LOCAL);
    expect([...run.done]).toEqual(readings(0, 10).map(row => row.key));
    expect(run.retry.size).toBe(0);
    expect([...run.derivedDone]).toEqual(
      [0, 1].map(i => `${derivedRow(i).sampleId}|${derivedRow(i).reader}`),
    );
    expect(run.complete).toBe(false);
    const writer = run.openWriter();
    expect(() => run.openWriter()).toThrow(expect.objectContaining({ code: 'USAGE' }));
    writer.appendReadings(readings(10, 20));
    writer.appendReadings([]);
    writer.appendDerived([derivedRow(2), derivedRow(3)]);
    writer.finish();
    expect(() => writer.appendReadings(readings(0, 1))).toThrow(expect.objectContaining({ code: 'USAGE' }));
    writer.close();
    writer.close();
    expect(readReadings(dir)).toEqual(readings(0, 20));
    expect(readDerived(dir)).toEqual(range(4).map(derivedRow));
    expect(verifyRun(dir)).toMatchObject({ state: 'complete', exitCode: 0, findings: [] });
  });

  test('of a complete run says so and touches nothing', () => {
    const dir = partialRun();
    const first = openForResume(dir).openWriter();
    first.appendReadings(readings(10, 20));
    first.finish();
    first.close();
    const before = fs.readdirSync(dir).map(file => fs.readFileSync(path.join(dir, file)));
    const run = openForResume(dir);
    expect(run.complete).toBe(true);
    run.close();
    expect(fs.readdirSync(dir).map(file => fs.readFileSync(path.join(dir, file)))).toEqual(before);
  });

  test('tries rows with an error again; the newer row counts, and the derived row of its sample is due', async () => {
    const dir = temporaryFolder();
    const writer = createRun(dir, manifest(2), LOCAL);
    writer.appendReadings([...readings(0, 3), ...readings(3, 5, 'DECODE')]);
    writer.appendDerived([derivedRow(0)]);
    writer.appendReadings(readings(5, 10));
    writer.appendDerived([derivedRow(1)]);
    writer.finish();
    writer.close();
    expect(verifyRun(dir)).toMatchObject({
      exitCode: 3,
      details: { goodRows: 8, errorRows: 2, missingRows: 0 },
    });

    const run = openForResume(dir);
    expect([...run.retry]).toEqual(readings(3, 5).map(row => row.key));
    expect([...run.derivedDone]).toEqual([`${derivedRow(1).sampleId}|${derivedRow(1).reader}`]);
    const again = run.openWriter();
    again.appendReadings(readings(3, 4));
    again.appendReadings(readings(4, 5, 'ENGINE_CRASH'));
    again.close();

    const last = openForResume(dir);
    expect([...last.retry]).toEqual([reading(4).key]);
    const finish = last.openWriter();
    finish.appendReadings(readings(4, 5));
    finish.close();
    // Killed before the derived row: it stands, but before the readings that it should be of.
    const due = openForResume(dir);
    expect(due.retry.size).toBe(0);
    expect(due.complete).toBe(false);
    expect(due.derivedDone.has(`${derivedRow(0).sampleId}|${derivedRow(0).reader}`)).toBe(false);
    const end = due.openWriter();
    const remade = { ...derivedRow(0), ocs: 1 };
    end.appendDerived([remade]);
    end.finish();
    end.close();

    expect(verifyRun(dir).state).toBe('complete');
    const expected = [...readings(0, 3), ...readings(5, 10), ...readings(3, 5)];
    expect(readReadings(dir)).toEqual(expected);
    expect(readDerived(dir)).toEqual([derivedRow(1), remade]);
    expect(readReadingsTable(dir).numRows).toBe(10);
    expect(await collect(readReadingBatches(dir))).toEqual(expected);
    expect(await collect(readDerivedBatches(dir))).toEqual([derivedRow(1), remade]);
  });

  test('cuts a torn tail of each file, and rewrites nothing before it', () => {
    const dir = partialRun();
    const files = ['readings.arrows', 'derived.arrows', 'journal.jsonl'];
    const before = files.map(file => fs.readFileSync(path.join(dir, file)));
    const second = before[0]?.subarray(-500, -100) as Uint8Array;
    tail(dir, 'readings.arrows', second);
    tail(dir, 'derived.arrows', new Uint8Array(7));
    tail(dir, 'journal.jsonl', Buffer.from('{"file":"readings.arr'));
    expect(verifyRun(dir)).toMatchObject({ exitCode: 3, details: { tornBytes: 400 + 7 + 21, goodRows: 10 } });
    expect(readReadings(dir)).toEqual(readings(0, 10));
    const run = openForResume(dir);
    expect(run.tornBytes).toBe(428);
    run.openWriter().close();
    expect(files.map(file => fs.readFileSync(path.join(dir, file)))).toEqual(before);
  });

  test('with the streams not even begun', () => {
    const dir = temporaryFolder();
    createRun(dir, manifest(1), LOCAL).close();
    const whole = ['readings.arrows', 'derived.arrows', 'journal.jsonl'].map(file => {
      const bytes = fs.readFileSync(path.join(dir, file));
      fs.rmSync(path.join(dir, file));
      return [file, bytes] as const;
    });
    expect(verifyRun(dir).exitCode).toBe(3);
    expect(readReadings(dir)).toEqual([]);
    openForResume(dir).openWriter().close();
    for (const [file, bytes] of whole) expect(fs.readFileSync(path.join(dir, file))).toEqual(bytes);
  });

  test('refuses a folder that is no run, and a damaged one, and gives the lock back', () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    expect(() => openForResume(temporaryFolder())).toThrow(code('RUN_NOT_FOUND'));
    expect(() => openForResume(path.join(temporaryFolder(), 'x'))).toThrow(code('RUN_NOT_FOUND'));
    const dir = partialRun();
    fs.truncateSync(path.join(dir, 'readings.arrows'), 5000);
    expect(() => openForResume(dir)).toThrow(code('RUN_DAMAGED'));
    expect(() => openForResume(dir)).toThrow(code('RUN_DAMAGED'));
  });
});

describe('vectors', () => {
  const activationsOf = (from: number, to: number) => vectorRows(VECTORS.activations, readings(from, to));
  const controlsOf = (from: number, to: number) => vectorRows(VECTORS.controls, readings(from, to));
  const begin = (dir: string) => createRun(dir, manifest(2, VECTORS), LOCAL);
  const usage = (message: RegExp) =>
    expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(message) });

  test('come before their readings, or the readings are refused and nothing is written', () => {
    const dir = temporaryFolder();
    const writer = begin(dir);
    expect(() => writer.appendReadings(readings(0, 5))).toThrow(
      usage(/#0\|baseline\|{4} comes before its vectors: no vector of layer 0 in activations\.arrows/),
    );
    writer.appendActivations(activationsOf(0, 5).filter(({ layer }) => layer === 0));
    expect(() => writer.appendReadings(readings(0, 5))).toThrow(usage(/no vector of layer 3 in activations/));
    writer.appendActivations(activationsOf(0, 5).filter(({ layer }) => layer === 3));
    expect(() => writer.appendReadings(readings(0, 5))).toThrow(usage(/no vector of layer 3 in controls/));
    expect(readReadings(dir)).toEqual([]);
    writer.appendControls(controlsOf(0, 5));
    writer.appendReadings(readings(0, 5));
    // A failed evaluation and a condition that does not apply have none.
    writer.appendReadings([...readings(5, 7, 'DECODE'), ...readings(7, 8)]);
    writer.close();
    expect(reading(7).applicable).toBe(false);
    expect(readReadings(dir)).toHaveLength(8);
    expect([...readActivations(dir)].map(({ layer }) => layer)).toEqual([0, 0, 0, 0, 3, 3, 3, 3]);
    expect([...readControls(dir)]).toEqual(controlsOf(0, 5));
    expect(verifyRun(dir).state).toBe('incomplete');
  });

  test('are refused where the plan has none, and of another layer or width', () => {
    const plain = createRun(temporaryFolder(), manifest(2), LOCAL);
    expect(() => plain.appendActivations(activationsOf(0, 1))).toThrow(
      usage(/keeps no activations: .*vectors\.activations/),
    );
    expect(() => plain.appendControls([])).toThrow(usage(/keeps no controls/));
    plain.close();
    expect(() => readActivations(plain.dir)).toThrow(usage(/keeps no activations: .*manifest\.json/));
    expect(() => readControlsTable(plain.dir)).toThrow(usage(/keeps no controls/));

    const writer = begin(temporaryFolder());
    const put = (change: object) => () => {
      const [row] = activationsOf(0, 1);
      writer.appendActivations([{ key: '', layer: 0, values: new Float32Array(5), ...row, ...change }]);
    };
    expect(put({ layer: 1 })).toThrow(usage(/layer is 1, expected one of the layers 0, 3/));
    expect(put({ values: new Float32Array(4) })).toThrow(
      usage(/values is a Float32Array of 4, expected a Float32Array of 5/),
    );
    expect(put({ values: [0, 0, 0, 0, 0] })).toThrow(usage(/values is \[0,0,0,0,0\]/));
    put({})();
    writer.close();
  });

  test('that a kill left without a reading are superseded by those of the resumed run', () => {
    const dir = temporaryFolder();
    const writer = begin(dir);
    appendMeasured(writer, readings(0, 5));
    const stale = activationsOf(5, 10).map(row => ({ ...row, values: new Float32Array(5).fill(7) }));
    writer.appendActivations(stale);
    writer.close();
    expect([...readActivations(dir)]).toEqual([...activationsOf(0, 5), ...stale]);

    const run = openForResume(dir);
    expect(run.done.size).toBe(5);
    const again = run.openWriter();
    // Those of another process do not count: a reading stands for what was evaluated together with it.
    expect(() => again.appendReadings(readings(5, 10))).toThrow(usage(/comes before its vectors/));
    appendMeasured(again, readings(5, 10));
    again.appendDerived(range(2).map(derivedRow));
    again.finish();
    again.close();
    expect(verifyRun(dir).state).toBe('complete');
    expect([...readActivations(dir)]).toEqual(activationsOf(0, 10));
    expect([...readControls(dir)]).toEqual(controlsOf(0, 10));
  });

  test('are read as they stand when the first is asked for: the end of a run may have been cut meanwhile', () => {
    const dir = temporaryFolder();
    const writer = begin(dir);
    appendMeasured(writer, [...readings(0, 4), ...readings(4, 5, 'DECODE')]);
    writer.finish();
    writer.close();
    const run = openForResume(dir);
    const controls = readControls(dir);
    const again = run.openWriter();
    expect([...controls]).toEqual(controlsOf(0, 4));
    again.close();
  });

  test('are a table too', () => {
    const dir = temporaryFolder();
    const writer = begin(dir);
    expect(readActivationsTable(dir).numRows).toBe(0);
    appendMeasured(writer, readings(0, 5));
    appendMeasured(writer, readings(5, 10));
    writer.close();
    const table = readActivationsTable(dir);
    expect(table.schema.names).toEqual(['key', 'layer', 'values']);
    expect(table.schema.metadata.get('plumbline.layers')).toBe('[0,3]');
    expect([...table].map(row => [...row.values])).toEqual(activationsOf(0, 10).map(row => [...row.values]));
    expect(readControlsTable(dir).schema.metadata.get('plumbline.seed')).toBe('9');
    expect(readControlsTable(dir).numRows).toBe(controlsOf(0, 10).length);
  });

  test('of a torn write are cut, and of a finished run need nothing', () => {
    const dir = temporaryFolder();
    const writer = begin(dir);
    appendMeasured(writer, readings(0, 5));
    writer.close();
    const place = path.join(dir, 'activations.arrows');
    const before = fs.readFileSync(place);
    fs.appendFileSync(place, before.subarray(-200, -20));
    expect(verifyRun(dir)).toMatchObject({ state: 'incomplete', details: { tornBytes: 180, goodRows: 5 } });
    expect([...readActivations(dir)]).toEqual(activationsOf(0, 5));
    openForResume(dir).openWriter().close();
    expect(fs.readFileSync(place)).toEqual(before);
    fs.truncateSync(place, before.length - 20);
    expect(() => [...readActivations(dir)]).toThrow(expect.objectContaining({ code: 'RUN_DAMAGED' }));
    expect(() => openForResume(dir)).toThrow(expect.objectContaining({ code: 'RUN_DAMAGED' }));
  });
});
