import {
  childrenOf,
  functionAround,
  nameOf,
  type Source,
  type SyntaxNode,
  textOf,
  wordsOf,
} from './syntax.js';
import type { ActionKind, Finding } from './types.js';

/** Words of a branch and what it does; the first that fits counts. */
const KINDS: readonly (readonly [ActionKind, RegExp])[] = [
  ['cache', /\bcached?\b|cache ?hit|\bhit\b/],
  ['merge', /merge|combine|consolidat|union|same ?as|existing/],
  ['drop', /duplicate|dedup|redundan|\bdrop|remove|discard|\bskip|continue|\bpop\b|delete/],
  ['block', /raise|throw|block|reject|deny|refus|\bfail|error|violation/],
  ['route', /route|dispatch|intent/],
  ['approve', /approve|accept|\bpass(ed|es)?\b|match|valid|\bok\b|return (true|1)\b/],
  ['filter', /append|push|filter|keep|include|extend|yield/],
];

const TRANSPARENT: ReadonlySet<string> = new Set(['ParenthesizedExpression', 'BinaryExpression']);

/**
 * What happens when a comparison holds. null when the branch says nothing that is understood. `negated`: it happens when
 * the comparison does not hold.
 */
export function actionOf(
  source: Source,
  comparison: SyntaxNode,
): { readonly action: Finding['action']; readonly negated: boolean } {
  let negated = false;
  let node = comparison;
  for (let parent = node.parent; parent !== null; node = parent, parent = parent.parent) {
    if (parent.name === 'UnaryExpression') {
      if (/^\s*(!|not\b)/.test(textOf(source, parent))) negated = !negated;
      continue;
    }
    if (TRANSPARENT.has(parent.name)) continue;
    return {
      action: describe(source, branchOf(node, parent)) ?? fromSurroundings(source, node, parent),
      negated,
    };
  }
  return { action: null, negated };
}

/** The statement or expression that runs when the condition holds. */
function branchOf(condition: SyntaxNode, parent: SyntaxNode): SyntaxNode | null {
  const children = childrenOf(parent);
  const at = children.findIndex(({ from }) => from === condition.from);
  if (parent.name === 'IfStatement') return children[at + 1] ?? null;
  // a if c else b · c ? a : b
  if (parent.name === 'ConditionalExpression')
    return children.find(({ name }) => name === 'if') === undefined
      ? (children[at + 2] ?? null)
      : (children[0] ?? null);
  return null;
}

const LONGEST = 100;

function describe(source: Source, branch: SyntaxNode | null): Finding['action'] {
  if (branch === null) return null;
  const text = textOf(source, branch).replace(/^[{:\s]+|[}\s]+$/g, '');
  const words = wordsOf(text.slice(0, 400));
  const kind = KINDS.find(([, pattern]) => pattern.test(words))?.[0];
  return kind === undefined ? null : { kind, text: (text.split('\n')[0] ?? '').trim().slice(0, LONGEST) };
}

/** A comparison that is returned, kept or put into a filter: the names around it tell what it is for. */
function fromSurroundings(source: Source, node: SyntaxNode, parent: SyntaxNode): Finding['action'] {
  const around = textOf(source, parent);
  if (
    /Comprehension|GeneratorExpression|ArrowFunction|LambdaExpression/.test(parent.name) ||
    /Comprehension/.test(node.name)
  ) {
    const call = parent.parent?.parent;
    const callee = call?.name === 'CallExpression' ? textOf(source, call.firstChild ?? call) : '';
    return { kind: 'filter', text: (callee || around).split('\n')[0]?.trim().slice(0, LONGEST) ?? '' };
  }
  const target =
    parent.name.includes('Assign') || parent.name === 'VariableDeclaration' ? around.split('=')[0] : '';
  const enclosing = functionAround(node);
  const name = enclosing === null ? '' : (functionName(source, enclosing) ?? '');
  const words = wordsOf(`${target} ${parent.name === 'ReturnStatement' ? name : ''}`);
  const kind = KINDS.find(([, pattern]) => pattern.test(words))?.[0];
  return kind === undefined ? null : { kind, text: (around.split('\n')[0] ?? '').trim().slice(0, LONGEST) };
}

function functionName(source: Source, node: SyntaxNode): string | null {
  const own = childrenOf(node).find(({ name }) =>
    /VariableName|VariableDefinition|PropertyDefinition/.test(name),
  );
  return own === undefined ? null : nameOf(source, own);
}
