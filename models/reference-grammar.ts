import { uniformInt } from 'pure-rand/distribution/uniformInt';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import {
  CATEGORY_FACTS,
  COMPARATIVES,
  CUES,
  DOMAINS,
  DONE_FACTS,
  FILLERS,
  type HeldOut,
  MODALS,
  NAMES,
  NOT_DONE_FACTS,
  NUMERIC_FACTS,
  RULE_CLOSINGS,
  RULE_OPENINGS,
  SCENARIO_OPENINGS,
} from './reference-texts.js';

export const KINDS = ['numeric', 'category', 'modal'] as const;
export type Kind = (typeof KINDS)[number];

export type Modality = keyof typeof MODALS;
export type Cue = keyof typeof CUES;

/** Which texts and numbers are drawn: those that training sees, or the others. */
export type Part = keyof HeldOut;

/** What a rule demands, without its words. `value` is a number, or an index of a category; modal rules have none. */
export interface Demand {
  /** Index in DOMAINS. */
  readonly domain: number;
  readonly kind: Kind;
  readonly modality: Modality;
  readonly comparative: keyof typeof COMPARATIVES;
  readonly value: number;
}

/** What happened. `value` as in {@link Demand}; for the modal kind 1 = done, 0 = not done. */
export interface Fact {
  readonly domain: number;
  readonly kind: Kind;
  readonly value: number;
}

/**
 * The verdict that the rule gives on the fact. A permission, and a rule on another matter, leave everything compliant.
 */
export function complies(demand: Demand, fact: Fact): boolean {
  if (demand.domain !== fact.domain || demand.kind !== fact.kind) return true;
  if (demand.modality === 'permissive') return true;
  return fulfils(demand, fact) === (demand.modality === 'positive');
}

/** Whether the fact is as the rule describes, whatever its modal says. */
export function fulfils({ kind, comparative, value }: Demand, fact: Fact): boolean {
  if (kind === 'modal') return fact.value === 1;
  if (kind === 'category') return fact.value === value;
  return comparative === 'below' ? fact.value < value : fact.value > value;
}

export function integer(random: RandomGenerator, below: number): number {
  return uniformInt(random, 0, below - 1);
}

export function choose<T>(random: RandomGenerator, items: readonly T[]): T {
  const item = items[integer(random, items.length)];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
}

/** Two-digit numbers; every digit is seen in training at both places, these numbers never. */
export function numbersOf(part: Part): readonly number[] {
  const isHeldOut = (n: number) => (Math.floor(n / 10) + 2 * (n % 10)) % 5 === 0;
  return Array.from({ length: 90 }, (_, i) => i + 10).filter(n => isHeldOut(n) === (part === 'heldOut'));
}

const NUMBERS = { train: numbersOf('train'), heldOut: numbersOf('heldOut') };
/** A measured value is at least this far from the limit. */
const MARGIN = 3;
const MIN_SIDE = 2;

/** A limit that leaves values of this part on both sides of it. */
export function drawLimit(random: RandomGenerator, part: Part): number {
  const limits = NUMBERS[part].filter(
    limit => side(part, limit, 'below').length >= MIN_SIDE && side(part, limit, 'above').length >= MIN_SIDE,
  );
  return choose(random, limits);
}

/** A value below or above a limit. */
export function drawValue(
  random: RandomGenerator,
  part: Part,
  limit: number,
  where: keyof typeof COMPARATIVES,
): number {
  return choose(random, side(part, limit, where));
}

function side(part: Part, limit: number, where: keyof typeof COMPARATIVES): readonly number[] {
  return NUMBERS[part].filter(n => (where === 'below' ? n <= limit - MARGIN : n >= limit + MARGIN));
}

export function drawDemand(
  random: RandomGenerator,
  part: Part,
  domain: number,
  kind: Kind,
  modality: Modality,
): Demand {
  const comparative = choose(random, ['below', 'above'] as const);
  const value =
    kind === 'numeric'
      ? drawLimit(random, part)
      : kind === 'category'
        ? integer(random, domainAt(domain).category.categories.length)
        : 0;
  return { domain, kind, modality, comparative, value };
}

/** A fact on the rule's own matter that is as the rule describes, or not. */
export function drawFact(random: RandomGenerator, part: Part, demand: Demand, fulfilled: boolean): Fact {
  const { domain, kind, comparative, value } = demand;
  if (kind === 'modal') return { domain, kind, value: fulfilled ? 1 : 0 };
  if (kind === 'category') {
    const { categories } = domainAt(domain).category;
    const others = categories.map((_, index) => index).filter(index => index !== value);
    return { domain, kind, value: fulfilled ? value : choose(random, others) };
  }
  const where = (comparative === 'below') === fulfilled ? 'below' : 'above';
  return { domain, kind, value: drawValue(random, part, value, where) };
}

export function domainAt(index: number): (typeof DOMAINS)[number] {
  const domain = DOMAINS[index];
  if (domain === undefined) throw new Error(`there is no domain ${index}`);
  return domain;
}

/** A rule in words. */
export function ruleText(random: RandomGenerator, part: Part, demand: Demand): string {
  const opening = choose(random, RULE_OPENINGS[part]);
  const text = opening + statement(random, demand) + choose(random, RULE_CLOSINGS[part]);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function statement(random: RandomGenerator, { domain, kind, modality, comparative, value }: Demand): string {
  const { numeric, category, modal } = domainAt(domain);
  const must = choose(random, MODALS[modality]);
  switch (kind) {
    case 'numeric': {
      const verb = choose(random, ['be', 'stay', 'remain']);
      const words = choose(random, COMPARATIVES[comparative]);
      return `the ${numeric.thing} ${must} ${verb} ${words} ${value} ${numeric.unit}`;
    }
    case 'category':
      return `the ${category.thing} ${must} be ${category.link} ${category.categories[value]}`;
    case 'modal':
      return `the ${modal.actor} ${must} ${modal.act}`;
  }
}

/** A scenario in words: what happened, and beside it a mood that no rule is about. */
export function scenarioText(random: RandomGenerator, part: Part, fact: Fact, cue: Cue): string {
  const event = `${choose(random, SCENARIO_OPENINGS[part])} ${factText(random, part, fact)}.`;
  const sentences = [event, choose(random, CUES[cue])];
  if (integer(random, 2) === 0) sentences.reverse();
  if (integer(random, 3) === 0) sentences.splice(integer(random, 3), 0, choose(random, FILLERS));
  return sentences.join(' ');
}

function factText(random: RandomGenerator, part: Part, { domain, kind, value }: Fact): string {
  const { numeric, category, modal } = domainAt(domain);
  const name = choose(random, NAMES);
  switch (kind) {
    case 'numeric':
      return fill(choose(random, NUMERIC_FACTS[part]), { name, ...numeric, value: String(value) });
    case 'category': {
      const { thing, link, categories } = category;
      return fill(choose(random, CATEGORY_FACTS[part]), {
        name,
        thing,
        link,
        value: categories[value] ?? '',
      });
    }
    case 'modal':
      return fill(choose(random, (value === 1 ? DONE_FACTS : NOT_DONE_FACTS)[part]), { name, ...modal });
  }
}

function fill(template: string, words: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, key: string) => words[key] ?? '');
}
