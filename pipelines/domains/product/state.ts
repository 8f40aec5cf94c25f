/** The product in the data that a shop system keeps in its scripts: its initial state, its data for analytics. */
import { declaredState } from './availability.ts'
import { currencyCode } from './currency.ts'
import { type Facts, type OfferRange, type ProductOffer, stated } from './facts.ts'
import { gtinOf, gtinOfBook } from './gtin.ts'
import type { Script } from './markup.ts'
import { isSameAmount, isZero, shortest, statedPrice } from './price.ts'
import { objectsIn, type RawObject as Raw } from './script-data.ts'
import { likeness, plainText } from './texts.ts'

interface StateFacts {
  facts: Facts
  /** Every price in a product of that name. */
  prices: ReadonlySet<string>
}

export function stateFacts(
  scripts: readonly Script[],
  { heading, titles, id }: { heading: string | undefined; titles: readonly string[]; id: string | undefined },
): StateFacts {
  const prices = new Set<string>()
  let best: { raw: Raw; points: number } | undefined
  for (const raw of objectsIn(scripts)) {
    const name = textOf(
      raw,
      'name',
      'title',
      'productName',
      'product_name',
      'item_name',
      'displayName',
      'productTitle',
    )
    if (name === undefined || name.length > 300) continue
    const like = Math.max(likeness(name, heading), ...titles.map(title => 0.85 * likeness(name, title)))
    if (like < 0.7) continue
    const { low: price, high } = priceOf(raw)
    for (const each of [price, high])
      for (const form of each ? [shortest(each), centsOf(each)] : []) if (form) prices.add(form)
    const points =
      like +
      (price ? 0.5 : 0) +
      (id && idOf(raw)?.includes(id) ? 0.5 : 0) +
      Math.min(0.2, Object.keys(raw).length / 100)
    if (!best || points > best.points) best = { raw, points }
  }
  return { facts: best ? factsOf(best.raw) : {}, prices }
}

/** A page with visible amounts also shows the price, perhaps with a point if its state counts cents. */
export function confirmed(facts: Facts, amounts: ReadonlyMap<string, number>): Facts {
  const { offers, ...rest } = facts
  if (offers?.kind === 'many' && amounts.size > 0)
    return [offers.low, offers.high].some(each => each && amounts.has(shortest(each))) ? facts : rest
  if (offers?.kind !== 'one' || offers.price === undefined || amounts.size === 0) return facts
  if (amounts.has(shortest(offers.price))) return facts
  const cents = centsOf(offers.price)
  if (cents !== undefined && amounts.has(cents)) return { ...rest, offers: { ...offers, price: cents } }
  return rest
}

const centsOf = (value: string): string | undefined =>
  /^\d{3,}$/.test(value) ? shortest(`${value.slice(0, -2)}.${value.slice(-2)}`) : undefined

const own = (raw: Raw, name: string): unknown => (Object.hasOwn(raw, name) ? raw[name] : undefined)

function textOf(raw: Raw, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = own(raw, name)
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

const nested = (raw: Raw, name: string): Raw | undefined => {
  const value = own(raw, name)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined
}

const priceNames = [
  'salePrice',
  'sale_price',
  'currentPrice',
  'finalPrice',
  'final_price',
  'price',
  'sellingPrice',
  'product_price',
  'item_price',
  'unit_price',
  'value',
]

/** Shopify writes cents. Only its variants show that a page is from Shopify. */
const inCents = (raw: Raw): boolean => Array.isArray(own(raw, 'variants')) && own(raw, 'vendor') !== undefined

interface StatedPrices {
  low?: string | undefined
  high?: string | undefined
  currency?: string | undefined
}

function priceOf(raw: Raw): StatedPrices {
  const prices = nested(raw, 'price') ?? nested(raw, 'prices') ?? nested(raw, 'offers')
  const own = textOf(raw, ...priceNames.slice(0, -1))
  const written = own ?? (prices && textOf(prices, ...priceNames, 'amount', 'current', 'min'))
  if (written === undefined) return rangeOf(raw)
  const value = amountOf(written)
  const isInCents = own !== undefined && inCents(raw) && value !== undefined && !value.includes('.')
  const low = isInCents ? (centsOf(value) ?? value) : value
  return { low, currency: prices && textOf(prices, 'currency', 'currencyCode') }
}

const ranges = ['priceRange', 'priceRangeV2', 'price_range']
const ends = [
  ['minVariantPrice', 'minimum_price', 'min', 'low'],
  ['maxVariantPrice', 'maximum_price', 'max', 'high'],
]

/** What shop systems without pages of their own answer: the prices of the cheapest and of the dearest variant. */
function rangeOf(raw: Raw): StatedPrices {
  const range = ranges.map(name => nested(raw, name)).find(Boolean)
  const [least, most] = ends.map(names => {
    const end = range && names.map(name => nested(range, name)).find(Boolean)
    return end && (nested(end, 'final_price') ?? end)
  })
  const [low, high] = [least, most].map(money => money && amountOf(textOf(money, 'amount', 'value') ?? ''))
  return { low: low ?? high, high, currency: least && textOf(least, 'currencyCode', 'currency') }
}

const amountOf = (written: string): string | undefined => {
  const value = statedPrice(written, { language: 'en', country: undefined })?.value
  return value === undefined || isZero(value) ? undefined : value
}

const idOf = (raw: Raw): string | undefined =>
  textOf(
    raw,
    'sku',
    'productSku',
    'product_sku',
    'item_id',
    'productId',
    'product_id',
    'productID',
    'id',
    'code',
    'itemId',
  )

/** What an object in a script says of its product. */
export function factsOf(raw: Raw): Facts {
  const { low, high, ...prices } = priceOf(raw)
  const currency = currencyCode(
    textOf(raw, 'currency', 'currencyCode', 'priceCurrency', 'product_currency') ?? prices.currency,
  )
  const brand = nested(raw, 'brand')
  const availability = stockOf(raw)
  const only = onlyVariant(raw)
  return stated<Facts>({
    sku: identifier(textOf(raw, 'sku', 'productSku', 'product_sku') ?? (only && textOf(only, 'sku'))),
    mpn: plainText(textOf(raw, 'mpn')),
    gtin:
      gtinOf(textOf(raw, 'gtin13', 'gtin', 'ean', 'upc', 'barcode') ?? (only && textOf(only, 'barcode'))) ??
      gtinOfBook(textOf(raw, 'isbn', 'isbn13', 'isbn10')),
    brand: plainText(
      textOf(raw, 'brand', 'brandName', 'item_brand', 'product_brand') ??
        (brand && textOf(brand, 'name', 'title')) ??
        textOf(raw, 'vendor'),
    ),
    offers:
      low === undefined
        ? undefined
        : high === undefined || isSameAmount(low, high)
          ? stated<ProductOffer>({ kind: 'one', price: low, currency, availability })
          : stated<OfferRange>({ kind: 'many', low, high, currency, availability }),
  })
}

/** The variant of a product that has one, in a list or as a connection of GraphQL. */
function onlyVariant(raw: Raw): Raw | undefined {
  const { nodes, edges } = nested(raw, 'variants') ?? {}
  const [only, another] = [own(raw, 'variants'), nodes, edges].find(Array.isArray) ?? []
  const variant = only && !another && typeof only === 'object' ? (only as Raw) : undefined
  return variant && (nested(variant, 'node') ?? variant)
}

const identifier = (text: string | undefined): string | undefined =>
  text !== undefined && /^\S{2,40}$/.test(text.trim()) ? text.trim() : undefined

function stockOf(raw: Raw): string | undefined {
  const flags = ['available', 'availableForSale', 'inStock', 'in_stock', 'isInStock']
  const flag = flags.map(name => own(raw, name)).find(value => value !== undefined)
  if (typeof flag === 'boolean') return flag ? 'InStock' : 'OutOfStock'
  const text = own(raw, 'availability') ?? own(raw, 'stockStatus')
  return typeof text === 'string' ? declaredState(text) : undefined
}
