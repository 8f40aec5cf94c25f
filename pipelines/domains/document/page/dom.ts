/** The part of the DOM that the reader needs. The parser has all of it; the service does not load a browser's types. */

export interface DomNode {
  /** 1 is an element, 3 a text. */
  readonly nodeType: number
  readonly nodeValue: string | null
  readonly textContent: string | null
  readonly firstChild: DomNode | null
  readonly nextSibling: DomNode | null
  readonly previousSibling: DomNode | null
  readonly parentElement: DomElement | null
}

export interface DomElement extends DomNode {
  readonly tagName: string
  readonly lastChild: DomNode | null
  readonly firstElementChild: DomElement | null
  readonly nextElementSibling: DomElement | null
  readonly previousElementSibling: DomElement | null
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  removeAttribute(name: string): void
  querySelectorAll(selector: string): Iterable<DomElement>
  remove(): void
  replaceWith(other: DomNode): void
  append(node: DomNode): void
}

export interface DomDocument {
  readonly title: string
  readonly body: DomElement
  readonly documentElement: DomElement
  createTextNode(text: string): DomNode
  createElement(name: string): DomElement
  querySelector(selector: string): DomElement | null
  querySelectorAll(selector: string): Iterable<DomElement>
}
