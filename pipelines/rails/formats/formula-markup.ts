/** Reads a formula from its markup alone, where no document is at hand. */
import { Parser } from 'htmlparser2'
import { type FormulaElement, formulaText } from './formula.ts'

/** The markup after this length is not read. */
const longestFormula = 20_000
/** Deeper elements are siblings. */
const deepest = 60

/** `markup` begins with the tag of the formula. */
export function formulaIn(markup: string): string {
  const root = new Part('', {})
  const open = [root]
  const last = (): Part => open[Math.min(open.length, deepest) - 1] as Part
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const part = new Part(name, attributes)
        last().add(part)
        open.push(part)
      },
      ontext: text => last().add(text),
      onclosetag() {
        if (open.length > 1) open.pop()
      },
    },
    { recognizeSelfClosing: true },
  )
  parser.end(markup.slice(0, longestFormula))
  return root.firstElementChild ? formulaText(root.firstElementChild) : ''
}

class Part implements FormulaElement {
  readonly tagName: string
  readonly #attributes: Readonly<Record<string, string>>
  readonly #inside: (Part | string)[] = []
  #last: Part | null = null
  firstElementChild: Part | null = null
  nextElementSibling: Part | null = null

  constructor(name: string, attributes: Readonly<Record<string, string>>) {
    this.tagName = name
    this.#attributes = attributes
  }

  get textContent(): string {
    return this.#inside.map(each => (typeof each === 'string' ? each : each.textContent)).join('')
  }

  getAttribute(name: string): string | null {
    return this.#attributes[name] ?? null
  }

  add(inside: Part | string): void {
    this.#inside.push(inside)
    if (typeof inside === 'string') return
    if (this.#last) this.#last.nextElementSibling = inside
    else this.firstElementChild = inside
    this.#last = inside
  }
}
