import { createHash } from 'node:crypto';
import type { Case, CorpusIssue, Label } from './types.js';

/** A case as a file has it: nothing is checked yet. */
export interface RawCase {
  /** The user's own id; undefined = `domain/idFile#index`. */
  readonly id: unknown;
  readonly domain: unknown;
  readonly rule: unknown;
  readonly scenario: unknown;
  readonly label: unknown;
}

/** Where a raw case stands, and what its parts are called there. */
export interface Place {
  /** As in {@link CorpusIssue}. */
  readonly file: string;
  readonly at: number;
  readonly unit: 'line' | 'index';
  /** File name and index (from 0) that make up the id of a case without its own. */
  readonly idFile: string;
  readonly index: number;
  readonly names: Readonly<Record<keyof RawCase, string>>;
}

export interface Collector {
  add(raw: RawCase, place: Place): void;
  readonly cases: readonly Case[];
  readonly issues: readonly CorpusIssue[];
}

/** Checks raw cases one after the other. What cannot be audited is skipped and reported, oddities are kept and reported. */
export function createCollector(labels: ReadonlyMap<string, Label>): Collector {
  const cases: Case[] = [];
  const issues: CorpusIssue[] = [];
  const ids = new Map<string, string>();
  const contents = new Map<string, string>();
  const ruleIdOf = ruleNamer();

  function add(raw: RawCase, place: Place): void {
    const where = `${place.unit} ${place.at}`;
    const report = (kind: CorpusIssue['kind'], skipped: boolean, message: string): void => {
      const { file, at, unit } = place;
      issues.push({ kind, file, at, unit, skipped, message: `${file}, ${where}: ${message}` });
    };

    const domain = nameLike(raw.domain);
    const label = nameLike(raw.label);
    const { rule, scenario } = raw;
    if (
      domain === null ||
      domain === '' ||
      label === null ||
      typeof rule !== 'string' ||
      typeof scenario !== 'string'
    ) {
      const bad =
        domain === null || domain === ''
          ? 'domain'
          : label === null
            ? 'label'
            : typeof rule !== 'string'
              ? 'rule'
              : 'scenario';
      report('missing-field', true, `field "${place.names[bad]}" is missing or not a text; skipped`);
      return;
    }
    const value = labels.get(label);
    if (value === undefined) {
      const known = [...labels.keys()].map(name => JSON.stringify(name)).join(' or ');
      report(
        'unknown-label',
        true,
        `${place.names.label} is ${JSON.stringify(label)}, expected ${known}; skipped`,
      );
      return;
    }
    if (hasLoneSurrogate(rule) || hasLoneSurrogate(scenario)) {
      report(
        'invalid-text',
        true,
        'rule or scenario holds half of a surrogate pair, which no UTF-8 prompt can carry; skipped',
      );
      return;
    }
    const id = raw.id === undefined ? `${domain}/${place.idFile}#${place.index}` : nameLike(raw.id);
    if (id === null || id === '') {
      report('missing-field', true, `field "${place.names.id}" is not a text; skipped`);
      return;
    }
    const sameId = ids.get(id);
    if (sameId !== undefined) {
      report('duplicate-id', true, `id ${JSON.stringify(id)} was already used at ${sameId}; skipped`);
      return;
    }
    ids.set(id, `${place.file}, ${where}`);

    const content = JSON.stringify([domain, ruleIdOf(rule), scenario]);
    const sameContent = contents.get(content);
    if (sameContent === undefined) contents.set(content, `${place.file}, ${where}`);
    else report('duplicate-case', false, `same rule and scenario as ${sameContent}; kept`);
    if (rule.trim() === '') report('empty-rule', false, 'the rule is empty or only white space; kept');
    if (scenario.trim() === '')
      report('empty-scenario', false, 'the scenario is empty or only white space; kept');

    cases.push({ id, domain, ruleId: ruleIdOf(rule), rule, scenario, label: value });
  }

  return { add, cases, issues };
}

/** Ids, domains and labels may be numbers or booleans in JSON; they are compared as text. */
function nameLike(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return null;
}

function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/** Hashes each different rule once: a corpus has about nine cases to a rule. */
function ruleNamer(): (rule: string) => string {
  const known = new Map<string, string>();
  return rule => {
    const before = known.get(rule);
    if (before !== undefined) return before;
    const id = createHash('sha256').update(rule, 'utf8').digest('hex').slice(0, 16);
    known.set(rule, id);
    return id;
  };
}
