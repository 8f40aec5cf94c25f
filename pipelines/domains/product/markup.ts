/** HTML as a flat list of nodes in the order of the document. Nothing here recurses, so any depth of nesting is safe. */
import { Parser } from 'htmlparser2'

export interface MarkupElement {
  name: string
  attributes: Readonly<Record<string, string>>
  parent: MarkupElement | undefined
  depth: number
  /** Its place among the nodes. The nodes after it and before `end` are inside it. */
  at: number
  end: number
}

export interface MarkupText {
  /** Trimmed, with single spaces. Never empty. */
  text: string
  parent: MarkupElement
  at: number
  /** Whether a space or the edge of a block comes before it. */
  isApart: boolean
}

export interface Script {
  /** In lower case. */
  type: string
  id: string
  text: string
}

export interface Markup {
  nodes: readonly (MarkupElement | MarkupText)[]
  elements: readonly MarkupElement[]
  texts: readonly MarkupText[]
  scripts: readonly Script[]
  /** The page is larger than our bound: the rest is left out. */
  isCut: boolean
}

/** A shop's page has about ten thousand nodes. */
const mostNodes = 250_000
const mostDepth = 1_000
const mostScriptCharacters = 12 << 20
/** The parser searches its open elements from the end, so unbounded nesting would cost the square of its depth. */
const chunk = 16 << 10

/** The elements that stand on lines of their own. */
export const blocks: ReadonlySet<string> = new Set(
  'address article aside blockquote br button dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr input label li main nav ol option p section select table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Readers do not see the text of these. */
const unseen = new Set(['style', 'svg', 'iframe', 'noembed', 'noframes'])

export function readMarkup(html: string): Markup {
  const building = new Building()
  const parser = new Parser({
    onopentag: (name, attributes) => building.open(name, attributes),
    ontext: text => building.say(text),
    onclosetag: name => building.close(name),
  })
  let from = 0
  while (from < html.length && building.hasRoom) {
    parser.write(html.slice(from, from + chunk))
    from += chunk
  }
  parser.end()
  return building.whole(from < html.length)
}

/** The list while it is built. */
class Building {
  readonly #root: MarkupElement = { name: '', attributes: {}, parent: undefined, depth: 0, at: 0, end: 1 }
  readonly #nodes: (MarkupElement | MarkupText)[] = [this.#root]
  readonly #elements: MarkupElement[] = [this.#root]
  readonly #texts: MarkupText[] = []
  readonly #scripts: Script[] = []
  #open = this.#root
  #isApart = true
  /** Text that has arrived, but is not a node yet. */
  #pending: string[] = []
  /** The number of open elements with invisible text. */
  #hidden = 0
  #scriptCharacters = 0

  get hasRoom(): boolean {
    return this.#nodes.length < mostNodes && this.#open.depth < mostDepth
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#flush()
    if (blocks.has(name)) this.#isApart = true
    if (unseen.has(name)) this.#hidden += 1
    const at = this.#nodes.length
    const element = { name, attributes, parent: this.#open, depth: this.#open.depth + 1, at, end: at + 1 }
    this.#nodes.push(element)
    this.#elements.push(element)
    this.#open = element
  }

  say(text: string): void {
    if (this.#hidden === 0) this.#pending.push(text)
  }

  close(name: string): void {
    if (this.#open.name === 'script') this.#endScript()
    else this.#flush()
    this.#open.end = this.#nodes.length
    if (blocks.has(name)) this.#isApart = true
    if (unseen.has(name)) this.#hidden -= 1
    this.#open = this.#open.parent ?? this.#root
  }

  whole(isCut: boolean): Markup {
    this.#flush()
    this.#root.end = this.#nodes.length
    return {
      nodes: this.#nodes,
      elements: this.#elements,
      texts: this.#texts,
      scripts: this.#scripts,
      isCut,
    }
  }

  #flush(): void {
    if (this.#pending.length === 0) return
    const whole = this.#pending.length === 1 ? (this.#pending[0] as string) : this.#pending.join('')
    this.#pending = []
    const text = plain(whole)
    if (text === '') {
      if (whole !== '') this.#isApart = true
      return
    }
    const last = this.#nodes.at(-1)
    const starts = this.#isApart || isSpace(whole.charCodeAt(0))
    if (last && 'text' in last && last.parent === this.#open) last.text += starts ? ` ${text}` : text
    else {
      const node = { text, parent: this.#open, at: this.#nodes.length, isApart: starts }
      this.#nodes.push(node)
      this.#texts.push(node)
    }
    this.#isApart = isSpace(whole.charCodeAt(whole.length - 1))
  }

  #endScript(): void {
    const text = this.#pending.join('')
    this.#pending = []
    this.#scriptCharacters += text.length
    const { type = '', id = '', src } = this.#open.attributes
    if ((text || src) && this.#scriptCharacters < mostScriptCharacters)
      this.#scripts.push({ type: type.toLowerCase(), id, text })
  }
}

const isSpace = (code: number): boolean => code <= 32 || code === 160

/** One line, with single spaces. */
export const plain = (text: string): string =>
  text.replace(/[\s\u00a0\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]+/g, ' ').trim()

/** The text inside an element, at most `most` characters of it. */
export function textOf({ nodes }: Markup, { at, end }: MarkupElement, most = 10_000): string {
  let text = ''
  for (let i = at + 1; i < end && text.length < most; i++) {
    const node = nodes[i] as MarkupElement | MarkupText
    if ('text' in node) text += node.isApart && text ? ` ${node.text}` : node.text
  }
  return text.length > most ? text.slice(0, most) : text
}

/** The elements around a node, the nearest first. */
export function* around(node: MarkupElement | MarkupText, most = 40): Generator<MarkupElement> {
  let up = node.parent
  for (let i = 0; up && i < most; i++) {
    yield up
    up = up.parent
  }
}
