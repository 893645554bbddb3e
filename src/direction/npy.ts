import { PlumblineError } from '../errors.js';
import { decodeFloats, FLOAT_BYTES, type FloatFormat } from './floats.js';

/** Numbers in C order: the last dimension is the contiguous one. */
export interface FloatArray {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

const FORMATS: Readonly<Record<string, FloatFormat>> = { f2: 'F16', f4: 'F32', f8: 'F64' };

export function isNpy(head: Uint8Array): boolean {
  return head[0] === 0x93 && Buffer.from(head.subarray(1, 6)).toString('latin1') === 'NUMPY';
}

/**
 * Reads a NumPy `.npy` file (format 1, 2 or 3; float16, 32 or 64; either byte order; C order). `name` is the file's.
 * @throws PlumblineError DIRECTION_INVALID.
 */
export function readNpy(bytes: Uint8Array, name: string): FloatArray {
  const fail = (problem: string): never => {
    throw new PlumblineError('DIRECTION_INVALID', `${name}: ${problem}`);
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isNpy(bytes) || bytes.length < 12) fail('not a .npy file: it does not begin with \\x93NUMPY');
  const major = view.getUint8(6);
  if (major < 1 || major > 3) fail(`.npy format ${major}, expected 1, 2 or 3`);
  const start = major === 1 ? 10 : 12;
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const end = start + length;
  if (end > bytes.length) fail(`the header ends at byte ${end}, but the file ends at byte ${bytes.length}`);

  const header = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  const descr = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const order = /'fortran_order':\s*(True|False)/.exec(header)?.[1];
  const shapeText = /'shape':\s*\(([\d,\s]*)\)/.exec(header)?.[1];
  if (descr === undefined || order === undefined || shapeText === undefined) {
    return fail("the header lacks 'descr', 'fortran_order' or 'shape', or it is a structured array");
  }
  const format = FORMATS[descr.slice(1)];
  if (format === undefined || !['<', '>', '|', '='].includes(descr.charAt(0))) {
    return fail(
      `values of type ${JSON.stringify(descr)}, expected float16, 32 or 64 (f2, f4, f8); use .astype(numpy.float32)`,
    );
  }
  if (order === 'True') {
    fail('the array is in Fortran order, expected C order; use numpy.ascontiguousarray before saving');
  }
  const shape = shapeText
    .split(',')
    .filter(part => part.trim() !== '')
    .map(Number);
  const expected = shape.reduce((product, size) => product * size, FLOAT_BYTES[format]);
  if (bytes.length - end !== expected) {
    fail(
      `the shape (${shape.join(', ')}) of ${descr} takes ${expected} bytes, but ${bytes.length - end} follow the header`,
    );
  }
  return { shape, data: decodeFloats(bytes.subarray(end), format, descr.charAt(0) !== '>') };
}
