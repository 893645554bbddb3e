import { PlumblineError } from '../errors.js';
import { tokenJaccard } from './overlap.js';

/** Facts of a subject, for reports and files: settings that change its vectors. */
export type EncoderFacts = Readonly<Record<string, string | number | boolean | null>>;

/** A text's vector, or why there is none. A flag beside a vector says that the vector is not of the whole text. */
export interface Embedding {
  readonly vector: Float32Array | null;
  readonly flag: string | null;
}

/** Turns texts into vectors of one width, one for each text, in the order given. */
export interface Encoder {
  readonly name: string;
  readonly facts: EncoderFacts;
  embed(texts: readonly string[]): Promise<readonly Embedding[]>;
}

/** A score of two texts; null with a flag when there is none. */
export interface Score {
  readonly score: number | null;
  readonly flag: string | null;
}

export interface TextPair {
  readonly textA: string;
  readonly textB: string;
}

/** Whatever scores pairs of texts: higher = more alike. */
export interface Scorer {
  readonly name: string;
  readonly facts: EncoderFacts;
  score(pairs: readonly TextPair[]): Promise<readonly Score[]>;
}

/** The model-free floor: token Jaccard of the two texts. */
export const TOKEN_JACCARD: Scorer = {
  name: 'token-jaccard',
  facts: { kind: 'token Jaccard' },
  score: async pairs => pairs.map(({ textA, textB }) => ({ score: tokenJaccard(textA, textB), flag: null })),
};

/**
 * Scores pairs by the cosine of their vectors. Each distinct text is embedded once, over all calls. Errors:
 * VECTORS_INVALID when the encoder answers with another number of vectors or with two widths. A vector that is missing,
 * not finite or zero flags its pairs instead.
 */
export function cosineScorer(encoder: Encoder): Scorer {
  const { name, facts } = encoder;
  const embedded = new Map<string, Embedding>();
  let width: number | null = null;

  async function embed(texts: readonly string[]): Promise<void> {
    const embeddings = texts.length === 0 ? [] : await encoder.embed(texts);
    if (embeddings.length !== texts.length) {
      throw new PlumblineError(
        'VECTORS_INVALID',
        `${name} gave ${embeddings.length} vectors for ${texts.length} texts: one for each expected`,
      );
    }
    for (const [i, { vector, flag }] of embeddings.entries()) {
      const text = texts[i] as string;
      width ??= vector?.length ?? null;
      if (vector !== null && vector.length !== width) {
        throw new PlumblineError(
          'VECTORS_INVALID',
          `${name} gave vectors of ${width} and of ${vector.length} numbers (the latter for ${JSON.stringify(text)}): one width expected`,
        );
      }
      embedded.set(text, { vector, flag: flag ?? vectorFault(vector) });
    }
  }

  return {
    name,
    facts,
    async score(pairs) {
      const texts = new Set(pairs.flatMap(({ textA, textB }) => [textA, textB]));
      await embed([...texts].filter(text => !embedded.has(text)));
      return pairs.map(({ textA, textB }) => {
        const [a, b] = [embedded.get(textA), embedded.get(textB)];
        const flag = a?.flag ?? b?.flag ?? null;
        if (!a?.vector || !b?.vector || flag !== null) return { score: null, flag: flag ?? 'no-vector' };
        // Equal vectors are at 1 exactly, whatever rounding says.
        return { score: textA === textB ? 1 : cosine(a.vector, b.vector), flag: null };
      });
    },
  };
}

function vectorFault(vector: Float32Array | null): string | null {
  if (vector === null) return 'no-vector';
  if (!vector.every(Number.isFinite)) return 'not-finite';
  return vector.some(value => value !== 0) ? null : 'zero-vector';
}

/** Cosine of two finite vectors of one width that are not zero, in double precision, within [-1, 1]. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  return Math.max(-1, Math.min(1, dot / (Math.sqrt(squareA) * Math.sqrt(squareB))));
}
