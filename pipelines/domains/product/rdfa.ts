/** The things that a page declares in RDFa. */
import { bareName } from './item.ts'
import type { Markup } from './markup.ts'
import { type Scoped, scopedItems } from './scoped.ts'

const words = (text: string | undefined): string[] =>
  (text ?? '').split(/\s+/).filter(Boolean).slice(0, 10).map(bareName)

export const rdfaItems = (markup: Markup): Scoped[] =>
  scopedItems(markup, {
    begins: ({ typeof: type, resource, about }) =>
      type === undefined ? undefined : { types: words(type), id: resource ?? about },
    states: ({ property, rel }) =>
      property === undefined ? (rel?.includes(':') ? words(rel) : none) : words(property),
  })

const none: readonly string[] = []
