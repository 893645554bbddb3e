/** Guesses for the free places of a tile. A guess never decides anything: it counts only when the model agrees. */
export interface Drafts {
  /** At most `count` tokens that may follow `context`, from what followed its last two tokens before. */
  guess(context: Int32Array, count: number): Int32Array;
  /** Remembers a greedy continuation with the tokens before it. */
  learn(continued: Int32Array): void;
}

const DRAFT_MEMORY = 4096;

export function createDrafts(): Drafts {
  const next = new Map<string, number>();
  const key = (tokens: ArrayLike<number>, end: number): string => `${tokens[end - 2]},${tokens[end - 1]}`;
  return {
    guess(context, count) {
      const tokens = [...context.subarray(-2)];
      const guesses: number[] = [];
      while (guesses.length < count) {
        const draft = next.get(key(tokens, tokens.length));
        if (draft === undefined) break;
        tokens.push(draft);
        guesses.push(draft);
      }
      return Int32Array.from(guesses);
    },
    learn(continued) {
      if (next.size > DRAFT_MEMORY) next.clear();
      for (let i = 2; i < continued.length; i++) next.set(key(continued, i), continued[i] as number);
    },
  };
}
