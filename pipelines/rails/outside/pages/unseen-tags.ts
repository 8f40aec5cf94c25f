/** Tells of the tags of a static page, in their order, which text nobody sees. */
import { colourOf, declarationsIn, hasNoSize, isUnseen, unseenNamesIn } from './unseen-style.ts'

/** Deeper elements count as ones with a paper of their own. */
const mostOpen = 250
const dresses = /\s(?:class|id|style|bgcolor|background)\s*=/i
const styled = /\s(?:style|color)\s*=/i
const named = /\s(?:class|id)\s*=/i
const ownSize = /font-size\s{0,3}:\s{0,3}(?:[3-9]|[1-9]\d|[1-9]?\.?\d{1,4}r?em)/i

type Attribute = (tag: string, name: string) => string | undefined

export class UnseenTags {
  readonly #names: ReadonlySet<string>
  readonly #attribute: Attribute
  /** The open elements, and whether they or one around them may have a paper of their own. */
  readonly #open: { name: string; isDressed: boolean }[] = []

  constructor(html: string, attribute: Attribute) {
    this.#names = unseenNamesIn(html)
    this.#attribute = attribute
  }

  /** `tag` is the inside of a start tag, `next` the beginning of what follows. */
  hides(tag: string, next: string): boolean {
    if (styled.test(tag)) {
      const font = /^font\s/i.test(tag) ? `color:${this.#attribute(tag, 'color') ?? ''};` : ''
      const style = declarationsIn(font + (this.#attribute(tag, 'style') ?? ''))
      if (isUnseen(style)) return !(hasNoSize(style) && ownSize.test(next))
      const isWhite = colourOf(style.get('color') ?? '') === '#ffffff'
      const hasPaper =
        style.has('background') || style.has('background-color') || /\s(?:class|bgcolor)\s*=/i.test(tag)
      if (isWhite && !hasPaper && !this.#open.at(-1)?.isDressed && this.#open.length < mostOpen) return true
    }
    if (this.#names.size === 0 || !named.test(tag)) return false
    const classes = (this.#attribute(tag, 'class') ?? '').slice(0, 600).split(/\s+/)
    return (
      this.#names.has(`#${this.#attribute(tag, 'id')}`) || classes.some(each => this.#names.has(`.${each}`))
    )
  }

  enter(name: string, tag: string): void {
    if (this.#open.length >= mostOpen) return
    this.#open.push({ name, isDressed: (this.#open.at(-1)?.isDressed ?? false) || dresses.test(tag) })
  }

  leave(name: string): void {
    const at = this.#open.findLastIndex(each => each.name === name)
    if (at >= 0) this.#open.length = at
  }
}
