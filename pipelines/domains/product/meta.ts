/** Reads meta tags: the price tags of shops are declarations, the others are hints. */
import { conditionUrl, declaredState } from './availability.ts'
import { currencyCode } from './currency.ts'
import { type Facts, type ProductOffer, stated } from './facts.ts'
import { gtinOf, gtinOfBook } from './gtin.ts'
import type { Locale } from './locale.ts'
import type { Markup } from './markup.ts'
import { isZero, statedPrice } from './price.ts'
import { plainText } from './texts.ts'

export type PageMeta = ReadonlyMap<string, readonly string[]>

export function readMeta({ elements }: Markup): PageMeta {
  const meta = new Map<string, string[]>()
  for (const { name, attributes } of elements) {
    if (name !== 'meta') continue
    const { content } = attributes
    const key = (attributes.property ?? attributes.name)?.trim().toLowerCase()
    if (!key || content === undefined || content === '' || meta.size > 500) continue
    meta.set(key, [...(meta.get(key) ?? []), content])
  }
  return meta
}

export const metaText = (meta: PageMeta, ...names: readonly string[]): string | undefined =>
  names.map(name => meta.get(name)?.[0]).find(text => text !== undefined)

const tag = (meta: PageMeta, ...names: readonly string[]): string | undefined =>
  metaText(meta, ...names.flatMap(name => [`product:${name}`, `og:${name}`]))

export const currencyOfTags = (meta: PageMeta): string | undefined =>
  currencyCode(tag(meta, 'sale_price:currency', 'price:currency'))

export function metaFacts(meta: PageMeta, locale: Locale): Facts {
  const at = (...names: readonly string[]) => tag(meta, ...names)
  const currency = currencyOfTags(meta)
  const price = statedPrice(at('sale_price:amount', 'price:amount', 'price'), locale, currency)
  const offer = stated<ProductOffer>({
    kind: 'one',
    price: price && !isZero(price.value) ? price.value : undefined,
    currency: currency ?? price?.currency?.code,
    availability: declaredState(at('availability')),
    condition: conditionUrl(at('condition')),
  })
  return stated<Facts>({
    sku: plainText(metaText(meta, 'product:retailer_item_id', 'product:sku')),
    gtin:
      gtinOf(metaText(meta, 'product:gtin', 'product:ean', 'product:upc')) ??
      gtinOfBook(metaText(meta, 'product:isbn', 'book:isbn')),
    mpn: plainText(metaText(meta, 'product:mfr_part_no', 'product:mpn')),
    color: plainText(metaText(meta, 'product:color')),
    size: plainText(metaText(meta, 'product:size')),
    brand: plainText(metaText(meta, 'product:brand', 'og:brand')),
    offers: offer.price === undefined && offer.availability === undefined ? undefined : offer,
  })
}
