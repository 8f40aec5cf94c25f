/** The amount of text in each element of a document, and the part of it inside links. */

import type { DomElement } from './dom.ts'
import { isSilent } from './element-kinds.ts'

export interface Size {
  /** Characters of text, without white space at the ends of its runs. */
  chars: number
  linked: number
  /** Characters of runs that are long enough for a sentence. */
  prose: number
  links: number
}

const sentence = 60

export function sizesOf(root: DomElement): Map<DomElement, Size> {
  const sizes = new Map<DomElement, Size>()
  const measure = (element: DomElement, inLink: boolean): Size => {
    const size: Size = { chars: 0, linked: 0, prose: 0, links: 0 }
    sizes.set(element, size)
    if (isSilent(element)) return size
    const isLink = inLink || element.tagName.toUpperCase() === 'A'
    if (isLink && !inLink) size.links = 1
    for (let node = element.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === 3) {
        const { length } = (node.nodeValue ?? '').trim()
        size.chars += length
        if (isLink) size.linked += length
        else if (length >= sentence) size.prose += length
      } else if (node.nodeType === 1) {
        const part = measure(node as DomElement, isLink)
        size.chars += part.chars
        size.linked += part.linked
        size.prose += part.prose
        size.links += part.links
      }
    }
    return size
  }
  measure(root, false)
  return sizes
}
