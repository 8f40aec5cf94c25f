/** HTML as a flat list of nodes in the order of the document. Nothing here recurses, so no nesting is too deep. */
import { Parser } from 'htmlparser2'

export interface Element {
  name: string
  attributes: Readonly<Record<string, string>>
  parent: Element | undefined
  depth: number
  /** Its place among the nodes. The nodes after it and before `end` lie inside it. */
  at: number
  end: number
}

export interface Text {
  /** Trimmed, with single spaces. Never empty. */
  text: string
  parent: Element
  at: number
  /** Whether a space or the edge of a block stands before it. */
  isApart: boolean
}

export interface Script {
  /** In lower case. */
  type: string
  id: string
  text: string
}

export interface Markup {
  nodes: readonly (Element | Text)[]
  elements: readonly Element[]
  texts: readonly Text[]
  scripts: readonly Script[]
  /** The page is larger than we read: what follows is left out. */
  isCut: boolean
}

/** A shop's page has some ten thousand nodes. */
const mostNodes = 250_000
const mostDepth = 1_000
const mostScriptCharacters = 12 << 20
/** The parser searches its open elements from the end, so nesting that nobody bounds would cost the square of its depth. */
const chunk = 16 << 10

const blocks = new Set(
  'address article aside blockquote br button dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr input label li main nav ol option p section select table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
)
/** Their text is none that a reader sees. */
const unseen = new Set(['style', 'svg', 'iframe', 'noembed', 'noframes'])

export function readMarkup(html: string): Markup {
  const root: Element = { name: '', attributes: {}, parent: undefined, depth: 0, at: 0, end: 1 }
  const nodes: (Element | Text)[] = [root]
  const elements: Element[] = [root]
  const texts: Text[] = []
  const scripts: Script[] = []
  let open = root
  let isApart = true
  let pending: string[] = []
  let hidden = 0
  let scriptCharacters = 0

  function flush() {
    if (pending.length === 0) return
    const whole = pending.length === 1 ? (pending[0] as string) : pending.join('')
    pending = []
    const text = plain(whole)
    if (text === '') {
      if (whole !== '') isApart = true
      return
    }
    const last = nodes.at(-1)
    const starts = isApart || isSpace(whole.charCodeAt(0))
    if (last && 'text' in last && last.parent === open) last.text += starts ? ` ${text}` : text
    else {
      const node = { text, parent: open, at: nodes.length, isApart: starts }
      nodes.push(node)
      texts.push(node)
    }
    isApart = isSpace(whole.charCodeAt(whole.length - 1))
  }

  const parser = new Parser({
    onopentag(name, attributes) {
      flush()
      if (blocks.has(name)) isApart = true
      if (unseen.has(name)) hidden += 1
      const element = {
        name,
        attributes,
        parent: open,
        depth: open.depth + 1,
        at: nodes.length,
        end: nodes.length + 1,
      }
      nodes.push(element)
      elements.push(element)
      open = element
    },
    ontext(text) {
      if (hidden === 0) pending.push(text)
    },
    onclosetag(name) {
      if (open.name === 'script') endScript()
      else flush()
      open.end = nodes.length
      if (blocks.has(name)) isApart = true
      if (unseen.has(name)) hidden -= 1
      open = open.parent ?? root
    },
  })

  function endScript() {
    const text = pending.join('')
    pending = []
    scriptCharacters += text.length
    const { type = '', id = '', src } = open.attributes
    if ((text || src) && scriptCharacters < mostScriptCharacters)
      scripts.push({ type: type.toLowerCase(), id, text })
  }

  let from = 0
  while (from < html.length && nodes.length < mostNodes && open.depth < mostDepth) {
    parser.write(html.slice(from, from + chunk))
    from += chunk
  }
  parser.end()
  flush()
  root.end = nodes.length
  return { nodes, elements, texts, scripts, isCut: from < html.length }
}

const isSpace = (code: number): boolean => code <= 32 || code === 160

/** One line, with single spaces. */
export const plain = (text: string): string =>
  text.replace(/[\s\u00a0\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]+/g, ' ').trim()

/** The text that an element holds, at most `most` characters of it. */
export function textOf({ nodes }: Markup, { at, end }: Element, most = 10_000): string {
  let text = ''
  for (let i = at + 1; i < end && text.length < most; i++) {
    const node = nodes[i] as Element | Text
    if ('text' in node) text += node.isApart && text ? ` ${node.text}` : node.text
  }
  return text.length > most ? text.slice(0, most) : text
}

/** The elements around a node, the nearest first. */
export function* around(node: Element | Text, most = 40): Generator<Element> {
  let up = node.parent
  for (let i = 0; up && i < most; i++) {
    yield up
    up = up.parent
  }
}
