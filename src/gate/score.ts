import { PlumblineError } from '../errors.js';
import type { Scorer } from './encoder.js';
import type { ScoredPair } from './measures.js';
import type { GateCorpus, GatePair } from './types.js';

/** Scores every pair of a corpus, in its order. */
export async function scorePairs(
  scorer: Scorer,
  { pairs }: Pick<GateCorpus, 'pairs'>,
): Promise<readonly ScoredPair[]> {
  const scores = await scorer.score(pairs);
  return pairs.map((pair, i) => {
    const { score, flag } = scores[i] ?? { score: null, flag: 'no-score' };
    return { pair, score, flag };
  });
}

export interface ScoringEvents {
  /** Called with the pairs of a chunk when they are scored. */
  readonly onChunk: (scored: readonly ScoredPair[]) => void;
  /** Ends the scoring between two chunks. */
  readonly signal: AbortSignal | null;
}

/**
 * Scores the pairs that `earlier` has no score of, a chunk at a time. Gives all pairs in the order of the corpus.
 * Errors: INTERRUPTED; what the scorer throws.
 */
export async function scoreInChunks(
  scorer: Scorer,
  pairs: readonly GatePair[],
  earlier: ReadonlyMap<string, ScoredPair>,
  { onChunk, signal }: ScoringEvents,
): Promise<readonly ScoredPair[]> {
  const scored = new Map(earlier);
  for (const chunk of chunksOf(pairs)) {
    const left = chunk.filter(({ id }) => !scored.has(id));
    if (left.length === 0) continue;
    if (signal?.aborted) throw new PlumblineError('INTERRUPTED', `Stopped while ${scorer.name} scored pairs`);
    const now = await scorePairs(scorer, { pairs: left });
    onChunk(now);
    for (const one of now) scored.set(one.pair.id, one);
  }
  return pairs.map(({ id }) => scored.get(id) as ScoredPair);
}

/** As many as an encoder is asked for at once. */
const TEXTS_PER_CHUNK = 64;

/**
 * All pairs of an anchor come in one chunk, so that going on with the next chunk asks for no text of this one again
 * unless two anchors share it. A chunk has at most {@link TEXTS_PER_CHUNK} distinct texts, where one anchor does not have
 * more.
 */
export function chunksOf(pairs: readonly GatePair[]): readonly (readonly GatePair[])[] {
  const anchors = new Map<string, GatePair[]>();
  for (const pair of pairs) {
    const name = JSON.stringify([pair.task, pair.anchor]);
    anchors.set(name, [...(anchors.get(name) ?? []), pair]);
  }
  const chunks: (readonly GatePair[])[] = [];
  let chunk: readonly GatePair[] = [];
  for (const anchor of anchors.values()) {
    const wider = [...chunk, ...anchor];
    const texts = new Set(wider.flatMap(({ textA, textB }) => [textA, textB])).size;
    if (chunk.length > 0 && texts > TEXTS_PER_CHUNK) {
      chunks.push(chunk);
      chunk = anchor;
    } else chunk = wider;
  }
  return chunk.length === 0 ? chunks : [...chunks, chunk];
}
