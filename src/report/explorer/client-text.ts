import type { PageDocument, PageElement } from './dom.js';

export type Child = PageElement | string | null;

export interface PageText {
  /** An element with a class and children; null gives nothing. */
  readonly element: (name: string, className: string, ...children: readonly Child[]) => PageElement;
  /** An element of the page that has this id. */
  readonly byId: (id: string) => PageElement;
  /** Text of a corpus as nodes: letters as they are, whatever cannot be seen under its name. */
  readonly shown: (text: string) => readonly Child[];
  /** The same in an element of its own direction, so that it cannot turn what stands around it. */
  readonly isolated: (className: string, ...children: readonly Child[]) => PageElement;
  /** The same as one string, for places that hold no elements. */
  readonly plain: (text: string) => string;
}

/**
 * How the script of the page makes elements and shows text that is not ours. It goes into the page as its own source:
 * it uses its argument and the language, and nothing else of this program.
 */
export function makePageText(document: PageDocument): PageText {
  /** Control, format and other invisible characters. Line breaks and tabs are shown as such. */
  const UNSEEN = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu;
  const NAMES: Readonly<Record<string, string>> = {
    '00AD': 'soft hyphen',
    '061C': 'Arabic letter mark',
    '200B': 'zero width space',
    '200C': 'zero width non-joiner',
    '200D': 'zero width joiner',
    '200E': 'left-to-right mark',
    '200F': 'right-to-left mark',
    '2028': 'line separator',
    '2029': 'paragraph separator',
    '202A': 'left-to-right embedding',
    '202B': 'right-to-left embedding',
    '202C': 'pop directional formatting',
    '202D': 'left-to-right override',
    '202E': 'right-to-left override',
    '2066': 'left-to-right isolate',
    '2067': 'right-to-left isolate',
    '2068': 'first strong isolate',
    '2069': 'pop directional isolate',
    FEFF: 'byte order mark',
  };
  const nameOf = (character: string): string => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return NAMES[code] === undefined ? `U+${code}` : `U+${code} ${NAMES[code]}`;
  };

  const element: PageText['element'] = (name, className, ...children) => {
    const made = document.createElement(name);
    if (className !== '') made.className = className;
    made.append(...children.filter(child => child !== null));
    return made;
  };
  const byId: PageText['byId'] = id => {
    const found = document.getElementById(id);
    if (found === null) throw new Error(`the page has no element ${id}`);
    return found;
  };
  const shown: PageText['shown'] = text => {
    const nodes: Child[] = [];
    let start = 0;
    for (const match of text.matchAll(UNSEEN)) {
      if (match.index > start) nodes.push(text.slice(start, match.index));
      nodes.push(element('span', 'ex-unseen', nameOf(match[0])));
      start = match.index + match[0].length;
    }
    if (start < text.length) nodes.push(text.slice(start));
    return nodes;
  };
  const isolated: PageText['isolated'] = (className, ...children) => {
    const made = element('bdi', className, ...children);
    made.setAttribute('dir', 'auto');
    return made;
  };
  const plain: PageText['plain'] = text => text.replace(UNSEEN, character => `<${nameOf(character)}>`);
  return { element, byId, shown, isolated, plain };
}
