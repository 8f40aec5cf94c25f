/** Writes notation that a page shows by position as text, so that no number changes: powers, notes, fractions, formulas. */
import { formulaBeside, formulaText, isProse } from '../../../rails/formats/formula.ts'
import { fractionText, longestScript, scriptText } from '../../../rails/formats/scripts.ts'
import { raisedMark } from '../../../rails/outside/pages/marked.ts'
import { isScriptBeside, type Shift, shiftNamesIn, shiftOf } from '../../../rails/outside/pages/raised.ts'
import { textAfter, textBefore } from './beside.ts'
import type { DomDocument, DomElement, DomNode } from './dom.ts'
import { blockTags } from './element-kinds.ts'

/** A page for readers has fewer of these. */
const mostWritten = 20_000

/** What may be notation, by its tag, its style or its name. */
const mayBeWritten = `math, ruby, sup, sub, .frac, .sfrac, .sup, .superscript, .subscript, [${raisedMark}], [style*="vertical-align" i], [style*="relative" i]`

export function writeNotation(document: DomDocument, html: string): void {
  const names = shiftNamesIn(html)
  const found = [...document.querySelectorAll([mayBeWritten, ...names.keys()].join(','))]
  for (const element of found.slice(0, mostWritten)) {
    // An element inside another one is written with that one.
    if (!isIn(element, document)) continue
    const tag = element.tagName.toUpperCase()
    const shift = blockTags.has(tag) || tag === 'IMG' ? undefined : shiftOfElement(element, names)
    if (tag === 'MATH') writeFormula(document, element)
    else if (tag === 'RUBY') writeReadings(document, element)
    else if (shift) writeScript(document, element, shift)
    else if (/(?:^|\s)s?frac(?:\s|$)/.test(classOf(element))) writeFraction(document, element)
  }
}

const isIn = (element: DomElement, { documentElement }: DomDocument): boolean => {
  let top = element
  while (top.parentElement) top = top.parentElement
  return top === documentElement
}

const replace = (document: DomDocument, element: DomElement, text: string): void =>
  element.replaceWith(document.createTextNode(text))

/** Some pages hide a formula and show a picture of it, or a copy that only looks like one. */
function writeFormula(document: DomDocument, element: DomElement): void {
  const shown = hiddenAround(element) ?? element
  for (const other of [elementBeside(shown, 'nextSibling'), elementBeside(shown, 'previousSibling')]) {
    const isCopy = other?.getAttribute('aria-hidden') === 'true' || /math/i.test(classOf(other))
    if (other && isCopy && !other.querySelectorAll('math')[Symbol.iterator]().next().value) other.remove()
  }
  const text = formulaText(element)
  const isBlock = element.getAttribute('display') === 'block'
  // What stands in a hidden place has a picture or a copy that shows it, or it is no formula.
  if (shown !== element && isProse(text)) shown.remove()
  else replace(document, shown, formulaBeside(text, textBefore(shown), textAfter(shown), isBlock))
}

/** Behind a few texts at most: a row of formulas that are written is a row of texts, which is not walked for each of them. */
function elementBeside(element: DomElement, side: 'nextSibling' | 'previousSibling'): DomElement | null {
  let node = element[side]
  for (let steps = 0; node && node.nodeType !== 1 && steps < mostTexts; steps += 1) node = node[side]
  return node?.nodeType === 1 ? (node as DomElement) : null
}
const mostTexts = 6

function hiddenAround(element: DomElement): DomElement | undefined {
  let found: DomElement | undefined
  let above = element.parentElement
  for (let steps = 0; above && steps < 3 && !blockTags.has(above.tagName.toUpperCase()); steps += 1) {
    if (/mathml|assistive/i.test(classOf(above)) || /assistive/i.test(above.tagName)) found = above
    above = above.parentElement
  }
  return found
}

const classOf = (element: DomElement | null): string => (element?.getAttribute('class') ?? '').slice(0, 300)

const shiftOfElement = (element: DomElement, names: ReturnType<typeof shiftNamesIn>): Shift | undefined =>
  shiftOf(element.tagName.toLowerCase(), name => element.getAttribute(name), names)

/** A reading stands above its word. Beside it, it is no part of the word. */
function writeReadings(document: DomDocument, ruby: DomElement): void {
  if (ruby.querySelectorAll('rp')[Symbol.iterator]().next().value) return
  for (const reading of ruby.querySelectorAll('rt')) {
    const text = (reading.textContent ?? '').trim()
    replace(document, reading, text ? `(${text})` : '')
  }
}

function writeScript(document: DomDocument, element: DomElement, { kind, isSure }: Shift): void {
  const text = scriptContent(element, 3)
  const before = textBefore(element)
  if (text === undefined || !(isSure || isScriptBeside(text, before))) return
  const below = kind === 'sup' ? denominatorOf(element) : undefined
  if (below && /^\s*\d{1,4}\s*$/.test(text) && /^\s*\d{1,4}\s*$/.test(below.sub.textContent ?? '')) {
    below.bar.remove()
    below.sub.remove()
    replace(document, element, fractionText(text, below.sub.textContent ?? '', before))
    return
  }
  const script = { kind, text, before, after: textAfter(element), isNote: isNote(element) } as const
  replace(document, element, scriptText(script))
}

/** Undefined if it is not an exponent. */
function scriptContent(element: DomElement, depth: number): string | undefined {
  let text = ''
  const walk = (of: DomElement): boolean => {
    for (let node = of.firstChild; node; node = node.nextSibling) {
      if (text.length > longestScript) return false
      if (node.nodeType === 3) text += node.nodeValue ?? ''
      if (node.nodeType !== 1) continue
      const inner = node as DomElement
      const tag = inner.tagName.toUpperCase()
      if (blockTags.has(tag)) return false
      if (tag !== 'SUP' && tag !== 'SUB') {
        if (!walk(inner)) return false
        continue
      }
      const own = depth > 0 ? scriptContent(inner, depth - 1) : undefined
      if (own === undefined) return false
      const kind = tag === 'SUP' ? 'sup' : 'sub'
      text += scriptText({ kind, text: own, before: text, after: '', isNote: false })
    }
    return true
  }
  return walk(element) && text.length <= longestScript ? text : undefined
}

function denominatorOf(sup: DomElement): { bar: DomNode & { remove(): void }; sub: DomElement } | undefined {
  const bar = sup.nextSibling as (DomNode & { remove(): void }) | null
  const sub = bar?.nextSibling as DomElement | null | undefined
  if (bar?.nodeType !== 3 || !/^\s*[/⁄∕]\s*$/.test(bar.nodeValue ?? '')) return undefined
  return sub?.nodeType === 1 && sub.tagName.toUpperCase() === 'SUB' ? { bar, sub } : undefined
}

const noteNames = /foot-?note|note-?ref|\breference\b|\bfn\b|\bcite|citation|\bref\b/i

/** Whether it is marked as a note, or links to one. */
function isNote(element: DomElement): boolean {
  const says = (one: DomElement | null): boolean =>
    noteNames.test(
      `${classOf(one)} ${one?.getAttribute('role') ?? ''} ${one?.getAttribute('epub:type') ?? ''}`,
    )
  const leads = (one: DomElement | null | undefined): boolean =>
    one?.tagName.toUpperCase() === 'A' && (says(one) || /^[^#]{0,2000}#/.test(one.getAttribute('href') ?? ''))
  return says(element) || leads(element.parentElement) || leads(element.firstElementChild)
}

function writeFraction(document: DomDocument, element: DomElement): void {
  const [over] = element.querySelectorAll('.num')
  const [under] = element.querySelectorAll('.den')
  const [above, below] = [over, under].map(part => (part && scriptContent(part, 0)) ?? '')
  if (!above?.trim() || !below?.trim()) return
  const whole = element.firstChild?.nodeType === 3 ? (element.firstChild.nodeValue ?? '').trim() : ''
  const before = textBefore(element)
  const apart = whole && /\d$/.test(before) ? ' ' : ''
  replace(document, element, `${apart}${whole}${fractionText(above, below, whole || before)}`)
}
