/** The content of any page: everything except its surroundings. */

import { type Block, blocksOf } from './blocks.ts'
import { isBoilerplate } from './boilerplate.ts'
import type { DomDocument, DomElement } from './dom.ts'
import type { PageKind } from './kind.ts'
import { type Size, sizesOf } from './sizes.ts'

interface Options {
  url: string | undefined
  kind: PageKind
}

export function surroundedBlocks(document: DomDocument, { url, kind }: Options): Block[] {
  const body = document.body
  const sizes = sizesOf(body)
  const page = sizes.get(body) as Size
  const root = contentRoot(document, sizes, page)
  const leaves = (element: DomElement): boolean => {
    const size = sizes.get(element)
    if (!size || element === root) return false
    return isBoilerplate(element, { size, page, kind }) || isLinkList(element, size, page)
  }
  return blocksOf(root, { url, leaves })
}

/** The element that the page declares as its content, if it has most of the prose. */
function contentRoot(document: DomDocument, sizes: Map<DomElement, Size>, page: Size): DomElement {
  for (const named of ['main', '[role="main"]', '#main-content', '#content', '#main', 'article']) {
    const found = [...document.querySelectorAll(named)].filter(each => sizes.has(each))
    const [only] = found
    if (found.length !== 1 || !only) continue
    const size = sizes.get(only) as Size
    if (size.chars > 250 && size.prose >= page.prose * 0.7) return only
  }
  return document.body
}

/** Many short links without other text lead to other pages. On a page of links, they are the content. */
function isLinkList(element: DomElement, { chars, linked, links, prose }: Size, page: Size): boolean {
  if (!/^(?:UL|OL|DIV|SECTION|TABLE|P)$/.test(element.tagName.toUpperCase())) return false
  if (page.linked > page.chars * 0.5 && page.prose < 2_000) return false
  return links >= 4 && prose === 0 && linked > chars * 0.85 && linked / links < 25
}
