/** A flatbuffer table: `field(i)` is the absolute position of field i, or null when the table leaves it out. */
export interface Table {
  readonly view: DataView;
  readonly field: (i: number) => number | null;
}

/** Follows the offset at `at`. Every access goes through DataView, which refuses to leave the buffer. */
export function tableAt(view: DataView, at: number): Table {
  const start = at + view.getUint32(at, true);
  const vtable = start - view.getInt32(start, true);
  const size = view.getUint16(vtable, true);
  if (vtable + size > view.byteLength) throw new RangeError(`a table of ${size} bytes`);
  return {
    view,
    field: i => {
      const slot = 4 + 2 * i;
      const offset = slot + 2 <= size ? view.getUint16(vtable + slot, true) : 0;
      return offset === 0 ? null : start + offset;
    },
  };
}

/** A 64-bit length or offset: the format's are signed, none may be negative or beyond 2^53. */
export function length64(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true));
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`a length of ${value}`);
  return value;
}

/** Field `i` of a table as a vector of pairs of 64-bit numbers. The vector must lie in the buffer. */
export function structs(table: Table, i: number): readonly (readonly [number, number])[] {
  const { view } = table;
  return entries(table, i, 16).map(at => [length64(view, at), length64(view, at + 8)] as const);
}

/** Field `i` of a table as a vector of tables. The vector must lie in the buffer. */
export function tables(table: Table, i: number): readonly Table[] {
  return entries(table, i, 4).map(at => tableAt(table.view, at));
}

/** Positions of the entries, of `size` bytes each, of the vector that field `i` points to. It must lie in the buffer. */
export function entries({ view, field }: Table, i: number, size: number): readonly number[] {
  const at = field(i);
  if (at === null) return [];
  const vector = at + view.getUint32(at, true);
  const count = view.getUint32(vector, true);
  if (vector + 4 + size * count > view.byteLength) throw new RangeError(`a vector of ${count} entries`);
  return Array.from({ length: count }, (_, k) => vector + 4 + size * k);
}
