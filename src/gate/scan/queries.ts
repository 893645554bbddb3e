import { COMPARISONS, type Comparison, METRIC, type Metric } from '../gates.js';
import { type Bindings, bindingsFor, resolveNumber } from './bindings.js';
import { isTestFile } from './files.js';
import { lineAt, placeOf, type Source, type SyntaxNode, textOf, visit } from './syntax.js';
import type { Constant, Finding } from './types.js';

/** What a score or an operator is compared with: a number, or a parameter of the query. */
const OPERAND = String.raw`(\d*\.?\d+\b|[$:@]\w+|%\(\w+\)s|[?])`;

/** Operators of PostgreSQL on vectors, cosine and L2 distance: `e <=> $1 < 0.3`, `1 - (e <=> $1) >= 0.8`. */
const OPERATOR = new RegExp(
  String.raw`(1(?:\.0)?\s*-\s*)?\(?\s*[\w."]+\s*(<=>|<->)\s*[^()<>=]*?\)?\s*(>=|<=|>|<)\s*${OPERAND}`,
  'g',
);
const METRICS_OF_OPERATORS: Readonly<Record<string, Metric>> = { '<=>': 'distance', '<->': 'l2' };

/** `WHERE score > $min_score`, of a score that the query has computed. */
const COLUMN = new RegExp(
  String.raw`\b(?:WHERE|HAVING|AND)\s+(?:\w+\.)?(?:score|similarity|distance|dist)\s*(>=|<=|>|<)\s*${OPERAND}`,
  'gi',
);

const STRINGS: ReadonlySet<string> = new Set(['String', 'TemplateString', 'FormatString']);
const MIRRORED: Readonly<Record<Comparison, Comparison>> = { '>=': '<=', '>': '<', '<=': '>=', '<': '>' };

/** Thresholds on vectors inside the query strings of a file. */
export function queryFindings(
  source: Source,
  bindings: Bindings,
  speaksOfEmbeddings: boolean,
): readonly Finding[] {
  const findings: Finding[] = [];
  visit(source.tree, node => {
    if (!STRINGS.has(node.name)) return;
    // An interpolation is a parameter here; the text keeps its length, so that places stay right.
    const text = textOf(source, node).replace(/\$\{[^{}]*\}/g, match => `$${'_'.repeat(match.length - 1)}`);
    for (const match of text.matchAll(OPERATOR)) {
      const [, complement, operator, sign, operand] = match;
      const metric = METRICS_OF_OPERATORS[operator ?? ''] ?? null;
      const shown = complement === undefined ? metric : metric === 'distance' ? 'cosine' : null;
      findings.push(findingOf(source, bindings, node, match.index, shown, 'operator', sign, operand));
    }
    if (!speaksOfEmbeddings) return;
    for (const match of text.matchAll(COLUMN)) {
      const [, sign, operand] = match;
      // Databases scale what they call cosine differently: some give (1 + cosine) / 2.
      findings.push(findingOf(source, bindings, node, match.index, null, null, sign, operand));
    }
  });
  return findings;
}

function findingOf(
  source: Source,
  bindings: Bindings,
  node: SyntaxNode,
  offset: number,
  metric: Metric | null,
  basis: Finding['basis'],
  sign: string | undefined,
  operand: string | undefined,
): Finding {
  const at = node.from + offset;
  const constant = constantOf(source, bindings, node, at, operand ?? '');
  const comparison = COMPARISONS.find(name => name === sign) ?? null;
  const rule = metric === null ? null : METRIC[metric];
  return {
    file: source.file,
    ...placeOf(source, at),
    kind: 'query',
    constant,
    metric,
    basis,
    comparison,
    effectiveCosine:
      rule === null || constant.value === null || comparison === null
        ? null
        : {
            cosine: Number(rule.toCosine(constant.value).toFixed(6)),
            acts: rule.rises ? comparison : MIRRORED[comparison],
          },
    action: null,
    snippet: lineAt(source, at).slice(0, 200),
    inTests: isTestFile(source.file),
  };
}

/** A parameter often has the name of the variable that fills it. */
function constantOf(
  source: Source,
  bindings: Bindings,
  node: SyntaxNode,
  at: number,
  operand: string,
): Constant {
  if (/^[\d.]+$/.test(operand))
    return { value: Number(operand), name: null, source: 'literal', line: placeOf(source, at).line };
  const name = /[a-z]\w+/i.exec(operand)?.[0] ?? null;
  const [binding, ...others] = name === null ? [] : bindingsFor(bindings, node, name);
  const resolved =
    binding === undefined || others.length > 0 ? null : resolveNumber(source, bindings, binding.value);
  if (resolved === null) return { value: null, name, source: 'unknown', line: null };
  const { value, at: place } = resolved.number;
  return { value, name, source: 'default', line: placeOf(source, place).line };
}
