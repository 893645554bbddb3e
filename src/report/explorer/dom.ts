// The part of a browser's document that the script of the page uses. The program is compiled without the types of a
// browser, so that no name of a browser can slip into it; what is listed here is as the DOM standard has it.

export interface PageElement {
  id: string;
  className: string;
  textContent: string | null;
  hidden: boolean;
  value: string;
  checked: boolean;
  tabIndex: number;
  append(...nodes: readonly (PageElement | string)[]): void;
  replaceChildren(...nodes: readonly (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  focus(options?: { readonly preventScroll?: boolean }): void;
  scrollIntoView(options: { readonly block: 'start' }): void;
}

export interface PageEvent {
  readonly key: string;
  preventDefault(): void;
}

export interface PageDocument {
  createElement(name: string): PageElement;
  getElementById(id: string): PageElement | null;
}
