import { createHash } from 'node:crypto';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import {
  type Cue,
  choose,
  complies,
  type Demand,
  drawDemand,
  drawFact,
  type Fact,
  KINDS,
  type Kind,
  ruleText,
  scenarioText,
} from './reference-grammar.js';
import { DOMAINS } from './reference-texts.js';

/** A case with what its words mean. */
export interface ReferenceCase {
  readonly rule: string;
  readonly scenario: string;
  readonly demand: Demand;
  readonly fact: Fact;
  readonly cue: Cue;
}

const PART = 'heldOut';
const CONFOUNDED_SEED = 20_261;
const CROSSED_SEED = 20_262;
const CONFOUNDED_PER_KIND = 12;
/** Groups of two rules and two scenarios; one of three opposes what is demanded, the others oppose modals. */
const CROSSED_GROUPS_PER_KIND = 3;

/** Cases whose mood always agrees with the label: a judge that reads only the scenario is right on every one. */
export function confoundedCases(): readonly ReferenceCase[] {
  const random = xoroshiro128plus(CONFOUNDED_SEED);
  return eachMatter((domain, kind) =>
    Array.from({ length: CONFOUNDED_PER_KIND }, (_, index) => {
      const compliant = index % 2 === 0;
      const modality = index === 0 ? 'permissive' : index % 4 < 2 ? 'positive' : 'negative';
      const demand = drawDemand(random, PART, domain, kind, modality);
      const fulfilled = index === 0 ? choose(random, [true, false]) : compliant === (modality === 'positive');
      const fact = drawFact(random, PART, demand, fulfilled);
      return inWords(random, demand, fact, compliant ? 'good' : 'bad');
    }),
  );
}

/**
 * Two rules times two scenarios: each scenario obeys one rule and breaks the other, so that no word, and no sum over
 * words, tells the label. Every scenario keeps its mood under both rules.
 */
export function crossedCases(): readonly ReferenceCase[] {
  const random = xoroshiro128plus(CROSSED_SEED);
  return eachMatter((domain, kind) =>
    Array.from({ length: CROSSED_GROUPS_PER_KIND }, (_, index) => {
      const opposesModals = kind === 'modal' || index % 2 === 0;
      // Opposed prohibitions beside opposed duties: a category that rule and scenario share would be a cue otherwise.
      const modality = opposesModals || domain % 2 === 0 ? 'positive' : 'negative';
      const first = drawDemand(random, PART, domain, kind, modality);
      const facts = [true, false].map(fulfilled => drawFact(random, PART, first, fulfilled));
      const second = opposesModals ? forbidding(first) : opposed(first, facts[1]);
      const rules = [first, second].map(demand => ({ demand, rule: ruleText(random, PART, demand) }));
      const moods = choose<readonly Cue[]>(random, [
        ['good', 'bad'],
        ['bad', 'good'],
        ['good', 'good'],
        ['bad', 'bad'],
      ]);
      return facts.flatMap((fact, i) => {
        const cue = moods[i] ?? 'good';
        const scenario = scenarioText(random, PART, fact, cue);
        return rules.map(({ demand, rule }) => ({ rule, scenario, demand, fact, cue }));
      });
    }).flat(),
  );
}

function forbidding(demand: Demand): Demand {
  return { ...demand, modality: 'negative' };
}

/** The rule that demands the other side of the limit, or the category that the other scenario has. */
function opposed(demand: Demand, other: Fact | undefined): Demand {
  return demand.kind === 'category'
    ? { ...demand, value: other?.value ?? demand.value }
    : { ...demand, comparative: demand.comparative === 'below' ? 'above' : 'below' };
}

function inWords(random: RandomGenerator, demand: Demand, fact: Fact, cue: Cue): ReferenceCase {
  const rule = ruleText(random, PART, demand);
  return { rule, scenario: scenarioText(random, PART, fact, cue), demand, fact, cue };
}

/** In the order of the domains; within one, kinds and labels are mixed by a hash that is the same on every machine. */
function eachMatter(
  cases: (domain: number, kind: Kind) => readonly ReferenceCase[],
): readonly ReferenceCase[] {
  const key = ({ rule, scenario }: ReferenceCase) =>
    createHash('sha256').update(`${rule}\n${scenario}`).digest('hex');
  return DOMAINS.flatMap((_, domain) =>
    KINDS.flatMap(kind => cases(domain, kind))
      .map(item => ({ item, key: key(item) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ item }) => item),
  );
}

/** The cases as a corpus file: one JSON object a line. */
export function corpusLines(cases: readonly ReferenceCase[], name: string): string {
  return cases
    .map(({ rule, scenario, demand, fact }, index) => {
      const domain = DOMAINS[demand.domain]?.name ?? '';
      const label = complies(demand, fact) ? 'compliant' : 'non-compliant';
      return `${JSON.stringify({ id: `${domain}/${name}#${index}`, domain, rule, scenario, label })}\n`;
    })
    .join('');
}
