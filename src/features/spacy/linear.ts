/** A layer of maxout units and layer normalisation: weights [width x pieces x inputs], biases, gain and offset. */
export interface MaxoutLayer {
  readonly width: number;
  readonly pieces: number;
  readonly inputs: number;
  readonly weights: Float64Array;
  readonly biases: Float64Array;
  readonly gain: Float64Array;
  readonly offset: Float64Array;
}

/** out[i] = rows of `weights` [outputs x inputs] times the inputs at `at`, plus biases where there are any. */
export function multiply(
  weights: Float64Array,
  inputs: Float64Array,
  at: number,
  size: number,
  out: Float64Array,
  biases: Float64Array | null,
): void {
  const outputs = out.length;
  let i = 0;
  // Four rows at once: each input is loaded once for four products.
  for (; i + 4 <= outputs; i += 4) {
    let [a, b, c, d] = [0, 0, 0, 0];
    const row = i * size;
    for (let k = 0; k < size; k++) {
      const x = inputs[at + k] as number;
      a += (weights[row + k] as number) * x;
      b += (weights[row + size + k] as number) * x;
      c += (weights[row + 2 * size + k] as number) * x;
      d += (weights[row + 3 * size + k] as number) * x;
    }
    out[i] = a;
    out[i + 1] = b;
    out[i + 2] = c;
    out[i + 3] = d;
  }
  for (; i < outputs; i++) {
    let sum = 0;
    for (let k = 0; k < size; k++) sum += (weights[i * size + k] as number) * (inputs[at + k] as number);
    out[i] = sum;
  }
  if (biases !== null) for (let k = 0; k < outputs; k++) out[k] = (out[k] as number) + (biases[k] as number);
}

/** The largest of each `pieces` neighbouring numbers. */
export function maxout(values: Float64Array, pieces: number, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) {
    let best = values[i * pieces] as number;
    for (let piece = 1; piece < pieces; piece++) best = Math.max(best, values[i * pieces + piece] as number);
    out[i] = best;
  }
}

const EPSILON = 1e-8;

/** A function that gives a layer's outputs for the inputs at a place; the result is overwritten by the next call. */
export function createMaxout(layer: MaxoutLayer): (inputs: Float64Array, at: number) => Float64Array {
  const { width, pieces, inputs: size, weights, biases, gain, offset } = layer;
  const sums = new Float64Array(width * pieces);
  const out = new Float64Array(width);
  return (inputs, at) => {
    multiply(weights, inputs, at, size, sums, biases);
    maxout(sums, pieces, out);
    let mean = 0;
    for (let i = 0; i < width; i++) mean += out[i] as number;
    mean /= width;
    let variance = 0;
    for (let i = 0; i < width; i++) variance += ((out[i] as number) - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / width + EPSILON);
    for (let i = 0; i < width; i++)
      out[i] = ((out[i] as number) - mean) * scale * (gain[i] as number) + (offset[i] as number);
    return out;
  };
}
