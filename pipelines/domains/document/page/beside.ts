/** The text next to an element, within its block. */
import { mostBefore } from '../../../rails/formats/scripts.ts'
import type { DomElement, DomNode } from './dom.ts'
import { blockTags } from './element-kinds.ts'

/** The number of nodes to examine. */
const mostLooked = 30

/** The end of the text before a node, within its block. */
export function textBefore(node: DomElement): string {
  let text = ''
  let at: DomNode | null = node
  for (let looked = 0; at && looked < mostLooked && text.length < mostBefore; looked += 1) {
    const previous: DomNode | null = at.previousSibling
    if (!previous) {
      const above: DomElement | null = at.parentElement
      if (!above || blockTags.has(above.tagName.toUpperCase())) break
      at = above
      continue
    }
    at = lastIn(previous)
    if (isBreak(previous) || isBreak(at)) break
    if (at.nodeType === 3) text = (at.nodeValue ?? '').slice(-mostBefore) + text
  }
  return text.slice(-mostBefore).replace(/\s+/g, ' ')
}

function lastIn(node: DomNode): DomNode {
  let last = node
  for (let depth = 0; depth < mostLooked; depth += 1) {
    const inner = last.nodeType === 1 ? (last as DomElement).lastChild : null
    if (!inner || isBreak(last)) return last
    last = inner
  }
  return last
}

export function textAfter(node: DomElement): string {
  let at: DomNode | null = node
  for (let looked = 0; at && looked < mostLooked; looked += 1) {
    const next: DomNode | null = at.nextSibling ?? null
    if (!next) {
      const above: DomElement | null = at.parentElement
      if (!above || blockTags.has(above.tagName.toUpperCase())) break
      at = above
      continue
    }
    at = next
    while (at.nodeType === 1 && !isBreak(at) && at.firstChild && looked++ < mostLooked) at = at.firstChild
    if (isBreak(at)) break
    if (at.nodeType === 3 && at.nodeValue) return at.nodeValue.slice(0, 4)
  }
  return ''
}

const isBreak = (node: DomNode): boolean => {
  const tag = node.nodeType === 1 ? (node as DomElement).tagName.toUpperCase() : ''
  return tag === 'BR' || blockTags.has(tag)
}
