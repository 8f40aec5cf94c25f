/** Reads a declared thing of schema.org: its product, its group and its variants. */
import { type Facts, type Group, type ProductVariant, type Rating, stated } from './facts.ts'
import { gtinOf, gtinOfBook } from './gtin.ts'
import { chosenImages } from './images.ts'
import { type Item, is, isItem, itemsOf, textAt, valuesOf } from './item.ts'
import { joined } from './joined-offers.ts'
import type { OfferSetting } from './offer-setting.ts'
import { offersOf } from './offers.ts'
import { plainDescription, plainText } from './texts.ts'

const mostVariants = 60

export function declaredFacts(product: Item, asking: OfferSetting): Facts {
  const variants = itemsOf(product, 'hasvariant')
  if (!variants.length) return ofOne(product, itemsOf(product, 'isvariantof')[0], asking)
  const named = variants.filter(variant => asking.names(variant))
  if (named.length === 1)
    return { ...ofOne(named[0] as Item, product, asking), group: groupOf(product, variants, asking) }
  const own = ofOne(product, undefined, asking)
  const offers =
    own.offers ??
    joined(
      variants.flatMap(variant => offersOf(variant, asking) ?? []),
      asking,
    )
  const images = own.images ?? imagesOf(variants)
  return stated<Facts>({ ...own, images, offers, group: groupOf(product, variants, asking) })
}

/** The properties of a group apply to its variant, unless the variant has its own. */
function ofOne(item: Item, group: Item | undefined, asking: OfferSetting): Facts {
  const at = (...names: string[]) => plainText(textAt(item, ...names) ?? (group && textAt(group, ...names)))
  const own = (...names: string[]) => plainText(textAt(item, ...names))
  return stated<Facts>({
    name: at('name'),
    description: plainDescription(textAt(item, 'description') ?? (group && textAt(group, 'description'))),
    sku: skuOf([own('sku'), own('productid')], asking),
    gtin: gtinOf(own('gtin', 'gtin13', 'gtin14', 'gtin12', 'gtin8', 'ean')) ?? gtinOfBook(own('isbn')),
    mpn: own('mpn'),
    color: own('color'),
    size: own('size'),
    brand: at('brand', 'manufacturer')?.replace(/^[^:]{3,40}:\s+(?=\S)/, ''),
    images: imagesOf([item]) ?? (group && imagesOf([group])),
    offers: offersOf(item, asking) ?? (group && offersOf(group, asking)),
    rating: ratingOf(item) ?? (group && ratingOf(group)),
  })
}

function groupOf(group: Item, variants: readonly Item[], asking: OfferSetting): Group {
  const variesBy = valuesOf(group, 'variesby')
    .filter(value => typeof value === 'string')
    .map(value => value.slice(0, 200))
    .slice(0, 20)
  return {
    ...stated<{ id?: string }>({ id: plainText(textAt(group, 'productgroupid')) }),
    variesBy,
    variants: variants.slice(0, mostVariants).map(variant => variantOf(variant, asking)),
    isCut: variants.length > mostVariants,
  }
}

function variantOf(item: Item, asking: OfferSetting): ProductVariant {
  const { name, sku, gtin, color, size, offers } = ofOne(item, undefined, asking)
  const url =
    textAt(item, 'url') ??
    itemsOf(item, 'offers')
      .map(offer => textAt(offer, 'url'))
      .find(Boolean)
  return stated<ProductVariant>({ name, sku, gtin, color, size, url: url && absolute(url), offers })
}

const absolute = (url: string): string | undefined =>
  /^https?:\/\/\S+$/i.test(url.trim()) && url.length <= 2_000 ? url.trim() : undefined

const imagesOf = (items: readonly Item[]): string[] | undefined => {
  const urls = items
    .flatMap(item => valuesOf(item, 'image', 'photo'))
    .flatMap(value => (isItem(value) ? [textAt(value, 'contenturl', 'url'), value.id] : value))
    .filter(url => url !== undefined)
  const images = chosenImages(urls)
  return images.length ? images : undefined
}

function ratingOf(item: Item): Rating | undefined {
  const [rating] = itemsOf(item, 'aggregaterating')
  if (!rating || !is(rating, 'aggregaterating', 'rating', '')) return undefined
  const numberAt = (...names: string[]) => {
    const text = textAt(rating, ...names)
      ?.trim()
      .replace(',', '.')
    return text !== undefined && /^\d{1,9}(\.\d{1,12})?$/.test(text)
      ? text.replace(/^0+(?=\d)/, '')
      : undefined
  }
  const found = stated<Rating>({
    value: numberAt('ratingvalue'),
    best: numberAt('bestrating'),
    count: numberAt('reviewcount', 'ratingcount'),
  })
  return found.value === undefined ? undefined : found
}

/**
 * If there are two ids, the page's own URL shows which one belongs to the product. Some shops write the name after
 * the id.
 */
function skuOf(written: readonly (string | undefined)[], { url }: OfferSetting): string | undefined {
  const ids = written
    .filter(text => text !== undefined)
    .map(text => /^(?=\S*\d{3})(\S{5,})\s+\D+$/.exec(text)?.[1] ?? text.replace(/^sku:\s*/i, ''))
  return ids.find(id => id.length >= 4 && url.includes(id)) ?? ids[0]
}
