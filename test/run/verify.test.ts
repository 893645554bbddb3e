import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { crc32cHex } from '../../src/run/crc32c.js';
import { createRun } from '../../src/run/directory.js';
import { readActivations, readControls, readDerived, readReadings } from '../../src/run/reader.js';
import { STREAM_FILES } from '../../src/run/schema.js';
import { verifyRun } from '../../src/run/verify.js';
import { temporaryFolder } from './folder.js';
import { appendMeasured, derivedRow, LOCAL, manifest, range, reading, VECTORS, vectorRows } from './rows.js';

/** A complete run of 2 samples. */
function completeRun(): string {
  const dir = temporaryFolder();
  const writer = createRun(dir, manifest(2), LOCAL);
  writer.appendReadings(range(5).map(i => reading(i)));
  writer.appendDerived([derivedRow(0)]);
  writer.appendReadings(range(5, 5).map(i => reading(i)));
  writer.appendDerived([derivedRow(1)]);
  writer.finish();
  writer.close();
  return dir;
}

/** The same with all streams that a run can have. */
function completeRunWithVectors(): string {
  const dir = temporaryFolder();
  const writer = createRun(dir, manifest(2, VECTORS), LOCAL);
  for (const i of [0, 1]) {
    appendMeasured(
      writer,
      range(5, 5 * i).map(k => reading(k)),
    );
    writer.appendDerived([derivedRow(i)]);
  }
  writer.finish();
  writer.close();
  return dir;
}

/** Runs `check` with a file changed, and puts the file back. */
function changed(dir: string, file: string, change: (bytes: Buffer) => Uint8Array, check: () => void): void {
  const place = path.join(dir, file);
  const before = fs.readFileSync(place);
  fs.writeFileSync(place, change(Buffer.from(before)));
  check();
  fs.writeFileSync(place, before);
}

function expectDamage(dir: string, message: RegExp): void {
  const result = verifyRun(dir);
  expect(result).toMatchObject({ state: 'damaged', exitCode: 4 });
  expect(result.findings.join('\n')).toMatch(message);
}

describe('verify', () => {
  test('a complete run', () => {
    expect(verifyRun(completeRun())).toEqual({
      state: 'complete',
      exitCode: 0,
      details: {
        plannedRows: 10,
        goodRows: 10,
        errorRows: 0,
        missingRows: 0,
        derivedRows: 2,
        batches: 4,
        tornBytes: 0,
      },
      findings: [],
    });
  });

  test('a complete run with vectors', () => {
    expect(verifyRun(completeRunWithVectors())).toMatchObject({
      state: 'complete',
      details: { goodRows: 10, derivedRows: 2, batches: 8, tornBytes: 0 },
      findings: [],
    });
  });

  test('vectors without their reading are no damage while readings are missing, and are when none is', () => {
    const dir = temporaryFolder();
    const writer = createRun(dir, manifest(2, VECTORS), LOCAL);
    const rows = range(10).map(i => reading(i));
    appendMeasured(writer, rows.slice(0, 5));
    writer.appendActivations(vectorRows(VECTORS.activations, rows.slice(5)));
    expect(verifyRun(dir)).toMatchObject({ state: 'incomplete', details: { goodRows: 5, missingRows: 5 } });
    appendMeasured(writer, rows.slice(5));
    const stranger = { key: 'a|baseline||||', layer: 3, values: new Float32Array(2) };
    writer.appendControls([stranger]);
    expectDamage(dir, /vectors of a\|baseline\|\|\|\|: of no reading of the run/);
    writer.close();
  });

  test('a reading without its vectors is damage', () => {
    const dir = completeRun();
    const more = manifest(2, { ...VECTORS, activations: null });
    fs.writeFileSync(path.join(dir, 'manifest.json'), JSON.stringify(more));
    expectDamage(
      dir,
      /readings\.arrows: .*#0\|baseline\|{4}: no vector of layer 3 in controls\.arrows and 7 more/,
    );
  });

  test('a run with rows missing, and one that was not ended', () => {
    const dir = temporaryFolder();
    const writer = createRun(dir, manifest(2), LOCAL);
    writer.appendReadings(range(7).map(i => reading(i)));
    expect(verifyRun(dir)).toMatchObject({ state: 'incomplete', exitCode: 3, details: { missingRows: 3 } });
    writer.appendReadings(range(3, 7).map(i => reading(i)));
    expect(verifyRun(dir).findings[0]).toBe('all rows are there, but the run was not ended');
    writer.finish();
    expect(verifyRun(dir).exitCode).toBe(0);
    writer.close();
  });

  test('rows that contradict the plan', () => {
    const dir = temporaryFolder();
    const writer = createRun(dir, manifest(2), LOCAL);
    writer.appendReadings([reading(0), reading(1), reading(0)]);
    expectDamage(dir, /#0\|baseline\|\|\|\|: written again after a good row/);
    writer.appendReadings([reading(10)]);
    expectDamage(dir, /#2\|baseline\|\|\|\|: of no sample of the plan/);
    writer.close();
  });

  test('a manifest that was changed', () => {
    const dir = completeRun();
    changed(
      dir,
      'manifest.json',
      bytes => Buffer.from(bytes.toString().replace('"seed": 42', '"seed": 43')),
      () => expectDamage(dir, /does not have the plan hash/),
    );
    changed(
      dir,
      'manifest.json',
      bytes => bytes.subarray(0, 100),
      () => expectDamage(dir, /manifest\.json, byte 0: not JSON/),
    );
  });
});

describe('damage', () => {
  test('each flipped bit of each stream is found, with file and offset', () => {
    const dir = completeRunWithVectors();
    for (const file of STREAM_FILES) {
      const { length } = fs.readFileSync(path.join(dir, file));
      // A prime step visits all bits of a byte, all regions of the file.
      for (let bit = 0; bit < length * 8; bit += 401) {
        changed(
          dir,
          file,
          bytes => {
            bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
            return bytes;
          },
          () => expectDamage(dir, new RegExp(`${file}, byte \\d+: `)),
        );
      }
    }
  });

  test('each cut of a stream is found, at batch boundaries too', () => {
    const dir = completeRunWithVectors();
    for (const file of STREAM_FILES) {
      const { length } = fs.readFileSync(path.join(dir, file));
      for (let n = 0; n < length; n += 101) {
        changed(
          dir,
          file,
          bytes => bytes.subarray(0, n),
          () => expectDamage(dir, new RegExp(`${file}, byte ${Math.min(n, length - 8)}: `)),
        );
      }
      for (const line of journal(dir).filter(entry => entry.file === file)) {
        changed(
          dir,
          file,
          bytes => bytes.subarray(0, line.offset),
          () => expectDamage(dir, new RegExp(file)),
        );
      }
      changed(
        dir,
        file,
        bytes => Buffer.concat([bytes, Buffer.of(0)]),
        () => expectDamage(dir, /where the stream ends/),
      );
    }
    for (const file of STREAM_FILES) {
      fs.renameSync(path.join(dir, file), path.join(dir, 'aside'));
      expectDamage(dir, new RegExp(`${file}, byte 0: the file is missing`));
      fs.renameSync(path.join(dir, 'aside'), path.join(dir, file));
    }
  });

  test('a changed journal never gives other rows: the run is damaged, or its last write is taken for torn', () => {
    const dir = completeRun();
    const good = readReadings(dir);
    const { length } = fs.readFileSync(path.join(dir, 'journal.jsonl'));
    for (let i = 0; i < length; i++) {
      const flip = (bytes: Buffer) => {
        bytes[i] = (bytes[i] as number) ^ ([1, 16, 2, 64][i % 4] as number);
        return bytes;
      };
      changed(dir, 'journal.jsonl', flip, () => {
        expect(verifyRun(dir).exitCode, `byte ${i}`).toBe(i < length - 1 ? 4 : 3);
        if (i === length - 1) expect(readReadings(dir)).toEqual(good);
      });
    }
  });

  test('a journal line that means the same but is not written so is no line of ours', () => {
    const dir = completeRun();
    for (const [from, to] of [
      [',"kind"', ', "kind"'],
      ['"rows":5', '"rows":5e0'],
      ['"rows":5', '"rows":5,"note":1'],
    ] as const) {
      changed(
        dir,
        'journal.jsonl',
        bytes => Buffer.from(bytes.toString().replace(from, to)),
        () => expectDamage(dir, /journal\.jsonl, byte \d+: line \d+ is not a line of a journal/),
      );
    }
  });

  test('a journal that lost lines is damage, not a torn tail: resuming would cut good rows', () => {
    const dir = completeRunWithVectors();
    const lines = fs.readFileSync(path.join(dir, 'journal.jsonl'), 'utf8').split(/(?<=\n)/);
    for (let keep = 0; keep < lines.length - 4; keep++) {
      changed(
        dir,
        'journal.jsonl',
        () => Buffer.from(lines.slice(0, keep).join('')),
        () => expectDamage(dir, /bytes that the journal does not know/),
      );
    }
    for (let drop = 0; drop < lines.length - 4; drop++) {
      changed(
        dir,
        'journal.jsonl',
        () => Buffer.from(lines.toSpliced(drop, 1).join('')),
        () => expectDamage(dir, /./),
      );
    }
    for (let twice = 0; twice < lines.length; twice++) {
      changed(
        dir,
        'journal.jsonl',
        () => Buffer.from(lines.toSpliced(twice, 0, lines[twice] as string).join('')),
        () => expectDamage(dir, /journal\.jsonl, byte \d+: line \d+/),
      );
    }
    fs.rmSync(path.join(dir, 'journal.jsonl'));
    expectDamage(dir, /bytes that the journal does not know/);
  });

  test.each(['readings.arrows', 'activations.arrows'])(
    '%s doctored together with its journal is still read in bounds',
    file => {
      const dir = completeRunWithVectors();
      const entries = journal(dir);
      const batch = entries.find(entry => entry.kind === 'batch' && entry.file === file) as Entry;
      const data = fs.readFileSync(path.join(dir, file));
      for (let i = 0; i < batch.length; i += 29) {
        const bytes = Buffer.from(data);
        bytes[batch.offset + i] = (bytes[batch.offset + i] as number) ^ 0xff;
        const crc32c = crc32cHex(bytes.subarray(batch.offset, batch.offset + batch.length));
        const lines = entries.map(
          entry => `${JSON.stringify(entry === batch ? { ...entry, crc32c } : entry)}\n`,
        );
        changed(
          dir,
          'journal.jsonl',
          () => Buffer.from(lines.join('')),
          () =>
            changed(
              dir,
              file,
              () => bytes,
              () => {
                expect([0, 3, 4]).toContain(verifyRun(dir).exitCode);
              },
            ),
        );
      }
    },
  );

  test('vectors of other layers than the manifest plans are damage', () => {
    const dir = completeRunWithVectors();
    const activations = { ...VECTORS.activations, layers: [0, 3, 4] };
    changed(
      dir,
      'manifest.json',
      () => Buffer.from(JSON.stringify(manifest(2, { ...VECTORS, activations }))),
      () => expectDamage(dir, /activations\.arrows, byte 0: plumbline\.layers is \[0,3\], .* \[0,3,4\]/),
    );
  });

  test('a journal with lines about a stream that the manifest does not plan is damage', () => {
    const dir = completeRunWithVectors();
    changed(
      dir,
      'manifest.json',
      () => Buffer.from(JSON.stringify(manifest(2))),
      () => expectDamage(dir, /journal\.jsonl, byte 0: line 1: the manifest plans no activations\.arrows/),
    );
  });

  test('readers refuse what verify calls damaged', () => {
    const dir = completeRunWithVectors();
    const refused = expect.objectContaining({ code: 'RUN_DAMAGED' });
    for (const [file, read] of [
      ['activations.arrows', (run: string) => [...readActivations(run)]],
      ['controls.arrows', (run: string) => [...readControls(run)]],
      ['readings.arrows', readReadings],
      ['derived.arrows', readDerived],
    ] as const) {
      changed(
        dir,
        file,
        bytes => bytes.subarray(0, -9),
        () => expect(() => read(dir)).toThrow(refused),
      );
    }
  });
});

interface Entry {
  readonly file: string;
  readonly kind: string;
  readonly offset: number;
  readonly length: number;
}

function journal(dir: string): readonly Entry[] {
  const text = fs.readFileSync(path.join(dir, 'journal.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Entry);
}
