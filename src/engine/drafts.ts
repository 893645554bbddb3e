import { tileUp } from './chunk.js';

/** Guesses for the free places of a tile, from what followed the same two tokens before. A guess never decides anything. */
export interface Drafts {
  /** `tokens` padded to whole tiles: up to `guesses` guesses, then token 0. */
  fill(tokens: Int32Array, tile: number, guesses: number): Int32Array;
  learn(generated: readonly number[]): void;
}

const DRAFT_MEMORY = 4096;

export function createDrafts(): Drafts {
  const next = new Map<string, number>();
  const key = (a: number | undefined, b: number | undefined): string => `${a},${b}`;
  return {
    fill(tokens, tile, guesses) {
      const padded = new Int32Array(tileUp(tokens.length, tile));
      padded.set(tokens);
      for (let i = tokens.length; i < Math.min(padded.length, tokens.length + guesses); i++) {
        const draft = next.get(key(padded[i - 2], padded[i - 1]));
        if (draft === undefined) break;
        padded[i] = draft;
      }
      return padded;
    },
    learn(generated) {
      if (next.size > DRAFT_MEMORY) next.clear();
      for (let i = 2; i < generated.length; i++)
        next.set(key(generated[i - 2], generated[i - 1]), generated[i] as number);
    },
  };
}
