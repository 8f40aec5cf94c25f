/** Tells the pages for which Readability takes too long: it reads the text of each element and its siblings anew. */
import type { DomElement } from './dom.ts'

const mostElements = 60_000
/** The sum of the squares of how many children each element has: 2,000 paragraphs in one element. */
const mostSiblings = 2_000 ** 2
/** The sum of how much text each element holds. */
const mostText = 16_000_000

export function isTooIntricate(root: DomElement): boolean {
  let elements = 0
  let siblings = 0
  let text = 0
  const walk = (element: DomElement, depth: number): void => {
    let children = 0
    for (let node = element.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === 3) text += depth * (node.nodeValue ?? '').length
      else if (node.nodeType === 1) {
        children += 1
        walk(node as DomElement, depth + 1)
      }
    }
    elements += 1
    siblings += children ** 2
  }
  walk(root, 1)
  return elements > mostElements || siblings > mostSiblings || text > mostText
}
