import {
  Bool,
  type Data,
  type DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int8,
  Int32,
  makeData,
  Utf8,
  type Vector,
  vectorFromArray,
} from 'apache-arrow';
import type { Label } from '../corpus/types.js';

/** Where the values of a column are null; `bitmap` has a set bit for each value that is there, lowest bit first. */
interface Validity {
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array | null;
}

const NO_NULLS: Validity = { nullCount: 0, nullBitmap: null };

/** One type of value: its Arrow type, the check that a value is one, and its buffers. */
interface Kind<V> {
  readonly type: DataType;
  readonly expects: string;
  readonly accepts: (value: unknown) => value is V;
  /** Null values have passed `accepts` or are null; their place is filled with zeros, so that equal rows give equal bytes. */
  readonly data: (values: readonly (V | null)[], validity: Validity) => Data;
  /** The values of a column of a batch; left out where Arrow gives the value as it is. */
  readonly values?: (vector: Vector) => readonly unknown[];
}

/** A column: a kind, and whether a value may be missing. */
export interface Column<V> {
  readonly type: DataType;
  readonly nullable: boolean;
  readonly expects: string;
  readonly accepts: (value: unknown) => value is V;
  /** All values must have passed `accepts`. */
  readonly data: (values: readonly V[]) => Data;
  /** What a column of a batch holds, row by row; for `accepts` to check. */
  readonly values: (vector: Vector) => readonly unknown[];
}

const asTheyAre = (vector: Vector): readonly unknown[] =>
  Array.from({ length: vector.length }, (_, row): unknown => vector.get(row));

/** One column for each property of a row, in the order of the file. */
export type Columns<T> = { readonly [K in keyof T]-?: Column<T[K]> };

/** A column without nulls. */
export function required<V>(kind: Kind<V>): Column<V> {
  return {
    type: kind.type,
    nullable: false,
    expects: kind.expects,
    accepts: kind.accepts,
    data: values => kind.data(values, NO_NULLS),
    values: kind.values ?? asTheyAre,
  };
}

/** A column that may hold nulls. */
export function orNull<V>(kind: Kind<V>): Column<V | null> {
  return {
    type: kind.type,
    nullable: true,
    expects: `${kind.expects} or null`,
    accepts: (value): value is V | null => value === null || kind.accepts(value),
    data: values => kind.data(values, validityOf(values)),
    values: kind.values ?? asTheyAre,
  };
}

function validityOf(values: readonly unknown[]): Validity {
  const nullBitmap = new Uint8Array(Math.ceil(values.length / 8));
  let nullCount = 0;
  values.forEach((value, i) => {
    if (value === null) nullCount++;
    else setBit(nullBitmap, i);
  });
  return { nullCount, nullBitmap };
}

function setBit(bits: Uint8Array, i: number): void {
  bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
}

const isString = (value: unknown): value is string => typeof value === 'string';

function textData(values: readonly (string | null)[], validity: Validity): Data {
  const pieces = values.map(value => Buffer.from(value ?? '', 'utf8'));
  const valueOffsets = new Int32Array(values.length + 1);
  let end = 0;
  pieces.forEach((piece, i) => {
    end += piece.length;
    valueOffsets[i + 1] = end;
  });
  const data = new Uint8Array(Buffer.concat(pieces));
  return makeData({ type: TEXT_TYPE, length: values.length, ...validity, valueOffsets, data });
}

const TEXT_TYPE = new Utf8();

export const text: Kind<string> = { type: TEXT_TYPE, expects: 'text', accepts: isString, data: textData };

/** Text that rows are found by: half a surrogate pair has no UTF-8, so that it would come back as another text. */
export const identifier: Kind<string> = {
  type: TEXT_TYPE,
  expects: 'text without lone surrogates',
  accepts: (value): value is string => isString(value) && !/\p{Surrogate}/u.test(value),
  data: textData,
};

const BOOL_TYPE = new Bool();

export const bool: Kind<boolean> = {
  type: BOOL_TYPE,
  expects: 'true or false',
  accepts: (value): value is boolean => typeof value === 'boolean',
  data: (values, validity) => {
    const data = new Uint8Array(Math.ceil(values.length / 8));
    values.forEach((value, i) => {
      if (value) setBit(data, i);
    });
    return makeData({ type: BOOL_TYPE, length: values.length, ...validity, data });
  },
};

const INT8_TYPE = new Int8();

export const label: Kind<Label> = {
  type: INT8_TYPE,
  expects: '0 or 1',
  accepts: (value): value is Label => value === 0 || value === 1,
  data: (values, validity) =>
    makeData({
      type: INT8_TYPE,
      length: values.length,
      ...validity,
      data: Int8Array.from(values, value => value ?? 0),
    }),
};

const INT32_TYPE = new Int32();

export const int32: Kind<number> = {
  type: INT32_TYPE,
  expects: 'a 32-bit integer',
  accepts: (value): value is number => typeof value === 'number' && (value | 0) === value,
  data: (values, validity) =>
    makeData({
      type: INT32_TYPE,
      length: values.length,
      ...validity,
      data: Int32Array.from(values, value => value ?? 0),
    }),
};

/** One of the layers that a stream is planned for. */
export function layerOf(layers: readonly number[]): Kind<number> {
  return {
    ...int32,
    expects: `one of the layers ${layers.join(', ')}`,
    accepts: (value): value is number => int32.accepts(value) && layers.includes(value),
  };
}

const FLOAT64_TYPE = new Float64();

export const float64: Kind<number> = {
  type: FLOAT64_TYPE,
  expects: 'a number',
  accepts: (value): value is number => typeof value === 'number',
  data: (values, validity) =>
    makeData({
      type: FLOAT64_TYPE,
      length: values.length,
      ...validity,
      data: Float64Array.from(values, value => value ?? 0),
    }),
};

/**
 * One of a closed list of words, as a dictionary that is written once, before the first batch. `id` must be unique in
 * the schema. A change of the list is a change of the format: raise the schema version.
 */
export function oneOf<const W extends string>(id: number, words: readonly W[]): Kind<W> {
  const type = new Dictionary(new Utf8(), new Int8(), id, false);
  const dictionary = vectorFromArray([...words], new Utf8());
  const index = new Map<unknown, number>(words.map((word, i) => [word, i]));
  return {
    type,
    expects: `one of ${words.join(', ')}`,
    accepts: (value): value is W => index.has(value),
    data: (values, validity) =>
      makeData({
        type,
        length: values.length,
        ...validity,
        data: Int8Array.from(values, value => index.get(value) ?? 0),
        dictionary,
      }),
  };
}

/** Vectors of `width` float32 values, none of them null. */
export function float32s(width: number): Kind<Float32Array> {
  const valueType = new Float32();
  const type = new FixedSizeList(width, new Field('item', valueType, false));
  return {
    type,
    expects: `a Float32Array of ${width}`,
    accepts: (value): value is Float32Array => value instanceof Float32Array && value.length === width,
    data: (values, validity) => {
      const data = new Float32Array(values.length * width);
      values.forEach((value, i) => {
        if (value !== null) data.set(value, i * width);
      });
      const child = makeData({ type: valueType, length: data.length, ...NO_NULLS, data });
      return makeData({ type, length: values.length, ...validity, child });
    },
    // Copies: a row that is kept does not keep the memory of its whole batch.
    values: vector =>
      vector.data.flatMap(({ length, children }) => {
        const floats: Float32Array = children[0]?.values;
        return Array.from({ length }, (_, i) => floats.slice(i * width, (i + 1) * width));
      }),
  };
}
