import { COMPARISONS, type Comparison, METRIC, type Metric } from '../gates.js';
import { actionOf } from './action.js';
import { type Binding, type Bindings, bindingsFor, bindingsOf, numberOf, resolveNumber } from './bindings.js';
import { isTestFile } from './files.js';
import {
  type Evidence,
  judgeMetric,
  namesOtherThing,
  namesSimilarityThreshold,
  namesThreshold,
  speaksOfEmbeddings,
} from './metric.js';
import { queryFindings } from './queries.js';
import {
  childrenOf,
  foldName,
  functionAround,
  lineAt,
  nameOf,
  placeOf,
  type Source,
  type SyntaxNode,
  textOf,
  visit,
  wordsOf,
} from './syntax.js';
import type { Constant, Finding } from './types.js';

/** Values of names that only one file of the tree assigns, by folded name: what an import can mean. */
export type ImportedConstants = ReadonlyMap<string, { readonly value: number; readonly file: string }>;

/** What the other files of a tree tell about one. */
export interface TreeFacts {
  readonly imported: ImportedConstants;
  /** Some file has to do with embeddings. */
  readonly speaksOfEmbeddings: boolean;
}

/** Finds the gates of one file, in the order of their lines. */
export function scanSource(source: Source, facts: TreeFacts): readonly Finding[] {
  const bindings = bindingsOf(source);
  const file = wordsOf(source.text);
  const used = new Set<SyntaxNode>();
  const findings: Finding[] = [];
  visit(source.tree, node => {
    if (node.name !== 'BinaryExpression') return;
    const found = comparisonFinding(source, bindings, facts, file, node);
    if (found === null) return;
    findings.push(found.finding);
    if (found.binding !== null) used.add(found.binding.value);
  });
  for (const binding of [...bindings.values()].flat()) {
    if (used.has(binding.value)) continue;
    const finding = settingFinding(source, file, facts.speaksOfEmbeddings, binding);
    if (finding !== null) findings.push(finding);
  }
  findings.push(...queryFindings(source, bindings, speaksOfEmbeddings(file)));
  return findings.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** A file's own words, for {@link TreeFacts}. */
export function mentionsEmbeddings(source: Source): boolean {
  return speaksOfEmbeddings(wordsOf(source.text));
}

/** Constants at the top of a file whose names say threshold, for other files that import them. */
export function exportedConstants(source: Source): readonly (readonly [string, number])[] {
  return [...bindingsOf(source).values()].flat().flatMap((binding): (readonly [string, number])[] => {
    if (binding.scope !== null || binding.member || binding.role !== 'variable') return [];
    const number = numberOf(source, binding.value);
    return number !== null && namesThreshold(wordsOf(binding.name))
      ? [[foldName(binding.name), number.value]]
      : [];
  });
}

const MIRRORED: Readonly<Record<Comparison, Comparison>> = { '>=': '<=', '>': '<', '<=': '>=', '<': '>' };
const OPPOSITE: Readonly<Record<Comparison, Comparison>> = { '>=': '<', '>': '<=', '<=': '>', '<': '>=' };

/** Thresholds on scores of unit vectors: below .01 stand tolerances, and none is beyond the range of the widest metric. */
function canBeThreshold(value: number): boolean {
  return value >= 0.01 && value < 4 && value !== 1 && value !== 2 && value !== 3;
}

function comparisonFinding(
  source: Source,
  bindings: Bindings,
  { imported, speaksOfEmbeddings: tree }: TreeFacts,
  file: string,
  node: SyntaxNode,
): { readonly finding: Finding; readonly binding: Binding | null } | null {
  const [left, operator, right] = childrenOf(node);
  if (left === undefined || operator === undefined || right === undefined || operator.name !== 'CompareOp')
    return null;
  const sign = COMPARISONS.find(comparison => comparison === textOf(source, operator));
  if (sign === undefined) return null;
  for (const [score, threshold, comparison] of [
    [left, right, sign],
    [right, left, MIRRORED[sign]],
  ] as const) {
    const constant = constantOf(source, bindings, imported, threshold);
    // `score ?? 0` is a score.
    if (constant === null || numberOf(source, score)?.isDefault === false) continue;
    if (updatesThreshold(source, node, threshold)) continue;
    const evidence = evidenceOf(source, bindings, file, score, constant.constant.name ?? '');
    const judged = judgeMetric({ ...evidence, tree });
    if (judged === null) continue;
    const { action, negated } = actionOf(source, node);
    const acts = negated ? OPPOSITE[comparison] : comparison;
    return {
      finding: {
        ...place(source, node),
        kind: 'comparison',
        constant: constant.constant,
        ...judged,
        comparison: acts,
        effectiveCosine: effectiveOf(judged.metric, constant.constant.value, acts),
        action,
      },
      binding: constant.binding,
    };
  }
  return null;
}

function place(
  source: Source,
  { from }: { readonly from: number },
): Pick<Finding, 'file' | 'line' | 'column' | 'snippet' | 'inTests'> {
  return {
    file: source.file,
    ...placeOf(source, from),
    snippet: lineAt(source, from).slice(0, 200),
    inTests: isTestFile(source.file),
  };
}

function constantOf(
  source: Source,
  bindings: Bindings,
  imported: ImportedConstants,
  node: SyntaxNode,
): { readonly constant: Constant; readonly binding: Binding | null } | null {
  const name = node.name === 'String' ? null : nameOf(source, node);
  if (node.name === 'String') return null;
  const resolved = resolveNumber(source, bindings, node);
  if (resolved !== null) {
    const { number, binding } = resolved;
    if (!canBeThreshold(number.value)) {
      // An option that is off unless somebody sets it.
      const isOption =
        number.isDefault &&
        name !== null &&
        /thresh|cut ?off/.test(wordsOf(name)) &&
        namesSimilarityThreshold(wordsOf(name));
      return isOption ? { constant: { value: null, name, source: 'default', line: null }, binding } : null;
    }
    return {
      constant: {
        value: number.value,
        name,
        source: number.isDefault ? 'default' : binding === null ? 'literal' : 'constant',
        line: placeOf(source, number.at).line,
      },
      binding,
    };
  }
  if (name === null || !namesThreshold(wordsOf(name))) return null;
  const elsewhere = bindingsFor(bindings, node, name).length === 0 ? imported.get(foldName(name)) : undefined;
  if (elsewhere !== undefined && canBeThreshold(elsewhere.value))
    return { constant: { value: elsewhere.value, name, source: 'constant', line: null }, binding: null };
  return { constant: { value: null, name, source: 'unknown', line: null }, binding: null };
}

/** `if (score > best) best = score` looks for a maximum: no gate. */
function updatesThreshold(source: Source, comparison: SyntaxNode, threshold: SyntaxNode): boolean {
  const name = nameOf(source, threshold);
  if (name === null) return false;
  let statement: SyntaxNode | null = comparison;
  while (statement !== null && statement.name !== 'IfStatement') statement = statement.parent;
  if (statement === null) return false;
  const escaped = textOf(source, threshold).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(^|[^\\w.])${escaped}\\s*=[^=]`).test(textOf(source, statement));
}

const LONGEST_FUNCTION = 8000;

function evidenceOf(
  source: Source,
  bindings: Bindings,
  file: string,
  score: SyntaxNode,
  name: string,
): Omit<Evidence, 'tree'> {
  const around = functionAround(score);
  const definitions: string[] = [];
  const collect = (node: SyntaxNode): void => {
    const used = nameOf(source, node);
    if (used !== null) {
      for (const { value, role } of bindingsFor(bindings, node, used))
        if (role === 'variable') definitions.push(textOf(source, value).slice(0, 300));
      return;
    }
    for (const child of childrenOf(node)) collect(child);
  };
  collect(score);
  return {
    expression: wordsOf(textOf(source, score)),
    definition: wordsOf(definitions.join(' ; ')),
    name: wordsOf(name),
    function: around === null ? '' : wordsOf(textOf(source, around).slice(0, LONGEST_FUNCTION)),
    file,
  };
}

function effectiveOf(
  metric: Metric | null,
  value: number | null,
  comparison: Comparison | null,
): Finding['effectiveCosine'] {
  if (metric === null || value === null) return null;
  const { toCosine, rises } = METRIC[metric];
  const acts = comparison === null ? null : rises ? comparison : MIRRORED[comparison];
  return { cosine: Number(toCosine(value).toFixed(6)), acts };
}

function settingFinding(source: Source, file: string, treeSpeaks: boolean, binding: Binding): Finding | null {
  const number = numberOf(source, binding.value);
  const name = wordsOf(binding.name);
  if (number === null || !canBeThreshold(number.value) || namesOtherThing(name)) return null;
  if (!namesThreshold(name)) return null;
  const enclosing = functionAround(binding.nameNode);
  const around = enclosing === null ? '' : wordsOf(textOf(source, enclosing).slice(0, LONGEST_FUNCTION));
  // A file need not speak of embeddings itself, when the name or the function is clear enough.
  const isClear =
    namesSimilarityThreshold(name) || /similarity search|vector search|semantic search/.test(around);
  if (!speaksOfEmbeddings(file) && !(treeSpeaks && isClear)) return null;
  // A bare "threshold" can be of anything; where it is handed to something, that has to be about similarity.
  if (!namesSimilarityThreshold(name) && !/\bscores?\b|relevance/.test(name)) {
    const receiver = binding.role === 'keyword' ? wordsOf(calleeOf(source, binding)) : '';
    const isAboutSimilarity = /similar|semantic|embed|cosine|vector|encod/.test(`${receiver} ${around}`);
    if (!isAboutSimilarity || namesOtherThing(receiver)) return null;
  }
  const judged = judgeMetric({
    expression: '',
    definition: '',
    name,
    function: '',
    file,
    tree: treeSpeaks,
  }) ?? {
    metric: null,
    basis: null,
  };
  return {
    ...place(source, binding.nameNode),
    kind: 'setting',
    constant: {
      value: number.value,
      name: binding.name,
      source: number.isDefault || binding.role === 'parameter' ? 'default' : 'constant',
      line: placeOf(source, number.at).line,
    },
    ...judged,
    comparison: null,
    effectiveCosine: effectiveOf(judged.metric, number.value, null),
    action: null,
  };
}

function calleeOf(source: Source, { nameNode }: Binding): string {
  const call = nameNode.parent?.parent;
  return call?.name === 'CallExpression' && call.firstChild !== null ? textOf(source, call.firstChild) : '';
}
