/** Gathers the text of one block, plain and as markdown. */

import type { DomElement } from './dom.ts'
import { Pieces } from './pieces.ts'

const marks: Record<string, string> = {
  STRONG: '**',
  B: '**',
  EM: '_',
  I: '_',
  CODE: '`',
  DEL: '~~',
  S: '~~',
}
/** What is struck out, and what takes its place, are two texts. */
const changes = /^(?:DEL|INS|S|STRIKE)$/
const cellEnd = '\t'

export class Inline {
  readonly #url: string | undefined
  readonly #text = new Pieces()
  readonly #markdown = new Pieces()
  #hasLines = false
  #linked = 0
  #links = 0
  #code = 0
  /** Whether the text ends in white space. This is stored, because a look would copy the whole text each time. */
  #spaced = true
  /** Whether the text ends in a digit, and a change begins or ends after it. */
  #endsInDigit = false
  #isChanged = false
  /** Whether a link with a text ends here. Links side by side are texts of their own: "Home" and "Timetable" of a menu. */
  #isLinkEnd = false
  readonly #begun: number[] = []

  constructor(url?: string) {
    this.#url = url
  }

  get length(): number {
    return this.#text.length
  }

  get hasLines(): boolean {
    return this.#hasLines
  }

  add(raw: string, asIs = false): void {
    const text = asIs ? raw : raw.replace(/[\s\u200B\u2060\uFEFF]+/g, ' ')
    const joined = !asIs && this.#spaced ? text.replace(/^ /, '') : text
    if (!joined) return
    if (this.#isChanged && this.#endsInDigit && /^[\d.,$€£¥]/.test(joined)) {
      this.#text.add(' ')
      this.#markdown.add(' ')
    }
    this.#isChanged = false
    this.#isLinkEnd = false
    this.#endsInDigit = /\d$/.test(joined)
    this.#text.add(joined)
    this.#markdown.add(asIs ? raw : this.#code > 0 ? joined : escaped(joined))
    this.#hasLines ||= asIs && raw.includes('\n')
    this.#spaced = /\s$/.test(joined)
    if (this.#links > 0) this.#linked += joined.trim().length
  }

  line(): void {
    for (const text of [this.#text, this.#markdown]) {
      text.trimEnd()
      text.add('\n')
    }
    this.#hasLines = true
    this.#spaced = true
  }

  /** Begins the next cells of a row. A cell may be empty. */
  cell(count: number): void {
    if (count === 0) return
    for (const text of [this.#text, this.#markdown]) {
      text.trimEnd(true)
      text.add(cellEnd.repeat(count))
    }
    this.#spaced = true
  }

  picture(image: DomElement): void {
    const alt = (image.getAttribute('alt') ?? '').replace(/[\s[\]]+/g, ' ').trim()
    const src = absolute(image.getAttribute('src') || image.getAttribute('data-src') || '', this.#url)
    if (!alt || !src) return
    this.#markdown.add(`![${alt}](${src})`)
    this.#spaced = false
  }

  enter(tag: string): void {
    if (changes.test(tag)) this.#isChanged = true
    if (tag === 'A') {
      if (this.#isLinkEnd) this.add(' ')
      this.#links += 1
      this.#begun.push(this.#markdown.length)
    } else if (marks[tag]) this.#begun.push(this.#markdown.length)
    if (tag === 'CODE') this.#code += 1
  }

  leave(tag: string, element: DomElement): void {
    if (changes.test(tag)) this.#isChanged = true
    if (tag !== 'A' && !marks[tag]) return
    const at = Math.min(this.#begun.pop() ?? 0, this.#markdown.length)
    if (tag === 'A') this.#links -= 1
    if (tag === 'CODE') this.#code -= 1
    const whole = this.#markdown.cut(at)
    const inside = whole.trim()
    if (!inside) {
      this.#markdown.add(whole)
      return
    }
    if (tag === 'A') this.#isLinkEnd = true
    const href = tag === 'A' ? absolute(element.getAttribute('href') ?? '', this.#url) : ''
    const mark = tag === 'CODE' && inside.includes('`') ? '``' : (marks[tag] ?? '')
    const marked =
      tag !== 'A' ? `${mark}${inside}${mark}` : href ? `[${inside.replace(/\n+/g, ' ')}](${href})` : inside
    const begins = whole.indexOf(inside)
    this.#markdown.add(whole.slice(0, begins) + marked + whole.slice(begins + inside.length))
  }

  taken(asIs: boolean, isRow = false): { text: string; markdown: string; linked: number } {
    const linked = this.#linked
    if (asIs) {
      const code = this.#text.toString().replace(/^\n+/, '').trimEnd()
      return { text: code, markdown: code, linked }
    }
    const [text, markdown] = [this.#text, this.#markdown].map(each => tidied(each.toString())) as [
      string,
      string,
    ]
    // Each cell of a row begins with its mark, including the first one. A row without text does not count.
    return isRow && markdown.trim()
      ? { text: text.replace(cellEnd, ''), markdown: markdown.replace(cellEnd, ''), linked }
      : { text: text.trim(), markdown: markdown.trim(), linked }
  }
}

const tidied = (text: string): string =>
  text
    .replace(/(?:(?<! ) +)?\n */g, '\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/(?:(?<! ) +)?\t */g, cellEnd)
    .replace(/^[ \n]+|(?<![ \n])[ \n]+$/g, '')

/** The text of a page must not become markup. */
const escaped = (text: string): string => text.replace(/([\\`*_[\]<>])/g, '\\$1')

function absolute(href: string, url: string | undefined): string {
  const text = href.trim()
  if (!text || /^(?:javascript|data|vbscript|blob):/i.test(text) || text.startsWith('#')) return ''
  const target = URL.parse(text, url)
  return target ? target.href.replace(/[()]/g, bracket => (bracket === '(' ? '%28' : '%29')) : ''
}
