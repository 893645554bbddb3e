import type { Metric } from '../gates.js';
import type { Finding } from './types.js';

const COSINE = /cosine|cos ?sim\b|cossim/;
const SIMILARITY = /similar|\bsims?\b|proximity|semantic/;
const DISTANCE = /distance|\bdists?\b/;
/** Not the L2 norm that vectors are divided by. */
const EUCLIDEAN = /(?<!normali[sz]e[d ]*|norm )\bl2\b(?! norm)|euclid/;
const PRODUCT = /\bdot\b|inner ?product/;
const SCORE = /\bscores?\b|relevance/;
/** Scores of wording, of ranking models, of places, colours and images: no gate on embeddings. */
const OTHER =
  /jaccard|levenshtein|fuzz|edit ?distance|bm25|rouge|bleu|ngram|trigram|minhash|sequence ?matcher|jaro|hamming|tf ?idf|rerank|cross ?encoder|haversine|pixel|colou?r|mouse|scroll|hash|overlap|confidence/;
const THRESHOLD =
  /thresh|cut ?off|\bmin ?(score|sim|similarity|cosine|relevance|proximity)\b|\bmax ?(dist|distance)\b/;
/** A file that has to do with embeddings at all. */
const EMBEDDINGS =
  /embed(?!ded)|cosine|vector ?(store|search|db|index)|vectorstore|faiss|pgvector|pinecone|qdrant|milvus|chroma|weaviate|\bknn\b|sentence ?transformers?|semantic ?(cache|router|search|similarity)/;

export function speaksOfEmbeddings(words: string): boolean {
  return EMBEDDINGS.test(words);
}

/** Texts around a score, as words, the nearest first. */
export interface Evidence {
  readonly expression: string;
  /** Right-hand sides of the variables in the expression. */
  readonly definition: string;
  /** Name of the constant. */
  readonly name: string;
  readonly function: string;
  readonly file: string;
  /** Some file of the tree has to do with embeddings. */
  readonly tree: boolean;
}

export interface Judged {
  readonly metric: Metric | null;
  readonly basis: Finding['basis'];
}

const NEAREST_FIRST = ['expression', 'definition', 'name', 'function', 'file'] as const;

/**
 * Is this a score of embeddings, and by which metric? null = no. A metric of null = a score of embeddings, but its metric
 * cannot be told.
 */
export function judgeMetric(evidence: Evidence): Judged | null {
  const own = `${evidence.expression} ${evidence.definition}`;
  const near = `${own} ${evidence.name}`;
  if (OTHER.test(near) && !COSINE.test(near)) return null;
  const isCosine = COSINE.test(near);
  // A file that only compares need not speak of embeddings itself, when its names are clear enough.
  const isClear = evidence.tree && SIMILARITY.test(evidence.expression) && THRESHOLD.test(evidence.name);
  if (!isCosine && !isClear && !speaksOfEmbeddings(evidence.file)) return null;
  if (!isCosine && ![SIMILARITY, DISTANCE, EUCLIDEAN, PRODUCT, SCORE].some(words => words.test(near)))
    return null;
  const falls = fallsWithLikeness(evidence);
  if (EUCLIDEAN.test(own) && !SIMILARITY.test(evidence.expression))
    return { metric: 'l2', basis: 'expression' };
  if (PRODUCT.test(own) && !isCosine) return { metric: 'dot', basis: 'expression' };
  // Shifted and scaled scores, except 1 - x, are beyond what names can tell.
  if (/[*/]/.test(evidence.expression.replace(/\([^()]*\)/g, ''))) return { metric: null, basis: null };
  const basis = NEAREST_FIRST.find(place => COSINE.test(evidence[place])) ?? null;
  if (basis === null) return { metric: null, basis: null };
  // A bare score in a file that mentions cosines somewhere may be anything.
  const isBare = ![SIMILARITY, DISTANCE, COSINE].some(words => words.test(near));
  if (isBare && basis === 'file') return { metric: null, basis: null };
  return { metric: falls ? 'distance' : 'cosine', basis };
}

/** The expression's own words go before those of the constant. `1 - x` turns a distance into a similarity and back. */
function fallsWithLikeness({ expression, definition, name }: Evidence): boolean {
  for (const words of [expression, definition, name]) {
    const complement = /(^|[^0-9.])1(\.0*)? *- *[a-z(]/.test(words);
    if (DISTANCE.test(words)) return !complement;
    if (SIMILARITY.test(words) || COSINE.test(words)) return complement;
  }
  return false;
}

/** A name that says "this is where the line is". */
export function namesThreshold(words: string): boolean {
  return THRESHOLD.test(words);
}

/** A name of a threshold on a similarity or distance, without the code around it. */
export function namesSimilarityThreshold(words: string): boolean {
  return (
    THRESHOLD.test(words) &&
    [SIMILARITY, DISTANCE, COSINE].some(pattern => pattern.test(words)) &&
    !OTHER.test(words)
  );
}

export function namesOtherThing(words: string): boolean {
  return OTHER.test(words);
}
