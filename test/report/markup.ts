/** Elements of markup that are opened and closed in order; throws for what is not. Void elements of HTML need no end. */
export function requireBalanced(markup: string): void {
  const open: string[] = [];
  for (const [, closing, name = '', , selfClosing] of markup.matchAll(
    /<(\/?)([a-z][\w-]*)((?:"[^"]*"|[^>"])*?)(\/?)>/gi,
  )) {
    if (selfClosing === '/' || VOID.has(name)) continue;
    if (closing === '') open.push(name);
    else if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(', ')}`);
}

const VOID = new Set(['meta', 'input', 'br', '!doctype']);

/** Numbers of an attribute of all elements with a name, in order. */
export function attributes(markup: string, element: string, attribute: string): readonly number[] {
  const pattern = new RegExp(`<${element} [^>]*?\\b${attribute}="([^"]*)"`, 'g');
  return [...markup.matchAll(pattern)].map(([, value]) => Number(value));
}
