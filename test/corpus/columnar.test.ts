import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  Bool,
  Dictionary,
  Field,
  Int8,
  Int64,
  LargeUtf8,
  List,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCorpus } from '../../src/corpus/load.js';
import { PlumblineError } from '../../src/errors.js';
import { FIXTURES } from './columnar-fixtures.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plumbline-columnar-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

type Kind = 'parquet' | 'arrow';
const MAP = { labels: { true: 1, false: 0 } } as const;

function write(bytes: Uint8Array): string {
  const path = join(folder, 'cases.bin');
  writeFileSync(path, bytes);
  return path;
}

const fixture = (name: keyof typeof FIXTURES): Buffer => gunzipSync(Buffer.from(FIXTURES[name], 'base64'));
const load = (kind: Kind, bytes: Uint8Array, map: Parameters<typeof loadCorpus>[1] = MAP) =>
  loadCorpus(`${kind}:${write(bytes)}`, map);

async function failure(
  kind: Kind,
  bytes: Uint8Array,
  map?: Parameters<typeof loadCorpus>[1],
): Promise<string> {
  const error = await load(kind, bytes, map).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PlumblineError);
  const { code, message } = error as PlumblineError;
  expect(code).toBe('CORPUS_FORMAT');
  expect(message).toContain(join(folder, 'cases.bin'));
  return message;
}

const table = (): Table =>
  new Table({
    id: vectorFromArray([1n, 2n, 3n], new Int64()),
    domain: vectorFromArray(['d', 'd', 'e'], new Dictionary(new Utf8(), new Int8())),
    rule: vectorFromArray([' R\u00a0', '\ufeffR2', null], new Utf8()),
    scenario: vectorFromArray(['S\n', 'T', 'U'], new LargeUtf8()),
    label: vectorFromArray([true, false, true], new Bool()),
    ignored: vectorFromArray([[1], [], [2]], new List(new Field('item', new Int8()))),
  });

const texts = [
  ['1', 'd', ' R\u00a0', 'S\n', 1],
  ['2', 'd', '\ufeffR2', 'T', 0],
];

describe.each([
  ['an Arrow file', 'arrow', () => tableToIPC(table(), 'file')],
  ['an Arrow stream', 'arrow', () => tableToIPC(table(), 'stream')],
  ['Snappy Parquet of pyarrow', 'parquet', () => fixture('pyarrowSnappy')],
  ['Zstandard Parquet of pyarrow, data pages 2', 'parquet', () => fixture('pyarrowZstd')],
] as const)('%s', (_, kind, bytes) => {
  test('keeps texts as they are, reads ids and labels of other types, reports a null', async () => {
    const corpus = await load(kind, bytes());
    expect(corpus.format).toBe(kind);
    expect(
      corpus.cases.map(({ id, domain, rule, scenario, label }) => [id, domain, rule, scenario, label]),
    ).toEqual(texts);
    expect(corpus.issues.map(({ kind, at, unit, skipped }) => [kind, at, unit, skipped])).toEqual([
      ['missing-field', 2, 'index', true],
    ]);
    expect(corpus.files).toEqual([
      { name: 'cases.bin', bytes: bytes().length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  test('takes a column map, and names the columns when one is missing', async () => {
    const swapped = await load(kind, bytes(), { ...MAP, columns: { rule: 'scenario', scenario: 'domain' } });
    expect(swapped.cases.map(({ rule, scenario }) => [rule, scenario])).toEqual([
      ['S\n', 'd'],
      ['T', 'd'],
      ['U', 'e'],
    ]);
    const message = await failure(kind, bytes(), { ...MAP, columns: { rule: 'policy' } });
    expect(message).toContain('no column "policy"; the file has "id", "domain", "rule"');
  });
});

test('string views of polars are read', async () => {
  const { cases } = await load('arrow', fixture('polarsIpc'));
  expect(cases.map(({ rule, scenario }) => [rule, scenario])).toEqual([
    ['a rule that is longer than twelve bytes', 'S'],
    [' R\u00a0', 'T'],
  ]);
});

describe('what cannot be read is a format error with the file', () => {
  test.each(['arrow', 'parquet'] as const)('%s: other bytes', async kind => {
    for (const bytes of ['', 'id,domain\n', '{"a": 1}\n'.repeat(20), 'ARROW1\0\0', 'PAR1']) {
      await failure(kind, Buffer.from(bytes, 'latin1'));
    }
    await failure(
      kind === 'arrow' ? 'parquet' : 'arrow',
      kind === 'arrow' ? tableToIPC(table(), 'file') : fixture('pyarrowZstd'),
    );
  });

  test('compressed Arrow, with what to do', async () => {
    expect(await failure('arrow', fixture('pyarrowLz4'))).toContain('write it uncompressed');
  });

  test('a rule that is no text', async () => {
    const numbers = tableFromArrays({
      domain: ['d'],
      rule: Float64Array.of(1),
      scenario: ['s'],
      label: ['x'],
    });
    expect(await failure('arrow', tableToIPC(numbers, 'file'))).toContain('column "rule" is of type Float64');
  });

  test('texts that are not UTF-8', async () => {
    const bytes = tableToIPC(table(), 'file');
    const at = Buffer.from(bytes).indexOf('R2');
    bytes[at] = 0xff;
    expect(await failure('arrow', bytes)).toContain('column "rule", row 1: not valid UTF-8');
  });
});

describe('damage', () => {
  const whole = { file: tableToIPC(table(), 'file'), stream: tableToIPC(table(), 'stream') };

  /** Anything but a hang, an exhausted memory or an untyped error. */
  async function survives(kind: Kind, bytes: Uint8Array): Promise<boolean> {
    try {
      await load(kind, bytes);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(PlumblineError);
      expect((error as PlumblineError).code).toMatch(/^CORPUS_(FORMAT|EMPTY)$/);
      return false;
    }
  }

  test.each(['file', 'stream'] as const)('an Arrow %s with any byte changed stays in bounds', async form => {
    for (let at = 0; at < whole[form].length; at++) {
      const bytes = Uint8Array.from(whole[form]);
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      await survives('arrow', bytes);
    }
  });

  test('a cut Arrow file is refused wherever it is cut', async () => {
    for (let length = 0; length < whole.file.length; length++) {
      expect(await survives('arrow', whole.file.subarray(0, length))).toBe(false);
    }
  });

  test('Parquet with any byte changed, or cut, gives a typed error or rows', async () => {
    const bytes = fixture('pyarrowSnappy');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      await survives('parquet', changed);
    }
    for (let length = 0; length < bytes.length; length += 7) {
      expect(await survives('parquet', bytes.subarray(0, length))).toBe(false);
    }
  });
});
