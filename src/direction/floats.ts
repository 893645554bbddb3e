/** Bytes per value of the formats that direction files hold their numbers in. */
export const FLOAT_BYTES = { F64: 8, F32: 4, F16: 2, BF16: 2 } as const;
export type FloatFormat = keyof typeof FLOAT_BYTES;

/** The values as float32: F32, F16 and BF16 exactly, F64 rounded to nearest. Whole values are expected. */
export function decodeFloats(bytes: Uint8Array, format: FloatFormat, littleEndian = true): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = FLOAT_BYTES[format];
  const values = new Float32Array(bytes.byteLength / size);
  // float32 bits go through an integer array: no rounding and no change of a NaN's bits on the way.
  const bits = new Uint32Array(values.buffer);
  for (let i = 0; i < values.length; i++) {
    const at = i * size;
    if (format === 'F64') values[i] = view.getFloat64(at, littleEndian);
    else if (format === 'F32') bits[i] = view.getUint32(at, littleEndian);
    else if (format === 'BF16') bits[i] = view.getUint16(at, littleEndian) << 16;
    else values[i] = fromHalf(view.getUint16(at, littleEndian));
  }
  return values;
}

/** The value of IEEE 754 half-precision bits. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const mantissa = bits & 0x3ff;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 0x1f) return mantissa === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}
