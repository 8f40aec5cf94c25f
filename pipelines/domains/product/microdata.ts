/** The things that a page declares in microdata. */
import { bareName } from './item.ts'
import type { Markup } from './markup.ts'
import { type Scoped, scopedItems } from './scoped.ts'

const words = (text: string | undefined): string[] =>
  (text ?? '').split(/\s+/).filter(Boolean).slice(0, 10).map(bareName)

export const microdataItems = (markup: Markup): Scoped[] =>
  scopedItems(markup, {
    begins: ({ itemscope, itemtype, itemid }) =>
      itemscope === undefined ? undefined : { types: words(itemtype), id: itemid },
    states: ({ itemprop }) => (itemprop === undefined ? none : words(itemprop)),
  })

const none: readonly string[] = []
