/** Makes a file out of rows, piece by piece: `head` once, `rows` for each part of the table, `end` once. */
export interface TableEncoder<T> {
  readonly head: () => Uint8Array;
  readonly rows: (rows: readonly T[]) => Uint8Array;
  readonly end: () => Uint8Array;
}
