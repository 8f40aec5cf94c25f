/** The formulas of a static page, and the copies that it shows of them. */
import { formulaBeside, isProse } from '../../formats/formula.ts'
import { formulaIn } from '../../formats/formula-markup.ts'

/** What a page hides has a picture or a copy beside it, which a reader sees in its place. */
const wrapper = /mathml|assistive/i
const begins = /^\s{0,20}(?:<[a-z][^<>]{0,300}>\s{0,20}){0,2}<math[\s>]/i
/** After a formula: a copy that only looks like one. */
const copy =
  /<\/math\s{0,9}>(?:\s{0,9}<\/[a-z-]{1,30}>){0,4}\s{0,9}(?=<(?:span|div)\s[^<>]{0,500}(?:aria-hidden\s?=\s?["']?true|katex-html))/iy
/** Before it. */
const copyBefore = /^(?:nobr|mjx-math)\s[^<>]{0,500}aria-hidden\s?=\s?["']?true/i
const mostNext = 900

export class Formulas {
  readonly #html: string
  readonly #hasAny: boolean
  #copyAt = -1

  constructor(html: string) {
    this.#html = html
    this.#hasAny = html.includes('<math')
  }

  /** Whether an element that nobody sees holds a formula that is shown in another way. `at` is the end of its tag. */
  isAround(tag: string, at: number): boolean {
    return (
      this.#hasAny && wrapper.test(tag.slice(0, mostNext)) && begins.test(this.#html.slice(at, at + mostNext))
    )
  }

  /** Whether the tag at this place begins the copy of a formula. */
  isCopy(tag: string, open: number): boolean {
    return this.#hasAny && (open === this.#copyAt || copyBefore.test(tag))
  }

  /** Writes the formula between its tag and its end tag. Prose in a hidden place is none. */
  written(open: number, end: number, before: string, isHidden: boolean): string {
    const markup = this.#html.slice(open, end)
    const text = formulaIn(markup)
    copy.lastIndex = end
    if (copy.test(this.#html)) this.#copyAt = copy.lastIndex
    const after = this.#html.slice(end, end + mostNext).replace(/^(?:<\/[^<>]{0,40}>){1,5}/, '')
    const isBlock = /^<math\s[^<>]{0,300}display\s?=\s?["']?block/i.test(markup)
    return isHidden && isProse(text) ? '' : formulaBeside(text, before, after, isBlock)
  }
}
