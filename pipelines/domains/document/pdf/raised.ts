/** Writes raised and lowered letters of a PDF as text, so that no number changes: `10^6`, `in 1874[1]`. */
import { fractionText, longestScript, mostBefore, scriptText } from '../../../rails/formats/scripts.ts'
import type { Glyph } from './glyphs.ts'

type Kind = 'sup' | 'sub' | undefined

/** The text of one piece. It grows by its letters, in their order. */
export class RaisedText {
  #text = ''
  /** The last letter on the line. */
  #base: Glyph
  #open = ''
  #kind: Kind
  /** Where the last raised text begins, and what it says. A bar and a lowered number after it make a fraction. */
  #over: { at: number; end: number; text: string } | undefined
  #isFirst = true
  #last: Glyph
  /** White space that PDFium has added. It also adds some where only the height changes. */
  #space = ''

  constructor(first: Glyph) {
    this.#base = first
    this.#last = first
    this.#text = first.text
  }

  add(glyph: Glyph): void {
    const kind = kindOf(glyph, this.#base)
    if (this.#isFirst && this.#text.length <= mostMark && kindOf(this.#base, glyph) === 'sup')
      this.#mark(glyph)
    const changes = kind !== this.#kind
    if (changes && gapOf(this.#last, glyph) < leastGap * this.#base.size) this.#space = ''
    if (changes || this.#space) this.#close(this.#space || glyph.text)
    this.#text += this.#space
    this.#space = ''
    this.#last = glyph
    this.#kind = kind
    if (kind) this.#open += glyph.text
    else {
      this.#text += glyph.text
      if (glyph.text.trim()) {
        this.#isFirst &&= glyph.size < this.#base.size * 1.1
        this.#base = glyph
      }
    }
  }

  space(text: string): void {
    this.#space += text
  }

  taken(): string {
    this.#close('')
    return this.#text + this.#space
  }

  /** What stands before it was raised: the mark of a note. */
  #mark(glyph: Glyph): void {
    const text = this.#text.trim()
    this.#text = text
      ? `${scriptText({ kind: 'sup', text, before: '', after: glyph.text, isNote: false })} `
      : ''
    this.#base = glyph
    this.#isFirst = false
  }

  #close(after: string): void {
    const [kind, text] = [this.#kind, this.#open.trim()]
    const isSpaced = /\s$/.test(this.#open)
    this.#kind = undefined
    this.#open = ''
    if (!kind || !text) return
    const before = this.#text.slice(-mostBefore)
    const over = this.#over
    if (kind === 'sub' && over && isNumber.test(text) && /^[/⁄∕]$/.test(this.#text.slice(over.end).trim())) {
      this.#text = this.#text.slice(0, over.at)
      this.#text += fractionText(over.text, text, this.#text.slice(-mostBefore))
    } else {
      const at = this.#text.length
      this.#text +=
        text.length > longestScript ? text : scriptText({ kind, text, before, after, isNote: false })
      this.#over = kind === 'sup' && isNumber.test(text) ? { at, end: this.#text.length, text } : undefined
    }
    if (isSpaced) this.#text += ' '
  }
}

export const gapOf = (a: Glyph, b: Glyph): number => (b.box?.left ?? 0) - (a.box?.right ?? 0)
/** A smaller gap is no space, in sizes of a letter. */
export const leastGap = 0.15
const isNumber = /^\d{1,4}$/
/** The mark of a note has no more letters. */
const mostMark = 4

/** Its letters are smaller, and do not stand on the line; or they are as large, and stand far above or below it. */
function kindOf({ base, size, text }: Glyph, line: Glyph): Kind {
  if (!text.trim() || line.size === 0) return undefined
  const [ratio, raised] = [size / line.size, (line.base - base) / line.size]
  const least = ratio < 0.85 ? 0.1 : 0.2
  // A letter at the beginning of a chapter is larger than a line.
  if (ratio < 0.4 || ratio > 1.1 || Math.abs(raised) > 0.8 || Math.abs(raised) < least) return undefined
  return raised > 0 ? 'sup' : 'sub'
}
