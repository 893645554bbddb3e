import {
  childrenOf,
  foldName,
  functionAround,
  nameOf,
  type Source,
  type SyntaxNode,
  textOf,
  visit,
} from './syntax.js';

/** A value that the source gives a name: assignment, default of a parameter, property, keyword argument. */
export interface Binding {
  readonly name: string;
  readonly nameNode: SyntaxNode;
  readonly value: SyntaxNode;
  readonly role: 'variable' | 'parameter' | 'property' | 'keyword';
  /** The function that the name belongs to; null at the top, in a class body, and for members of an object. */
  readonly scope: SyntaxNode | null;
  readonly member: boolean;
}

export type Bindings = ReadonlyMap<string, readonly Binding[]>;

/** Every binding of a file by folded name. */
export function bindingsOf(source: Source): Bindings {
  const found = new Map<string, Binding[]>();
  visit(source.tree, parent => {
    const children = childrenOf(parent);
    children.forEach((child, i) => {
      if (!isEquals(source, parent, child)) return;
      const nameNode = nameBefore(children, i);
      const value = children[i + 1];
      const name = nameOf(source, nameNode);
      if (nameNode === null || name === null || value === undefined) return;
      const role = roleOf(parent);
      const binding: Binding = {
        name,
        nameNode,
        value,
        role,
        scope: functionAround(nameNode),
        member: nameNode.name === 'MemberExpression' || role === 'property',
      };
      const key = foldName(name);
      const list = found.get(key);
      if (list === undefined) found.set(key, [binding]);
      else list.push(binding);
    });
  });
  return found;
}

function isEquals(source: Source, parent: SyntaxNode, node: SyntaxNode): boolean {
  if (node.name === 'Equals') return true;
  if (node.name === 'AssignOp') return textOf(source, node) === '=';
  return node.name === ':' && ['Property', 'DictionaryExpression'].includes(parent.name);
}

const SKIPPED: ReadonlySet<string> = new Set(['TypeAnnotation', 'TypeDef', 'Optional']);

function nameBefore(children: readonly SyntaxNode[], at: number): SyntaxNode | null {
  for (let i = at - 1; i >= 0; i--) {
    const child = children[i];
    if (child !== undefined && !SKIPPED.has(child.name)) return child;
  }
  return null;
}

function roleOf({ name }: SyntaxNode): Binding['role'] {
  if (name === 'ParamList' || name === 'PatternProperty') return 'parameter';
  if (name === 'ArgList') return 'keyword';
  return name === 'Property' || name === 'DictionaryExpression' || name === 'PropertyDeclaration'
    ? 'property'
    : 'variable';
}

/** A number that an expression stands for. `isDefault`: it only stands for it when nothing else was given. */
export interface NumberValue {
  readonly value: number;
  readonly isDefault: boolean;
  readonly at: number;
}

/** Functions that hand on the number in their arguments: `float(os.getenv("T", "0.8"))`, `Field(default=0.7)`. */
const HANDS_ON =
  /(^|\.)(Number|parseFloat|float|Float|Field|field|getenv|env|get|getattr|Option|Query|default)$/;

/** The number of a literal, or of the usual wrappings around a default; null for anything else. */
export function numberOf(source: Source, node: SyntaxNode | null | undefined): NumberValue | null {
  if (!node) return null;
  const children = childrenOf(node);
  switch (node.name) {
    case 'Number':
      return numberText(textOf(source, node), node.from);
    case 'String':
      return numberText(nameOf(source, node) ?? '', node.from);
    case 'UnaryExpression': {
      const inner = numberOf(source, node.lastChild);
      const sign = textOf(source, node).trimStart();
      return inner !== null && sign.startsWith('-') ? { ...inner, value: -inner.value } : null;
    }
    case 'ParenthesizedExpression':
      return numberOf(source, children[1]);
    case 'BinaryExpression': {
      const operator = children[1];
      const isChoice = operator !== undefined && ['??', '||', 'or'].includes(textOf(source, operator));
      const wraps = operator !== undefined && ['as', 'satisfies'].includes(operator.name);
      if (wraps) return numberOf(source, children[0]);
      const fallback = isChoice ? numberOf(source, node.lastChild) : null;
      return fallback === null ? null : { ...fallback, isDefault: true };
    }
    case 'CallExpression': {
      const [callee, args] = [children[0], children.find(({ name }) => name === 'ArgList')];
      if (callee === undefined || args === undefined || !HANDS_ON.test(textOf(source, callee))) return null;
      const parts = childrenOf(args);
      const keyword = parts.findIndex(part => textOf(source, part) === 'default');
      const direct = parts.filter(({ name }) => !['(', ')', ','].includes(name));
      const first = /Field|field|Option|Query|float|Float|Number|parseFloat/.test(textOf(source, callee));
      const given = keyword >= 0 ? parts[keyword + 2] : first ? direct[0] : direct[direct.length - 1];
      const inner = numberOf(source, given);
      return inner === null ? null : { ...inner, isDefault: true };
    }
    case 'ConditionalExpression': {
      // One branch gives a number, the other what was given.
      const numbers = children.flatMap(child => {
        const number =
          child.name === 'Number' || child.name === 'UnaryExpression' ? numberOf(source, child) : null;
        return number === null ? [] : [number];
      });
      const [first, ...others] = numbers;
      return first === undefined || others.length > 0 ? null : { ...first, isDefault: true };
    }
    default:
      return null;
  }
}

function numberText(text: string, at: number): NumberValue | null {
  if (!/^\d*\.?\d+(e-?\d+)?$/i.test(text)) return null;
  return { value: Number(text), isDefault: false, at };
}

/** What a name stands for. */
export interface Resolved {
  readonly number: NumberValue;
  readonly binding: Binding | null;
}

const DEEPEST = 4;

/**
 * The number that an expression stands for: its own, or that of the binding in the innermost scope around it. null when
 * there is none or when bindings of the same scope disagree.
 */
export function resolveNumber(
  source: Source,
  bindings: Bindings,
  node: SyntaxNode,
  depth = 0,
): Resolved | null {
  const own = numberOf(source, node);
  if (own !== null) return { number: own, binding: null };
  const name = nameOf(source, node);
  if (name === null || node.name === 'String' || depth > DEEPEST) return null;
  const resolved = bindingsFor(bindings, node, name).flatMap(binding => {
    if (binding.value.from <= node.from && node.to <= binding.value.to) return [];
    const inner = resolveNumber(source, bindings, binding.value, depth + 1);
    if (inner === null) return [];
    const isDefault = inner.number.isDefault || binding.role === 'parameter';
    return [{ number: { ...inner.number, isDefault }, binding: inner.binding ?? binding }];
  });
  const [first] = resolved;
  return first !== undefined && resolved.every(({ number }) => number.value === first.number.value)
    ? first
    : null;
}

/** The bindings that a use of a name can mean: those of the innermost scope that has any; members have no scope. */
export function bindingsFor(bindings: Bindings, use: SyntaxNode, name: string): readonly Binding[] {
  const all = (bindings.get(foldName(name)) ?? []).filter(({ role }) => role !== 'keyword');
  if (use.name === 'MemberExpression') {
    const members = all.filter(({ member, scope }) => member || scope === null);
    return members.length > 0 ? members : all.filter(({ role }) => role === 'parameter');
  }
  for (let scope = functionAround(use); ; scope = functionAround(scope)) {
    const at = scope?.from ?? -1;
    const within = all.filter(binding => !binding.member && (binding.scope?.from ?? -1) === at);
    if (within.length > 0) return within;
    if (scope === null) return [];
  }
}
