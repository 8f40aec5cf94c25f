/** Tells of the tags of a static page, in their order, which text nobody sees. */
import { declarationsIn } from './style-rules.ts'
import { isUnseenClass, type UnseenClasses, unseenClassesIn } from './unseen-classes.ts'
import { hasNoSize, isWhite, mostPerhaps, unseenBy, unseenNamesIn } from './unseen-style.ts'

/** Deeper elements count as ones with a paper of their own. */
const mostOpen = 250
const dresses = /\s(?:class|id|style|bgcolor|background)\s*=/i
const styled = /\s(?:style|color)\s*=/i
const named = /\s(?:class|id)\s*=/i
const ownSize = /font-size\s{0,3}:\s{0,3}(?:[3-9]|[1-9]\d|[1-9]?\.?\d{1,4}r?em)/i

type Attribute = (tag: string, name: string) => string | undefined

export class UnseenTags {
  readonly #names: ReadonlySet<string>
  readonly #classes: UnseenClasses
  readonly #attribute: Attribute
  /** The open elements, and whether they or one around them may have a paper of their own. */
  readonly #open: { name: string; isDressed: boolean }[] = []

  constructor(html: string, attribute: Attribute) {
    this.#names = unseenNamesIn(html)
    this.#classes = unseenClassesIn(html)
    this.#attribute = attribute
  }

  /** `tag` is the inside of a start tag, `next` the beginning of what follows. */
  hides(tag: string, next: string): boolean {
    if (styled.test(tag)) {
      const font = /^font\s/i.test(tag) ? `color:${this.#attribute(tag, 'color') ?? ''};` : ''
      const style = declarationsIn(font + (this.#attribute(tag, 'style') ?? ''))
      const unseen = unseenBy(style)
      if (unseen === 'perhaps') return isShort(tag, next)
      if (unseen) return !(hasNoSize(style) && ownSize.test(next.slice(0, mostGap)))
      const hasNoInk = isWhite(style.get('color') ?? '')
      const hasPaper =
        style.has('background') || style.has('background-color') || /\s(?:class|bgcolor)\s*=/i.test(tag)
      if (hasNoInk && !hasPaper && !this.#open.at(-1)?.isDressed && this.#open.length < mostOpen) return true
    }
    if (this.#names.size + this.#classes.names.size === 0 || !named.test(tag)) return false
    const classes = (this.#attribute(tag, 'class') ?? '').slice(0, 600).split(/\s+/)
    const called = [...classes.map(each => `.${each}`), `#${this.#attribute(tag, 'id')}`]
    const isNamed = called.some(each => this.#names.has(each)) || isUnseenClass(called, this.#classes)
    return isNamed && isShort(tag, next)
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

/** The limit of the markup that is looked at after a tag. */
export const mostNext = 2 * mostPerhaps
const mostGap = 400

/** Whether the element of this tag ends soon. */
function isShort(tag: string, next: string): boolean {
  const name = /^[a-z][\w-]{0,40}/i.exec(tag)?.[0] ?? ''
  let depth = 1
  for (const { 0: found, index } of next.matchAll(new RegExp(`</?${name}(?=[\\s/>])`, 'gi'))) {
    depth += found.startsWith('</') ? -1 : 1
    if (depth === 0) return (next.slice(0, index).match(/[\p{L}\p{N}]/gu)?.length ?? 0) <= mostPerhaps
  }
  return false
}
