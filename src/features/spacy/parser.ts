import { z } from 'zod';
import type { Parse } from '../depth.js';
import { type Action, actionsOf, apply, CONTEXT_SIZE, contextOf, isValid, MOVES } from './arc-eager.js';
import { attributesOf, normOf } from './lexeme.js';
import { maxout, multiply } from './linear.js';
import { parsePart, readJson, readLayers, readMessage, tensor } from './model-file.js';
import { createState } from './state.js';
import { stringId } from './strings.js';
import { loadTok2Vec } from './tok2vec.js';
import { createTokenizer, type Token } from './tokenizer.js';
import { deprojectivize, sentenceStarts } from './tree.js';

export interface SpacyParser {
  /** `en_core_web_sm 3.8.0` */
  readonly name: string;
  /** @param text with collapsed white space. */
  readonly parse: (text: string) => Parse;
}

/**
 * Reads the directory of a spaCy `en_core_web_sm` 3.8 pipeline; `parse` then gives the tokens, heads, labels and
 * sentences that spaCy's `tok2vec` and `parser` give.
 *
 * Errors: MODEL_NOT_FOUND for a directory or a part of it that is not there, MODEL_UNSUPPORTED for another pipeline.
 */
export function loadSpacyParser(directory: string): SpacyParser {
  const { lang, name, version } = readJson(directory, ['meta.json'], metaSchema);
  const tokenize = loadTokenizer(directory);
  const lexemeNorm = loadLexemeNorms(directory);
  const tok2vec = loadTok2Vec(directory);
  const predict = loadTransitions(directory, tok2vec.width);
  return {
    name: `${lang}_${name} ${version}`,
    parse: text => {
      const tokens = tokenize(text);
      const vectors = tok2vec.vectors(
        tokens.map(token => ({
          ...attributesOf(token.text, token.norm ?? normOf(token.text, lexemeNorm)),
          space: token.space,
        })),
      );
      return toParse(tokens, predict(vectors, tokens.length));
    },
  };
}

function toParse(
  tokens: readonly Token[],
  found: { readonly heads: readonly number[]; readonly labels: readonly string[] },
): Parse {
  const { heads, labels } = deprojectivize(found);
  const starts = sentenceStarts(heads);
  return tokens.map(({ text }, i) => ({
    text,
    head: heads[i] ?? i,
    label: labels[i] ?? '',
    startsSentence: starts[i] === true || i === 0,
  }));
}

const metaSchema = z.object({
  lang: z.literal('en'),
  name: z.string(),
  version: z.string().regex(/^3\.8\./),
});

/** spaCy's numbers for the attributes of an exception's pieces. */
const ORTH = '65';
const NORM = '67';

const tokenizerSchema = z.object({
  prefix_search: z.string(),
  suffix_search: z.string(),
  infix_finditer: z.string(),
  token_match: z.null(),
  url_match: z.string().nullable(),
  exceptions: z.record(
    z.string(),
    z.array(
      z
        .strictObject({ [ORTH]: z.string(), [NORM]: z.string().optional() })
        .transform(piece => ({ text: piece[ORTH] ?? '', norm: piece[NORM] ?? null })),
    ),
  ),
  faster_heuristics: z.literal(true),
});

function loadTokenizer(directory: string): (text: string) => readonly Token[] {
  const rules = readMessage(directory, ['tokenizer'], tokenizerSchema);
  return parsePart(directory, ['tokenizer'], () =>
    createTokenizer({
      prefix: rules.prefix_search,
      suffix: rules.suffix_search,
      infix: rules.infix_finditer,
      url: rules.url_match,
      exceptions: new Map(Object.entries(rules.exceptions)),
    }),
  );
}

const lookupsSchema = z.object({ lexeme_norm: z.record(z.string(), z.string()) });

/** The table is keyed by the ids of the texts. */
function loadLexemeNorms(directory: string): (text: string) => string | undefined {
  const { lexeme_norm: norms } = readMessage(directory, ['vocab', 'lookups.bin'], lookupsSchema);
  const table = new Map(Object.entries(norms));
  return text => table.get(String(stringId(text)));
}

const movesSchema = z.object({
  moves: z
    .string()
    .transform(text => z.record(z.string(), z.record(z.string(), z.int().min(0))).parse(JSON.parse(text))),
});

/** A function that finds the arcs of a text from the vectors of its tokens. */
function loadTransitions(
  directory: string,
  inputWidth: number,
): (
  vectors: Float64Array,
  length: number,
) => { readonly heads: readonly number[]; readonly labels: readonly string[] } {
  const { moves } = readMessage(directory, ['parser', 'moves'], movesSchema);
  const actions = actionsOf(moves);
  const name = ['parser', 'model'];
  const layers = readLayers(directory, ...name);
  return parsePart(directory, name, () => {
    const lower = layers.find(layer => layer.name === 'precomputable_affine');
    const [upper, reduce] = layers.filter(layer => layer.name === 'linear');
    const [, hidden = 0, pieces = 0, width = 0] = lower?.tensors.W?.shape ?? [];
    const units = hidden * pieces;
    const weights = {
      reduce: tensor(reduce, 'W', width, inputWidth),
      reduceBias: tensor(reduce, 'b', width),
      lower: tensor(lower, 'W', CONTEXT_SIZE, hidden, pieces, width),
      lowerBias: tensor(lower, 'b', hidden, pieces),
      missing: tensor(lower, 'pad', 1, CONTEXT_SIZE, hidden, pieces),
      upper: tensor(upper, 'W', actions.length, hidden),
      upperBias: tensor(upper, 'b', actions.length),
    };
    const reduced = new Float64Array(width);
    const sums = new Float64Array(units);
    const activations = new Float64Array(hidden);
    const scores = new Float64Array(actions.length);

    /** What each token adds to the hidden units in each place of the context. */
    function contributions(vectors: Float64Array, length: number): readonly Float64Array[] {
      return Array.from({ length }, (_, token) => {
        const out = new Float64Array(CONTEXT_SIZE * units);
        multiply(weights.reduce, vectors, token * inputWidth, inputWidth, reduced, weights.reduceBias);
        multiply(weights.lower, reduced, 0, width, out, null);
        return out;
      });
    }

    function score(context: readonly number[], added: readonly Float64Array[]): void {
      sums.set(weights.lowerBias);
      context.forEach((token, place) => {
        const from = token < 0 ? weights.missing : (added[token] ?? weights.missing);
        for (let k = 0; k < units; k++) sums[k] = (sums[k] as number) + (from[place * units + k] as number);
      });
      maxout(sums, pieces, activations);
      multiply(weights.upper, activations, 0, hidden, scores, weights.upperBias);
    }

    return (vectors, length) => {
      const added = contributions(vectors, length);
      const state = createState(length);
      while (!state.isFinal()) {
        score(contextOf(state), added);
        const valid = new Set(MOVES.filter(move => isValid(move, state)));
        let best: Action | null = null;
        let bestScore = Number.NEGATIVE_INFINITY;
        actions.forEach((action, i) => {
          if (!valid.has(action.move) || (scores[i] as number) <= bestScore) return;
          best = action;
          bestScore = scores[i] as number;
        });
        if (best === null) state.finish();
        else apply(best, state);
      }
      const labels = state.labels();
      return { heads: state.heads(), labels: labels.map(label => label ?? 'ROOT') };
    };
  });
}
