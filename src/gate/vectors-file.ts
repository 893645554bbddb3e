import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { messageOf, PlumblineError } from '../errors.js';
import type { Encoder } from './encoder.js';
import { jsonLines } from './json-lines.js';

export interface TextVector {
  readonly text: string;
  readonly vector: Float32Array;
}

const EXPECTED =
  'expected rows with a column "text" and a column "vector" of numbers, as .jsonl, .arrow or .parquet';

/**
 * Precomputed vectors: JSON Lines, an Arrow IPC file or stream, or Parquet, told apart by the file's ending.
 * Errors: VECTORS_INVALID for a file that cannot be read or understood, and for a text with two different vectors.
 */
export async function readVectors(file: string): Promise<readonly TextVector[]> {
  const bytes = readBytes(file);
  const rows = await rowsOf(file, bytes);
  const vectors = new Map<string, Float32Array>();
  rows.forEach((row, i) => {
    const vector = vectorOf(row.vector);
    if (typeof row.text !== 'string' || vector === null)
      throw new PlumblineError('VECTORS_INVALID', `${file}, row ${i}: ${EXPECTED}`);
    const before = vectors.get(row.text);
    if (before !== undefined && !sameVector(before, vector)) {
      throw new PlumblineError(
        'VECTORS_INVALID',
        `${file}, row ${i}: a second, different vector for ${JSON.stringify(row.text)}: one for each text expected`,
      );
    }
    vectors.set(row.text, vector);
  });
  if (vectors.size === 0)
    throw new PlumblineError('VECTORS_INVALID', `${file}: no vector in it; ${EXPECTED}`);
  return [...vectors].map(([text, vector]) => ({ text, vector }));
}

/** An encoder that looks texts up in a file of vectors; a text that is not in it is flagged `no-vector`. */
export async function vectorsEncoder(file: string): Promise<Encoder> {
  const vectors = new Map((await readVectors(file)).map(({ text, vector }) => [text, vector]));
  const sha256 = createHash('sha256').update(readBytes(file)).digest('hex');
  return {
    name: path.basename(file),
    facts: { kind: 'vectors from a file', file: path.basename(file), sha256, vectors: vectors.size },
    embed: async texts =>
      texts.map(text => {
        const vector = vectors.get(text) ?? null;
        return { vector, flag: vector === null ? 'no-vector' : null };
      }),
  };
}

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(file: string, bytes: Buffer): Promise<readonly Row[]> {
  const ending = path.extname(file).toLowerCase();
  if (['.jsonl', '.ndjson'].includes(ending)) {
    const lines = jsonLines(
      bytes.toString('utf8'),
      file,
      'VECTORS_INVALID',
      z.record(z.string(), z.unknown()),
    );
    return lines.map(({ value }) => value);
  }
  try {
    if (ending === '.parquet') {
      const buffer = new Uint8Array(bytes).buffer;
      return await parquetReadObjects({ file: buffer, columns: ['text', 'vector'], compressors });
    }
    if (['.arrow', '.arrows', '.feather', '.ipc'].includes(ending)) {
      return tableFromIPC(bytes)
        .toArray()
        .map(row => ({ text: row.text, vector: row.vector }));
    }
  } catch (error) {
    throw new PlumblineError('VECTORS_INVALID', `cannot read ${file}: ${messageOf(error)}; ${EXPECTED}`, {
      cause: error,
    });
  }
  throw new PlumblineError(
    'VECTORS_INVALID',
    `${file}: the ending ${ending || '(none)'} is not understood; ${EXPECTED}`,
  );
}

function vectorOf(value: unknown): Float32Array | null {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) return null;
  const numbers = [...(value as Iterable<unknown>)];
  // JSON has no NaN: writers of vectors put null.
  if (!numbers.every(item => typeof item === 'number' || item === null) || numbers.length === 0) return null;
  return Float32Array.from(numbers, item => item ?? Number.NaN);
}

function sameVector(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => Object.is(value, b[i]));
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new PlumblineError('VECTORS_INVALID', `cannot read ${file}: ${messageOf(error)}`, { cause: error });
  }
}
