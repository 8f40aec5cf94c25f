/** Takes out what a page writes for machines alone: letters of no size, off the screen, or in the colour of the paper. */
import {
  colourOf,
  type Declarations,
  declarationsIn,
  hasNoSize,
  mostPerhaps,
  unseenBy,
  unseenNamesIn,
} from '../../../rails/outside/pages/unseen-style.ts'
import type { DomDocument, DomElement } from './dom.ts'

/** Returns the number of letters that it takes out. */
export function withoutUnseen(document: DomDocument, html: string): number {
  let letters = 0
  const taken = new Set<DomElement>()
  const names = [...unseenNamesIn(html)]
  const found = new Set(document.querySelectorAll(['[style]', 'font[color]', ...names].join(',')))
  const named = new Set(names.length ? document.querySelectorAll(names.join(',')) : [])
  for (const element of found) {
    const colour = element.tagName.toUpperCase() === 'FONT' ? `color:${element.getAttribute('color')};` : ''
    const style = declarationsIn(colour + (element.getAttribute('style') ?? ''))
    const unseen = unseenBy(style)
    const hides = unseen ? !(hasNoSize(style) && hasOwnSizes(element)) : isWhiteOnWhite(element, style)
    if ((!hides && !named.has(element)) || isInside(element, taken)) continue
    const own = element.textContent?.match(/[\p{L}\p{N}]/gu)?.length ?? 0
    if (own > mostPerhaps && (unseen === 'perhaps' || !hides)) continue
    taken.add(element)
    letters += own
    element.remove()
  }
  return letters
}

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
  if (colourOf(style.get('color') ?? '') !== '#ffffff') return false
  if (style.has('background') || style.has('background-color')) return false
  const dresses = (one: DomElement) =>
    ['class', 'id', 'style', 'bgcolor', 'background'].some(name => one.hasAttribute(name))
  if (element.hasAttribute('class') || element.hasAttribute('bgcolor')) return false
  for (let above = element.parentElement; above; above = above.parentElement) if (dresses(above)) return false
  return true
}
