import type { SyntaxNode, Tree } from '@lezer/common';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';

export type { SyntaxNode };

const PARSERS = {
  js: javascript.configure({ dialect: 'jsx' }),
  ts: javascript.configure({ dialect: 'ts' }),
  tsx: javascript.configure({ dialect: 'ts jsx' }),
  py: python,
} as const;

const LANGUAGES: Readonly<Record<string, keyof typeof PARSERS>> = {
  '.js': 'js',
  '.jsx': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.py': 'py',
};

/** A parsed file. The parsers never fail: what they do not understand becomes error nodes. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly tree: Tree;
}

/** The ending decides the language; undefined = not a file that is scanned. */
export function languageOf(ending: string): keyof typeof PARSERS | undefined {
  return LANGUAGES[ending];
}

export function parseSource(file: string, text: string, language: keyof typeof PARSERS): Source {
  return { file, text, tree: PARSERS[language].parse(text) };
}

export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** Visits every node in the order of the text. */
export function visit(tree: Tree, at: (node: SyntaxNode) => void): void {
  tree.iterate({ enter: ref => at(ref.node) });
}

export function textOf({ text }: Source, node: { readonly from: number; readonly to: number }): string {
  return text.slice(node.from, node.to);
}

const NAMES: ReadonlySet<string> = new Set([
  'VariableName',
  'VariableDefinition',
  'PropertyName',
  'PropertyDefinition',
  'PrivatePropertyName',
  'PrivatePropertyDefinition',
]);

/** The last name of `a`, `a.b`, `this.#b` or `a["b"]`, or the word in a string key; null for anything else. */
export function nameOf(source: Source, node: SyntaxNode | null): string | null {
  if (node === null) return null;
  if (NAMES.has(node.name)) return textOf(source, node);
  if (node.name === 'MemberExpression') {
    const last = node.lastChild;
    return nameOf(source, last?.name === ']' ? last.prevSibling : last);
  }
  if (node.name === 'String') return textOf(source, node).replace(/^[a-zA-Z]*['"`]+|['"`]+$/g, '');
  return null;
}

/** minScore, MIN_SCORE and _min_score are one name. */
export function foldName(name: string): string {
  return name.replace(/[^a-zA-Z0-9]/g, '').toLowerCase();
}

/** Words in lower case with single blanks between: camelCase and snake_case come apart. */
export function wordsOf(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^a-zA-Z0-9<>=+*/().-]+/g, ' ')
    .toLowerCase();
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunction',
  'MethodDeclaration',
  'FunctionDefinition',
  'LambdaExpression',
]);

/** The innermost function around a node; null at the top. */
export function functionAround(node: SyntaxNode): SyntaxNode | null {
  for (let at = node.parent; at !== null; at = at.parent) if (FUNCTIONS.has(at.name)) return at;
  return null;
}

/** Line and column from 1. */
export function placeOf({ text }: Source, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let feed = text.indexOf('\n'); feed !== -1 && feed < at; feed = text.indexOf('\n', feed + 1)) {
    line++;
    start = feed + 1;
  }
  return { line, column: at - start + 1 };
}

export function lineAt({ text }: Source, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return text.slice(start, end === -1 ? text.length : end).trim();
}
