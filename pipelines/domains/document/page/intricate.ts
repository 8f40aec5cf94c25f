/** Recognises the pages for which Readability takes too long: it reads the text of each element and its siblings again. */
import type { DomElement } from './dom.ts'

const mostElements = 60_000
/** The limit on the sum of the squares of all child counts: 2,000 paragraphs in one element. */
const mostSiblings = 2_000 ** 2
/** The limit on the sum of the text lengths of all elements. */
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
