/** Markup that is safe to place in a page. Only this file makes it. */
export interface Html {
  readonly [brand]: true;
  toString(): string;
}

export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

const brand: unique symbol = Symbol('html');

/**
 * Everything that is put into the template is escaped, unless it is markup already. A list is joined; null, undefined and
 * false give nothing. Values belong between tags or inside double quotes, never into tag names, attribute names, styles
 * or scripts.
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlPart[]): Html {
  return markup(strings.reduce((text, string, index) => `${text}${part(values[index - 1])}${string}`));
}

/**
 * A block of data that the script of the page reads: JSON.parse(document.getElementById(id).textContent).
 * No text in it can end the block, open a comment or break a line of script.
 */
export function jsonBlock(id: string, value: unknown): Html {
  const json = JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return html`<script type="application/json" id="${id}">${markup(json)}</script>`;
}

/** Text with the five characters that mean something in markup written as references. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function part(value: HtmlPart): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return isMarkup(value) ? value.toString() : value.map(part).join('');
}

function isMarkup(value: Html | readonly HtmlPart[]): value is Html {
  return brand in value;
}

function markup(text: string): Html {
  return { [brand]: true, toString: () => text };
}
