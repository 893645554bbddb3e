import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Interval } from '../stats/binomial.js';
import { notInterpretable } from './audit.js';
import { checkCorpus, type GateCheck } from './check.js';
import { type EncoderFacts, type Scorer, TOKEN_JACCARD } from './encoder.js';
import type { Filler } from './filler.js';
import { approvesCosine, type Effective, effective, type Gate } from './gates.js';
import { type Aurocs, measure, type OperatingPoint, operatingPoint, type ScoredPair } from './measures.js';
import { scorePairs } from './score.js';
import type { GateCorpus, GatePair, Task } from './types.js';

/** Words of neutral text around a sentence, unless others are asked for. */
export const DILUTIONS = [16, 32, 64, 128, 256, 512] as const;

/** Thresholds of `score >= t` = same at which the approve rates are counted. */
export const DILUTION_POINTS = [0.8, 0.85, 0.95] as const;

/** What a scorer does on one task at one length. */
export interface DilutionRow {
  /** Words of neutral text around each sentence; 0 = the sentences alone. */
  readonly length: number;
  readonly pairs: number;
  /** Pairs without a score, by flag; they take no part in the figures. */
  readonly flagged: Readonly<Record<string, number>>;
  readonly auroc: Aurocs;
  /** 95 % of the stratified AUROC, bootstrap over anchors. */
  readonly interval: Interval | null;
  /** Stratified AUROC minus that of the floor on the same pairs, with 95 %. */
  readonly overFloor: { readonly difference: number | null; readonly interval: Interval | null };
  readonly operatingPoints: readonly OperatingPoint[];
  /** At the user's gate; null without one. */
  readonly gate: OperatingPoint | null;
}

export interface EncoderDilution {
  readonly encoder: string;
  readonly facts: EncoderFacts;
  /** A row for each length, the undiluted one first. */
  readonly tasks: Readonly<Partial<Record<Task, readonly DilutionRow[]>>>;
}

export interface GateDilution {
  readonly corpus: { readonly name: string; readonly sha256: string };
  readonly filler: { readonly sha256: string; readonly registers: readonly string[] };
  readonly seed: number;
  readonly check: GateCheck;
  /** true: the corpus failed its check and the measurement was forced. */
  readonly forced: boolean;
  readonly gate: (Gate & { readonly effective: Effective }) | null;
  /** 0 first, then the lengths asked for, ascending. */
  readonly lengths: readonly number[];
  readonly encoders: readonly EncoderDilution[];
  /** Token Jaccard of the same texts, as an encoder of its own. */
  readonly floor: EncoderDilution;
}

export interface DilutionOptions {
  readonly corpus: GateCorpus;
  readonly filler: Filler;
  readonly lengths: readonly number[];
  /** Opened after the corpus has passed its check. */
  readonly openScorers: () => Promise<readonly Scorer[]>;
  readonly gate: Gate | null;
  readonly force: boolean;
  readonly seed: number;
}

/** The longest filler that every register has the words for. */
export function longestDilution({ registers }: Filler): number {
  return registers.reduce(
    (least, { sentences }) => Math.min(least, wordsOf(sentences).length),
    Number.POSITIVE_INFINITY,
  );
}

/**
 * The pair with both sentences inside the same neutral text of `length` words: half of it before the sentence, half
 * behind (the odd word behind). Register and order of the neutral sentences are drawn by seed, task and anchor alone, so
 * that all variants of an anchor stand in one text. It grows at its outer ends, so that a longer one holds every shorter
 * one, and may begin and end within a neutral sentence. Length 0 gives the pair as it is. `length` is at most
 * {@link longestDilution}.
 */
export function dilutePair(pair: GatePair, length: number, { registers }: Filler, seed: number): GatePair {
  if (length === 0) return pair;
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, pair.task, pair.anchor]))
    .digest();
  const random = xoroshiro128plus(digest.readInt32LE(0));
  const sentences = [...(registers[uniformInt(random, 0, registers.length - 1)]?.sentences ?? [])];
  for (let last = sentences.length - 1; last > 0; last--) {
    const other = uniformInt(random, 0, last);
    [sentences[last], sentences[other]] = [sentences[other] as string, sentences[last] as string];
  }
  const words = wordsOf(sentences);
  const before = Math.floor(length / 2);
  // From the two ends of one order: no word is used twice.
  const head = words.slice(words.length - before);
  const tail = words.slice(0, length - before);
  const inside = (sentence: string): string => [...head, sentence, ...tail].join(' ');
  return { ...pair, textA: inside(pair.textA), textB: inside(pair.textB) };
}

function wordsOf(sentences: readonly string[]): readonly string[] {
  return sentences.flatMap(sentence => sentence.split(' '));
}

/**
 * Measures scorers on a corpus whose sentences stand in more and more neutral text. The manipulation check comes first
 * and is of the undiluted corpus. Errors: NOT_INTERPRETABLE when it fails and `force` is false; whatever a scorer throws.
 */
export async function diluteGate(options: DilutionOptions): Promise<GateDilution> {
  const { corpus, filler, gate, force, seed } = options;
  const check = checkCorpus(corpus, seed);
  if (!check.interpretable && !force) throw notInterpretable(check);
  const bound = gate === null ? null : effective(gate);
  const tasks = check.tasks.map(({ task }) => task);
  const lengths = [0, ...[...new Set(options.lengths)].sort((a, b) => a - b)];
  const diluted: { length: number; pairs: readonly GatePair[]; floors: readonly ScoredPair[] }[] = [];
  for (const length of lengths) {
    const pairs = corpus.pairs.map(pair => dilutePair(pair, length, filler, seed));
    diluted.push({ length, pairs, floors: await scorePairs(TOKEN_JACCARD, { pairs }) });
  }
  const dilutionOf = async (scorer: Scorer): Promise<EncoderDilution> => {
    const rows = new Map<Task, DilutionRow[]>(tasks.map(task => [task, []]));
    for (const { length, pairs, floors } of diluted) {
      const scored = scorer === TOKEN_JACCARD ? floors : await scorePairs(scorer, { pairs });
      for (const [task, of] of rows) {
        const within = (all: readonly ScoredPair[]) => all.filter(({ pair }) => pair.task === task);
        of.push(rowOf(length, within(scored), within(floors), bound, seed));
      }
    }
    return { encoder: scorer.name, facts: scorer.facts, tasks: Object.fromEntries(rows) };
  };
  const encoders: EncoderDilution[] = [];
  for (const scorer of await options.openScorers()) encoders.push(await dilutionOf(scorer));
  return {
    corpus: { name: corpus.name, sha256: corpus.sha256 },
    filler: { sha256: filler.sha256, registers: filler.registers.map(({ register }) => register) },
    seed,
    check,
    forced: !check.interpretable,
    gate: gate === null || bound === null ? null : { ...gate, effective: bound },
    lengths,
    encoders,
    floor: await dilutionOf(TOKEN_JACCARD),
  };
}

function rowOf(
  length: number,
  scored: readonly ScoredPair[],
  floors: readonly ScoredPair[],
  bound: Effective | null,
  seed: number,
): DilutionRow {
  const { pairs, flagged, auroc, intervals, floor } = measure(scored, floors, seed);
  return {
    length,
    pairs,
    flagged,
    auroc,
    interval: intervals.stratified,
    overFloor: { difference: floor.difference, interval: floor.interval },
    operatingPoints: DILUTION_POINTS.map(threshold =>
      operatingPoint(scored, threshold, score => score >= threshold),
    ),
    gate: bound === null ? null : operatingPoint(scored, bound.cosine, score => approvesCosine(bound, score)),
  };
}
