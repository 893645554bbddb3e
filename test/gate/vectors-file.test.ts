import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Field,
  FixedSizeList,
  Float32,
  List,
  makeBuilder,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { readVectors, vectorsEncoder } from '../../src/gate/vectors-file.js';
import { temporaryFolder } from '../run/folder.js';

const ROWS = [
  { text: 'one', vector: [0.5, -1, 2] },
  { text: 'två', vector: [1, 0, 0.25] },
];

function file(name: string, content: string | Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

function arrow(kind: 'file' | 'stream', fixed: boolean): Uint8Array {
  const item = new Field('item', new Float32(), true);
  const builder = makeBuilder({ type: fixed ? new FixedSizeList(3, item) : new List(item) });
  for (const { vector } of ROWS) builder.append(vector);
  const texts = vectorFromArray(
    ROWS.map(({ text }) => text),
    new Utf8(),
  );
  return tableToIPC(new Table({ text: texts, vector: builder.finish().toVector() }), kind);
}

const expected = ROWS.map(({ text, vector }) => ({ text, vector: Float32Array.from(vector) }));

describe('vectors are read', () => {
  test('from JSON Lines', async () => {
    const lines = ROWS.map(row => JSON.stringify(row)).join('\n');
    expect(await readVectors(file('v.jsonl', `${lines}\n\n${JSON.stringify(ROWS[0])}\n`))).toEqual(expected);
  });

  test.each([
    ['file', false],
    ['file', true],
    ['stream', false],
    ['stream', true],
  ] as const)('from an Arrow %s (fixed size: %s)', async (kind, fixed) => {
    expect(await readVectors(file('v.arrow', arrow(kind, fixed)))).toEqual(expected);
  });

  // Written by pyarrow 26: pyarrow.parquet.write_table(table, name, compression=…), lists of float32.
  test.each(['snappy', 'zstd'])('from Parquet (%s)', async compression => {
    const path = fileURLToPath(new URL(`vectors-${compression}.parquet`, import.meta.url));
    expect(await readVectors(path)).toEqual(expected);
  });

  test('and a text that is not there is flagged', async () => {
    const encoder = await vectorsEncoder(file('v.jsonl', ROWS.map(row => JSON.stringify(row)).join('\n')));
    expect(encoder).toMatchObject({ name: 'v.jsonl', facts: { vectors: 2 } });
    expect(await encoder.embed(['zwei', 'one'])).toEqual([
      { vector: null, flag: 'no-vector' },
      { vector: Float32Array.of(0.5, -1, 2), flag: null },
    ]);
  });
});

describe('a file of vectors is refused', () => {
  test.each([
    ['that is not there', () => '/nowhere/v.jsonl', /cannot read/],
    ['of another kind', () => file('v.csv', 'a,b'), /ending .csv/],
    ['that is empty', () => file('v.jsonl', '\n'), /no vector/],
    ['that is not JSON', () => file('v.jsonl', 'text'), /v\.jsonl:1: not valid JSON/],
    ['without texts', () => file('v.jsonl', '{"vector": [1]}'), /row 0: expected/],
    ['without numbers', () => file('v.jsonl', '{"text": "a", "vector": ["x"]}'), /row 0: expected/],
    ['with an empty vector', () => file('v.jsonl', '{"text": "a", "vector": []}'), /row 0: expected/],
    [
      'with two vectors of a text',
      () => file('v.jsonl', '{"text":"a","vector":[1]}\n{"text":"a","vector":[2]}'),
      /second, different/,
    ],
    [
      'that is damaged',
      () => file('v.arrow', arrow('file', false).slice(0, 100)),
      /cannot read|no vector|expected/,
    ],
    ['that is no Parquet', () => file('v.parquet', 'PAR1 nothing'), /cannot read/],
  ])('%s', async (_, make, message) => {
    await expect(readVectors(make())).rejects.toMatchObject({
      code: 'VECTORS_INVALID',
      message: expect.stringMatching(message),
    });
  });

  test('but one with a null inside gives a vector that is not finite', async () => {
    const [row] = await readVectors(file('v.jsonl', '{"text": "a", "vector": [1, null]}'));
    expect(row?.vector).toEqual(Float32Array.of(1, Number.NaN));
  });
});
