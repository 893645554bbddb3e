import { hasAlphanumeric } from './text.js';

/** One token of a parsed text. */
export interface ParsedToken {
  readonly text: string;
  /** Index in the text of the token that it depends on; its own index for the root of a sentence. */
  readonly head: number;
  readonly label: string;
  readonly startsSentence: boolean;
}

export type Parse = readonly ParsedToken[];

export interface Depth {
  /** Sentences with a word in them. */
  readonly sentences: number;
  /** Mean over sentences of the depth of the deepest word; null without a word. */
  readonly mdd: number | null;
  /** The same over sentences of {@link SENTENCE_WORDS} words or more, or over all when there is none. */
  readonly mdd3: number | null;
}

/** Parsers split "(k)" and "6." off as sentences of their own; shorter ones are left out of mdd3. */
export const SENTENCE_WORDS = 3;

/** Label of punctuation in both of the label sets that are in use (ClearNLP and Universal Dependencies). */
const PUNCTUATION = 'punct';

/**
 * Depth of the dependency trees of a text. The depth of a token is the number of arcs up to the root of its sentence (0
 * for the root). Words are tokens that hold a letter or digit and are not attached as punctuation.
 */
export function depthOf(parse: Parse): Depth {
  const depths = depthsOf(parse);
  const sentences: { words: number; deepest: number }[] = [];
  parse.forEach(({ text, label, startsSentence }, token) => {
    if (startsSentence || token === 0) sentences.push({ words: 0, deepest: 0 });
    const sentence = sentences.at(-1);
    if (sentence === undefined || label === PUNCTUATION || !hasAlphanumeric(text)) return;
    sentence.words++;
    sentence.deepest = Math.max(sentence.deepest, depths[token] ?? 0);
  });
  const spoken = sentences.filter(({ words }) => words > 0);
  const long = spoken.filter(({ words }) => words >= SENTENCE_WORDS);
  return {
    sentences: spoken.length,
    mdd: meanDepth(spoken),
    mdd3: meanDepth(long.length > 0 ? long : spoken),
  };
}

function meanDepth(sentences: readonly { readonly deepest: number }[]): number | null {
  if (sentences.length === 0) return null;
  return sentences.reduce((sum, { deepest }) => sum + deepest, 0) / sentences.length;
}

/** Each token's number of arcs to its root. Heads must not go in a circle. */
function depthsOf(parse: Parse): readonly number[] {
  const depths = new Array<number | null>(parse.length).fill(null);
  for (let token = 0; token < parse.length; token++) {
    const path: number[] = [];
    let at = token;
    while (depths[at] === null) {
      path.push(at);
      const head = parse[at]?.head ?? at;
      if (head === at) break;
      at = head;
    }
    const below = depths[at] ?? null;
    let depth = below === null ? 0 : below + 1;
    for (const step of path.reverse()) depths[step] = depth++;
  }
  return depths.map(depth => depth ?? 0);
}
