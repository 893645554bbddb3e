import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  batchFault,
  batchMessage,
  decodeBatch,
  END_OF_STREAM,
  headFault,
  messageLength,
  streamHead,
} from '../../src/run/message.js';
import { DERIVED, READINGS, type RowFormat } from '../../src/run/schema.js';
import { activationsFormat, controlsFormat } from '../../src/run/vectors.js';
import { derivedRow, range, reading, VECTORS, vectorRows } from './rows.js';

const head = streamHead(READINGS);
const rowsOf = (n: number, from = 0) => range(n, from).map(i => reading(i));

const ACTIVATIONS = activationsFormat(VECTORS.activations);
const vectors = (n: number) => vectorRows(VECTORS.activations, rowsOf(2 * n)).slice(0, n);

/** Each kind of stream, with n rows for it. */
const STREAMS = [
  [READINGS.file, READINGS as RowFormat<unknown>, rowsOf],
  [ACTIVATIONS.file, ACTIVATIONS as RowFormat<unknown>, vectors],
] as const;

describe('messages', () => {
  test('one after another make a stream, with and without its end', () => {
    const batches = range(70, 1).map(n => batchMessage(READINGS, head, rowsOf(n, n)));
    for (const end of [[], [END_OF_STREAM]]) {
      const table = tableFromIPC(Buffer.concat([head, ...batches, ...end]));
      expect(table.numRows).toBe((70 * 71) / 2);
      expect(table.batches.map(batch => batch.numRows)).toEqual(range(70, 1));
    }
  });

  test('give their rows back at any length, and no fault is found in them', () => {
    const derivedHead = streamHead(DERIVED);
    const vectorHead = streamHead(ACTIVATIONS);
    for (const n of range(70, 1)) {
      const bytes = batchMessage(READINGS, head, rowsOf(n, n));
      expect(batchFault(READINGS.schema, bytes, n)).toBe(null);
      expect(decodeBatch(READINGS, head, bytes)).toEqual(rowsOf(n, n));
      const derived = range(n).map(derivedRow);
      const derivedBytes = batchMessage(DERIVED, derivedHead, derived);
      expect(batchFault(DERIVED.schema, derivedBytes, n)).toBe(null);
      expect(decodeBatch(DERIVED, derivedHead, derivedBytes)).toEqual(derived);
      const vectorBytes = batchMessage(ACTIVATIONS, vectorHead, vectors(n));
      expect(batchFault(ACTIVATIONS.schema, vectorBytes, n)).toBe(null);
      expect(decodeBatch(ACTIVATIONS, vectorHead, vectorBytes)).toEqual(vectors(n));
    }
  });

  test('are the same bytes for the same rows', () => {
    expect(batchMessage(READINGS, head, rowsOf(9))).toEqual(
      batchMessage(READINGS, streamHead(READINGS), rowsOf(9)),
    );
  });

  test('know their length from their first bytes', () => {
    const bytes = batchMessage(READINGS, head, rowsOf(33));
    expect(messageLength(bytes)).toBe(bytes.length);
    expect(messageLength(bytes.subarray(0, 8192))).toBe(bytes.length);
    expect(messageLength(END_OF_STREAM)).toBe(8);
    for (const n of [0, 1, 7, 8, 100]) expect(messageLength(bytes.subarray(0, n))).toBe(null);
    expect(messageLength(new Uint8Array(4096))).toBe(null);
  });
});

describe('faults', () => {
  test('a head of another format or version is told', () => {
    expect(headFault(READINGS, head)).toBe(null);
    expect(headFault(DERIVED, head)).toMatch(/columns key: Utf8, .* expected sample_id: Utf8/);
    const old = Uint8Array.from(head);
    const at = Buffer.from(old).indexOf('plumbline.schema');
    old[Buffer.from(old).lastIndexOf('2', at)] = 0x30;
    expect(headFault(READINGS, old)).toMatch(/schema version 0, this build reads 2/);
    expect(headFault(READINGS, head.subarray(0, 60))).toMatch(/unreadable schema/);
    expect(headFault(READINGS, new Uint8Array(1 << 21))).toMatch(/schema of 2097152 bytes/);
  });

  test('a head of vectors of other layers, another width or another seed is told', () => {
    const { activations, controls } = VECTORS;
    const activationsHead = streamHead(ACTIVATIONS);
    expect(headFault(ACTIVATIONS, activationsHead)).toBe(null);
    expect(headFault(activationsFormat({ ...activations, layers: [0, 4] }), activationsHead)).toBe(
      'plumbline.layers is [0,3], the manifest says [0,4]',
    );
    expect(headFault(activationsFormat({ ...activations, width: 6 }), activationsHead)).toMatch(
      /values: FixedSizeList\[5\]<Float32>, expected .*values: FixedSizeList\[6\]<Float32>/,
    );
    expect(headFault(controlsFormat({ ...activations, seed: 9 }), activationsHead)).toMatch(
      /plumbline.values/,
    );
    expect(headFault(controlsFormat({ ...controls, seed: 1 }), streamHead(controlsFormat(controls)))).toBe(
      'plumbline.seed is 9, the manifest says 1',
    );
  });

  test('another row count, a cut, an extra byte', () => {
    const bytes = batchMessage(READINGS, head, rowsOf(5));
    expect(batchFault(READINGS.schema, bytes, 6)).toBe('5 rows, the journal says 6');
    expect(batchFault(READINGS.schema, bytes.subarray(0, -8), 5)).toMatch(/a message of \d+ bytes in \d+/);
    expect(batchFault(READINGS.schema, Buffer.concat([bytes, END_OF_STREAM]), 5)).toMatch(/a message of/);
    expect(batchFault(READINGS.schema, head, 0)).toMatch(/a message/);
    expect(batchFault(DERIVED.schema, bytes, 5)).toBe('35 columns, expected 23');
  });

  test('each offset and each length of a buffer that leaves the body', () => {
    const bytes = batchMessage(READINGS, head, rowsOf(5));
    const metadata = 8 + new DataView(bytes.buffer).getUint32(4, true);
    let outside = 0;
    for (let at = 8; at + 8 <= metadata; at += 4) {
      const changed = Uint8Array.from(bytes);
      new DataView(changed.buffer).setBigInt64(at, BigInt(bytes.length), true);
      if (batchFault(READINGS.schema, changed, 5)?.endsWith('a buffer outside of the body')) outside++;
    }
    // Text has three buffers, all else two: 10 columns of text, 25 others.
    expect(outside).toBeGreaterThanOrEqual(2 * (10 * 3 + 25 * 2));
  });

  test('text offsets that leave the text or run backwards', () => {
    const bytes = batchMessage(READINGS, head, rowsOf(5));
    const metadata = 8 + new DataView(bytes.buffer).getUint32(4, true);
    // The first column is text without nulls: the body starts with its six offsets.
    for (const [i, value] of [
      [5, 1 << 20],
      [5, 0],
      [2, -1],
      [0, -4],
    ] as const) {
      const changed = Uint8Array.from(bytes);
      new DataView(changed.buffer).setInt32(metadata + 4 * i, value, true);
      expect(batchFault(READINGS.schema, changed, 5)).toBe('column key: text offsets that leave the text');
    }
  });

  // Past the checksum on purpose: whatever a file says, the check comes to an end, and what it lets through can be
  // decoded in bounds, to rows or to an error.
  test.each(STREAMS)('no changed byte of the metadata of %s leads out of bounds', (_, format, rows) => {
    const bytes = batchMessage(format, streamHead(format), rows(5));
    const metadata = 8 + new DataView(bytes.buffer).getUint32(4, true);
    let found = 0;
    for (let i = 0; i < metadata; i++) {
      for (const value of [0, 0x7f, 0x80, 0xff]) {
        const changed = Uint8Array.from(bytes);
        changed[i] = value;
        if (batchFault(format.schema, changed, 5) !== null) found++;
        else decodes(format, changed);
      }
    }
    expect(found).toBeGreaterThan(metadata);
  });

  test.each(STREAMS)(
    'random changes of %s never get past in a form that breaks the reader',
    (_, format, rows) => {
      const bytes = batchMessage(format, streamHead(format), rows(12));
      const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255));
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), changes => {
          const changed = Uint8Array.from(bytes);
          for (const [at, value] of changes) changed[at] = value;
          if (batchFault(format.schema, changed, 12) === null) decodes(format, changed);
        }),
        { numRuns: 2000 },
      );
    },
  );

  /** Only the value checks may refuse what the length checks let through. */
  function decodes(format: RowFormat<unknown>, bytes: Uint8Array): void {
    try {
      decodeBatch(format, streamHead(format), bytes);
    } catch (error) {
      expect(String(error)).toMatch(/^Error: row \d+: /);
    }
  }
});
