import { loadCorpus } from '../corpus/load.js';
import { sampleCases } from '../corpus/sample.js';
import type { ColumnMap } from '../corpus/tabular.js';
import { PlumblineError } from '../errors.js';
import { readConllu } from '../features/conllu.js';
import { type Depth, depthOf } from '../features/depth.js';
import { type DomainFeatures, featuresOfDomains } from '../features/domains.js';
import type { Methods } from '../features/files.js';
import { READABILITY_METHOD } from '../features/readability.js';
import { featuresOfRules, type RuleFeatures, usedRules } from '../features/rules.js';
import { loadSpacyParser } from '../features/spacy/parser.js';
import { loadSyllables } from '../features/syllables.js';

export interface FeatureOptions {
  /** As for an audit. */
  readonly corpus: string;
  readonly columnMap: ColumnMap | null;
  /** null = all. */
  readonly domains: readonly string[] | null;
  /** Where depth comes from; null: from nowhere, and it is null. */
  readonly parses: { readonly kind: 'spacy' | 'conllu'; readonly path: string } | null;
}

export interface FeatureReport {
  readonly corpus: string;
  readonly methods: Methods;
  /** Why depth is missing, wholly or for some rules; null: it is not. */
  readonly mddMissing: string | null;
  readonly domains: readonly DomainFeatures[];
  readonly rules: readonly RuleFeatures[];
}

export interface FeatureEvents {
  /** Rules read so far, of all. */
  readonly onRule?: (done: number, total: number) => void;
}

/**
 * Text features of the rules that the cases of a corpus use. Pure but for the files that it reads: the same files give
 * the same numbers.
 *
 * Errors: those of the corpus readers; UNKNOWN_DOMAIN; MODEL_NOT_FOUND, MODEL_UNSUPPORTED (parser directory);
 * CORPUS_NOT_FOUND, CORPUS_FORMAT (parses); USAGE for parses of other rules.
 */
export async function ruleFeatures(
  { corpus: spec, columnMap, domains, parses }: FeatureOptions,
  { onRule = () => {} }: FeatureEvents = {},
): Promise<FeatureReport> {
  const source = sourceOf(parses);
  const corpus = await loadCorpus(spec, columnMap ?? undefined);
  const cases = sampleCases(corpus, { domains, perDomain: 'all', seed: 0 });
  const total = usedRules(cases).length;
  let done = 0;
  let withoutParse = 0;
  const rules = featuresOfRules(cases, {
    syllables: await loadSyllables(),
    depth: (ruleId, text) => {
      onRule(++done, total);
      const depth = source.depth(ruleId, text);
      if (depth === null) withoutParse++;
      return depth;
    },
  });
  if (parses?.kind === 'conllu' && withoutParse === done && done > 0) {
    throw new PlumblineError(
      'USAGE',
      `${parses.path} has no parse of any rule of ${spec}; expected "# newdoc id = RULE_ID" with ids as --per-rule --csv prints them, such as ${rules[0]?.ruleId}`,
    );
  }
  return {
    corpus: spec,
    methods: { mdd: source.method, fkgl: READABILITY_METHOD },
    mddMissing: missing(source.method, withoutParse),
    domains: featuresOfDomains(rules),
    rules,
  };
}

interface DepthSource {
  readonly method: string | null;
  readonly depth: (ruleId: string, text: string) => Depth | null;
}

const DEFINITION =
  'mean over sentences of the deepest word (mdd3: sentences of 3 words or more; words hold a letter or digit and are not attached as punct)';

function sourceOf(parses: FeatureOptions['parses']): DepthSource {
  if (parses === null) return { method: null, depth: () => null };
  if (parses.kind === 'spacy') {
    const parser = loadSpacyParser(parses.path);
    return {
      method: `${DEFINITION}; parsed by ${parser.name}, tok2vec and parser run in TypeScript`,
      depth: (_, text) => depthOf(parser.parse(text)),
    };
  }
  const known = readConllu(parses.path);
  return {
    method: `${DEFINITION}; parses from a CoNLL-U file`,
    depth: ruleId => {
      const parse = known.get(ruleId);
      return parse === undefined ? null : depthOf(parse);
    },
  };
}

function missing(method: string | null, withoutParse: number): string | null {
  if (method === null)
    return 'no parser: give --parser DIR or --conllu FILE; sentence_length_log2 is a proxy, not depth';
  if (withoutParse === 0) return null;
  return `${withoutParse === 1 ? '1 rule has' : `${withoutParse} rules have`} no parse in the CoNLL-U file`;
}
