import type { ActivationRow, Activations } from '../../src/direction/activations.js';
import { unitVectors } from '../../src/direction/vector.js';

/** Standard normal deviates from a seed, by a generator of their own (mulberry32 and the polar method). */
export function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => {
    for (;;) {
      const u = 2 * uniform() - 1;
      const v = 2 * uniform() - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
    }
  };
}

export interface World {
  readonly seed: number;
  readonly perClass: number;
  readonly nEmbd: number;
  readonly layers: readonly number[];
  readonly domains?: readonly string[];
  /** Distance of the class means in noise standard deviations, by layer; elsewhere 0. */
  readonly delta?: ReadonlyMap<number, number>;
  /** Where the middle between the classes lies along the planted axis. */
  readonly middle?: number;
  /** Standard deviation of the noise by coordinate; 1 by default. */
  readonly spread?: (coordinate: number) => number;
}

/** The planted axis of a layer. */
export function axis(nEmbd: number, layer: number): Float32Array {
  return unitVectors(nEmbd, layer, 'planted')();
}

/** Gaussian clouds of two classes whose means differ along one known axis per layer. */
export function world({ seed, perClass, nEmbd, layers, ...rest }: World): Activations {
  const { domains = ['d'], delta = new Map(), middle = 0, spread = () => 1 } = rest;
  const normal = normals(seed);
  const axes = layers.map(layer => axis(nEmbd, layer));
  const rows: ActivationRow[] = [];
  for (const domain of domains) {
    for (let i = 0; i < 2 * perClass; i++) {
      const label = i % 2 === 0 ? 1 : 0;
      rows.push({
        id: `${domain}/${i}`,
        domain,
        label,
        activation: layers.map((layer, at) => {
          const along = middle + (label - 0.5) * (delta.get(layer) ?? 0);
          return Float32Array.from(
            { length: nEmbd },
            (_, c) => normal() * spread(c) + along * (axes[at]?.[c] ?? 0),
          );
        }),
      });
    }
  }
  return { layers, nEmbd, rows };
}
