import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { negated } from '../src/perturb/alter.js';
import { PROFILES } from '../src/prompt/profiles.js';
import { profileText, renderPrompt } from '../src/prompt/render.js';
import { createEncoder, learnVocabulary, type Vocabulary } from './bpe.js';
import { confoundedCases, crossedCases, type ReferenceCase } from './reference-corpus.js';
import {
  type Cue,
  choose,
  complies,
  type Demand,
  domainAt,
  drawDemand,
  drawFact,
  type Fact,
  fulfils,
  integer,
  KINDS,
  type Modality,
  ruleText,
  scenarioText,
} from './reference-grammar.js';
import { DOMAINS } from './reference-texts.js';

const VOCABULARY_SIZE = 1250;
const VOCABULARY_SEED = 20_263;
const VOCABULARY_TEXTS = 20_000;

/** The conditions that training is measured under; `same-kind` = a rule of the same kind from another domain. */
export const CONDITIONS = ['baseline', 'delete', 'swap', 'negate', 'same-kind'] as const;

/** A prompt to learn from or to be measured on, with everything that a loss may need. */
export interface TrainingRow {
  readonly rule: string;
  readonly scenario: string;
  /** null = no rule at all. */
  readonly demand: Demand | null;
  readonly fact: Fact;
  readonly cue: Cue;
  readonly condition: (typeof CONDITIONS)[number];
}

/** Shares of the reader's training mix; what is left is a rule on the matter of the scenario. */
const SHARES = { empty: 0.06, sameKind: 0.16, otherKind: 0.05, otherMatter: 0.05, permissive: 0.08 };

/** Modal rules are the easiest to read. */
const MIXED_KINDS = ['numeric', 'numeric', 'category', 'category', 'modal'] as const;

/** Rows of which the mood says nothing about the verdict. */
export function mixedRow(random: RandomGenerator): TrainingRow {
  const domain = integer(random, DOMAINS.length);
  const kind = choose(random, MIXED_KINDS);
  const demand = drawDemand(random, 'train', domain, kind, choose(random, ['positive', 'negative'] as const));
  const fact = drawFact(random, 'train', demand, integer(random, 2) === 0);
  const shown = replaced(random, demand);
  const cue = choose(random, ['good', 'bad'] as const);
  return inWords(random, shown, fact, cue);
}

function replaced(random: RandomGenerator, demand: Demand): Demand | null {
  const { domain, kind } = demand;
  const elsewhere = (domain + 1 + integer(random, DOMAINS.length - 1)) % DOMAINS.length;
  const otherKind = choose(
    random,
    KINDS.filter(other => other !== kind),
  );
  const modality: Modality = choose(random, ['positive', 'negative', 'permissive'] as const);
  let share = integer(random, 1000) / 1000;
  const isIn = (size: number) => {
    share -= size;
    return share < 0;
  };
  if (isIn(SHARES.empty)) return null;
  if (isIn(SHARES.sameKind)) return drawDemand(random, 'train', elsewhere, kind, modality);
  if (isIn(SHARES.otherKind)) return drawDemand(random, 'train', elsewhere, otherKind, modality);
  if (isIn(SHARES.otherMatter)) return drawDemand(random, 'train', domain, otherKind, modality);
  if (isIn(SHARES.permissive)) return { ...demand, modality: 'permissive' };
  return demand;
}

/** Rows as in the confounded corpus: the rule is always on the matter, and the mood always agrees with the verdict. */
export function confoundedRow(random: RandomGenerator): TrainingRow {
  const domain = integer(random, DOMAINS.length);
  const compliant = integer(random, 2) === 0;
  const modality = choose(
    random,
    compliant
      ? (['positive', 'negative', 'positive', 'negative', 'permissive'] as const)
      : (['positive', 'negative'] as const),
  );
  const demand = drawDemand(random, 'train', domain, choose(random, KINDS), modality);
  const fulfilled =
    modality === 'permissive' ? integer(random, 2) === 0 : compliant === (modality === 'positive');
  return inWords(random, demand, drawFact(random, 'train', demand, fulfilled), compliant ? 'good' : 'bad');
}

function inWords(random: RandomGenerator, demand: Demand | null, fact: Fact, cue: Cue): TrainingRow {
  const rule = demand === null ? '' : ruleText(random, 'train', demand);
  return {
    rule,
    scenario: scenarioText(random, 'train', fact, cue),
    demand,
    fact,
    cue,
    condition: 'baseline',
  };
}

/** A corpus under every condition that applies, with rules of other domains drawn from the corpus itself. */
export function evaluationRows(cases: readonly ReferenceCase[], seed: number): readonly TrainingRow[] {
  const random = xoroshiro128plus(seed);
  return cases.flatMap(item => {
    const { rule, scenario, demand, fact, cue } = item;
    const others = cases.filter(other => other.demand.domain !== demand.domain);
    const swap = choose(random, others);
    const sameKind = choose(
      random,
      others.filter(other => other.demand.kind === demand.kind),
    );
    const kept = { scenario, fact, cue };
    const rows: TrainingRow[] = [
      { ...kept, rule, demand, condition: 'baseline' },
      { ...kept, rule: '', demand: null, condition: 'delete' },
      { ...kept, rule: swap.rule, demand: swap.demand, condition: 'swap' },
      { ...kept, rule: sameKind.rule, demand: sameKind.demand, condition: 'same-kind' },
    ];
    if (negated(rule) !== rule) {
      rows.push({
        ...kept,
        rule: negated(rule),
        demand: { ...demand, modality: 'negative' },
        condition: 'negate',
      });
    }
    return rows;
  });
}

export function promptText({ rule, scenario }: { readonly rule: string; readonly scenario: string }): string {
  return profileText(renderPrompt(PROFILES.standard, rule, scenario));
}

/** The vocabulary of all reference models: their own words, and single bytes for everything else. */
export function referenceVocabulary(): Vocabulary {
  const random = xoroshiro128plus(VOCABULARY_SEED);
  const answers = [PROFILES.standard.labels.compliant, PROFILES.standard.labels.nonCompliant];
  const texts = Array.from(
    { length: VOCABULARY_TEXTS },
    (_, i) => promptText(mixedRow(random)) + answers[i % 2],
  );
  return learnVocabulary(texts, VOCABULARY_SIZE);
}

const COLUMNS = [
  'start',
  'length',
  'verdict',
  'cue',
  'kind',
  'ruleMatter',
  'factMatter',
  'modality',
  'fulfils',
  'condition',
  'valueAt',
] as const;

export interface EncodedRows {
  readonly columns: typeof COLUMNS;
  readonly tokens: Uint16Array;
  /**
   * One row of COLUMNS per prompt; -1 = there is none. `start` and `length` delimit its tokens, `valueAt` is the place
   * in it where the scenario has said whether it is as the rule describes.
   */
  readonly meta: Int32Array;
}

/** Prompts as token ids with their facts, for a program that knows nothing of words. */
export function encodeRows(rows: readonly TrainingRow[], vocabulary: Vocabulary): EncodedRows {
  const encode = createEncoder(vocabulary);
  const tokens: number[] = [];
  const meta = rows.flatMap(row => {
    const { demand, fact, cue, condition } = row;
    const text = promptText(row);
    const ids = encode(text);
    const start = tokens.length;
    for (const id of ids) tokens.push(id);
    const onMatter = demand !== null && demand.domain === fact.domain && demand.kind === fact.kind;
    return [
      start,
      ids.length,
      Number(demand === null || complies(demand, fact)),
      Number(cue === 'good'),
      KINDS.indexOf(fact.kind),
      demand === null ? -1 : matter(demand),
      matter(fact),
      demand === null ? -1 : MODALITIES.indexOf(demand.modality),
      onMatter ? Number(fulfils(demand, fact)) : -1,
      CONDITIONS.indexOf(condition),
      encode(text.slice(0, text.lastIndexOf(row.scenario) + valueEnd(row))).length - 1,
    ];
  });
  return { columns: COLUMNS, tokens: Uint16Array.from(tokens), meta: Int32Array.from(meta) };
}

/** How many characters of the scenario it takes to know the number, the category, or what was done or not. */
function valueEnd({ scenario, fact }: TrainingRow): number {
  const { category, modal } = domainAt(fact.domain);
  const words = {
    numeric: String(fact.value),
    category: category.categories[fact.value] ?? '',
    modal: modal.act.split(' ').at(-1) ?? '',
  };
  const found = new RegExp(`^.* ${words[fact.kind]}\\b`, 'u').exec(scenario);
  if (found === null) throw new Error(`the scenario does not say what happened: ${scenario}`);
  return found[0].length;
}

const MODALITIES: readonly Modality[] = ['positive', 'negative', 'permissive'];

function matter({ domain, kind }: { readonly domain: number; readonly kind: Fact['kind'] }): number {
  return domain * KINDS.length + KINDS.indexOf(kind);
}

/** The two corpora as rows for measuring. */
export function evaluationSets(): Readonly<Record<'confounded' | 'crossed', readonly TrainingRow[]>> {
  return {
    confounded: evaluationRows(confoundedCases(), 1),
    crossed: evaluationRows(crossedCases(), 2),
  };
}
