/** Things that are declared in attributes: microdata and RDFa differ only in the attributes. */
import type { Item } from './item.ts'
import { type Markup, type MarkupElement, textOf } from './markup.ts'

interface Syntax {
  /** Undefined if the element begins no thing. */
  begins(attributes: MarkupElement['attributes']): { types: string[]; id: string | undefined } | undefined
  /** The element's properties for the thing around it. */
  states(attributes: MarkupElement['attributes']): readonly string[]
}

/** A thing that is not the property of another, and its place. */
export interface Scoped {
  item: Item
  element: MarkupElement
}

const mostItems = 5_000
const mostProperties = 50_000

export function scopedItems(markup: Markup, { begins, states }: Syntax): Scoped[] {
  const top: Scoped[] = []
  const open: { item: Item; end: number }[] = []
  const borrowing: { item: Item; element: MarkupElement; ids: readonly string[] }[] = []
  let items = 0
  let properties = 0
  for (const element of markup.elements) {
    const { attributes, at, end } = element
    while (open.length && (open.at(-1) as { end: number }).end <= at) open.pop()
    const names = states(attributes)
    const begun = begins(attributes)
    if (begun) {
      if (++items > mostItems) break
      const item: Item = { ...begun, properties: new Map() }
      const around = open.at(-1)?.item
      if (around && names.length) add(around, names, item)
      else top.push({ item, element })
      open.push({ item, end })
      if (attributes.itemref && borrowing.length < 20)
        borrowing.push({ item, element, ids: attributes.itemref.split(/\s+/).slice(0, 20) })
    } else if (names.length && open.length) {
      if (++properties > mostProperties) break
      const { item } = open.at(-1) as { item: Item }
      for (const name of names) add(item, [name], statedBy(markup, element, name))
    }
  }
  for (const { item, element, ids } of borrowing) borrow(item, element, ids)
  return top

  /** `itemref`: properties at another place. */
  function borrow(item: Item, owner: MarkupElement, ids: readonly string[]): void {
    for (const lent of markup.elements) {
      if (!ids.includes(lent.attributes.id ?? '') || (lent.at <= owner.at && lent.end >= owner.end)) continue
      let until = 0
      for (const node of markup.nodes.slice(lent.at, lent.end)) {
        if ('text' in node || node.at < until) continue
        if (begins(node.attributes)) until = node.end
        else for (const name of states(node.attributes)) add(item, [name], statedBy(markup, node, name))
      }
    }
  }
}

function add({ properties }: Item, names: readonly string[], value: string | Item): void {
  for (const name of names) {
    const values = properties.get(name)
    if (values) values.push(value)
    else properties.set(name, [value])
  }
}

const urls =
  /^(url|image|logo|sameas|availability|itemcondition|mainentityofpage|contenturl|thumbnailurl|itemoffered)$/

const ids = /^(sku|productid|mpn)$/

/** The id in its visible form: `466/7999`, if the attribute says `4667999`. */
function sameIdShown(markup: Markup, element: MarkupElement, content: string): string | undefined {
  const shown = textOf(markup, element, 80)
  const bare = (id: string) => id.replace(/[^\p{L}\p{N}]/gu, '')
  return bare(shown) === bare(content) ? shown : undefined
}

function statedBy(markup: Markup, element: MarkupElement, name: string): string {
  const { name: tag, attributes } = element
  const { content, href, src, datetime, value } = attributes
  if (content !== undefined && (content !== '' || tag === 'meta'))
    return (ids.test(name) && sameIdShown(markup, element, content)) || content
  if (tag === 'link' && href !== undefined) return href
  // Shops mark the link around the name of a brand, but mean the name.
  if (href !== undefined && urls.test(name)) return href
  if (src !== undefined) return src
  if (datetime !== undefined && tag === 'time') return datetime
  if (value !== undefined && (tag === 'data' || tag === 'meter' || tag === 'input')) return value
  const image = name === 'image' ? (attributes['data-src'] ?? attributes['data-original']) : undefined
  return image ?? textOf(markup, element, 5_000)
}
