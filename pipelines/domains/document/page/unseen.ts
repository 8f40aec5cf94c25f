/** Takes out what a page writes for machines alone: letters of no size, off the screen, or in the colour of the paper. */
import { unseenMark } from '../../../rails/outside/pages/marked.ts'
import { type Declarations, declarationsIn } from '../../../rails/outside/pages/style-rules.ts'
import { isUnseenClass, unseenClassesIn } from '../../../rails/outside/pages/unseen-classes.ts'
import {
  hasNoSize,
  isWhite,
  mostPerhaps,
  unseenBy,
  unseenNamesIn,
} from '../../../rails/outside/pages/unseen-style.ts'
import type { DomDocument, DomElement, DomNode } from './dom.ts'

/** Returns the number of letters that it takes out. */
export function withoutUnseen(document: DomDocument, html: string): number {
  let letters = withoutMarked(document)
  const taken = new Set<DomElement>()
  const named = namedIn(document, html)
  const found = new Set([...document.querySelectorAll('[style],font[color]'), ...named])
  const opened = openedIn(document, named)
  for (const element of found) {
    const colour = element.tagName.toUpperCase() === 'FONT' ? `color:${element.getAttribute('color')};` : ''
    const style = declarationsIn(colour + (element.getAttribute('style') ?? ''))
    const unseen = unseenBy(style)
    const hides = unseen ? !(hasNoSize(style) && hasOwnSizes(element)) : isWhiteOnWhite(element, style)
    if ((!hides && !named.has(element)) || isInside(element, taken) || holdsFormula(element)) continue
    const own = lettersIn(element.textContent)
    const isPerhaps = unseen === 'perhaps' || !hides
    if (isPerhaps && (own > mostPerhaps || opened.has(element.getAttribute('id') ?? ''))) continue
    taken.add(element)
    letters += own
    element.remove()
  }
  return letters
}

/** What a class or an id of it hides. */
function namedIn(document: DomDocument, html: string): ReadonlySet<DomElement> {
  const select = (names: ReadonlySet<string>) =>
    names.size ? document.querySelectorAll([...names].join(',')) : []
  const classes = unseenClassesIn(html)
  const hidden = [...select(classes.names)].filter(element => {
    const called = (element.getAttribute('class') ?? '').slice(0, 600).split(/\s+/)
    return isUnseenClass([...called.map(each => `.${each}`), `#${element.getAttribute('id')}`], classes)
  })
  return new Set([...select(unseenNamesIn(html)), ...hidden])
}

/** The browser has marked them. Their parts may be seen. */
function withoutMarked(document: DomDocument): number {
  let letters = 0
  for (const element of document.querySelectorAll(`[${unseenMark}]`)) {
    const texts: DomNode[] = []
    for (let node = element.firstChild; node; node = node.nextSibling)
      if (node.nodeType === 3) texts.push(node)
    const own = texts.reduce((sum, { nodeValue }) => sum + lettersIn(nodeValue), 0)
    for (const text of texts) (text as DomElement).remove()
    letters += Math.min(own, Number(element.getAttribute(unseenMark)) || 0)
  }
  return letters
}

/** What a button opens that a reader sees, by its id. */
function openedIn(document: DomDocument, unseen: ReadonlySet<DomElement>): ReadonlySet<string> {
  const buttons = [...document.querySelectorAll('[aria-expanded="false"][aria-controls]')].slice(
    0,
    mostButtons,
  )
  const seen = buttons.filter(button => {
    const style = button.getAttribute('style') ?? ''
    const isHidden = button.hasAttribute('hidden') || button.getAttribute('aria-hidden') === 'true'
    if (isHidden || unseen.has(button) || /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style))
      return false
    return !unseenBy(declarationsIn(style)) && lettersIn(button.textContent) > 0
  })
  return new Set(seen.map(button => button.getAttribute('aria-controls') ?? '').filter(Boolean))
}
const mostButtons = 500

const lettersIn = (text: string | null): number => text?.match(/[\p{L}\p{N}]/gu)?.length ?? 0

/** Such a formula has a copy that is seen. */
const holdsFormula = (element: DomElement): boolean =>
  /mathml|assistive/i.test(element.getAttribute('class') ?? '') &&
  !element.querySelectorAll('math')[Symbol.iterator]().next().done

function isInside(element: DomElement, taken: ReadonlySet<DomElement>): boolean {
  for (let above = element.parentElement; above; above = above.parentElement)
    if (taken.has(above)) return true
  return false
}

/** Its parts may have a size, if only the gaps between them should have none. */
function hasOwnSizes(element: DomElement): boolean {
  for (const part of element.querySelectorAll('[style*="font-size"]'))
    if (!hasNoSize(declarationsIn(part.getAttribute('style') ?? ''))) return true
  return false
}

/** A class or a style of what is around it may give it another paper. */
function isWhiteOnWhite(element: DomElement, style: Declarations): boolean {
  if (!isWhite(style.get('color') ?? '')) return false
  if (style.has('background') || style.has('background-color')) return false
  const dresses = (one: DomElement) =>
    ['class', 'id', 'style', 'bgcolor', 'background'].some(name => one.hasAttribute(name))
  if (element.hasAttribute('class') || element.hasAttribute('bgcolor')) return false
  for (let above = element.parentElement; above; above = above.parentElement) if (dresses(above)) return false
  return true
}
