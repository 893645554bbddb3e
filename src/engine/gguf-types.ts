/** Numbers of the GGUF file format (version 3) and of ggml's tensor formats, as llama.cpp v0.5.0 defines them. */

/** Metadata value types by their number in the file; `size` in bytes, 0 where it varies. */
export const GGUF_VALUE_TYPES = [
  { name: 'u8', size: 1 },
  { name: 'i8', size: 1 },
  { name: 'u16', size: 2 },
  { name: 'i16', size: 2 },
  { name: 'u32', size: 4 },
  { name: 'i32', size: 4 },
  { name: 'f32', size: 4 },
  { name: 'bool', size: 1 },
  { name: 'string', size: 0 },
  { name: 'array', size: 0 },
  { name: 'u64', size: 8 },
  { name: 'i64', size: 8 },
  { name: 'f64', size: 8 },
] as const;

export type GgufValueType = (typeof GGUF_VALUE_TYPES)[number]['name'];

/** Number of a value type in the file. */
export function ggufValueTypeId(type: GgufValueType): number {
  return GGUF_VALUE_TYPES.findIndex(({ name }) => name === type);
}

/** A tensor format: rows are stored in blocks of `block` elements, `bytes` bytes each. */
export interface GgmlType {
  readonly id: number;
  readonly name: string;
  readonly block: number;
  readonly bytes: number;
}

// [number in the file, name, elements per block, bytes per block]. Numbers that are absent were withdrawn by ggml.
const GGML_TABLE: readonly (readonly [number, string, number, number])[] = [
  [0, 'F32', 1, 4],
  [1, 'F16', 1, 2],
  [2, 'Q4_0', 32, 18],
  [3, 'Q4_1', 32, 20],
  [6, 'Q5_0', 32, 22],
  [7, 'Q5_1', 32, 24],
  [8, 'Q8_0', 32, 34],
  [9, 'Q8_1', 32, 36],
  [10, 'Q2_K', 256, 84],
  [11, 'Q3_K', 256, 110],
  [12, 'Q4_K', 256, 144],
  [13, 'Q5_K', 256, 176],
  [14, 'Q6_K', 256, 210],
  [15, 'Q8_K', 256, 292],
  [16, 'IQ2_XXS', 256, 66],
  [17, 'IQ2_XS', 256, 74],
  [18, 'IQ3_XXS', 256, 98],
  [19, 'IQ1_S', 256, 50],
  [20, 'IQ4_NL', 32, 18],
  [21, 'IQ3_S', 256, 110],
  [22, 'IQ2_S', 256, 82],
  [23, 'IQ4_XS', 256, 136],
  [24, 'I8', 1, 1],
  [25, 'I16', 1, 2],
  [26, 'I32', 1, 4],
  [27, 'I64', 1, 8],
  [28, 'F64', 1, 8],
  [29, 'IQ1_M', 256, 56],
  [30, 'BF16', 1, 2],
  [34, 'TQ1_0', 256, 54],
  [35, 'TQ2_0', 256, 66],
  [39, 'MXFP4', 32, 17],
  [40, 'NVFP4', 64, 36],
  [41, 'Q1_0', 128, 18],
  [42, 'Q2_0', 64, 18],
];

const GGML_TYPES: ReadonlyMap<number, GgmlType> = new Map(
  GGML_TABLE.map(([id, name, block, bytes]) => [id, { id, name, block, bytes }]),
);

/** The tensor format with this number, or undefined when this llama.cpp does not know it. */
export function ggmlType(id: number): GgmlType | undefined {
  return GGML_TYPES.get(id);
}

/** The tensor format of this name, as the reader of headers gives it. */
export function ggmlTypeNamed(name: string): GgmlType {
  const type = [...GGML_TYPES.values()].find(one => one.name === name);
  if (type === undefined) throw new Error(`no tensor format ${name}`);
  return type;
}

export const GGUF_DEFAULT_ALIGNMENT = 32;
/** llama.cpp keeps tensor names in 64 bytes with a closing NUL. */
export const GGUF_MAX_TENSOR_NAME = 63;
/** `GGUF`, read as a little-endian number. */
export const GGUF_MAGIC = 0x46554747;
